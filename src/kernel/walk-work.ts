import { beginningOf, counted, defined, isList, isObject, own, textOf, type Json, type JsonObject } from "../base/index.ts";
import { bodyOf, type BlockId, type Item, type ItemQuery, type WorkBlock } from "../program/index.ts";
import { endDetached, placeOf } from "./detached-works.ts";
import { endRun, taskEnded } from "./ending.ts";
import { closeHandout, enter, leaveFrame, leaveTo } from "./enter-leave.ts";
import { failStrand } from "./failure.ts";
import type { Reopening, WorkFrame } from "./frame.ts";
import type { Given, Need, Statuses } from "./input.ts";
import { emitMove, roomFor, settleItem } from "./items.ts";
import { takeKept } from "./kept-places.ts";
import { reopenItem } from "./reopen-item.ts";
import type { Notice } from "./run-state.ts";
import { continueTask } from "./stop-strands.ts";
import { listName, needsNames } from "./task-name.ts";
import { localsOf, type Turn } from "./turn.ts";

interface Work {
  readonly strand: string;
  readonly frame: WorkFrame;
  readonly block: WorkBlock;
}

/** Fills the list, then takes items one by one or in strands, until all are settled. */
export function walkWork(turn: Turn, strand: string, frame: WorkFrame, given: Given | undefined): Need | undefined {
  const work = { strand, frame, block: turn.blockOf(frame) };
  if (frame.phase === "fill") return fill(turn, work, given);
  if (frame.phase === "where") return readWhere(turn, work, given);
  if (frame.phase === "inputs" && frame.next !== undefined) return readInputs(turn, work, frame.next, given);
  if (frame.item !== undefined) return settleItem(turn, strand, "completed");
  // What depends on the items that are open again follows first: some of these are asked for alone, and would take nothing with them.
  const uncounted = countDependants(turn, work, given);
  if (uncounted !== undefined) return uncounted;
  const fresh = given?.type === "dependants" ? undefined : given;
  return frame.reopening === undefined ? take(turn, work, fresh) : reopenAsked(turn, work, frame.reopening, fresh);
}

/** Rows that are to be done again are read before they are opened. */
function reopenAsked(
  turn: Turn,
  { strand, frame }: Work,
  [asked, ...others]: readonly Reopening[],
  given: Given | undefined,
): Need | undefined {
  if (asked !== undefined && given?.type !== "items") return { type: "rows", strand, list: frame.list, ids: asked.ids };
  turn.move(strand, { reopening: others.length === 0 ? null : (others as unknown as Json) });
  if (asked === undefined || given?.type !== "items") return;
  for (const item of given.items) reopenItem(turn, strand, item, asked);
}

/** What depends on an item is counted again when it settles or is reopened; only then can the next ready item be chosen. */
function countDependants(turn: Turn, { strand, frame: { list }, block }: Work, given: Given | undefined): Need | undefined {
  const first = (): Notice | undefined => turn.state.settled.find((notice) => notice.list === list);
  const notice = first();
  if (notice === undefined) return undefined;
  if (given?.type !== "dependants") return { type: "dependants", strand, list, id: notice.id };
  const { ids, waits, statuses = [] } = given;
  const reopened = notice.reopened === true;
  turn.emit({ type: reopened ? "dependency_reopened" : "dependency_settled", list, of: notice.id, ids, waits });
  if (reopened && block.dependsOn !== undefined)
    for (const [at, id] of ids.entries()) {
      const item = { list, id, status: statuses[at] ?? "pending" };
      const again = { reason: `\`${notice.id}\` is done again`, ...defined({ alone: notice.alone }) };
      // What failed after it is open by itself, and begins at its first step: its place is one after the old outcome.
      if (notice.alone !== true || item.status === "pending") reopenItem(turn, strand, item, again);
    }
  const further = first();
  return further && { type: "dependants", strand, list, id: further.id };
}

