import type { BlockId, DoBlock, Expr } from "../../../../program/index.ts";
import { condition, value } from "../../../../source/index.ts";
import type { PhaseDefinition } from "../checklist-definition.ts";
import { lowerTask } from "./lower-task.ts";
import { toolArgs, toolsAfter } from "./lower-tools.ts";
import { stagesOf, engine, phaseLabel, type Builder } from "./build.ts";

/** How many agents may work on different files of one run at once. */
const mostAtOnce = 64;

export interface ReviewSpec {
  readonly phases: readonly PhaseDefinition[];
  readonly verification: PhaseDefinition | undefined;
  readonly gate: (phase: PhaseDefinition) => BlockId[];
}

/**
 * Guided phases go file by file: every entry of a file, then the next file. A phase that waits for another one, or for a person,
 * begins a new stage: then all entries of the stage before are done first. After the last stage the work is verified, files that
 * changed or appeared are looked at again, and whatever that opens is done in another round.
 */
export function lowerReview(builder: Builder, { phases, verification, gate }: ReviewSpec): BlockId {
  const { definition, lists, put } = builder;
  const once: BlockId[] = [];
  const again: BlockId[] = [];
  const stages = stagesOf(phases);
  for (const [index, stage] of stages.entries()) {
    const [first] = stage;
    if (first === undefined) continue;
    if (first.task !== undefined) {
      once.push(...lowerTask(builder, first, gate(first)));
      continue;
    }
    once.push(...gate(first));
    if (first.role === "agent") once.push(put(agentPhase(first)));
    else if (index < stages.length - 1) once.push(entriesOf(builder, index, first));
  }
  once.push(...byApproach(builder));
  const last = stages.findLast((stage) => stage[0]?.role === "review")?.[0] ?? definition.phases.at(-1);
  again.push(files(builder, last));
  const list = value(lists.files);
  const named = definition.tools === undefined ? {} : { as: "gated" };
  const passes = put({ ...engine("files.gate", "gate_files", { list }, named), rescue: { then: "block" }, ...phaseLabel(last) });
  // What waits for the tools may still pass or open its file, so they look first.
  if (definition.tools === undefined) again.push(passes);
  if (verification !== undefined) {
    const args = { list, commands: value(definition.verify.map(({ name, command }) => ({ name, command }))) };
    const blocks = [...gate(verification), put(engine("verify", "verify", args, { writes: "raw.verification" }))];
    again.push(put({ id: "verification", kind: "seq", blocks, ...phaseLabel(verification) }));
  }
  again.push(put(engine("refresh", "refresh", { list, findings: value(lists.findings) }, { as: "fresh", writes: "raw.fresh" })));
  if (definition.tools !== undefined) again.push(...toolsAfter(builder, last), passes);
  const leave = put({ id: "review.leave", kind: "leave", how: "break" });
  const settled = definition.tools === undefined ? "fresh.open == 0" : "fresh.open == 0 && looked.open == 0 && gated.open == 0";
  again.push(put({ id: "review.done", kind: "choose", branches: [{ when: condition(settled), then: leave }] }));
  const body = put({ id: "review.round", kind: "seq", blocks: again });
  const rounds = put({ id: "review.rounds", kind: "repeat", max: 100, onLimit: "fail", body });
  return once.length === 0 ? rounds : put({ id: "review", kind: "seq", blocks: [...once, rounds] });
}
function agentPhase(phase: PhaseDefinition) {
  return {
    id: `phase.${phase.id}`,
    kind: "do" as const,
    who: "agent" as const,
    what: "run_phase",
    args: {
      phase: value(phase.id),
      name: value(plain(phase.name)),
      description: value(plain(phase.description)),
      checklist: value(phase.checklist.map(plain)),
      actions: value([...phase.availableActions]),
    },
    writes: [],
    whenLost: "retry" as const,
    ...phaseLabel(phase),
  };
}

/** Text of an author that must not be taken for a template. */
function plain(text: string): string {
  return text.replaceAll("{{", "{ {");
}

/** All entries of one stage, whatever file they belong to. */
function entriesOf(builder: Builder, stage: number, phase: PhaseDefinition): BlockId {
  const { lists, put } = builder;
  return put({
    id: `stage.${stage}`,
    kind: "work",
    list: lists.files,
    query: { facets: { kind: "entry", stage: String(stage) } },
    ...onRequest(entryBody(builder, `stage.${stage}`)),
    ...phaseLabel(phase),
  });
}

