import { groupBy, isOpen, moveTo } from "./run-rows.ts";
import { defined, fieldOf, isObject, type JsonObject } from "../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../kernel/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";
import type { Item, ItemStatus } from "../../../program/index.ts";
import { byEngine, instanceData, instanceFacets, instanceRow, type InstancePlace } from "./file-rows.ts";
import { awaitTool, isWaiting, stillReported, toolOfRow, withoutWaiting } from "./tool-rows.ts";

export interface Reconciling extends InstancePlace {
  readonly scan: FileScan;
  /** Instance rows of the file as they are now. */
  readonly rows: readonly Item[];
  /** Instances whose text a batch has replaced just now: they are gone, also where an equal text is found. */
  readonly converted?: ReadonlySet<string>;
  /** The row that an agent works on: it is settled by its own step, never here. */
  readonly inHand?: string;
  /** An agent reported a change of what is in this group: the rest of it that is gone is converted too. */
  readonly along?: { readonly group: string };
  /** Settled rows that are found again become open: an edit was undone, or a check failed. */
  readonly reopen?: boolean;
  /** Why every settled row that is found becomes open, whatever it was settled as. */
  readonly again?: string;
  /** Tools that looked at the file for this scan; of what others reported it says nothing. */
  readonly looked?: ReadonlySet<string>;
  /** Reports that these tools settle with it: they were there when the look began. */
  readonly awaited?: ReadonlySet<string>;
  /** Where rows of tools that did not look are in the text now, by id. */
  readonly moved?: ReadonlyMap<string, JsonObject>;
  /** Id for the nth instance of a text in the file. */
  id(instance: Instance, ordinal: number): string;
}

export interface Reconciled {
  readonly change: Required<Pick<ItemsChange, "add" | "moves">>;
  /** Whether the row that an agent works on is still found. */
  readonly present: boolean;
  readonly added: number;
  readonly reopened: number;
  /** Rows that are open afterwards, the one that an agent works on not counted. */
  readonly open: number;
}

/**
 * Brings the instance rows of a file into line with a new scan: places move, what is gone is settled, what is new is added. Equal
 * texts differ by their order alone, so those that are known to be gone are taken out first. An open row whose text is not
 * there any more takes over an instance of the same pattern and type that nobody has yet: it was changed, not settled.
 */
export function reconcile(request: Reconciling): Reconciled {
  const { found, fresh } = matched(request);
  const moves: ItemMove[] = [];
  const toDo = fresh.filter(({ nothing }) => nothing === undefined).length;
  let [present, reopened, open] = [false, 0, toDo];
  for (const row of request.rows) {
    const instance = found.get(row.id);
    const outcome = instance === undefined ? settleGone(request, row) : settleFound(request, row, instance);
    if (outcome.move !== undefined) moves.push(outcome.move);
    if (row.id === request.inHand) present = instance !== undefined || isUnsure(request, row);
    else if (outcome.status === "pending") open += 1;
    if (outcome.reopened) reopened += 1;
  }
  const items = newRows(request, fresh);
  const change = { add: items.length === 0 ? [] : [{ list: request.list, items }], moves };
  return { change, present, added: toDo, reopened, open };
}

interface Matched {
  /** By id of the row. */
  readonly found: ReadonlyMap<string, Instance>;
  /** Instances without a row. */
  readonly fresh: readonly Instance[];
}

