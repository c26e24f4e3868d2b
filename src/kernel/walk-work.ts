import { isList, isObject, textOf, type Json, type JsonObject } from "../base/index.ts";
import type { Item, ItemQuery, WorkBlock } from "../program/index.ts";
import { endDetached, placeOf } from "./detached-works.ts";
import { enter } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { Given, Need } from "./input.ts";
import { roomFor } from "./limit-values.ts";
import { moveItem, orderKey, settleItem } from "./items.ts";
import { takeKept } from "./kept-places.ts";
import type { Frame, Notice } from "./run-state.ts";
import { goOn } from "./stop-strands.ts";
import { listName, needsNames } from "./task-name.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";
import { closeHandout, leaveFrame } from "./unwind.ts";

type WorkOnStack = Extract<Frame, { readonly kind: "work" }>;
interface Work {
  readonly strand: string;
  readonly frame: WorkOnStack;
  readonly block: WorkBlock;
}

/** Fills the list, then takes items one by one or in strands, until all are settled. */
export function walkWork(turn: Turn, strand: string, frame: WorkOnStack, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "work") return undefined;
  const work = { strand, frame, block };
  if (frame.phase === "fill") return fill(turn, work, given);
  if (frame.phase === "where") return readWhere(turn, work, given);
  if (frame.phase === "inputs" && frame.next !== undefined) return readInputs(turn, work, frame.next, given);
  if (frame.item !== undefined) {
    settleItem(turn, strand, "completed");
    return undefined;
  }
  return tellDependants(turn, strand, frame.list, given) ?? take(turn, work, given?.type === "dependants" ? undefined : given);
}

/** What depends on an item is counted again when it settles or is reopened; only then can the next ready item be chosen. */
function tellDependants(turn: Turn, strand: string, list: string, given: Given | undefined): Need | undefined {
  const notice = firstNotice(turn, list);
  if (notice === undefined) return undefined;
  if (given?.type !== "dependants") return { type: "dependants", strand, list, id: notice.id };
  const { ids, waits } = given;
  turn.emit({ type: notice.reopened === true ? "dependency_reopened" : "dependency_settled", list, of: notice.id, ids, waits });
  const further = firstNotice(turn, list);
  return further === undefined ? undefined : { type: "dependants", strand, list, id: further.id };
}

function firstNotice(turn: Turn, list: string): Notice | undefined {
  return turn.state.settled.find((notice) => notice.list === list);
}

function fill(turn: Turn, { strand, frame, block }: Work, given: Given | undefined): Need | undefined {
  if (block.join === "later" && frame.mode === "strands" && turn.strand(strand).frames.length > 1) return detach(turn, strand, block);
  if (given === undefined) {
    const { scope, frames } = turn.strand(strand);
    return {
      type: "evaluate",
      strand,
      exprs: { items: block.fill ?? { as: "value", of: [] } },
      scope,
      locals: localsOf(frames),
      ...frontOf(frames),
    };
  }
  const values = given.type === "values" ? given.values["items"] : undefined;
  if (!isList(values)) {
    const message = `\`${block.id}\` needs a list of items, but \`items\` gave ${values === undefined ? "nothing" : JSON.stringify(values)?.slice(0, 80)}.`;
    return failStrand(turn, strand, { code: "ITEMS_NOT_A_LIST", message, block: block.id }) as undefined;
  }
  if (values.length === 0) {
    turn.emit({
      type: "warned",
      code: "ITEMS_EMPTY",
      message: `\`${block.id}\` has no items, so it was passed over.`,
      strand,
      block: block.id,
    });
    return leaveFrame(turn, strand, "done") as undefined;
  }
  const ids = idsOf(values, block);
  const apart = block.task !== undefined && needsNames(turn.state, turn.program, block.id, ids);
  const list = listName({ block: block.id, number: Number(turn.mint("")), apart });
  const items = itemsFrom(list, values, ids);
  turn.emit({ type: "items_added", list, items });
  turn.emit({ type: "moved", strand, patch: { phase: "run", list, total: items.length } });
  return undefined;
}