function fill(turn: Turn, { strand, frame, block }: Work, given: Given | undefined): Need | undefined {
  if (block.join === "later" && frame.mode === "strands" && turn.strand(strand).frames.length > 1) return detach(turn, strand, block);
  if (given === undefined) return turn.evaluate(strand, { items: block.fill ?? { as: "value", of: [] } });
  const values = given.type === "values" ? given.values["items"] : undefined;
  if (!isList(values)) {
    const message = `\`${block.id}\` needs a list of items, but \`items\` gave ${values === undefined ? "nothing" : beginningOf(JSON.stringify(values), 80)}.`;
    return failStrand(turn, strand, { code: "ITEMS_NOT_A_LIST", message, block: block.id });
  }
  if (values.length === 0) {
    const message = `\`${block.id}\` has no items, so it was passed over.`;
    turn.emit({ type: "warned", code: "ITEMS_EMPTY", message, strand, block: block.id });
    return leaveFrame(turn, strand, "done");
  }
  const ids = idsOf(values, block);
  const apart = block.task !== undefined && needsNames(turn.state, turn.program, block.id, ids);
  const list = listName({ block: block.id, number: Number(turn.mint("")), apart });
  turn.emit({ type: "items_added", list, items: itemsFrom(list, values, { ids, dependsOn: block.dependsOn }) });
  turn.move(strand, { phase: "run", list, total: values.length });
}

/** The evaluated parts of the query stay as they were on entry, whatever the state does later. */
function readWhere(turn: Turn, { strand, block }: Work, given: Given | undefined): Need | undefined {
  const { parent, facets } = block.where ?? {};
  const names = Object.keys(facets ?? {});
  if (given === undefined) {
    const exprs = Object.entries(facets ?? {}).map(([facet, expr]) => [`facet:${facet}`, expr] as const);
    return turn.evaluate(strand, { ...Object.fromEntries(exprs), ...(parent === undefined ? {} : { parent }) });
  }
  const values = given.type === "values" ? given.values : {};
  const where = defined({
    parent: parent === undefined ? undefined : textOf(values["parent"]),
    facets: facets && Object.fromEntries(names.map((facet) => [facet, textOf(values[`facet:${facet}`])])),
  });
  return turn.move(strand, { phase: "run", where });
}

/** A work that nobody waits for runs in a strand of its own, which the run joins before it completes. */
function detach(turn: Turn, parent: string, block: WorkBlock): undefined {
  const id = turn.mint("s");
  const { scope, frames } = turn.strand(parent);
  const locals = localsOf(frames);
  const { of, calls } = placeOf(turn, parent);
  const place = { ...(of.length === 0 ? {} : { of }), ...(calls.length === 0 ? {} : { calls }) };
  turn.emit({ type: "strand_opened", strand: id, scope, parent, ...place });
  enter(turn, id, block.id, locals);
  leaveFrame(turn, parent, "done");
}

/** The items' own ids where all have one and none comes twice, else their places. */
function idsOf(values: readonly Json[], block: WorkBlock): readonly string[] {
  const own = values.map((value) => (isObject(value) && typeof value["id"] === "string" ? value["id"] : ""));
  const unique = !own.includes("") && new Set(own).size === own.length;
  return unique ? own : values.map((_, index) => `${block.id}.${index}`);
}

interface Numbered {
  readonly ids: readonly string[];
  readonly dependsOn: WorkBlock["dependsOn"];
}

function itemsFrom(list: string, values: readonly Json[], { ids, dependsOn: field }: Numbered): Item[] {
  return values.map((data, index) => {
    const id = ids[index] ?? "";
    const listed = field !== undefined && isObject(data) ? data[field] : undefined;
    const dependsOn = isList(listed) ? [...new Set(listed.map(textOf))] : [];
    const row = { list, id, order: orderKey(index), status: "pending", data, facets: {}, root: id, attempts: 0 } as const;
    return dependsOn.length === 0 ? { ...row, waitsFor: 0 } : { ...row, waitsFor: dependsOn.length, dependsOn };
  });
}

/** Text that sorts like the number, with room between any two keys. */
function orderKey(index: number): string {
  const digits = String(index);
  return `${String.fromCharCode(96 + digits.length)}${digits}`;
}

function take(turn: Turn, work: Work, given: Given | undefined): Need | undefined {
  const { strand, frame, block } = work;
  const { list } = frame;
  const room = turn.state.closing === undefined ? roomFor(block, frame) : 0;
  const inputs = block.task?.inputs;
  if (given === undefined && (turn.state.lists[list]?.by.pending ?? 0) > 0 && room > 0) {
    const limit = inputs === undefined ? room : 1;
    return { type: "select", strand, list, query: queryOf(work), limit, notRoots: heldByOthers(turn, work) };
  }
  const { items = [], above = {} } = given?.type === "items" ? given : {};
  if (items.length === 0 && frame.open.length === 0) return finishWork(turn, work);
  const [item] = items;
  if (item !== undefined && inputs !== undefined) return turn.move(strand, { phase: "inputs", next: item as unknown as Json });
  if (frame.mode === "each") return item && startEach(turn, work, item, aboveOf(above, item));
  for (const each of items) startStrand(turn, work, each, aboveOf(above, each));
  return handOut(turn, strand, block);
}

