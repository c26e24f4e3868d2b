import { isList, type JsonObject } from "../base/index.ts";
import { reserve, setBudget, spend, startBudget } from "./apply-budget.ts";
import { addItems, closeList, dropNotice, followMove, sweepItems } from "./apply-items.ts";
import type { Event, EventOf, EventType } from "./event.ts";
import type { Frame } from "./frame.ts";
import type { Fresh, RunState, Scope, Strand } from "./run-state.ts";
import { withAnswer } from "./person-values.ts";
import { upcastCounted, upcastTaken } from "./upcast-counters.ts";
import { applyUpdates, without, withoutStored } from "./write-state.ts";

/** The state before the first event. */
export const emptyState: RunState = {
  id: "",
  workflow: "",
  program: "",
  startedAt: 0,
  status: "running",
  options: { serial: false, unable: [] },
  seq: 0,
  scopes: {},
  strands: {},
  actions: {},
  effects: {},
  timers: {},
  decisions: {},
  lists: {},
  held: {},
  settled: [],
  counters: {},
  budget: { limits: {}, used: { steps: 0, tokens: 0, money: 0 } },
  notes: [],
};

type Next = Fresh<RunState>;

/** Remembers one event. Total: every event of a released version keeps its meaning. */
export function apply(state: RunState, event: Event): RunState {
  const next = copyState(state);
  next.seq += 1;
  (remember[event.type] as ((next: Next, event: Event) => void) | undefined)?.(next, event);
  return next;
}

