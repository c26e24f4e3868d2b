import { isList, type JsonObject } from "../base/index.ts";
import { applyItems, type ItemEvent } from "./apply-items.ts";
import { applyScopes, type ScopeEvent } from "./apply-scopes.ts";
import { copyState, copyStrand, without, type Fresh } from "./copy-state.ts";
import type { Event } from "./event.ts";
import type { Frame, RunState, Strand } from "./run-state.ts";
import { upcastCounted, upcastTaken } from "./upcast-counters.ts";

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

/** Remembers one event. Total: every event of a released version has a meaning for ever. */
export function apply(state: RunState, event: Event): RunState {
  const next = copyState(state);
  next.seq += 1;
  remember(next, event);
  return next;
}

function remember(next: Fresh<RunState>, event: Event): void {
  switch (event.type) {
    case "started":
      next.id = event.id;
      next.workflow = event.workflow;
      next.program = event.program;
      next.startedAt = event.at;
      next.options = event.options;
      next.budget = { ...next.budget, limits: event.limits };
      if (event.retryOf !== undefined) next.retryOf = event.retryOf;
      if (event.countsFrom !== undefined) next.seq = event.countsFrom;
      return;
    case "scope_opened":
    case "scope_closed":
    case "wrote":
    case "put_back":
      next.scopes = applyScopes(next.scopes, event);
      return;
    case "strand_opened": {
      const { type: _type, strand: id, item, ...facts } = event;
      const taken = item === undefined ? {} : { item: upcastTaken(item, next.counters) };
      next.strands = { ...next.strands, [id]: { id, status: "ready", frames: [], fence: 0, ...facts, ...taken } };
      return;
    }
    case "entered":
    case "moved":
    case "left":
    case "waiting":
    case "ready":
    case "blocked":
    case "failed":
    case "claimed":
    case "released":
    case "strand_ended":
    case "hidden":
      next.strands = rememberStrand(next.strands, event);
      return;
    case "items_added":
    case "item_moved":
    case "items_swept":
    case "list_closed":
    case "dependency_settled":
    case "dependency_reopened":
      return applyItems(next, event);
    case "ended":
      next.status = event.status;
      next.endedAt = event.at;
      delete next.error;
      if (event.error !== undefined) next.error = event.error;
      return;
    case "reopened":
      next.status = "running";
      delete next.error;
      delete next.endedAt;
      return;
    default:
      return rememberOpen(next, event);
  }
}

type StrandEvent = Extract<
  Event,
  {
    readonly type:
      | "hidden"
      | "entered"
      | "moved"
      | "left"
      | "waiting"
      | "ready"
      | "blocked"
      | "failed"
      | "claimed"
      | "released"
      | "strand_ended";
  }
>;

function rememberStrand(strands: RunState["strands"], event: StrandEvent): RunState["strands"] {
  const strand = strands[event.strand];
  if (strand === undefined) return strands;
  if (event.type === "strand_ended" && (strand.parent !== undefined || strand.entry !== undefined)) return without(strands, strand.id);
  return { ...strands, [strand.id]: nextStrand(strand, event) };
}

function nextStrand(strand: Strand, event: StrandEvent): Strand {
  switch (event.type) {
    case "entered":
      return withFrames(strand, [...strand.frames, event.frame], event.scope);
    case "moved":
      return withFrames(strand, patchTop(strand.frames, event), event.scope);
    case "left":
      return withFrames(strand, strand.frames.slice(0, -1), event.scope);
    case "waiting": {
      const next = copyStrand(strand);
      next.status = "waiting";
      next.waits = event.on;
      return next;
    }
    case "ready": {
      const next = copyStrand(strand, "waits", "blocked", "error");
      next.status = "ready";
      return next;
    }
    case "blocked": {
      const next = copyStrand(strand, "waits");
      next.status = "blocked";
      next.blocked = { code: event.code, reason: event.reason, ...(event.until === undefined ? {} : { until: event.until }) };
      return next;
    }
    case "failed":
      return strand;
    case "claimed": {
      const next = copyStrand(strand);
      next.holder = event.holder;
      next.fence = event.fence;
      return next;
    }
    case "released":
      return copyStrand(strand, "holder");
    case "hidden": {
      const next = copyStrand(strand, "unshown");
      if (event.unshown) next.unshown = true;
      return next;
    }
    case "strand_ended": {
      const next = copyStrand(strand, "waits");
      next.status = event.status;
      if (event.error !== undefined) next.error = event.error;
      return next;
    }
  }
}

