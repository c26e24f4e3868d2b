import { defined } from "../base/index.ts";
import type { Item, ItemStatus } from "../program/index.ts";
import { wholeList, type Event, type Given, type RunState, type Statuses } from "../kernel/index.ts";
import type { ItemChange, ItemSelection, Store } from "../ports/index.ts";

type Dependants = Omit<Extract<Given, { type: "dependants" }>, "type">;

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

/** What changed in one list since the head. */
interface ChangedList {
  /** All rows of the list are here: it is new, or they were read from the store. */
  apart: boolean;
  /** What happened from a sweep on. It is known only when all rows are here. */
  later: ItemChange[];
  /** Rows known whole. */
  readonly rows: Map<string, Item>;
  /** Changes of rows that are in the store: moves, and how many dependencies they wait for. */
  readonly moved: Map<string, Partial<Item>>;
}

/** Item rows as they will be after the commit that is being decided: an overlay over the store. */
export class PendingItems {
  readonly #known: RunState["lists"];
  readonly #lists = new Map<string, ChangedList>();

  /** `known`: the lists of the run at its head; any other one is new. */
  constructor(known: RunState["lists"]) {
    this.#known = known;
  }

  note(events: readonly Event[]): void {
    for (const event of events) if (isItemChange(event)) this.#take(event.type === "item_moved" ? event.move.list : event.list, event);
  }

