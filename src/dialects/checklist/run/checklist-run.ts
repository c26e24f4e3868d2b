import { defined, isList, isObject, type Json, type JsonObject, canonicalJson } from "../../../base/index.ts";
import type { ChecklistDefinition, Lists } from "../definition/index.ts";
import { mainScope, mainStrand, type Action, type Decision, type Effect, treeKey, type Actor } from "../../../kernel/index.ts";
import type { PatternSpec, ScanRules } from "../../../ports/index.ts";
import { refused, type RunHandle, type At, type Caller, heldStrand, type EngineContext, type Performed } from "../../../engine/index.ts";

/** A run of a checklist as effects and commands see it: its definition, what it was started with, and its worklists. */
export interface ChecklistRun {
  readonly definition: ChecklistDefinition;
  /** Which phases are worked on together, by phase. */
  readonly stages: Readonly<Record<string, number>>;
  readonly lists: Lists;
  readonly inputs: JsonObject;
  readonly options: JsonObject;
  readonly raw: JsonObject;
  /** Whether it is the run's own workflow, not one that it calls. */
  readonly main: boolean;
}

type Of = Pick<RunHandle, "program" | "state">;

/** What lowering keeps of a checklist in its part. */
export type ChecklistConfig = Pick<ChecklistRun, "definition" | "lists" | "stages">;

export function decodeChecklist({ checklist, lists, stages }: JsonObject): ChecklistConfig {
  return { definition: checklist, lists, stages } as unknown as ChecklistConfig;
}

/** undefined when the scope belongs to another dialect. */
export function checklistOf(handle: Of, scope: string = mainScope): ChecklistRun | undefined {
  const { parts, main } = handle.program;
  const part = parts[handle.state.scopes[scope]?.part ?? main];
  return part?.dialect === "checklist" ? checklistAt({ handle, scope, definition: decodeChecklist(part.config) }) : undefined;
}

/** Actions of a checklist's own parts that have the general form: a prompt has no room in the short one of entries. */
export const shownAsEverywhere: ReadonlySet<string> = new Set(["task"]);

/** Whether the strand of a checklist's run is in a checklist: its tasks, and what it calls from another dialect, are shown and reported as everywhere. */
export function isInChecklist(handle: Of, strand: string): boolean {
  const { strands, actions } = handle.state;
  const { scope, waits } = strands[strand] ?? {};
  if (waits?.on === "action" && shownAsEverywhere.has(actions[waits.id]?.what ?? "")) return false;
  return checklistOf(handle) !== undefined && checklistOf(handle, scope) !== undefined;
}

export function checklistAt({
  handle: { program, state },
  scope: id,
  definition: config,
}: Pick<At<ChecklistConfig>, "scope" | "definition"> & { readonly handle: Of }): ChecklistRun {
  const scope = state.scopes[id];
  const inputs = scope?.inputs ?? {};
  const options = isObject(inputs["options"]) ? inputs["options"] : {};
  return { ...config, inputs, options, raw: scope?.raw ?? {}, main: (scope?.part ?? program.main) === program.main };
}

/** The workflows that the run's own one calls on its files, begun or not. */
export function calledRuns({ program, state }: Of): readonly CalledRun[] {
  return Object.values(program.parts).flatMap((part): readonly CalledRun[] => {
    if (part.name === program.main || part.dialect !== "checklist") return [];
    // Each call has a scope of its own; the newest one counts.
    const scope = scopesOf(state, part.name).at(-1);
    const run = scope === undefined ? undefined : checklistOf({ program, state }, scope);
    if (run !== undefined && scope !== undefined) return [{ ...run, scope, begun: true, atWork: scopesAtWork(state).has(scope) }];
    return [{ ...decodeChecklist(part.config), inputs: {}, options: {}, raw: {}, main: false, begun: false, atWork: false }];
  });
}

export interface CalledRun extends ChecklistRun {
  /** Of the newest call, once there is one. */
  readonly scope?: string;
  readonly begun: boolean;
  /** It was called and has not come to its end. */
  readonly atWork: boolean;
}

/** Scopes of the calls of a part that are known, in the order in which they were opened. */
export function scopesOf({ scopes }: RunHandle["state"], part: string): readonly string[] {
  return Object.keys(scopes)
    .filter((id) => scopes[id]?.part === part)
    .toSorted((a, b) => scopeNumber(a) - scopeNumber(b));
}

/** Scopes that are opened later have higher numbers. */
export function scopeNumber(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}

function scopesAtWork({ scopes, strands }: RunHandle["state"]): ReadonlySet<string> {
  const found = new Set<string>();
  for (let id: string | undefined = strands[mainStrand]?.scope; id !== undefined; id = scopes[id]?.parent) found.add(id);
  return found;
}