function withFrames(strand: Strand, frames: readonly Frame[], scope: string | undefined): Strand {
  const next = copyStrand(strand);
  next.frames = frames;
  if (scope !== undefined) next.scope = scope;
  return next;
}

type Moved = Extract<Event, { readonly type: "moved" }>;

/** A null in a patch removes the key. */
function patchTop(frames: readonly Frame[], { patch, push = {}, put = {} }: Moved): readonly Frame[] {
  const top = frames.at(-1);
  if (top === undefined) return frames;
  const next: Record<string, unknown> = {};
  for (const key in top) if (patch[key] === undefined) next[key] = (top as unknown as Record<string, unknown>)[key];
  for (const key in patch) if (patch[key] !== null || key === "result") next[key] = patch[key];
  for (const key in push) {
    const held = next[key];
    next[key] = [...(isList(held) ? held : []), push[key]];
  }
  for (const key in put) {
    const map = changed(next[key] as JsonObject | undefined, put[key] ?? {});
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

type OpenEvent = Exclude<
  Event,
  ScopeEvent | StrandEvent | ItemEvent | { readonly type: "started" | "strand_opened" | "ended" | "reopened" }
>;

function rememberOpen(next: Fresh<RunState>, event: OpenEvent): void {
  switch (event.type) {
    case "action_opened":
      next.actions = { ...next.actions, [event.action.id]: event.action };
      return;
    case "action_closed":
      return closeAction(next, event.action, event.how);
    case "effect_opened":
      next.effects = { ...next.effects, [event.effect.id]: event.effect };
      return;
    case "effect_closed":
      next.effects = without(next.effects, event.effect);
      return;
    case "timer_set":
      next.timers = { ...next.timers, [event.timer.id]: event.timer };
      return;
    case "timer_gone":
      next.timers = without(next.timers, event.timer);
      return;
    case "decision_opened":
    case "answer_refused":
    case "attempts_restored":
    case "decision_closed":
      next.decisions = rememberDecision(next.decisions, event);
      return;
    case "counted": {
      const today = upcastCounted(event);
      if (today !== undefined) next.strands = rememberStrand(next.strands, today);
      else next.counters = { ...next.counters, [event.key]: (next.counters[event.key] ?? 0) + event.by };
      return;
    }
    case "spent": {
      const { limits, used, decision } = next.budget;
      const grown = {
        steps: used.steps + (event.steps ?? 0),
        tokens: used.tokens + (event.tokens ?? 0),
        money: used.money + (event.money ?? 0),
      };
      next.budget = { limits, used: grown, ...(decision === undefined ? {} : { decision }) };
      return;
    }
    case "budget_set":
      next.budget = { limits: event.limits, used: next.budget.used, ...(event.decision === undefined ? {} : { decision: event.decision }) };
      return;
    case "noted":
      next.notes = [...next.notes, event.note];
      return;
    case "note_delivered":
      next.notes = next.notes.filter((note) => note.id !== event.note);
      return;
    case "marked":
      next.mark = event.mark;
      return;
    case "warned":
    case "refused":
      return;
  }
}

function closeAction(next: Fresh<RunState>, id: string, how: string): void {
  const action = next.actions[id];
  const strand = action === undefined ? undefined : next.strands[action.strand];
  next.actions = without(next.actions, id);
  if (action === undefined || strand === undefined || (how !== "reported" && how !== "failed")) return;
  const told = copyStrand(strand);
  told.last = { action: id, step: action.step };
  next.strands = { ...next.strands, [strand.id]: told };
}

type DecisionEvent = Extract<Event, { readonly type: "decision_opened" | "answer_refused" | "attempts_restored" | "decision_closed" }>;

/** Answered decisions with a well-known id stay, since later blocks and gates look at them; minted ones go. */
function rememberDecision(decisions: RunState["decisions"], event: DecisionEvent): RunState["decisions"] {
  if (event.type === "decision_opened") return { ...decisions, [event.decision.id]: event.decision };
  const held = decisions[event.decision];
  if (held === undefined) return decisions;
  if (event.type === "answer_refused") {
    return { ...decisions, [held.id]: { ...held, attemptsLeft: (held.attemptsLeft ?? 1) - 1 } };
  }
  if (event.type === "attempts_restored") {
    return { ...decisions, [held.id]: held.attempts === undefined ? held : { ...held, attemptsLeft: held.attempts } };
  }
  if (held.kind !== "gate") return without(decisions, held.id);
  const answer = event.answer === undefined ? {} : { answer: event.answer };
  const by = event.by === undefined ? {} : { answeredBy: event.by };
  return { ...decisions, [held.id]: { ...held, status: event.status, ...answer, ...by } };
}