/** What a body sees of the items that its own depends on. */
function aboveOf(above: Readonly<Record<string, Statuses>>, { id }: Item): JsonObject {
  const statuses = own(above, id);
  return statuses === undefined ? {} : { above: { ...statuses } };
}

/** Trees of the list that other strands hold. */
function heldByOthers(turn: Turn, { strand, frame }: Work): string[] {
  return Object.entries(turn.state.held)
    .filter(([key, tree]) => tree.strand !== strand && key.startsWith(`${frame.list}/`))
    .map(([key]) => key.slice(frame.list.length + 1));
}

function queryOf({ block, frame }: Work): ItemQuery {
  const { facets, ...rest } = { ...block.query, ...frame.where };
  const both = { ...block.query?.facets, ...facets };
  return { ...rest, ...(Object.keys(both).length === 0 ? {} : { facets: both }), status: "pending", ready: true };
}

/** The inputs of a task are evaluated for each item before it starts, so that they are part of what is handed out. */
function readInputs(turn: Turn, work: Work, item: Item, given: Given | undefined): Need | undefined {
  const { strand, frame, block } = work;
  if (given === undefined) return turn.evaluate(strand, block.task?.inputs ?? {}, itemLocals(turn, work, item));
  turn.move(strand, { phase: "run", next: null });
  const inputs = given.type === "values" ? given.values : {};
  if (frame.mode === "each") startEach(turn, work, item, inputs);
  else startStrand(turn, work, item, inputs);
}

function startEach(turn: Turn, work: Work, item: Item, inputs: JsonObject = {}): undefined {
  const { strand, frame, block } = work;
  takeItem(turn, strand, block, item);
  const started = { ...item, status: "in_progress" as const, attempts: item.attempts + 1 };
  const { place, taken } = frame.kept === undefined ? nothingKept : takeKept(frame, item.id);
  turn.move(strand, { item: started, names: itemLocals(turn, work, item, inputs) }, taken);
  if (place !== undefined) continueTask(turn, strand, place);
  else beginBody(turn, strand, bodyOf(block, item.id));
}

function startStrand(turn: Turn, { strand: parent, block }: Work, item: Item, inputs: JsonObject = {}): void {
  const strand = turn.mint("s");
  const { scope, frames } = turn.strand(parent);
  const frame = frames.at(-1);
  if (frame?.kind !== "work") return;
  const { list, id, facets, root } = item;
  takeItem(turn, strand, block, item);
  const locals = { ...localsOf(frames), ...itemLocals(turn, { frame, block }, item, inputs) };
  const taken = { list, id, facets, root, attempts: item.attempts + 1 };
  turn.emit({ type: "strand_opened", strand, scope, parent, task: id, item: taken });
  const kept = frame.kept === undefined ? nothingKept : takeKept(frame, id);
  if (kept.place !== undefined) continueTask(turn, strand, kept.place);
  else beginBody(turn, strand, bodyOf(block, id), locals);
  turn.move(parent, { open: [...frame.open, strand] }, kept.taken);
}

/** The strand is named for declared lists only, whose trees are held. */
function takeItem(turn: Turn, strand: string, { fill: own }: WorkBlock, { list, id, status, facets, root, attempts }: Item): void {
  const holder = own === undefined ? { strand } : {};
  emitMove(turn, { list, id, from: status, to: "in_progress", facets, root, attempts: attempts + 1, ...holder });
}

const nothingKept: ReturnType<typeof takeKept> = { taken: {} };

/** Whether works that nobody waits for are there at all. */
function hasDetached({ state }: Turn, strand: string): boolean {
  return Object.values(state.strands).some(({ id, parent, item }) => id !== strand && parent !== undefined && item === undefined);
}

function beginBody(turn: Turn, strand: string, body: BlockId, locals?: JsonObject): void {
  if (hasDetached(turn, strand)) endDetached(turn, { strand, depth: turn.strand(strand).frames.length, block: body });
  enter(turn, strand, body, locals);
}

