import { listsOf, stagesOf, engine, phaseLabel, type Builder } from "./lower/build.ts";
import type { Json, Place } from "../../../base/index.ts";
import { programVersion, type Block, type BlockId, type Expr, type Part, type Program } from "../../../program/index.ts";
import { condition, value } from "../../../source/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "./checklist-definition.ts";
import { lowerDecision, withOutcome } from "./lower/lower-decision.ts";
import { facetsOf } from "./lower/file-facets.ts";
import { lowerTask, taskPlace } from "./lower/lower-task.ts";
import { lowerReview } from "./lower/lower-review.ts";
import { toolArgs, toolsBefore } from "./lower/lower-tools.ts";

/** A checklist with the definitions of the workflows it calls on the same files. */
export interface ChecklistSet {
  readonly main: ChecklistDefinition;
  readonly called: Readonly<Record<string, ChecklistDefinition>>;
  /** Workflows of other dialects that are called, with the inputs they are given of what the run was started with. */
  readonly foreign: Readonly<Record<string, readonly string[]>>;
  /** It is called itself: it ends when its work is done, and the caller decides when the run is over. */
  readonly within: boolean;
  readonly place: Place;
}

export function lowerChecklist(set: ChecklistSet): Program {
  const { main, called, place, within } = set;
  const blocks: Record<BlockId, Block> = {};
  const places: Record<BlockId, Place> = {};
  const parts: Record<string, Part> = {};
  const open = [main];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (parts[next.type] !== undefined) continue;
    const prefix = next === main ? "" : `${next.type}/`;
    const builder: Builder = {
      definition: next,
      lists: listsOf(next === main && !within, next.type),
      put(block) {
        const id = `${prefix}${block.id}`;
        blocks[id] = { ...block, id };
        places[id] = place;
        return id;
      },
    };
    parts[next.type] = lowerPart(builder, next === main && !within, set);
    open.push(...next.subWorkflows.flatMap((name) => called[name] ?? []));
  }
  return { version: programVersion, name: main.type, dialect: "checklist", main: main.type, parts, blocks, places };
}

