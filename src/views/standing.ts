import type { JsonObject } from "../base/index.ts";
import { type Action, type Decision, type ListCounts, mainStrand, type RunState, type Strand, taskName } from "../kernel/index.ts";
import { type Program, standardTaskPrompt } from "../program/index.ts";

/** A sub-agent task that is open now. */
export interface OpenTask {
  readonly task: string;
  readonly strand: string;
  readonly context: JsonObject;
  readonly holder?: string;
}

/** Where a strand is, for its holder. */
export type Standing =
  | { readonly kind: "action"; readonly action: Action; readonly tasks?: readonly OpenTask[] }
  | { readonly kind: "question"; readonly decision: Decision }
  /** `far`: nothing happens before `until`, and one more call would not last until then. */
  | { readonly kind: "working"; readonly on: string; readonly until?: number; readonly far?: true }
  | { readonly kind: "joining"; readonly tasks: readonly OpenTask[] }
  | { readonly kind: "blocked"; readonly code: string; readonly reason: string; readonly until?: number }
  /** `within`: the task that handed it out, which its holder drives too. */
  | { readonly kind: "task_ended"; readonly task: string; readonly status: string; readonly within?: string | undefined }
  | { readonly kind: "ended" };

export function standingOf(state: RunState, strandId: string): Standing {
  if (state.status !== "running") return { kind: "ended" };
  const strand = state.strands[strandId];
  if (strand === undefined) return { kind: "ended" };
  if (strand.status === "blocked" && strand.blocked !== undefined) return { kind: "blocked", ...strand.blocked };
  const { waits } = strand;
  if (waits === undefined) return { kind: "working", on: strand.frames.at(-1)?.block ?? "" };
  switch (waits.on) {
    case "action": {
      const action = state.actions[waits.id];
      return action === undefined ? { kind: "working", on: waits.id } : { kind: "action", action };
    }
    case "decision": {
      const decision = state.decisions[waits.id];
      return decision === undefined ? { kind: "working", on: waits.id } : { kind: "question", decision };
    }
    case "effect":
      return { kind: "working", on: state.effects[waits.id]?.step ?? waits.id };
    case "timer": {
      const timer = state.timers[waits.id];
      return { kind: "working", on: strand.frames.at(-1)?.block ?? waits.id, ...(timer === undefined ? {} : { until: timer.due }) };
    }
    case "strands":
      return joinStanding(state, strand);
  }
}

/** The parent of tasks is shown the hand-out of its own work, or of a detached one when it has nothing else to do. */
function joinStanding(state: RunState, strand: Strand): Standing {
  const owners = [strand, ...besideOf(state, strand.id)];
  for (const owner of owners) {
    const handed = handedTasks(state, owner);
    if (handed !== undefined) return handed;
  }
  const question = Object.values(state.decisions).find((decision) => decision.status === "pending");
  if (question !== undefined) return { kind: "question", decision: question };
  return { kind: "joining", tasks: owners.flatMap((owner) => openTasks(state, owner.id)) };
}

/** Strands in which groups of tasks run beside the strand. Those of a task that is over run beside the main one, which waits for them. */
function besideOf({ strands }: RunState, strand: string): readonly Strand[] {
  const owner = (parent: string): string => (strands[parent] === undefined ? mainStrand : parent);
  return Object.values(strands).filter(({ parent, task }) => task === undefined && parent !== undefined && owner(parent) === strand);
}

function handedTasks(state: RunState, owner: Strand): Extract<Standing, { readonly kind: "action" }> | undefined {
  const frame = owner.frames.findLast((held) => held.kind === "work");
  const action = frame?.kind === "work" && frame.action !== undefined ? state.actions[frame.action] : undefined;
  return action === undefined ? undefined : { kind: "action", action, tasks: openTasks(state, owner.id) };
}

/** Groups of tasks that run beside the strand, each as the step that hands them out. */
export function tasksBeside(state: RunState, strand: string): readonly Extract<Standing, { readonly kind: "action" }>[] {
  return besideOf(state, strand).flatMap((owner) => handedTasks(state, owner) ?? []);
}