function matched(request: Reconciling): Matched {
  const known = groupBy(request.rows, (row) => keyOf(fieldOf(row.data, "pattern"), fieldOf(row.data, "text")));
  const seen = groupBy(request.scan.instances, (instance) => keyOf(instance.pattern, instance.text));
  const found = new Map<string, Instance>();
  const fresh: Instance[] = [];
  for (const [key, instances] of seen) {
    const paired = pair(request, known.get(key) ?? [], instances.length);
    for (const [at, instance] of instances.entries()) {
      const row = paired[at];
      if (row === undefined) fresh.push(instance);
      else found.set(row.id, instance);
    }
  }
  const changed = groupBy(
    request.rows.filter(
      (row) =>
        !found.has(row.id) &&
        (row.status === "pending" || row.id === request.inHand) &&
        request.converted?.has(row.id) !== true &&
        !isUnsure(request, row),
    ),
    (row) => `${fieldOf(row.data, "pattern")}\0${fieldOf(row.data, "type")}`,
  );
  const left: Instance[] = [];
  for (const instance of fresh) {
    const row = changed.get(`${instance.pattern}\0${instance.type}`)?.shift() ?? rewritten(request, found, instance);
    if (row === undefined) left.push(instance);
    else found.set(row.id, instance);
  }
  return { found, fresh: left };
}

/** Lines by which a place may have moved whose text changed and which is still reported. */
const nearby = 2;

/** The row that waits for its tool, when the tool reports the same rule at its place in another text: that was changed, not fixed. */
function rewritten(request: Reconciling, found: ReadonlyMap<string, Instance>, { pattern, tool, line }: Instance): Item | undefined {
  if (tool === undefined) return undefined;
  const distance = ({ data }: Item): number => Math.abs(Number(isObject(data) ? (data["line"] ?? 0) : 0) - line);
  return request.rows
    .filter((row) => wasAwaited(request, row) && !found.has(row.id) && fieldOf(row.data, "pattern") === pattern && distance(row) <= nearby)
    .sort((a, b) => distance(a) - distance(b))[0];
}

/** It waited for its tool, or a batch just made the tool's edit in it, and the tool has looked. */
function wasAwaited({ looked, awaited, converted }: Reconciling, row: Item): boolean {
  const said = converted?.has(row.id) === true || (isWaiting(row) && awaited?.has(row.id) === true);
  return said && looked?.has(toolOfRow(row) ?? "") === true;
}

function newRows(request: Reconciling, fresh: readonly Instance[]): readonly Item[] {
  const taken = new Set(request.rows.map((row) => row.id));
  return fresh.map((instance) => {
    let { ordinal } = instance;
    while (taken.has(request.id(instance, ordinal))) ordinal += 1;
    const id = request.id(instance, ordinal);
    taken.add(id);
    return instanceRow(request, instance, id);
  });
}

/** Why a row is skipped whose text was not found; it is open again when the text comes back. */
export const changedOutside = "It is not there any more: it was changed outside of this run.";
/** The same where it went with what an agent reported of another place. */
const changedAlong = "It is not there any more: it went with another change in this file.";
const goneReasons: ReadonlySet<string | undefined> = new Set([changedOutside, changedAlong, "no longer present"]);

/** The instance of each of these open rows in a new scan; a row whose text is gone has none. */
export function instancesOf(rows: readonly Item[], instances: readonly Instance[]): ReadonlyMap<string, Instance> {
  const found = groupBy(instances, (instance) => keyOf(instance.pattern, instance.text));
  const matched = new Map<string, Instance>();
  for (const [key, equal] of groupBy(rows, (row) => keyOf(fieldOf(row.data, "pattern"), fieldOf(row.data, "text")))) {
    const open = equal.filter((row) => row.status !== "completed" || isKept(row));
    for (const [at, row] of open.entries()) {
      const instance = found.get(key)?.[at];
      if (instance !== undefined) matched.set(row.id, instance);
    }
  }
  return matched;
}

/** Judged a finding and left in the file as it is: it is there again whenever the file is read. */
function isKept({ status, facets }: Item): boolean {
  return status === "completed" && facets["verdict"] !== undefined && facets["done"] === undefined;
}

