import { eventVersion, type Event, type Input, type RunState } from "../kernel/index.ts";
import type { Commit, ItemChange, NewRecord, RunSummary, Store } from "../ports/index.ts";
import { encodeJournal } from "./journal-codec.ts";
import { PendingItems } from "./pending-items.ts";
import type { RunHandle } from "./run-cache.ts";
import { summaryLine } from "./summary-line.ts";

/** One input with what makes its repeat recognisable. */
export interface Request {
  /** A function when the input depends on rows: it is asked again for every head it is decided against. */
  readonly input: Input | ((draft: Draft) => Promise<Input>);
  readonly key?: string;
  /** A key that only counts when the input led to these events. */
  readonly keyAfter?: (events: readonly Event[]) => string | undefined;
  /** Facts no event carries, for the journal. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The records of one commit while they are being decided. */
export class Draft {
  state: RunState;
  readonly records: (Omit<NewRecord, "events" | "key"> & { readonly events: Event[]; key?: string })[] = [];
  readonly events: Event[] = [];
  readonly items: PendingItems;

  /** How much is being written: events, and the items that come with them. */
  size = 0;

  constructor(state: RunState) {
    this.state = state;
    this.items = new PendingItems(state.lists);
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
    this.items.note(events);
    for (const event of events) this.size += event.type === "items_added" ? event.items.length + 1 : 1;
  }

  async commit(store: Store, handle: Pick<RunHandle, "program"> & Partial<Pick<RunHandle, "kept">>): Promise<Commit> {
    const records: NewRecord[] = [];
    for (const { events, ...record } of this.records) {
      if (events.length > 0 || record.key !== undefined)
        records.push({ ...record, events: await encodeJournal(store, events, handle.kept) });
    }
    const timersSet = this.events.flatMap((event) =>
      event.type === "timer_set" && this.state.timers[event.timer.id] !== undefined ? [event.timer] : [],
    );
    const timersGone = this.events.flatMap((event) => (event.type === "timer_gone" ? [event.timer] : []));
    return { records, items: this.events.filter(isItemChange), timersSet, timersGone, summary: summaryOf(this.state, handle.program) };
  }
}

const itemChanges: ReadonlySet<Event["type"]> = new Set<ItemChange["type"]>([
  "items_added",
  "item_moved",
  "items_swept",
  "dependency_settled",
  "dependency_reopened",
]);

/** Whether the event changes item rows. */
export function isItemChange(event: Event): event is ItemChange {
  return itemChanges.has(event.type);
}

export function summaryOf(state: RunState, program: RunHandle["program"]): RunSummary {
  return { status: state.status, line: summaryLine(state, program) };
}