/** One action lets the parent's agent start a sub-agent per open strand; it closes by the join alone. */
function handOut(turn: Turn, strand: string, { id: block, task }: WorkBlock): undefined {
  const frame = turn.top(strand);
  if (frame?.kind !== "work" || frame.open.length === 0) return;
  if (task !== undefined && frame.action === undefined) {
    const id = turn.mint("a");
    const args = { task: task.name, prompt: task.prompt };
    const action = { id, strand, block, step: block, what: "parallel_tasks", args, paths: [], openedAt: turn.at, taken: 0 };
    turn.emit({ type: "action_opened", action });
    turn.move(strand, { action: id });
  }
  turn.wait(strand, { on: "strands" });
}

/** What a body sees of its item: `item`, `index`, `total` and, in a task, its own fields, `task_id`, `context` and `parent`. */
function itemLocals(turn: Turn, { frame, block }: Omit<Work, "strand">, item: Item, inputs: JsonObject = {}): JsonObject {
  const { total } = frame;
  const index = Number(item.order.slice(1));
  const names = { [block.itemName ?? "item"]: item.data, item: item.data, index: Number.isFinite(index) ? index : 0, total };
  if (block.task === undefined) return { ...names, ...inputs };
  const own: JsonObject = isObject(item.data) ? item.data : { item: item.data };
  const context: JsonObject = { ...own, ...inputs, batch_id: item.id, index: names.index, total, workflow_id: turn.state.id };
  return { ...context, ...names, task_id: item.id, context, parent: { workflow: { id: turn.state.id } } };
}

function finishWork(turn: Turn, { strand, frame, block }: Work): undefined {
  const { id, fill: filled, onItemFailure, dependsOn, unit = "task" } = block;
  if (turn.state.closing !== undefined) return closeEarly(turn, strand, turn.state.closing);
  const stuck = turn.state.lists[frame.list]?.by.pending ?? 0;
  closeHandout(turn, strand);
  if (stuck > 0 && filled !== undefined) {
    const message = `${stuck} items of \`${id}\` can never become ready.`;
    return failStrand(turn, strand, { code: "ITEMS_STUCK", message, block: id });
  }
  const { failed, total, lost } = frame;
  if (failed.length > 0 && onItemFailure?.then === "fail_at_end") {
    const message = failedText(frame, block);
    return failStrand(turn, strand, { code: "TASKS_FAILED", message, block: id, ...(lost === true ? { lost } : {}) });
  }
  if (dependsOn !== undefined && turn.state.lists[frame.list]?.by.completed === 0) {
    const message = `None of the ${counted(total, unit)} was done: all were skipped.`;
    return failStrand(turn, strand, { code: "TASKS_SKIPPED", message, block: id });
  }
  leaveFrame(turn, strand, "done");
}

function failedText({ failed, total, why }: WorkFrame, { id, unit }: WorkBlock): string {
  // What a list has no ids for is known by its place in it.
  const placeOf = (each: string): number | undefined => (each.startsWith(`${id}.`) ? Number(each.slice(id.length + 1)) + 1 : undefined);
  const names = `${failed
    .slice(0, 5)
    .map((each) => placeOf(each) ?? each)
    .join(", ")}${failed.length > 5 ? " ..." : ""}`;
  if (unit === undefined) return `${failed.length} of ${total} tasks of \`${id}\` failed: ${names}.`;
  const place = placeOf(failed[0] ?? "");
  const name = place === undefined ? `\`${failed[0] ?? ""}\`` : String(place);
  if (failed.length === 1) return `${sentenceCase(unit)} ${name}${why === undefined ? "" : `: ${why}`}`;
  const first = why === undefined ? "" : ` ${place === undefined ? "" : `${sentenceCase(unit)} `}${name}: ${why}`;
  return `${failed.length} of ${total} ${unit}s failed: ${names}.${first}`;
}

function sentenceCase(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Nothing new begins: a task of another work ends here, and the run with its main strand. */
function closeEarly(turn: Turn, strand: string, reason: string): undefined {
  if (turn.strand(strand).item === undefined)
    return endRun(turn, { status: "cancelled", reason, error: { code: "RUN_CANCELLED", message: reason } });
  leaveTo(turn, strand, 0, { how: "skipped", reason });
  taskEnded(turn, strand, reason);
}