const remember: { readonly [T in EventType]: (next: Next, event: EventOf<T>) => void } = {
  started: (next, event) => {
    next.id = event.id;
    next.workflow = event.workflow;
    next.program = event.program;
    next.startedAt = event.at;
    next.options = event.options;
    next.budget = startBudget(next.budget, event);
    if (event.retryOf !== undefined) next.retryOf = event.retryOf;
    if (event.countsFrom !== undefined) next.seq = event.countsFrom;
  },
  ended: (next, event) => {
    next.status = event.status;
    next.endedAt = event.at;
    delete next.error;
    if (event.error !== undefined) next.error = event.error;
  },
  reopened: (next) => {
    next.status = "running";
    delete next.error;
    delete next.endedAt;
  },

  scope_opened: (next, { type: _type, scope, gone = [], parent, ...facts }) => {
    dropScopes(next, gone);
    next.scopes = { ...next.scopes, [scope]: { ...facts, version: 0, calls: {}, ...(parent === undefined ? {} : { parent }) } };
  },
  scope_closed: (next, { scope, into: around, as, gone }) => {
    const into = next.scopes[around];
    if (into === undefined) return;
    const replaced = into.calls[as];
    next.scopes = { ...next.scopes, [around]: { ...into, calls: { ...into.calls, [as]: scope } } };
    dropScopes(next, gone ?? (replaced === undefined || replaced === scope ? [] : [replaced]));
  },
  wrote: (next, { scope: id, updates, answered }) => {
    const scope = next.scopes[id];
    const written = scope === undefined ? undefined : applyUpdates(scope, updates);
    if (written?.ok !== true) return;
    next.scopes = { ...next.scopes, [id]: answered === undefined ? written.value : withAnswer(written.value, updates, answered) };
  },
  put_back: (next, { scope: id, stored }) => {
    const scope: Scope | undefined = next.scopes[id];
    if (scope !== undefined) next.scopes = { ...next.scopes, [id]: { ...withoutStored(scope, stored), version: scope.version + 1 } };
  },

  strand_opened: (next, { type: _type, strand: id, item, ...facts }) => {
    const taken = item === undefined ? {} : { item: upcastTaken(item, next.counters) };
    next.strands = { ...next.strands, [id]: { id, status: "ready", frames: [], fence: 0, ...facts, ...taken } };
  },
  entered: (next, { strand, frame, scope }) => setFrames(next, strand, scope, (frames) => [...frames, frame]),
  moved: (next, event) => setFrames(next, event.strand, event.scope, (frames) => patchTop(frames, event)),
  left: (next, { strand, scope }) => setFrames(next, strand, scope, (frames) => frames.slice(0, -1)),
  waiting: (next, { strand, on }) => changeStrand(next, strand, { status: "waiting", waits: on }),
  ready: (next, { strand }) => changeStrand(next, strand, { status: "ready" }, "waits", "blocked", "error"),
  blocked: (next, { type: _type, strand, ...blocked }) => changeStrand(next, strand, { status: "blocked", blocked }, "waits"),
  failed: () => undefined,
  claimed: (next, { strand, holder, fence }) => changeStrand(next, strand, { holder, fence }),
  released: (next, { strand }) => changeStrand(next, strand, {}, "holder"),
  hidden: (next, { strand, unshown }) => changeStrand(next, strand, unshown ? { unshown } : {}, "unshown"),
  strand_ended: (next, { strand: id, status, error }) => {
    const strand = next.strands[id];
    if (strand?.parent !== undefined || strand?.entry !== undefined) next.strands = without(next.strands, id);
    else changeStrand(next, id, error === undefined ? { status } : { status, error }, "waits");
  },

  items_added: addItems,
  item_moved: followMove,
  items_swept: sweepItems,
  list_closed: closeList,
  dependency_settled: dropNotice,
  dependency_reopened: dropNotice,

  action_opened: (next, { action }) => void (next.actions = { ...next.actions, [action.id]: action }),
  action_closed: (next, { action: id, how, session }) => {
    const action = next.actions[id];
    next.actions = without(next.actions, id);
    if (action !== undefined && session !== undefined) changeStrand(next, action.strand, { session });
    if (action !== undefined && (how === "reported" || how === "failed"))
      changeStrand(next, action.strand, { last: { action: id, step: action.step } });
  },
  effect_opened: (next, { effect }) => void (next.effects = { ...next.effects, [effect.id]: effect }),
  effect_closed: (next, { effect }) => void (next.effects = without(next.effects, effect)),
  timer_set: (next, { timer }) => void (next.timers = { ...next.timers, [timer.id]: timer }),
  timer_gone: (next, { timer }) => void (next.timers = without(next.timers, timer)),
  decision_opened: (next, { decision }) => void (next.decisions = { ...next.decisions, [decision.id]: decision }),
  answer_refused: (next, { decision: id }) => {
    const held = next.decisions[id];
    if (held !== undefined) next.decisions = { ...next.decisions, [id]: { ...held, attemptsLeft: (held.attemptsLeft ?? 1) - 1 } };
  },
  attempts_restored: (next, { decision: id }) => {
    const held = next.decisions[id];
    if (held?.attempts !== undefined) next.decisions = { ...next.decisions, [id]: { ...held, attemptsLeft: held.attempts } };
  },
  decision_closed: (next, { decision: id, status, answer, by }) => {
    const held = next.decisions[id];
    // Answered decisions with a well-known id stay, since later blocks and gates look at them; minted ones go.
    if (held?.kind !== "gate") next.decisions = without(next.decisions, id);
    else {
      const given = { ...(answer === undefined ? {} : { answer }), ...(by === undefined ? {} : { answeredBy: by }) };
      next.decisions = { ...next.decisions, [id]: { ...held, status, ...given } };
    }
  },

  counted: (next, event) => {
    const today = event.key.startsWith("unshown/") ? upcastCounted(event) : undefined;
    if (today !== undefined) remember.hidden(next, today);
    else next.counters = { ...next.counters, [event.key]: (next.counters[event.key] ?? 0) + event.by };
  },
  spent: (next, event) => void (next.budget = spend(next.budget, event)),
  turn_begun: (next, event) => void (next.budget = reserve(next.budget, event)),
  budget_set: (next, event) => void (next.budget = setBudget(next.budget, event)),
  closing: (next, { reason }) => void (next.closing = reason),
  noted: (next, { note }) => void (next.notes = [...next.notes, note]),
  note_delivered: (next, { note: id }) => void (next.notes = next.notes.filter((note) => note.id !== id)),
  marked: (next, { mark }) => void (next.mark = mark),
  warned: () => undefined,
  refused: () => undefined,
};

function dropScopes(next: Next, gone: readonly string[]): void {
  for (const id of gone) next.scopes = without(next.scopes, id);
}

/** The strand with these fields, and without the ones that are `leaving`. Nothing happens to one that is not there. */
function changeStrand(next: Next, id: string, change: Partial<Strand>, ...leaving: readonly Passing[]): void {
  const strand = next.strands[id];
  if (strand !== undefined) next.strands = { ...next.strands, [id]: Object.assign(copyStrand(strand, ...leaving), change) };
}

