import type { Json } from "../../base/index.ts";
import type { ItemMove } from "../../kernel/index.ts";
import type { ItemChange, ItemCounts, ItemSelection } from "../../ports/index.ts";
import type { Item, ItemQuery, ItemStatus } from "../../program/index.ts";
import { noItem } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { facetRows, itemSource, literal } from "./item-query.ts";
import { Statement, type Statements } from "./postgres-connection.ts";
import { requireRun, type RunName } from "./run-name.ts";

type StoredItem = Readonly<
  Record<"id" | "ord" | "root" | "facets" | "data", string> &
    Record<"parent" | "label" | "reason" | "depends_on" | "result", string | null> &
    Record<"attempts" | "waits_for", number>
> & { readonly status: ItemStatus; readonly blocked_until: number | null };

const columns =
  "i.id, i.ord, i.status, i.attempts, i.waits_for, i.blocked_until, i.root, i.parent, i.label, i.reason, i.facets, i.depends_on, i.data, i.result";

/** In code-unit order of the order key; items with the same key in the order they were added. */
export async function selectItems(db: Statements, run: RunName, selection: ItemSelection): Promise<readonly Item[]> {
  const { list, query, limit, after, notRoots } = selection;
  const sql = new Statement();
  const now = clockFor(db, query);
  const rows = itemSource(sql, query, { after, notRoots, worklist: worklistOf(sql, run, list), needsItem: true, ...now.scope });
  const text = `${now.with}select ${columns} from ${rows.from} where ${rows.where} order by ${rows.ord}, ${rows.no} limit ${sql.bind(limit)}`;
  return (await anyOf<StoredItem>(db, run, text, sql)).map((row) => itemFrom(list, row));
}

export async function findItem(db: Statements, run: RunName, list: string, id: string): Promise<Item | undefined> {
  const sql = new Statement();
  const where = `i.worklist = ${worklistOf(sql, run, list)} and i.id = ${sql.bind(encodeText(id))}`;
  const [row] = await anyOf<StoredItem>(db, run, `select ${columns} from waymark_store.item i where ${where}`, sql);
  return row === undefined ? undefined : itemFrom(list, row);
}

/** One statement, so that both counts are of one state. */
export async function countItems(db: Statements, run: RunName, list: string, query: ItemQuery): Promise<ItemCounts> {
  const byStatus: Record<ItemStatus, number> = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
  const facets: Record<string, number> = {};
  const sql = new Statement();
  const now = clockFor(db, query);
  const worklist = worklistOf(sql, run, list);
  const rows = itemSource(sql, query, { worklist, ...now.scope });
  const status = `${rows.ord.slice(0, 1)}.status`;
  const text = `${now.with}select null as facet, ${status} as value, count(*) as n from ${rows.from} where ${rows.where} group by ${status}
    union all
    select f.facet, f.value, count(*) from waymark_store.item_facet f where ${facetRows(sql, query, { worklist, ...now.scope })} group by f.facet, f.value`;
  for (const { facet, value, n } of await anyOf<{ facet: string | null; value: string; n: number }>(db, run, text, sql)) {
    if (facet === null) byStatus[value as ItemStatus] = n;
    else facets[`${decodeText(facet)}=${decodeText(value)}`] = n;
  }
  return { count: Object.values(byStatus).reduce((sum, n) => sum + n, 0), facets, byStatus };
}

/** The time is read once for a statement, and only where it matters: an expression that is evaluated for each row hides the index. */
function clockFor(db: Statements, query: ItemQuery): { readonly with: string; readonly scope: { readonly now?: string } } {
  if (query.ready !== true) return { with: "", scope: {} };
  return { with: `with clock as materialized (select ${db.now} as now) `, scope: { now: "(select now from clock)" } };
}

export async function selectDependants(db: Statements, run: RunName, list: string, id: string): Promise<readonly string[]> {
  const sql = new Statement();
  const where = `d.worklist = ${worklistOf(sql, run, list)} and d.on_id = ${sql.bind(encodeText(id))}`;
  const text = `select i.id from waymark_store.item_dependency d join waymark_store.item i on i.no = d.item where ${where} order by d.item`;
  return (await anyOf<{ id: string }>(db, run, text, sql)).map((row) => decodeText(row.id));
}

export async function selectLists(db: Statements, run: RunName): Promise<readonly string[]> {
  const no = await requireRun(db, run);
  const rows = await db.all<{ name: string }>("select name from waymark_store.worklist where run = $1 order by no", no);
  return rows.map(({ name }) => decodeText(name));
}

/** Rows of a run; whether there is such a run is asked only where there are none. */
async function anyOf<Row extends object>(db: Statements, run: RunName, text: string, { params }: Statement): Promise<Row[]> {
  const rows = await db.all<Row>(text, ...params);
  if (rows.length === 0) await requireRun(db, run);
  return rows;
}

/** Number of the list in the item tables, found within the statement. */
function worklistOf(sql: Statement, { project, run }: RunName, list: string): string {
  const [id, of, name] = [sql.bind(encodeText(run)), sql.bind(project), sql.bind(encodeText(list))];
  return `(select w.no from waymark_store.worklist w join waymark_store.run r on r.no = w.run where r.id = ${id} and r.project = ${of} and w.name = ${name})`;
}