  #take(name: string, change: ItemChange): void {
    const list = this.#list(name);
    if (list.later.length > 0 || (change.type === "items_swept" && !list.apart)) list.later.push(change);
    else if (change.type === "items_added") for (const item of change.items) list.rows.set(item.id, list.rows.get(item.id) ?? item);
    else if (change.type === "item_moved") this.#move(change.move);
    else if (change.type === "items_swept") this.#sweep(change);
    else this.#count(change);
  }

  /** Reads all rows of the list, and tells what had to wait for that. */
  async #gather(store: Store, run: string, name: string): Promise<ChangedList> {
    const list = this.#list(name);
    if (!list.apart) {
      const stored = await store.selectItems(run, { list: name, query: {}, limit: Math.max(1, this.#known[name]?.total ?? 1) });
      for (const item of stored) if (!list.rows.has(item.id)) list.rows.set(item.id, { ...item, ...list.moved.get(item.id) });
      list.apart = true;
    }
    for (const change of list.later.splice(0)) this.#take(name, change);
    return list;
  }

  async #upToDate(store: Store, run: string, name: string): Promise<ChangedList> {
    const list = this.#list(name);
    return list.later.length > 0 ? this.#gather(store, run, name) : list;
  }

  async select(store: Store, run: string, selection: ItemSelection): Promise<readonly Item[]> {
    const list = await this.#upToDate(store, run, selection.list);
    if (list.apart)
      return first(
        [...list.rows.values()].filter((item) => fits(item, selection)),
        selection.limit,
      );
    const stored = await store.selectItems(run, selection);
    const touched = stored.some((item) => list.rows.has(item.id) || list.moved.has(item.id));
    const joining = await this.#joining(store, run, selection, list);
    if (!touched && joining.length === 0) return stored;
    // A changed row may have taken the place of one that fits.
    const enough = touched
      ? await store.selectItems(run, { ...selection, limit: selection.limit + list.rows.size + list.moved.size })
      : stored;
    const untouched = enough.filter((item) => !list.rows.has(item.id) && !list.moved.has(item.id));
    const changed = enough.flatMap((item) => this.#changed(list, item)).filter((item) => fits(item, selection));
    const merged = new Map([...untouched, ...changed, ...joining].map((item) => [item.id, item]));
    return first([...merged.values()], selection.limit);
  }

  /** One row as it will be. */
  async read(store: Store, run: string, list: string, id: string): Promise<Item | undefined> {
    const held = await this.#upToDate(store, run, list);
    const row = held.rows.get(id);
    if (row !== undefined || held.apart) return row;
    const stored = await store.readItem(run, list, id);
    const change = held.moved.get(id);
    return stored === undefined || change === undefined ? stored : { ...stored, ...change };
  }

  async readAll(store: Store, run: string, list: string, ids: readonly string[]): Promise<readonly Item[]> {
    const found: Item[] = [];
    for (const id of ids) {
      const row = await this.read(store, run, list, id);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  /** How the items stand that these depend on; undefined when they depend on none. */
  async above(store: Store, run: string, items: readonly Item[]): Promise<Extract<Given, { type: "items" }>["above"]> {
    const depending = items.filter(({ dependsOn = [] }) => dependsOn.length > 0);
    if (depending.length === 0) return undefined;
    const entries: [string, Statuses][] = [];
    for (const { list, id, dependsOn = [] } of depending) {
      const rows = await this.readAll(store, run, list, dependsOn);
      entries.push([id, Object.fromEntries(rows.map((row) => [row.id, row.status]))]);
    }
    return Object.fromEntries(entries);
  }

  /**
   * Items that depend on this one, also those not committed yet, and how many of its dependencies each one waits for. About the whole
   * list: those that wait for another number than they should.
   */
  async dependants(store: Store, run: string, list: string, id: string): Promise<Dependants> {
    if (id === wholeList) {
      const { rows } = await this.#gather(store, run, list);
      const depending = [...rows.values()].filter(({ dependsOn }) => dependsOn !== undefined).map((item) => item.id);
      const { ids, waits, statuses = [] } = await this.#counted(store, run, list, depending);
      const wrong = ids.map((each, at) => rows.get(each)?.waitsFor !== waits[at]);
      const isWrong = (_each: unknown, at: number): boolean => wrong[at] === true;
      return { ids: ids.filter(isWrong), waits: waits.filter(isWrong), statuses: statuses.filter(isWrong) };
    }
    const { rows, apart } = await this.#upToDate(store, run, list);
    const fresh = [...rows.values()].filter((item) => item.dependsOn?.includes(id)).map((item) => item.id);
    const stored = apart ? [] : await store.dependants(run, list, id);
    return this.#counted(store, run, list, [...new Set([...stored, ...fresh])]);
  }

  async #counted(store: Store, run: string, list: string, ids: readonly string[]): Promise<Dependants> {
    const open = new Map<string, boolean>();
    const waits: number[] = [];
    const statuses: ItemStatus[] = [];
    for (const each of ids) {
      const row = await this.read(store, run, list, each);
      statuses.push(row?.status ?? "pending");
      const needed = new Set(row?.dependsOn);
      for (const other of needed) if (!open.has(other)) open.set(other, isOpen(await this.read(store, run, list, other)));
      waits.push([...needed].filter((other) => open.get(other)).length);
    }
    return { ids, waits, statuses };
  }

  #list(name: string): ChangedList {
    const held = this.#lists.get(name) ?? { apart: this.#known[name] === undefined, later: [], rows: new Map(), moved: new Map() };
    this.#lists.set(name, held);
    return held;
  }

  #move(move: Extract<Event, { readonly type: "item_moved" }>["move"]): void {
    const { list, id, to: status, attempts, data, newFacets: facets, label, reason, result } = move;
    this.#change(list, id, { status, ...defined({ attempts, data, facets, label, reason: reason ?? undefined, result }) });
  }

  /** What is being decided now always says how many are open. */
  #count({ list, ids, waits = [] }: Extract<Event, { readonly type: "dependency_settled" | "dependency_reopened" }>): void {
    for (const [index, waitsFor] of waits.entries()) this.#change(list, ids[index] ?? "", { waitsFor });
  }

  #change(name: string, id: string, change: Partial<Item>): void {
    const { rows, moved } = this.#list(name);
    const row = rows.get(id);
    if (row !== undefined) rows.set(id, { ...row, ...change });
    else moved.set(id, { ...moved.get(id), ...change });
  }

  #sweep({ list, query, from, to, reason }: Extract<Event, { readonly type: "items_swept" }>): void {
    if ((query.status ?? from) !== from) return;
    const { rows } = this.#list(list);
    const selection = { list, query: { ...query, status: from }, limit: rows.size };
    for (const [id, item] of rows) if (fits(item, selection)) rows.set(id, { ...item, status: to, reason });
  }

  #changed({ rows, moved }: ChangedList, item: Item): readonly Item[] {
    const row = rows.get(item.id);
    const change = moved.get(item.id);
    if (row !== undefined) return [row];
    return change === undefined ? [] : [{ ...item, ...change }];
  }

  /** Rows that fit only by what happened since: new ones, and stored ones the store would not name. */
  async #joining(store: Store, run: string, selection: ItemSelection, { rows, moved }: ChangedList): Promise<readonly Item[]> {
    const found = [...rows.values()].filter((item) => fits(item, selection));
    for (const [id, change] of moved) {
      const { status, waitsFor } = change;
      if (status === undefined ? waitsFor === undefined : status !== (selection.query.status ?? status)) continue;
      const item = await store.readItem(run, selection.list, id);
      const now = item === undefined ? undefined : { ...item, ...change };
      if (now !== undefined && fits(now, selection)) found.push(now);
    }
    return found;
  }
}

/** An item that is not there is still to come. */
function isOpen(item: Item | undefined): boolean {
  return item === undefined || item.status === "pending" || item.status === "in_progress";
}

function first(items: Item[], limit: number): readonly Item[] {
  return items.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)).slice(0, limit);
}

function fits(item: Item, { query, notRoots, after }: ItemSelection): boolean {
  if (query.status !== undefined && item.status !== query.status) return false;
  if (query.parent !== undefined && (item.parent ?? null) !== query.parent) return false;
  if (query.ready === true && (item.waitsFor > 0 || item.blockedUntil !== undefined)) return false;
  if (notRoots?.includes(item.root)) return false;
  if (after !== undefined && item.order <= after) return false;
  return Object.entries(query.facets ?? {}).every(([facet, value]) => item.facets[facet] === value);
}
