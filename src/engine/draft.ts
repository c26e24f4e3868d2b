import type { Json, JsonObject } from "../base/index.ts";
import { type Event, eventVersion, type Input, type ItemsChange, type Outcome, type RunState } from "../kernel/index.ts";
import type { Commit, HeldLease, ItemSelection, NewRecord, Store } from "../ports/index.ts";
import type { Item } from "../program/index.ts";
import { encodeJournal } from "../state/index.ts";
import { runLine } from "../views/index.ts";
import { isItemChange, PendingItems } from "./pending-items.ts";
import { countOfParts, waitingParts } from "./waiting-parts.ts";
import type { RunHandle } from "./run-cache.ts";

/** One input with what makes its repeat recognisable. */
export interface Request {
  /** A function when the input depends on rows: it is asked again for every head it is decided against. */
  readonly input: Input | ((draft: Draft) => Promise<Input>);
  readonly key?: string;
  /** A key that only counts when the input led to these events. */
  readonly keyAfter?: (events: readonly Event[]) => string | undefined;
  /** Facts no event carries, for the journal. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The lease that the caller has to have when it is committed. */
  readonly held?: HeldLease;
}

/** The records of one commit while they are being decided. */
export class Draft {
  state: RunState;
  readonly records: (Omit<NewRecord, "events" | "key"> & { readonly events: Event[]; key?: string })[] = [];
  readonly events: Event[] = [];
  #items: PendingItems | undefined;

  /** How much is being written: events, and the items that come with them. */
  size = 0;

  readonly #before: RunState;

  constructor(state: RunState) {
    this.state = state;
    this.#before = state;
  }

  /** Rows as they will be; most drafts change none. */
  get items(): PendingItems {
    return (this.#items ??= new PendingItems(this.#before.lists));
  }

  begin(request: Omit<Request, "input"> & { readonly input: Input }): void {
    const { input, key, facts } = request;
    this.records.push({
      at: input.at,
      actor: input.by,
      cause: input.type,
      version: eventVersion,
      events: [],
      ...(key === undefined ? {} : { key }),
      ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }),
    });
  }

  add(events: readonly Event[], state: RunState): void {
    this.state = state;
    this.records.at(-1)?.events.push(...events);
    this.events.push(...events);
    if (this.#items !== undefined || events.some(isItemChange)) this.items.note(events);
    for (const event of events) this.size += event.type === "items_added" ? event.items.length + 1 : 1;
  }

  async commit(store: Store, handle: Pick<RunHandle, "program"> & Partial<Pick<RunHandle, "kept">>): Promise<Commit> {
    const records: NewRecord[] = [];
    for (const { events, ...record } of this.records) {
      if (events.length > 0 || record.key !== undefined)
        records.push({ ...record, events: await encodeJournal(store, events, handle.kept) });
    }
    const summary = { status: this.state.status, line: JSON.stringify(runLine(this.state, handle.program)) };
    const { program } = handle;
    const waiting = waitingParts({ program, state: this.state });
    const isMore = countOfParts(waiting) > countOfParts(waitingParts({ program, state: this.#before }));
    return { records, items: this.events.filter(isItemChange), summary, waiting, ...(isMore ? { isMore } : {}) };
  }
}

/** Rows as they are at the head an input is decided against. */
export interface Rows {
  read(list: string, id: string): Promise<Item | undefined>;
  select(selection: ItemSelection): Promise<readonly Item[]>;
  /** Everything directly below an item, in order. */
  below(list: string, parent: string): Promise<readonly Item[]>;
}

/** How an effect ended; `change` is made again for every head it is decided against. */
export interface Performed {
  readonly outcome: Outcome;
  readonly change?: (rows: Rows) => Promise<ItemsChange>;
  readonly facts?: JsonObject;
  /** Name of a step that was begun before: if a call follows, or a step that asks after a loss, whether it is done is asked first. */
  readonly doubt?: string;
  /** What people should know although it went well. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
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