function itemFrom(list: string, row: StoredItem): Item {
  const { parent, label, result, reason, blocked_until, depends_on } = row;
  return {
    list,
    id: decodeText(row.id),
    order: decodeText(row.ord),
    status: row.status,
    data: JSON.parse(row.data) as Json,
    facets: facetsFrom(row.facets),
    ...(parent === null ? {} : { parent: decodeText(parent) }),
    root: decodeText(row.root),
    ...(label === null ? {} : { label: decodeText(label) }),
    ...(result === null ? {} : { result: JSON.parse(result) as Json }),
    ...(reason === null ? {} : { reason: decodeText(reason) }),
    ...(blocked_until === null ? {} : { blockedUntil: blocked_until }),
    attempts: row.attempts,
    ...(depends_on === null ? {} : { dependsOn: JSON.parse(depends_on) as string[] }),
    waitsFor: row.waits_for,
  };
}

function facetsFrom(stored: string): Record<string, string> {
  if (stored === "{}") return {};
  const facets = JSON.parse(stored) as Record<string, string>;
  return Object.fromEntries(Object.entries(facets).map(([facet, value]) => [decodeText(facet), decodeText(value)]));
}

/**
 * Brings item rows up to date with events. What it does depends on the rows and the events alone, never on the clock, so that a replay gives
 * the same rows. Moves of different items that follow each other are one statement.
 */
export async function applyItemChanges(db: Statements, run: number, changes: readonly ItemChange[]): Promise<void> {
  let moves: ItemMove[] = [];
  const flush = async (): Promise<void> => {
    if (moves.length > 0) await moveItems(db, run, moves);
    moves = [];
  };
  for (const change of changes) {
    if (change.type === "item_moved") {
      if (moves.some(({ list, id }) => list === change.move.list && id === change.move.id)) await flush();
      moves.push(change.move);
      continue;
    }
    await flush();
    if (change.type === "items_added") await addItems(db, run, change.list, change.items);
    else if (change.type === "items_swept") await sweepItems(db, run, change);
    else await countDependencies(db, run, change);
  }
  await flush();
}

const rowsTogether = 5_000;

async function addItems(db: Statements, run: number, list: string, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const name = encodeText(list);
  await db.run("insert into waymark_store.worklist (run, name) values ($1, $2) on conflict (run, name) do nothing", run, name);
  const worklist = (await db.get<{ no: number }>("select no from waymark_store.worklist where run = $1 and name = $2", run, name))!.no;
  // Of two with the same id the first counts.
  const seen = new Set<string>();
  const first = items.filter(({ id }) => seen.size < seen.add(id).size);
  for (let from = 0; from < first.length; from += rowsTogether) await insertItems(db, worklist, first.slice(from, from + rowsTogether));
}

/** An item whose id is already there stays as it is, and so does what it depends on. */
async function insertItems(db: Statements, worklist: number, items: readonly Item[]): Promise<void> {
  const sql = new Statement();
  const no = sql.bind(worklist, "bigint");
  const text = (value: (item: Item) => string | null): string => sql.bind(items.map(value), "text[]");
  const number = (value: (item: Item) => number | null, type: string): string => sql.bind(items.map(value), `${type}[]`);
  const values = [
    text(({ id }) => encodeText(id)),
    text(({ order }) => encodeText(order)),
    text(({ status }) => status),
    number(({ attempts }) => attempts, "bigint"),
    number(({ waitsFor }) => waitsFor, "bigint"),
    number(({ blockedUntil }) => blockedUntil ?? null, "float8"),
    text(({ root }) => encodeText(root)),
    text(({ parent }) => optional(parent)),
    text(({ label }) => optional(label)),
    text(({ reason }) => optional(reason)),
    text(({ facets }) => encodeFacets(facets)),
    text(({ dependsOn }) => json(dependsOn)),
    text(({ data }) => JSON.stringify(data)),
    text(({ result }) => json(result)),
  ];
  const names = "id, ord, status, attempts, waits_for, blocked_until, root, parent, label, reason, facets, depends_on, data, result";
  const added = `insert into waymark_store.item (worklist, ${names})
    select ${no}, ${names} from unnest(${values.join(", ")}) with ordinality as a (${names}, n) order by n
    on conflict (worklist, id) do nothing returning no, id`;
  const pairs = items.flatMap(({ id, dependsOn = [] }) => dependsOn.map((on) => [encodeText(id), encodeText(on)] as const));
  if (pairs.length === 0) return void (await db.run(added, ...sql.params));
  const [ids, others] = [0, 1].map((at) =>
    sql.bind(
      pairs.map((pair) => pair[at as 0 | 1]),
      "text[]",
    ),
  );
  const dependencies = `insert into waymark_store.item_dependency (worklist, on_id, item)
    select distinct ${no}, d.on_id, a.no from unnest(${ids}, ${others}) as d (id, on_id) join added a on a.id = d.id`;
  await db.run(`with added as (${added}) ${dependencies}`, ...sql.params);
}