/** The evaluated parts of the query stay as they were on entry, whatever the state does later. */
function readWhere(turn: Turn, { strand, block }: Work, given: Given | undefined): Need | undefined {
  const { parent, facets = {} } = block.where ?? {};
  if (given === undefined) {
    const { scope, frames } = turn.strand(strand);
    const exprs = Object.fromEntries(Object.entries(facets).map(([facet, expr]) => [`facet:${facet}`, expr]));
    const all = parent === undefined ? exprs : { ...exprs, parent };
    return { type: "evaluate", strand, exprs: all, scope, locals: localsOf(frames), ...frontOf(frames) };
  }
  if (given.type === "error") return failStrand(turn, strand, { code: given.code, message: given.message, block: block.id }) as undefined;
  const values = given.type === "values" ? given.values : {};
  const query: ItemQuery = {
    ...(parent === undefined ? {} : { parent: textOf(values["parent"]) }),
    ...(block.where?.facets === undefined
      ? {}
      : { facets: Object.fromEntries(Object.keys(facets).map((facet) => [facet, textOf(values[`facet:${facet}`])])) }),
  };
  turn.emit({ type: "moved", strand, patch: { phase: "run", where: query as unknown as Json } });
  return undefined;
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

function itemsFrom(list: string, values: readonly Json[], ids: readonly string[]): Item[] {
  return values.map((data, index) => {
    const id = ids[index] ?? "";
    return { list, id, order: orderKey(index), status: "pending", data, facets: {}, root: id, attempts: 0, waitsFor: 0 };
  });
}

function take(turn: Turn, work: Work, given: Given | undefined): Need | undefined {
  const { strand, frame, block } = work;
  const room = roomFor(block, frame);
  const pending = (turn.state.lists[frame.list]?.by.pending ?? 0) > 0;
  if (given === undefined && pending && room > 0)
    return {
      type: "select",
      strand,
      list: frame.list,
      query: queryOf(work),
      limit: block.task?.inputs === undefined ? room : 1,
      notRoots: heldByOthers(turn, work),
    };
  const items = given?.type === "items" ? given.items : [];
  if (items.length === 0 && frame.open.length === 0) return finishWork(turn, work);
  const [item] = items;
  if (item !== undefined && block.task?.inputs !== undefined) {
    turn.emit({ type: "moved", strand, patch: { phase: "inputs", next: item as unknown as Json } });
    return undefined;
  }
  if (frame.mode === "each") {
    if (item !== undefined) startEach(turn, work, item);
    return undefined;
  }
  for (const each of items) startStrand(turn, strand, block, { item: each });
  return handOut(turn, strand, block) as undefined;
}

/** Trees of the list that other strands have in hand. */
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
  if (given === undefined) {
    const { scope, frames } = turn.strand(strand);
    const locals = { ...localsOf(frames), ...itemLocals(turn, block, item, { total: frame.total }) };
    return { type: "evaluate", strand, exprs: block.task?.inputs ?? {}, scope, locals, ...frontOf(frames) };
  }
  turn.emit({ type: "moved", strand, patch: { phase: "run", next: null } });
  const inputs = given.type === "values" ? given.values : {};
  if (frame.mode === "each") startEach(turn, work, item, inputs);
  else startStrand(turn, strand, block, { item, inputs });
  return undefined;
}

function startEach(turn: Turn, { strand, frame, block }: Work, item: Item, inputs: JsonObject = {}): void {
  moveItem(turn, item, "in_progress", block.fill === undefined ? { strand } : {});
  const inHand = { ...item, status: "in_progress" as const, attempts: item.attempts + 1 };
  const { stood, taken } = takeKept(frame, item.id);
  const names = itemLocals(turn, block, item, { total: frame.total, inputs });
  turn.emit({ type: "moved", strand, patch: { item: inHand, names }, ...taken });
  if (stood !== undefined) return goOn(turn, strand, stood);
  endDetached(turn, { strand, depth: turn.strand(strand).frames.length, block: block.body });
  enter(turn, strand, block.body);
}

