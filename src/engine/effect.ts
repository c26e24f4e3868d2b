import type { Json, JsonObject } from "../base/index.ts";
import type { Input, ItemsChange, Outcome } from "../kernel/index.ts";
import type { ItemSelection, Store } from "../ports/index.ts";
import type { Item } from "../program/index.ts";
import type { Draft } from "./draft.ts";

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

export function done(value: Json, change?: Performed["change"], facts?: JsonObject): Performed {
  return { outcome: { ok: true, value }, ...(change === undefined ? {} : { change }), ...(facts === undefined ? {} : { facts }) };
}

const mostBelow = 1_000_000;

export function rowsOf({ store }: { readonly store: Store }, run: string, draft: Draft): Rows {
  return {
    read: (list, id) => draft.items.read(store, run, list, id),
    select: (selection) => draft.items.select(store, run, selection),
    below: (list, parent) => draft.items.select(store, run, { list, query: { parent }, limit: mostBelow }),
  };
}

/** Rows as the store has them now, for a look before anything is decided. */
export function storedRows({ store }: { readonly store: Store }, run: string): Rows {
  return {
    read: (list, id) => store.readItem(run, list, id),
    select: (selection) => store.selectItems(run, selection),
    below: (list, parent) => store.selectItems(run, { list, query: { parent }, limit: mostBelow }),
  };
}