/** What the author tells who begins the task that a strand is, until its first report; undefined where that is the standard prompt. */
export function taskPrompt(state: RunState, strand: string): string | undefined {
  const held = state.strands[strand];
  if (held?.task === undefined || held.parent === undefined || held.last !== undefined) return undefined;
  const owner = state.strands[held.parent];
  return owner === undefined ? undefined : authorsPrompt(handedTasks(state, owner)?.action);
}

export function promptText(prompt: string): string {
  return `Prompt of this task: ${prompt}`;
}

/** What the author tells the sub-agents of a step with tasks; undefined where that is the standard prompt. */
export function authorsPrompt(action: Action | undefined): string | undefined {
  const prompt = action?.args["prompt"];
  return typeof prompt === "string" && prompt !== standardTaskPrompt ? prompt : undefined;
}

/** The task that a strand is, or is in, as it is called from outside; undefined for the run itself, and for what is over. */
export function taskAround(state: RunState, strand: string | undefined): string | undefined {
  const held = strand === undefined ? undefined : state.strands[strand];
  if (held === undefined) return undefined;
  return held.task === undefined ? taskAround(state, held.parent) : taskName(held);
}

/** The strand that goes through the items of a list; undefined when it has left them. */
export function strandAt(state: RunState, list: string): string | undefined {
  return Object.values(state.strands).find(({ frames }) => frames.some((frame) => frame.kind === "work" && frame.list === list))?.id;
}

export function openTasks(state: RunState, parent: string): OpenTask[] {
  return Object.values(state.strands)
    .filter((strand) => strand.parent === parent && strand.task !== undefined)
    .map((strand) => ({
      task: taskName(strand),
      strand: strand.id,
      context: (strand.frames[0]?.locals?.["context"] ?? {}) as JsonObject,
      ...(strand.holder === undefined ? {} : { holder: strand.holder.name }),
    }));
}

type Counts = Pick<ListCounts, "total" | "by">;

interface Run {
  readonly program: Pick<Program, "parts" | "blocks">;
  readonly state: Pick<RunState, "lists">;
}

/** Counts over all items that are worked on; absent when the run has none. */
export function progressOf(run: Run): { readonly progress?: JsonObject } {
  const lists = itemCounts(run);
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  if (total === 0) return {};
  const sum = (status: "pending" | "in_progress" | "completed" | "skipped" | "failed"): number =>
    lists.reduce((all, list) => all + list.by[status], 0);
  const failed = sum("failed");
  const skipped = sum("skipped");
  return { progress: { done: sum("completed"), total, ...(failed > 0 ? { failed } : {}), ...(skipped > 0 ? { skipped } : {}) } };
}

/** Counts of every worklist with items to work on: what came of the work is kept in lists as well, and does not count. */
export function itemCounts({ program, state }: Run): readonly Counts[] {
  const records = recordLists(program);
  return Object.entries(state.lists).flatMap(([id, list]) => (records.has(id) ? [] : [countsOf(list)]));
}

const known = new WeakMap<Run["program"]["blocks"], ReadonlySet<string>>();

/** Declared lists that no block works through: they record what was found or done. */
function recordLists({ parts, blocks }: Run["program"]): ReadonlySet<string> {
  const before = known.get(blocks);
  if (before !== undefined) return before;
  const worked = new Set(Object.values(blocks).map((block) => (block.kind === "work" ? block.list : undefined)));
  const declared = Object.values(parts).flatMap(({ worklists }) => worklists.map(({ id }) => id));
  const records = new Set(declared.filter((id) => !worked.has(id)));
  known.set(blocks, records);
  return records;
}

/** Where rows are groups with actions below them, the actions count. */
function countsOf(list: ListCounts): Counts {
  const actions = list.facets["kind=action"];
  return actions === undefined ? list : { by: actions, total: Object.values(actions).reduce((sum, count) => sum + count, 0) };
}

/** The first whole second by which a time is over: who asks then need not ask again. */
export function timeOver(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString();
}