/** By type, or by version step: instances are taken across files; each holds its file meanwhile. */
function byApproach(builder: Builder): BlockId[] {
  const { definition, lists, put } = builder;
  const options = definition.approach?.options.map((option) => option.id) ?? [];
  const kinds = [
    { option: "review_by_type", facet: "type", from: "{{ raw.analysis.types }}" },
    { option: "by_version_step", facet: "step", from: "{{ raw.analysis.steps }}" },
  ].filter(({ option }) => options.some((id) => id === option));
  if (kinds.length === 0) return [];
  const branches = kinds.map(({ option, facet, from }) => {
    const inner = put({
      id: `${option}.instances`,
      kind: "work",
      list: lists.files,
      query: { facets: { kind: "instance" } },
      where: { facets: { [facet]: { as: "value", of: "{{ item }}" } } },
      ...onRequest(entryBody(builder, option)),
    });
    const then = put({ id: `${option}.groups`, kind: "work", fill: value(from), ...oneByOne(inner) });
    // What a batch of certain fixes leaves of an upgrade is done in version order too.
    const after = option === "by_version_step" && options.includes("apply_auto_first") ? " || raw.approach == 'apply_auto_first'" : "";
    return { when: condition(`raw.approach == '${option}'${after}`), then };
  });
  return [put({ id: "approach.choose", kind: "choose", branches })];
}

function files(builder: Builder, phase: PhaseDefinition | undefined): BlockId {
  const { lists, put } = builder;
  const item = value("{{ item }}");
  const list = value(lists.files);
  const look = put(engine("file.look", "look", { list, item }, { as: "seen" }));
  const gone = put({ id: "file.gone", kind: "leave", how: "skip", message: { as: "text", of: "{{ seen.reason }}" } });
  const present = put({ id: "file.present", kind: "choose", branches: [{ when: condition("seen.gone == true"), then: gone }] });
  const entries = put({
    id: "file.entries",
    kind: "work",
    list: lists.files,
    where: { parent: { as: "value", of: "{{ item.path }}" } },
    ...oneByOne(entryBody(builder, "file.entry")),
  });
  const close = put(engine("file.close", "close_file", { list, item, findings: value(lists.findings) }, { as: "closed" }));
  const blocked = put({ id: "file.blocked", kind: "leave", how: "fail", message: { as: "text", of: "{{ closed.reason }}" } });
  const judge = put({ id: "file.judge", kind: "choose", branches: [{ when: condition("closed.blocked == true"), then: blocked }] });
  const body = put({ id: "file", kind: "seq", blocks: [look, present, entries, close, judge] });
  return put({
    id: "files",
    kind: "work",
    list: lists.files,
    query: { parent: null, facets: { kind: "file" } },
    ...onRequest(body),
    ...phaseLabel(phase),
  });
}

const passedOver = { retries: 0, then: "continue" } as const;

/** Each item to an agent that asks for one. */
function onRequest(body: BlockId) {
  return { mode: "strands", pull: true, parallel: mostAtOnce, join: "all", body, onItemFailure: passedOver } as const;
}

function oneByOne(body: BlockId) {
  return { mode: "each", join: "all", body, onItemFailure: passedOver } as const;
}