function startStrand(
  turn: Turn,
  parent: string,
  block: WorkBlock,
  { item, inputs = {} }: { readonly item: Item; readonly inputs?: JsonObject },
): void {
  const id = turn.mint("s");
  const frame = turn.strand(parent).frames.at(-1);
  if (frame?.kind !== "work") return;
  moveItem(turn, item, "in_progress", block.fill === undefined ? { strand: id } : {});
  const locals = { ...localsOf(turn.strand(parent).frames), ...itemLocals(turn, block, item, { total: frame.total, inputs }) };
  turn.emit({
    type: "strand_opened",
    strand: id,
    scope: turn.strand(parent).scope,
    parent,
    task: item.id,
    item: { list: item.list, id: item.id, facets: item.facets, root: item.root, attempts: item.attempts + 1 },
  });
  const { stood, taken } = takeKept(frame, item.id);
  if (stood === undefined) {
    endDetached(turn, { strand: id, depth: 0, block: block.body });
    enter(turn, id, block.body, locals);
  } else goOn(turn, id, stood);
  turn.emit({ type: "moved", strand: parent, patch: { open: [...frame.open, id] }, ...taken });
}

/** One action tells the parent's agent to start a sub-agent per open strand; it closes by the join alone. */
function handOut(turn: Turn, strandId: string, block: WorkBlock): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "work" || frame.open.length === 0) return;
  if (block.task !== undefined && frame.action === undefined) {
    const id = turn.mint("a");
    const args = { task: block.task.name, prompt: block.task.prompt };
    turn.emit({
      type: "action_opened",
      action: {
        id,
        strand: strandId,
        block: block.id,
        step: block.id,
        what: "parallel_tasks",
        args,
        paths: [],
        openedAt: turn.at,
        taken: 0,
      },
    });
    turn.emit({ type: "moved", strand: strandId, patch: { action: id } });
  }
  turn.emit({ type: "waiting", strand: strandId, on: { on: "strands" } });
}

/** What a body sees of its item: `item`, `index`, `total` and, in a task, its own fields, `task_id`, `context` and `parent`. */
function itemLocals(
  turn: Turn,
  block: WorkBlock,
  item: Item,
  { total, inputs = {} }: { readonly total: number; readonly inputs?: JsonObject },
): JsonObject {
  const index = Number(item.order.slice(1));
  const names = { [block.itemName ?? "item"]: item.data, item: item.data, index: Number.isFinite(index) ? index : 0, total };
  if (block.task === undefined) return names;
  const own: JsonObject = isObject(item.data) ? item.data : { item: item.data };
  const context: JsonObject = { ...own, ...inputs, batch_id: item.id, index: names.index, total, workflow_id: turn.state.id };
  return { ...context, ...names, task_id: item.id, context, parent: { workflow: { id: turn.state.id } } };
}

function finishWork(turn: Turn, { strand, frame, block }: Work): undefined {
  const counts = turn.state.lists[frame.list];
  const stuck = counts?.by.pending ?? 0;
  closeHandout(turn, strand);
  if (stuck > 0 && block.fill !== undefined) {
    return failStrand(turn, strand, {
      code: "ITEMS_STUCK",
      message: `${stuck} items of \`${block.id}\` can never become ready.`,
      block: block.id,
    }) as undefined;
  }
  if (frame.failed.length > 0 && block.onItemFailure?.then === "fail_at_end") {
    const message = `${frame.failed.length} of ${frame.total} tasks of \`${block.id}\` failed: ${frame.failed.slice(0, 5).join(", ")}${frame.failed.length > 5 ? " ..." : ""}.`;
    return failStrand(turn, strand, {
      code: "TASKS_FAILED",
      message,
      block: block.id,
      ...(frame.lost === true ? { lost: true } : {}),
    }) as undefined;
  }
  leaveFrame(turn, strand, "done");
}