/** The run's own workflow if it is a checklist, then the checklists it has called: every list of files there is. */
export function begunRuns(handle: RunHandle): readonly ChecklistRun[] {
  return checklistsOf(handle).filter((run) => run.main || ("begun" in run && run.begun === true));
}

/** The same with those that it has not called yet. */
export function checklistsOf(handle: RunHandle): readonly (ChecklistRun | CalledRun)[] {
  const own = checklistOf(handle);
  return own === undefined ? calledRuns(handle) : [own, ...calledRuns(handle)];
}

/** What a report is headed by: the run's own workflow, else the first checklist that it has called. */
export function requireHead(handle: RunHandle): ChecklistRun | CalledRun {
  const [head] = begunRuns(handle);
  const [waiting] = checklistsOf(handle);
  if (head !== undefined || waiting === undefined) return head ?? requireChecklist(handle);
  const { type } = waiting.definition;
  throw refused(
    "ENGINE_NOT_A_CHECKLIST",
    `Run \`${handle.id}\` is of \`${handle.program.name}\`, which calls the checklist \`${type}\`. It has not begun, so there is nothing to report.`,
    `Continue the run until \`${type}\` has begun.`,
    {},
  );
}

/** The workflow that a batch is about: the one that is named, else the one at work. */
export function runNamed(handle: RunHandle, name: string | undefined): ChecklistRun {
  const own = requireChecklist(handle);
  if (name === undefined) return checklistOf(handle, handle.state.strands[mainStrand]?.scope) ?? own;
  const called = calledRuns(handle);
  const found = [own, ...called].find((run) => run.definition.type === name);
  if (found !== undefined && (found === own || called.some((run) => run === found && run.begun))) return found;
  const names = [own, ...called].map((run) => `\`${run.definition.type}\``).join(", ");
  throw found === undefined
    ? refused("ENGINE_BAD_VALUE", `Run \`${handle.id}\` has no workflow \`${name}\`.`, `Its workflows are ${names}.`, {})
    : refused(
        "ENGINE_BAD_VALUE",
        `\`${name}\` has not begun: run \`${handle.id}\` calls it when its own files are done, and nothing is known of its instances before.`,
        "Continue with workflow_next until it has begun.",
        {},
      );
}

/** The workflow whose instances a batch was planned for. */
export function runOfPlan(handle: RunHandle, { workflow }: { readonly workflow?: string }): ChecklistRun {
  return workflow === undefined ? requireChecklist(handle) : runNamed(handle, workflow);
}

export function requireChecklist(handle: RunHandle): ChecklistRun {
  const run = checklistOf(handle);
  if (run === undefined)
    throw refused(
      "ENGINE_NOT_A_CHECKLIST",
      `Run \`${handle.id}\` is of \`${handle.program.name}\`, which has no files and no batches.`,
      "Use it with the run of a checklist workflow, such as code-review.",
      {},
    );
  return run;
}

/** What is looked for: the patterns of the definition, and those that were taken from conversion guides. */
export function rulesOf({ definition, options, raw }: Pick<ChecklistRun, "definition" | "options" | "raw">): ScanRules {
  const guides = isObject(raw["guides"]) ? raw["guides"]["patterns"] : undefined;
  const all = [...definition.patterns.patterns, ...(isList(guides) ? guides : [])] as unknown as readonly PatternSpec[];
  const { bc_version: version } = options;
  const patterns = definition.patterns.enabled ? all : [];
  const { leaveOut } = definition.patterns;
  // Of an upgrade alone: elsewhere both branches of `#if` may be built.
  const target = definition.versionUpgrade === undefined ? undefined : (options["target_version"] ?? definition.versionUpgrade.target);
  const named = (given: unknown): string | undefined =>
    typeof given === "string" || typeof given === "number" ? String(given) : undefined;
  return {
    patterns,
    maxFileBytes: definition.maxFileBytes,
    ...defined({ leaveOut, bcVersion: named(version), targetVersion: named(target) }),
  };
}

/** Whether all files are scanned at the beginning, or each one when it is handed out. */
export function scansAtOnce({ inputs }: ChecklistRun): boolean {
  const processing = inputs["initial_processing"];
  return !isObject(processing) || processing["scan_all_patterns"] !== false;
}

/** The question which way to go through a migration; steps of a workflow that is called begin with its name. */
export function isApproach({ step }: { readonly step: string }): boolean {
  return /(?:^|\/)approach$/.test(step);
}

/** The option whose batch the engine can apply. */
export const applyAutoFirst = "apply_auto_first";