/** One entry, topic or instance: the engine proves it, or an agent does it and the engine looks at what became of it. */
function entryBody(builder: Builder, prefix: string): BlockId {
  const { definition, lists, put } = builder;
  const item = value("{{ item }}");
  const list = value(lists.files);
  const verdict = put(engine(`${prefix}.check`, "check_entry", { list, item }, { as: "verdict" }));
  const wrong = put({ id: `${prefix}.wrong`, kind: "leave", how: "fail", message: { as: "text", of: "{{ verdict.reason }}" } });
  const judged = put({ id: `${prefix}.judged`, kind: "choose", branches: [{ when: condition("verdict.ok == false"), then: wrong }] });
  const byEngine = put({ id: `${prefix}.engine`, kind: "seq", blocks: [verdict, judged] });
  const otherwise = byAgent(builder, prefix);
  const round = value("{{ iteration }}");
  const report = { list, item, report: value("{{ report }}"), round, ...toolArgs(definition) };
  const settle = engine(`${prefix}.settle`, "settle_instance", report, { as: "settled" });
  // A tool that fails says nothing about the instance: it stays open until the tool is repaired.
  const converted = put(definition.tools === undefined ? settle : { ...settle, rescue: { then: "block" } });
  const leave = put({ id: `${prefix}.leave`, kind: "leave", how: "break" });
  const giveUp = put({ id: `${prefix}.giveup`, kind: "leave", how: "fail", message: { as: "text", of: "{{ settled.reason }}" } });
  const settled = put({
    id: `${prefix}.settled`,
    kind: "choose",
    branches: [
      { when: condition("settled.done == true"), then: leave },
      { when: condition("settled.failed == true"), then: giveUp },
    ],
  });
  const blocks = [act(builder, `${prefix}.convert`, { round }), ...leaveAsReported(builder, `${prefix}.convert`), converted, settled];
  const body = put({ id: `${prefix}.try`, kind: "seq", blocks });
  const tries = put({ id: `${prefix}.tries`, kind: "repeat", max: 100, onLimit: "fail", body });
  return put({
    id: `${prefix}.body`,
    kind: "choose",
    branches: [
      { when: condition("item.by == 'engine'"), then: byEngine },
      { when: condition("item.kind == 'instance'"), then: definition.patterns.judged === true ? judging(builder, prefix, tries) : tries },
    ],
    otherwise,
  });
}

/** An instance is judged first; `convert` follows where it was confirmed and the run was started to fix what is confirmed. */
function judging(builder: Builder, prefix: string, convert: BlockId): BlockId {
  const { put } = builder;
  const id = `${prefix}.judgement`;
  const fix = put({ id: `${prefix}.fix`, kind: "choose", branches: [{ when: condition("report.fix == true"), then: convert }] });
  const blocks = [act(builder, id, { judge: value(true) }), ...leaveAsReported(builder, id), fix];
  return put({ id: `${prefix}.judging`, kind: "seq", blocks });
}

/**
 * Each entry with a limit of time has its own blocks, with what settles it: outside of a branch the report has no name. They are numbered,
 * because an entry may be called as one of the blocks of another.
 */
function byAgent(builder: Builder, prefix: string): BlockId {
  const acting = (suffix: string, limit: Pick<DoBlock, "timeoutMs"> = {}): BlockId => {
    const id = `${prefix}.act${suffix}`;
    return builder.put({
      id: `${prefix}.agent${suffix}`,
      kind: "seq",
      blocks: [act(builder, id, {}, limit), ...leaveAsReported(builder, id)],
    });
  };
  const otherwise = acting("");
  const branches = builder.definition.checklist.flatMap(({ id: entry, by, timeout }, at) => {
    if (timeout === undefined || by === "engine") return [];
    const then = acting(`.${at}`, { timeoutMs: timeout * 1000 });
    return [{ when: condition(`item.entry == ${JSON.stringify(entry)}`), then }];
  });
  return branches.length === 0 ? otherwise : builder.put({ id: `${prefix}.in_time`, kind: "choose", branches, otherwise });
}

function act(
  { lists, put }: Builder,
  id: string,
  more: Readonly<Record<string, Expr>> = {},
  limit: Pick<DoBlock, "timeoutMs"> = {},
): BlockId {
  return put({
    id,
    ...limit,
    kind: "do",
    who: "agent",
    what: "check",
    args: { list: value(lists.files), item: value("{{ item }}"), ...more },
    writes: [],
    name: { as: "text", of: "{{ item.id }}" },
    as: "report",
    whenLost: "retry",
  });
}

/** A skip or a failure that the agent reported settles the item at once. */
function leaveAsReported({ put }: Builder, id: string): BlockId[] {
  const skip = put({ id: `${id}.skip`, kind: "leave", how: "skip", message: { as: "text", of: "{{ report.skip_reason }}" } });
  const fail = put({ id: `${id}.fail`, kind: "leave", how: "fail", message: { as: "text", of: "{{ report.error }}" } });
  const branches = [
    { when: condition("report.status == 'skipped'"), then: skip },
    { when: condition("report.status == 'failed'"), then: fail },
  ];
  return [put({ id: `${id}.reported`, kind: "choose", branches })];
}