function lowerPart(builder: Builder, isMain: boolean, set: ChecklistSet): Part {
  const { definition, lists } = builder;
  const root = lowerPhases(builder, isMain, set);
  const hasTasks = definition.phases.some(({ task }) => task !== undefined);
  const callsOthers = definition.subWorkflows.some((name) => set.foreign[name] !== undefined);
  return {
    name: definition.type,
    dialect: "checklist",
    description: definition.description,
    version: definition.version,
    inputs: inputs(definition),
    config: {
      checklist: definition as unknown as Json,
      lists: { ...builder.lists },
      stages: Object.fromEntries(stagesOf(workedOn(definition)).flatMap((stage, index) => stage.map(({ id }) => [id, index]))),
    },
    defaults: {
      raw: {
        scan: { done: false, cursor: 0 },
        ...(definition.tools === undefined ? {} : { tools: {} }),
        ...(definition.chooseTools === true ? { chosen_tools: "all" } : {}),
        approach: null,
        ...(callsOthers ? { called: {} } : {}),
        ...(hasTasks ? { tasks: {} } : {}),
      },
      state: {},
    },
    fields: { raw: {}, state: {} },
    computed: [],
    root,
    entries: isMain ? { batch: edits(builder, "batch", "apply_edits", toolsOfAll(set)), undo: edits(builder, "undo", "undo_edits") } : {},
    worklists: [
      { id: lists.files, facets: facetsOf(definition) },
      { id: lists.findings, facets: ["severity", "category", "tenth"] },
      { id: lists.changes, facets: ["auto", "impact"] },
      ...(isMain ? [{ id: "batches", facets: ["operation"] }] : []),
    ],
    rules: isMain ? rules(builder) : [],
    tracking: {},
    onResume: { retryFailedSteps: false, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
  };
}

function inputs(definition: ChecklistDefinition): Part["inputs"] {
  const upgrade = definition.versionUpgrade === undefined ? "" : " `source_version` and `target_version` say from which version to which.";
  return {
    scope: {
      type: "string",
      required: false,
      default: "workspace",
      description: "Which files: the workspace, a directory, or files named one by one.",
      validation: { enum: ["workspace", "directory", "files"] },
    },
    path: { type: "string", required: false, default: "", description: "The directory, or the files separated by commas." },
    options: {
      type: "object",
      required: false,
      default: {},
      description: `include_patterns, exclude_patterns, max_files, priority_patterns, bc_version.${upgrade}`,
    },
    initial_processing: {
      type: "object",
      required: false,
      default: {},
      description: "run_autonomous_phases, scan_all_patterns, timeout_ms, stream_progress.",
    },
  };
}

/** What must hold before the run may complete, as far as the definition asks for it. */
function rules({ definition, lists }: Builder): Part["rules"] {
  const open = (facet: string): string => {
    const counts = `(work[${JSON.stringify(lists.files)}] || { by: {} }).by[${JSON.stringify(facet)}]`;
    return `!${counts} || ${counts}.pending + ${counts}.in_progress == 0`;
  };
  return [
    ...(definition.rules.requireAllFiles
      ? [{ id: "all_files", when: condition(open("kind=file")), message: "Not every file has been dealt with." }]
      : []),
    ...(definition.rules.requireAllItems
      ? [
          { id: "all_entries", when: condition(open("kind=entry")), message: "Checklist entries are open." },
          { id: "all_topics", when: condition(open("kind=topic")), message: "Topics are not applied yet." },
          { id: "all_instances", when: condition(open("kind=instance")), message: "Instances of patterns are open." },
        ]
      : []),
  ];
}

/** A batch may be about the instances of every workflow that is called. */
function toolsOfAll({ main, called }: ChecklistSet): Readonly<Record<string, Expr>> {
  const tools = [main, ...Object.values(called)].flatMap((each) => each.tools ?? []);
  return toolArgs(tools.length === 0 ? {} : { tools });
}

/** A batch and its undoing run beside the main strand, which waits; each round does one chunk of files. */
function edits({ put, lists }: Builder, name: string, what: string, tools: Readonly<Record<string, Expr>> = {}): Part["entries"][string] {
  const chunk = { plan: value("{{ plan }}"), batch: value("{{ batch }}"), chunk: value("{{ iteration }}"), list: value(lists.files) };
  const args = { ...chunk, ...tools };
  const effect = engine(`${name}.chunk`, what, args, { as: "chunk" });
  const step = put(Object.keys(tools).length === 0 ? effect : { ...effect, rescue: { then: "block" } });
  const leave = put({ id: `${name}.leave`, kind: "leave", how: "break" });
  const done = put({ id: `${name}.done`, kind: "choose", branches: [{ when: condition("chunk.done == true"), then: leave }] });
  const body = put({ id: `${name}.round`, kind: "seq", blocks: [step, done] });
  const root = put({ id: name, kind: "repeat", max: 1_000_000, onLimit: "fail", body });
  return { root, by: "anyone", main: "waits" };
}

function lowerPhases(builder: Builder, isMain: boolean, { main, called, foreign, within }: ChecklistSet): BlockId {
  const { definition, put } = builder;
  const before: BlockId[] = [];
  const after: BlockId[] = [];
  const of = (role: PhaseDefinition["role"]): PhaseDefinition | undefined => definition.phases.find((phase) => phase.role === role);
  const tasksAt = (place: ReturnType<typeof taskPlace> | undefined): BlockId[] =>
    definition.phases.flatMap((phase) =>
      phase.task === undefined || taskPlace(definition.phases, phase) !== place ? [] : lowerTask(builder, phase, gate(builder, phase)),
    );
  const inventory = of("inventory") ?? definition.phases.find(({ task }) => task === undefined);
  before.push(...tasksAt(of("inventory")));
  before.push(put({ ...engine("inventory", "inventory", listArgs(builder), { writes: "raw.inventory" }), ...phaseLabel(inventory) }));
  const guides = of("guides");
  if (guides !== undefined)
    before.push(
      ...tasksAt(guides),
      ...gate(builder, guides),
      put({ ...engine("guides", "guides", {}, { writes: "raw.guides" }), ...phaseLabel(guides) }),
    );
  const scanning = of("scan") ?? inventory;
  before.push(...tasksAt(of("scan")), ...gate(builder, of("scan")), ...toolsBefore(builder, scanning), scan(builder, scanning));
  before.push(...tasksAt(of("batch")), ...lowerDecision(builder, { batch: of("batch"), review: of("review") }, gate(builder, of("batch"))));
  const review = workedOn(definition);
  const rounds = lowerReview(builder, { phases: review, verification: of("verification"), gate: (phase) => gate(builder, phase) });
  for (const name of definition.subWorkflows) {
    if (foreign[name] !== undefined) after.push(callOther(builder, name, foreign[name]));
    if (called[name] === undefined) continue;
    const same = { scope: value("{{ inputs.scope }}"), path: value("{{ inputs.path }}"), options: value("{{ inputs.options }}") };
    const call = put({ id: `call.${name}`, kind: "call", part: name, inputs: same, as: name });
    // A run that goes back to its files calls a workflow again only when there is something left to do in it, or in a new round.
    const counts = `work[${JSON.stringify(listsOf(false, name).files)}]`;
    const due = `((raw.inventory.called_again || {}).due || {})[${JSON.stringify(name)}] == true`;
    const when = condition(`!${counts} || ${counts}.counts.pending > 0${isMain ? "" : ` || ${due}`}`);
    after.push(put({ id: `call.${name}.choose`, kind: "choose", branches: [{ when, then: call }] }));
  }
  const summary = of("summary");
  after.push(...tasksAt("after"), ...gate(builder, summary));
  const all = [...before, rounds, ...after];
  if (!isMain) return put({ id: "main", kind: "seq", blocks: within && definition === main ? withOutcome(builder, all) : all });
  const what = "complete_workflow";
  const end = { id: what, kind: "do", who: "agent", what, args: {}, writes: [], as: "finish", whenLost: "retry" } as const;
  const finish = put({ ...end, ...phaseLabel(summary) });
  const leave = put({ id: "complete.leave", kind: "leave", how: "break" });
  // What was opened while the end was being reported is done first.
  const lists = [builder.lists.files, ...Object.keys(called).map((name) => listsOf(false, name).files)];
  const settled = lists.map((list) => `work[${JSON.stringify(list)}]`).map((counts) => `(!${counts} || ${counts}.counts.pending == 0)`);
  const over = condition(`finish.again != true && ${settled.join(" && ")}`);
  // The files are looked at once more: what appeared or changed while the run waited for its end belongs to it and to what it called.
  const files = { list: value(builder.lists.files), findings: value(builder.lists.findings), called: value(true) };
  const look = put(engine("complete.look", "refresh", files, { writes: "raw.fresh" }));
  const done = put({ id: "complete.done", kind: "choose", branches: [{ when: over, then: leave }] });
  const body = put({ id: "complete.round", kind: "seq", blocks: [rounds, ...after, finish, look, done] });
  const loop = put({ id: "complete.loop", kind: "repeat", max: 10_000, onLimit: "fail", body });
  return put({ id: "main", kind: "seq", blocks: [...before, loop] });
}

/** A workflow of another dialect has no files to go back to, so it runs once. */
function callOther({ put }: Builder, name: string, given: readonly string[]): BlockId {
  const inputs = Object.fromEntries(given.map((input) => [input, value(`{{ inputs.${input} }}`)]));
  const call = put({ id: `call.${name}`, kind: "call", part: name, inputs, as: name });
  const done = put({
    id: `call.${name}.done`,
    kind: "do",
    who: "engine",
    what: "set",
    args: {},
    writes: [{ path: { as: "path", of: "raw.called" }, op: "merge", value: value({ [name]: true }) }],
  });
  const both = put({ id: `call.${name}.once`, kind: "seq", blocks: [call, done] });
  const when = condition(`raw.called[${JSON.stringify(name)}] !== true`);
  return put({ id: `call.${name}.choose`, kind: "choose", branches: [{ when, then: both }] });
}

/** All files in chunks: each becomes a row with its entries and what the patterns found. */
function scan(builder: Builder, phase: PhaseDefinition | undefined): BlockId {
  const { put } = builder;
  const args = { ...listArgs(builder), cursor: value("{{ raw.scan.cursor }}") };
  const chunk = put(engine("scan.chunk", "scan_chunk", args, { writes: "raw.scan" }));
  const open = condition("raw.scan.done != true");
  return put({ id: "scan", kind: "repeat", while: open, max: 1_000_000, onLimit: "fail", body: chunk, ...phaseLabel(phase) });
}

/** Phases in which agents work, in order, with the tasks among them. */
function workedOn({ phases }: ChecklistDefinition): readonly PhaseDefinition[] {
  return phases.filter(
    (phase) => phase.role === "review" || phase.role === "agent" || (phase.role === "task" && taskPlace(phases, phase) === "among"),
  );
}

function listArgs({ lists }: Builder): Readonly<Record<string, { readonly as: "value"; readonly of: Json }>> {
  return { list: value(lists.files), findings: value(lists.findings), changes: value(lists.changes) };
}

/** A person lets the run into a phase that says so. */
function gate({ put }: Builder, phase: PhaseDefinition | undefined): BlockId[] {
  if (phase?.hardStop !== true) return [];
  const ask = put({
    id: `enter.${phase.id}`,
    kind: "do",
    who: "person",
    what: "ask",
    args: {
      prompt: { as: "text", of: `The phase "${phase.name}" is about to begin. ${phase.description} Go on?`.replaceAll("{{", "{ {") },
    },
    writes: [],
    as: "gate",
    ask: {
      answerBy: "person",
      decision: `enter:${phase.id}`,
      options: [
        { value: "go_on", label: `Begin ${phase.name}` },
        { value: "stop", label: "End the run here" },
      ],
    },
  });
  const stop = put({
    id: `enter.${phase.id}.stop`,
    kind: "leave",
    how: "fail",
    message: { as: "text", of: `A person ended the run before the phase ${phase.id}.` },
  });
  const chosen = put({ id: `enter.${phase.id}.choose`, kind: "choose", branches: [{ when: condition("gate == 'stop'"), then: stop }] });
  return [put({ id: `enter.${phase.id}.gate`, kind: "seq", blocks: [ask, chosen], ...phaseLabel(phase) })];
}