/** Which rows the `count` instances belong to, in order. When there are too many rows, settled ones leave first, then the last. */
function pair(request: Reconciling, rows: readonly Item[], count: number): readonly Item[] {
  const { converted, inHand, reopen } = request;
  const candidates = rows.filter(
    (row) =>
      wasAwaited(request, row) || ((row.status !== "completed" || reopen === true || isKept(row)) && converted?.has(row.id) !== true),
  );
  if (candidates.length <= count) return candidates;
  const first = (row: Item): number => {
    const { id, status } = row;
    if (wasAwaited(request, row)) return 0;
    if (id === inHand || status === "completed") return 1;
    return status === "skipped" || status === "failed" ? 2 : 3;
  };
  const leaving = new Set(
    candidates
      .map((row, at) => ({ row, at }))
      .sort((a, b) => first(a.row) - first(b.row) || b.at - a.at)
      .slice(0, candidates.length - count)
      .map(({ row }) => row.id),
  );
  return candidates.filter((row) => !leaving.has(row.id));
}

interface Settled {
  readonly move?: ItemMove;
  readonly status: ItemStatus;
  readonly reopened?: boolean;
}

/** A pattern that was cut off on the file says nothing about what is there, and neither does a tool that did not look. */
function isUnsure({ scan, looked }: Reconciling, row: Item): boolean {
  const tool = toolOfRow(row);
  if (tool !== undefined) return looked?.has(tool) !== true;
  return scan.problems.some(({ pattern }) => pattern !== undefined && pattern === fieldOf(row.data, "pattern"));
}

/** A tool's row stays as it is until the tool looks again: it only learns where its text is now, and an undone edit opens it. */
function settleUnsure({ scan, moved, reopen, converted }: Reconciling, row: Item): Settled {
  const data = isObject(row.data) ? row.data : {};
  if (converted?.has(row.id) === true) return { move: { ...awaitTool(row, "auto"), to: "completed" }, status: "completed" };
  const undone = reopen === true && row.status === "completed" && toolOfRow(row) !== undefined && data["hash"] === scan.hash;
  if (undone) {
    const { tries: _tries, reported_by: _by, ...before } = data;
    const { done: _done, ...facets } = withoutWaiting(row);
    return { move: moveTo(row, "pending", { data: before, newFacets: facets, reason: "found again" }), status: "pending", reopened: true };
  }
  const place = moved?.get(row.id);
  if (place === undefined) return { status: row.status };
  return { move: moveTo(row, row.status, { data: { ...data, ...place } }), status: row.status };
}

function settleGone(request: Reconciling, row: Item): Settled {
  const { inHand, converted, along } = request;
  if (isUnsure(request, row)) return settleUnsure(request, row);
  if (wasAwaited(request, row)) {
    const left = suppressionOf(request, row);
    if (left !== undefined)
      return {
        move: moveTo(row, "skipped", { newFacets: withoutWaiting(row), reason: `suppressed in the file: ${left}` }),
        status: "skipped",
      };
    const who = converted?.has(row.id) === true || fieldOf(row.data, "reported_by") === "auto" ? "auto" : "hand";
    const { newFacets = {}, label } = convertedBy(row, who);
    const move = moveTo(row, "completed", { newFacets: withoutWaiting({ facets: newFacets }), ...defined({ label }), reason: null });
    return { move, status: "completed" };
  }
  if (row.id === inHand || (row.status !== "pending" && row.status !== "failed")) return { status: row.status };
  const together = along !== undefined && along.group !== "" && along.group === fieldOf(row.data, "together");
  const by = converted?.has(row.id) === true ? "auto" : together ? "hand" : undefined;
  if (by !== undefined) return { move: moveTo(row, "completed", { ...convertedBy(row, by), reason: null }), status: "completed" };
  return { move: moveTo(row, "skipped", { reason: along === undefined ? changedOutside : changedAlong }), status: "skipped" };
}

/** Why the tool does not report a row any more though it is there: a comment settles it, which is not a fix. */
export function suppressionOf({ scan }: Pick<Reconciling, "scan">, { data }: Pick<Item, "data">): string | undefined {
  const key = keyOf(fieldOf(data, "pattern"), fieldOf(data, "text"));
  const found = scan.suppressed?.find(({ pattern, text }) => keyOf(pattern, text) === key);
  return found === undefined ? undefined : (found.suppressed.reason ?? "no reason is given");
}