/** Options that a start must give: a workflow that looks for guides needs to know between which versions. */
export function neededOptions({ phases, versionUpgrade: upgrade }: ChecklistConfig["definition"]): readonly string[] {
  if (!phases.some(({ role }) => role === "guides")) return [];
  return [...(upgrade?.source === undefined ? ["source_version"] : []), ...(upgrade?.target === undefined ? ["target_version"] : [])];
}

export function textList(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return isList(value) ? value.filter((entry) => typeof entry === "string") : [];
}

/** What the caller works on: an action, a question, or nothing. */
export function openOf(
  handle: RunHandle,
  caller: Caller,
): { readonly strand: string; readonly action?: Action; readonly question?: Decision } {
  const { strands, actions, decisions } = handle.state;
  const strand = heldStrand(handle, caller) ?? mainStrand;
  const waits = strands[strand]?.waits;
  const action = waits?.on === "action" ? actions[waits.id] : undefined;
  const question = waits?.on === "decision" ? decisions[waits.id] : undefined;
  return { strand, ...defined({ action, question: question?.status === "pending" ? question : undefined }) };
}

export const heldReason = "An agent is working on it.";

/** An agent works on the file, in the run's own workflow or in one that it calls. */
export function isHeld(handle: RunHandle, path: string): boolean {
  return strandsAt(handle, path).length > 0;
}

/** An agent other than this one works on the file. */
export function isHeldByOther(handle: RunHandle, path: string, { kind, name, session }: Omit<Actor, "surface">): boolean {
  return strandsAt(handle, path).some((strand) => {
    const held = handle.state.strands[strand]?.holder;
    return held?.kind !== kind || held.name !== name || held.session !== session;
  });
}

function strandsAt(handle: RunHandle, path: string): readonly string[] {
  return begunRuns(handle).flatMap(({ lists }) => handle.state.held[treeKey(lists.files, path)]?.strand ?? []);
}

/** The block of a called checklist that goes through its files until nothing is open; what it calls itself comes after it. */
const rounds = /(^|\/)review(\.rounds)?$/;

/** Whether a call of a checklist has files left to go through: what is opened again before their end is handed out again. */
export function isAtFiles({ program }: Pick<RunHandle, "program">, { strands, effects }: RunHandle["state"], part: string): boolean {
  const root = program.parts[part]?.root ?? "";
  const block = program.blocks[root];
  // A sequence counts the block that it is in.
  const last = block?.kind === "seq" ? block.blocks.findIndex((id) => rounds.test(id)) + 1 : 0;
  const strand = Object.values(strands).find(({ frames }) =>
    frames.some((frame) => frame.kind === "seq" && frame.block === root && last > 0 && frame.at <= last),
  );
  // The look at the files after the last one may already have found nothing open.
  return strand !== undefined && !Object.values(effects).some((effect) => effect.strand === strand.id && effect.what === "refresh");
}

/** A checklist in its run, as commands and plans are given it. */
export interface InRun {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly run: ChecklistRun;
}

/** An effect of a checklist that is being performed. */
export interface Job extends InRun {
  readonly effect: Effect;
  readonly scope: string;
  readonly signal: AbortSignal;
  /** Another process began it and is gone. */
  readonly again: boolean;
}

/** undefined when it was stopped before its end. */
export type Perform = (job: Job) => Promise<Performed | undefined>;

/** Rules and scanner in one number: a plan is bound to both. */
export async function rulesHash({ host, workspace }: EngineContext, run: ChecklistRun): Promise<string> {
  return host.sha256(canonicalJson({ rules: rulesOf(run), version: await workspace.rulesVersion() }));
}

/** Kept with the inventory of a call that is not the first of its workflow in the run. */
export interface CalledAgain extends JsonObject {
  /** Scope of the call that began the round. */
  readonly since: string;
  /** The scan opens what earlier rounds settled. */
  readonly opens: boolean;
  /** Workflows it calls itself that have not begun in this round. */
  readonly due: Readonly<Record<string, true>>;
}

/** The round that a call belongs to; undefined in the first one. */
export function roundOf(raw: JsonObject): CalledAgain | undefined {
  const inventory: Readonly<Record<string, Json | undefined>> = isObject(raw["inventory"]) ? raw["inventory"] : {};
  return inventory["called_again"] as CalledAgain | undefined;
}

/** How a judgement is reported. */
export const judgementWanted = "confirmed + findings [{severity, description}], or dismissed + skip_reason";

/** How an entry or phase is reported: which of these only its agent knows. */
export const statusWanted = "completed, skipped (+ skip_reason) or failed (+ error)";
