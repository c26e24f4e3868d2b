import type { Json, JsonObject } from "../../base/index.ts";
import type { Effect, Input, ItemsChange, Outcome } from "../../kernel/index.ts";
import type { ItemSelection } from "../../ports/index.ts";
import type { Item } from "../../program/index.ts";
import type { ChecklistRun } from "../checklist/checklist-run.ts";
import type { EngineContext } from "../context.ts";
import type { Draft } from "../decide.ts";
import type { RunHandle } from "../run-cache.ts";

/** Rows as they are at the head an input is decided against. */
export interface Rows {
  read(list: string, id: string): Promise<Item | undefined>;
  select(selection: ItemSelection): Promise<readonly Item[]>;
  /** Everything directly below an item, in order. */
  below(list: string, parent: string): Promise<readonly Item[]>;
}

/** How an effect ended; `change` is made anew for every head it is decided against. */
export interface Performed {
  readonly outcome: Outcome;
  readonly change?: (rows: Rows) => Promise<ItemsChange>;
  readonly facts?: JsonObject;
  /** Name of a step that was begun elsewhere: if a call follows, whether it is made is asked first. */
  readonly doubt?: string;
  /** Inputs that are decided together with the outcome, ahead of it. */
  readonly before?: readonly Input[];
}

/** An effect of a checklist in somebody's hands. */
export interface Job {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly effect: Effect;
  readonly scope: string;
  readonly run: ChecklistRun;
  readonly signal: AbortSignal;
}

/** undefined when it was stopped before its end. */
export type Perform = (job: Job) => Promise<Performed | undefined>;

export function done(value: Json, change?: Performed["change"], facts?: JsonObject): Performed {
  return { outcome: { ok: true, value }, ...(change === undefined ? {} : { change }), ...(facts === undefined ? {} : { facts }) };
}

const mostBelow = 1_000_000;

export function rowsOf(context: EngineContext, run: string, draft: Draft): Rows {
  const { store } = context;
  return {
    read: (list, id) => draft.items.read(store, run, list, id),
    select: (selection) => draft.items.select(store, run, selection),
    below: (list, parent) => draft.items.select(store, run, { list, query: { parent }, limit: mostBelow }),
  };
}

/** Rows as the store has them now, for a look before anything is decided. */
export function storedRows({ store }: EngineContext, run: string): Rows {
  return {
    read: (list, id) => store.readItem(run, list, id),
    select: (selection) => store.selectItems(run, selection),
    below: (list, parent) => store.selectItems(run, { list, query: { parent }, limit: mostBelow }),
  };
}