/** Marks a row as converted, by a batch or by hand. */
export function convertedBy({ facets }: Item, by: "auto" | "hand"): Pick<ItemMove, "newFacets" | "label"> {
  const { step } = facets;
  const stepdone = step === undefined ? undefined : `${step}|${by}`;
  return { newFacets: { ...facets, done: by, ...defined({ stepdone }) }, label: by === "auto" ? "auto_fixed" : "by_hand" };
}

/** Its row learns where it is now; one that counted as done may be open again. */
function settleFound(request: Reconciling, row: Item, instance: Instance): Settled {
  const { again, definition, scan } = request;
  const flagged = row.facets["flag"] === "yes";
  if (instance.nothing !== undefined && !flagged && row.id !== request.inHand)
    return settleNothing(request, row, instance, instance.nothing);
  const open = isOpen(row);
  const reopened = isOpenAgain(request, row);
  const to = reopened ? "pending" : row.status;
  const seen = seenAs(row, instance, flagged);
  const data = { ...plainData(row), ...instanceData(definition, scan, seen, row.id) };
  const facets = { ...instanceFacets(seen), ...keptFacets(row, again) };
  if (wasAwaited(request, row)) {
    const { status, tries, reason } = stillReported(row, request.converted?.has(row.id) === true);
    return { move: moveTo(row, status, { data: { ...data, tries }, newFacets: facets, reason }), status, reopened: true };
  }
  if (!reopened && sameData(row.data, data)) return { status: to, reopened };
  const refaceted = !sameData(row.facets, facets) && (open || reopened) ? { newFacets: facets } : {};
  const reason = reopened ? { reason: again ?? "found again" } : {};
  return { move: moveTo(row, to, { data, ...refaceted, ...reason }), status: to, reopened };
}

/** Whether a settled row that is found again has something to do. */
function isOpenAgain({ reopen, again }: Reconciling, row: Item): boolean {
  const { status, reason, facets } = row;
  if (again !== undefined && !isOpen(row)) return true;
  if (status === "completed") return reopen === true && !isKept(row);
  return status === "skipped" && (goneReasons.has(reason) || facets["settled"] === byEngine);
}

/** What a person flagged stays manual, whatever the scan finds. */
function seenAs(row: Item, { nothing: _nothing, ...instance }: Instance, flagged: boolean): Instance {
  if (!flagged || plainData(row)["auto"] !== false) return instance;
  const why = fieldOf(row.data, "why");
  return { ...instance, auto: false, needs: "manual", ...(why === "" ? {} : { why }) };
}

/** There is certainly nothing to do: the engine settles what is open, and what it has settled stays so. */
function settleNothing({ definition, scan }: Reconciling, row: Item, instance: Instance, reason: string): Settled {
  if (row.status === "completed" || (row.status === "skipped" && row.facets["settled"] !== byEngine && !goneReasons.has(row.reason)))
    return { status: row.status };
  const data = { ...plainData(row), ...instanceData(definition, scan, instance, row.id) };
  if (row.status === "skipped" && row.reason === reason && sameData(row.data, data)) return { status: "skipped" };
  return { move: moveTo(row, "skipped", { data, newFacets: instanceFacets(instance), reason }), status: "skipped" };
}

/** What was said of a row stays with it, unless all that was settled is opened again. */
function keptFacets({ facets: { flag, verdict } }: Item, again: string | undefined): Readonly<Record<string, string>> {
  return defined({ flag: flag === "yes" ? flag : undefined, verdict: again === undefined ? verdict : undefined });
}

/** What a row keeps at every look: the edits of a tool are for one content only. */
function plainData({ data }: Item): JsonObject {
  if (!isObject(data) || data["tool"] === undefined) return isObject(data) ? data : {};
  const { edits: _edits, suggestion: _suggestion, needs: _needs, why: _why, reported_by: _by, ...plain } = data;
  return plain;
}

function sameData(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function keyOf(pattern: string, text: string): string {
  return `${pattern}\0${text.replace(/\s+/g, " ")}`;
}