/** Fields that a move does not name stay; null clears the reason and the block. No two of the moves are of one item. */
async function moveItems(db: Statements, run: number, moves: readonly ItemMove[]): Promise<void> {
  const sql = new Statement();
  const no = sql.bind(run, "bigint");
  const columns = ["list", "id", "status"];
  const values = [
    sql.bind(
      moves.map(({ list }) => encodeText(list)),
      "text[]",
    ),
    sql.bind(
      moves.map(({ id }) => encodeText(id)),
      "text[]",
    ),
    sql.bind(
      moves.map(({ to }) => (literal(to), to)),
      "text[]",
    ),
  ];
  const set = ["status = m.status"];
  const assign = <K extends keyof ItemMove>(
    column: string,
    key: K,
    value: (given: ItemMove[K]) => string | number | null,
    type: string,
  ): void => {
    if (moves.every((move) => move[key] === undefined)) return;
    values.push(
      sql.bind(
        moves.map((move) => move[key] !== undefined),
        "boolean[]",
      ),
    );
    values.push(
      sql.bind(
        moves.map((move) => (move[key] === undefined ? null : value(move[key]))),
        `${type}[]`,
      ),
    );
    columns.push(`has_${column}`, column);
    set.push(`${column} = case when m.has_${column} then m.${column} else i.${column} end`);
  };
  assign("reason", "reason", (reason) => optional(reason ?? undefined), "text");
  assign("label", "label", (label) => optional(label), "text");
  assign("result", "result", json, "text");
  assign("attempts", "attempts", (attempts) => attempts ?? 0, "bigint");
  assign("blocked_until", "blockedUntil", (time) => time ?? null, "float8");
  assign("data", "data", json, "text");
  assign("facets", "newFacets", (facets) => encodeFacets(facets ?? {}), "text");
  const text = `update waymark_store.item i set ${set.join(", ")} from unnest(${values.join(", ")}) as m (${columns.join(", ")}), waymark_store.worklist w
    where w.run = ${no} and w.name = m.list and i.worklist = w.no and i.id = m.id returning w.name as list, i.id`;
  const moved = await db.all<{ list: string; id: string }>(text, ...sql.params);
  if (moved.length === moves.length) return;
  const missing = moves.find(({ list, id }) => !moved.some((row) => row.list === encodeText(list) && row.id === encodeText(id)));
  throw noItem(missing?.list ?? "", missing?.id ?? "");
}

/** One update for all rows. A query that asks for ready items means those that are not blocked at all. */
async function sweepItems(db: Statements, run: number, sweep: Extract<ItemChange, { type: "items_swept" }>): Promise<void> {
  if ((sweep.query.status ?? sweep.from) !== sweep.from) return;
  const sql = new Statement();
  const worklist = `(select no from waymark_store.worklist where run = ${sql.bind(run)} and name = ${sql.bind(encodeText(sweep.list))})`;
  const rows = itemSource(sql, { ...sweep.query, status: sweep.from }, { worklist });
  const reason = sql.bind(encodeText(sweep.reason));
  const chosen = `select ${rows.no} from ${rows.from} where ${rows.where}`;
  await db.run(`update waymark_store.item set status = ${literal(sweep.to)}, reason = ${reason} where no in (${chosen})`, ...sql.params);
}

/** How many items each of `ids` waits for now; a change that does not say so means one less than before, each time an id is named. */
async function countDependencies(db: Statements, run: number, change: Extract<ItemChange, { readonly of: string }>): Promise<void> {
  const counts = new Map<string, { base: number | null; less: number }>();
  for (const [index, id] of change.ids.entries()) {
    const { base, less } = counts.get(id) ?? { base: null, less: 0 };
    const waits = change.waits?.[index];
    counts.set(id, waits === undefined ? { base, less: less + 1 } : { base: waits, less: 0 });
  }
  if (counts.size === 0) return;
  const sql = new Statement();
  const [ids, bases, less] = [
    sql.bind([...counts.keys()].map(encodeText), "text[]"),
    sql.bind(
      [...counts.values()].map(({ base }) => base),
      "bigint[]",
    ),
    sql.bind(
      [...counts.values()].map((count) => count.less),
      "bigint[]",
    ),
  ];
  const worklist = `(select no from waymark_store.worklist where run = ${sql.bind(run)} and name = ${sql.bind(encodeText(change.list))})`;
  const text = `update waymark_store.item i set waits_for = greatest(coalesce(c.base, i.waits_for) - c.less, 0)
    from unnest(${ids}, ${bases}, ${less}) as c (id, base, less) where i.worklist = ${worklist} and i.id = c.id returning i.id`;
  const changed = new Set((await db.all<{ id: string }>(text, ...sql.params)).map(({ id }) => id));
  for (const id of counts.keys()) if (!changed.has(encodeText(id))) throw noItem(change.list, id);
}

function encodeFacets(facets: Item["facets"]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(facets).map(([facet, value]) => [encodeText(facet), encodeText(value)])));
}

function optional(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