function setFrames(next: Next, id: string, scope: string | undefined, change: (frames: readonly Frame[]) => readonly Frame[]): void {
  const strand = next.strands[id];
  if (strand === undefined) return;
  const copy = copyStrand(strand);
  copy.frames = change(strand.frames);
  if (scope !== undefined) copy.scope = scope;
  next.strands = { ...next.strands, [id]: copy };
}

/** A null in a patch removes the key. */
function patchTop(frames: readonly Frame[], { patch, push = {}, put: maps = {} }: EventOf<"moved">): readonly Frame[] {
  const top = frames.at(-1);
  if (top === undefined) return frames;
  const next: Record<string, unknown> = {};
  for (const key in top) if (patch[key] === undefined) next[key] = (top as unknown as Record<string, unknown>)[key];
  for (const key in patch) if (patch[key] !== null || key === "result") next[key] = patch[key];
  for (const key in push) {
    const held = next[key];
    next[key] = [...(isList(held) ? held : []), push[key]];
  }
  for (const key in maps) {
    const map = changed(next[key] as JsonObject | undefined, maps[key] ?? {});
    if (Object.keys(map).length > 0) next[key] = map;
    else delete next[key];
  }
  return [...frames.slice(0, -1), next as unknown as Frame];
}

function changed(map: JsonObject = {}, put: JsonObject): JsonObject {
  const gone = new Set(Object.keys(put).filter((key) => put[key] === null));
  if (gone.size === 0) return { ...map, ...put };
  return Object.fromEntries(Object.entries({ ...map, ...put }).filter(([key]) => !gone.has(key)));
}

/** A shallow copy. Written out key by key, because a step makes a dozen of them and spreading a copy of a copy is many times slower. */
export function copyState(state: RunState): Fresh<RunState> {
  const copy: Fresh<RunState> = {
    id: state.id,
    workflow: state.workflow,
    program: state.program,
    startedAt: state.startedAt,
    status: state.status,
    options: state.options,
    seq: state.seq,
    scopes: state.scopes,
    strands: state.strands,
    actions: state.actions,
    effects: state.effects,
    timers: state.timers,
    decisions: state.decisions,
    lists: state.lists,
    held: state.held,
    settled: state.settled,
    counters: state.counters,
    budget: state.budget,
    notes: state.notes,
  };
  if (state.error !== undefined) copy.error = state.error;
  if (state.endedAt !== undefined) copy.endedAt = state.endedAt;
  if (state.retryOf !== undefined) copy.retryOf = state.retryOf;
  if (state.mark !== undefined) copy.mark = state.mark;
  if (state.closing !== undefined) copy.closing = state.closing;
  return copy;
}

/** The same for a strand, which `leaving` keys do not come along with. */
export function copyStrand(strand: Strand, ...leaving: readonly Passing[]): Fresh<Strand> {
  const copy: Fresh<Strand> = { id: strand.id, status: strand.status, scope: strand.scope, frames: strand.frames, fence: strand.fence };
  copyOrigin(strand, copy);
  if (strand.waits !== undefined && !leaving.includes("waits")) copy.waits = strand.waits;
  if (strand.holder !== undefined && !leaving.includes("holder")) copy.holder = strand.holder;
  if (strand.last !== undefined && !leaving.includes("last")) copy.last = strand.last;
  if (strand.session !== undefined) copy.session = strand.session;
  if (strand.error !== undefined && !leaving.includes("error")) copy.error = strand.error;
  if (strand.unshown !== undefined && !leaving.includes("unshown")) copy.unshown = strand.unshown;
  if (strand.blocked !== undefined && !leaving.includes("blocked")) copy.blocked = strand.blocked;
  return copy;
}

/** What a strand has for a time. */
type Passing = "waits" | "holder" | "last" | "error" | "unshown" | "blocked";

/** What a strand has from its beginning to its end. */
function copyOrigin(strand: Strand, copy: Fresh<Strand>): void {
  if (strand.parent !== undefined) copy.parent = strand.parent;
  if (strand.of !== undefined) copy.of = strand.of;
  if (strand.calls !== undefined) copy.calls = strand.calls;
  if (strand.task !== undefined) copy.task = strand.task;
  if (strand.entry !== undefined) copy.entry = strand.entry;
  if (strand.pauses !== undefined) copy.pauses = strand.pauses;
  if (strand.item !== undefined) copy.item = strand.item;
}
