import { nearest, own, type JsonObject } from "../base/index.ts";
import {
  handOutId,
  mainStrand,
  nameInList,
  nameOfItem,
  readHandOutId,
  readListName,
  sameHolder,
  type RunState,
  type Strand,
  taskName,
} from "../kernel/index.ts";
import type { Item, Program } from "../program/index.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import { commitInputs } from "./commit-inputs.ts";
import { stampOf, type Caller } from "./caller.ts";
import { handsOut, listsOnRequest } from "./hands-out.ts";
import { folderElsewhere } from "./folder-here.ts";
import { readLife } from "./holding.ts";
import type { RunHandle } from "./run-cache.ts";

export type Target =
  | { readonly kind: "strand"; readonly strand: string }
  | { readonly kind: "ended_task"; readonly task: string; readonly status: string; readonly list: string; readonly item: string };

/** The strand a caller means: main, or the one open task with this name. A task that has ended is not taken for an unknown one. */
export async function resolveStrand(context: EngineContext, handle: RunHandle, task: string | undefined): Promise<Target> {
  const open = openStrand(handle.state, task);
  if (open !== undefined) return strandTarget(open);
  const rows = await rowsOf(context, handle, task ?? "");
  const [row] = rows;
  if (row === undefined) throw unknownTask(handle, task ?? "");
  if (rows.length > 1) throw severalTasks(handle, task ?? "", rows);
  return targetOfRow(handle, row);
}

export function strandTarget(strand: string): Extract<Target, { readonly kind: "strand" }> {
  return { kind: "strand", strand };
}

/** Where the task of a row is open, or how it ended. */
export function targetOfRow(handle: RunHandle, row: Item): Target {
  const strand = strandOfItem(handle.state, row);
  return strand === undefined ? endOfTask(handle, row) : strandTarget(strand);
}

/** The open task of this name, or the strand of this id; main without one. */
export function openStrand({ strands }: RunState, task: string | undefined): string | undefined {
  if (task === undefined || task === "" || task === mainStrand) return mainStrand;
  const all = Object.values(strands);
  return (all.find((strand) => isCalled(strand, task)) ?? own(strands, task))?.id;
}

/** The strand in which the task of a row is open. */
export function strandOfItem({ strands }: RunState, { list, id }: Pick<Item, "list" | "id">): string | undefined {
  return Object.values(strands).find(({ item, task }) => task !== undefined && item?.list === list && item.id === id)?.id;
}

/** The name that it was handed out by, the one that no other task has, or the one that earlier versions gave it. */
function isCalled(strand: Strand, name: string): boolean {
  const { id, task, item } = strand;
  if (task === undefined) return false;
  return taskName(strand) === name || nameInList(task, item?.list ?? "") === name || handOutId(task, id) === name;
}

/** What is to be said of a task that is not open. */
function endOfTask({ id: run, state, program }: RunHandle, row: Item): Target {
  const { list, id: item, status, attempts } = row;
  const task = nameOfItem(row);
  const isOpen = status === "pending" || (status === "in_progress" && !listsOnRequest(program).has(list));
  if (!isOpen) return { kind: "ended_task", task, status, list, item };
  if (state.status !== "running") return { kind: "ended_task", task, status: "stopped", list, item };
  if (status === "in_progress")
    throw refused(
      "ENGINE_NO_TASK",
      `\`${task}\` of run \`${run}\` is in progress, but not as a task of its own.`,
      "Ask for the next step of the run.",
      {},
    );
  throw refused(
    "ENGINE_NO_TASK",
    attempts === 0
      ? `Task \`${task}\` has not been handed out yet: earlier tasks must end first.`
      : `Task \`${task}\` was stopped and has not been handed out again yet.`,
    "Continue with the open tasks; this one follows by itself.",
    {},
  );
}

/**
 * Rows of the tasks that a name may mean, when none of that name is open. A plain name means the newest task that was handed out by it;
 * only where there is none, tasks that were handed out by another name.
 */
async function rowsOf({ store }: EngineContext, { id: run }: RunHandle, task: string): Promise<readonly Item[]> {
  const lists = (await store.itemLists(run)).toReversed();
  const rowsIn = async (id: string, chosen: readonly string[], most = Infinity): Promise<readonly Item[]> => {
    const rows: Item[] = [];
    for (const list of chosen) {
      const row = rows.length < most ? await store.readItem(run, list, id) : undefined;
      if (row !== undefined) rows.push(row);
    }
    return rows;
  };
  const isApart = (list: string): boolean => readListName(list)?.apart === true;
  const usual = lists.filter((list) => !isApart(list));
  const plain = await rowsIn(task, usual, 1);
  if (plain.length > 0) return plain;
  const { step = "", id = "" } = readHandOutId(task) ?? {};
  const number = Number(id.slice(1));
  const numberOf = (list: string): number => readListName(list)?.number ?? Infinity;
  const named = /^g\d+$/.test(id) ? lists.filter((list) => numberOf(list) === number) : [];
  // Earlier versions gave a task the number of its strand, which is greater than that of its list.
  const older = /^s\d+$/.test(id) ? lists.filter((list) => numberOf(list) < number) : [];
  const byNumber = await rowsIn(step, [...named, ...older], 1);
  return byNumber.length > 0 ? byNumber : rowsIn(task, lists.filter(isApart));
}

function unknownTask({ id, state }: RunHandle, task: string): Error {
  const tasks = Object.values(state.strands).flatMap((strand) => (strand.task === undefined ? [] : [taskName(strand)]));
  const near = nearest(task, tasks);
  const hint = tasks.length === 0 ? " It has no open tasks." : ` Open tasks: ${tasks.slice(0, 10).join(", ")}.`;
  return refused(
    "ENGINE_NO_TASK",
    `Run \`${id}\` has no task \`${task}\`.${near.length > 0 ? ` Did you mean \`${near[0] ?? ""}\`?` : ""}${hint}`,
    "Use a task id from the open parallel_tasks step.",
    { open_tasks: tasks.slice(0, 50) },
  );
}

function severalTasks({ id }: RunHandle, task: string, rows: readonly Item[]): Error {
  const names = rows.map((row) => nameInList(row.id, row.list));
  return refused(
    "ENGINE_NO_TASK",
    `Run \`${id}\` has ${names.length} tasks \`${task}\`: ${names.slice(0, 10).join(", ")}.`,
    "Use the task id that you were started with.",
    { tasks: names.slice(0, 50) },
  );
}

/** Whether the main strand waits for strands that are nobody's in particular: what is open in them is for whom it is free. */
export function sharesOut({ program, state }: Pick<RunHandle, "program" | "state">): boolean {
  const frame = state.strands[mainStrand]?.frames.at(-1);
  const block = frame === undefined ? undefined : program.blocks[frame.block];
  return frame?.kind === "work" && frame.mode === "strands" && block?.kind === "work" && block.pull !== true && block.task === undefined;
}

/** Whether the tasks of a list are nobody's in particular: who does one took it, and nobody was started for it. */
export function isSharedOut({ blocks }: Program, list = ""): boolean {
  const block = blocks[readListName(list)?.block ?? ""];
  return block?.kind === "work" && block.fill !== undefined && block.pull !== true && block.task === undefined;
}

/** A shared strand with something for the caller: one that it holds, else a free one. */
async function sharedStrand(context: EngineContext, handle: RunHandle, caller: Caller): Promise<string | undefined> {
  const { strands, actions } = handle.state;
  const mine = Object.values(strands).find(
    ({ task, waits, holder }) => task !== undefined && waits?.on === "action" && waits.id in actions && sameHolder(holder, caller.holder),
  );
  return mine?.id ?? freeTask(context, handle, caller);
}

/** Whether the strand was opened for a caller that asked for work. */
export function isPulled({ program, state }: RunHandle, strand: Pick<Strand, "parent">): boolean {
  return strand.parent !== undefined && handsOut(program, state.strands[strand.parent]);
}

/** Whether a task is named after an item of such a list. */
export async function isOnRequest({ store }: EngineContext, { id: run, program }: RunHandle, task: string): Promise<boolean> {
  for (const list of listsOnRequest(program)) if ((await store.readItem(run, list, task)) !== undefined) return true;
  return false;
}

/** The parts of the run that are handed out to everyone who asks. */
export function pulled(handle: RunHandle): readonly Strand[] {
  if (!handsOut(handle.program, handle.state.strands[mainStrand])) return [];
  return Object.values(handle.state.strands).filter((strand) => strand.parent === mainStrand && strand.task !== undefined);
}

/** The part of the run that the caller holds, if parts are being handed out; for a person also the only one, when nobody has taken it yet. */
export function heldStrand(handle: RunHandle, { holder }: Caller): string | undefined {
  const parts = pulled(handle);
  const [only, another] = parts;
  const shown = holder.kind === "person" && another === undefined && only?.fence === 0 ? only : undefined;
  const own = parts.filter((strand) => sameHolder(strand.holder, holder));
  return (own.find(({ waits }) => waits?.on !== "decision") ?? own[0] ?? shown)?.id;
}

/** Whether a part that was handed out is held beyond the caller's connection, whose sub-agents share its leases. */
export async function isHeldElsewhere(context: EngineContext, handle: RunHandle, { leaseOwner }: Caller): Promise<boolean> {
  for (const strand of pulled(handle)) {
    const { alive } = await readLife(context, handle.id, strand);
    if (alive !== undefined && alive.owner !== leaseOwner) return true;
  }
  return false;
}

/** Heads of runs at which a pull opened nothing: another one would not either, and would only be written down. */
const nothingAt = new WeakMap<RunHandle, number>();

/**
 * The strand a caller drives: main, or while main hands out its work, the caller's own part of it. A caller that has none gets one that
 * nobody alive holds, else a new one; undefined when all that is left is held by others. Parts that wait for a person come last for a driver. With `onlyDriver` a part is for the holder of
 * main: anybody else without one is sent to main.
 */
export async function pickStrand(
  context: EngineContext,
  handle: RunHandle,
  caller: Caller,
  onlyDriver = false,
): Promise<string | undefined> {
  for (;;) {
    const { state, program } = handle;
    const main = state.strands[mainStrand];
    if (state.status === "running" && sharesOut(handle)) return (await sharedStrand(context, handle, caller)) ?? mainStrand;
    if (state.status !== "running" || main === undefined || !handsOut(program, main)) return mainStrand;
    const mine = heldStrand(handle, caller);
    if (mine !== undefined && !isLeftToPerson(state.strands[mine], caller)) return mine;
    if (onlyDriver && !sameHolder(main.holder, caller.holder)) return mine ?? mainStrand;
    const { now, later = mine } = await freeParts(context, handle, caller);
    if (now !== undefined) return now;
    if (nothingAt.get(handle) === handle.head) return later;
    const known = new Set(Object.keys(state.strands));
    const decision = await commitInputs(context, handle, [
      { input: { type: "pull", strand: mainStrand, ...(await stampOf(context, caller)) } },
    ]);
    if (decision.kind === "rejected") return later;
    const opened = pulled(handle).some((strand) => !known.has(strand.id));
    if (opened || !handsOut(handle.program, handle.state.strands[mainStrand])) continue;
    nothingAt.set(handle, handle.head);
    return later;
  }
}

/** The first free part, and the first that is left to a person. */
async function freeParts(
  context: EngineContext,
  handle: RunHandle,
  caller: Caller,
): Promise<{ readonly now?: string; readonly later?: string }> {
  let later: string | undefined;
  for (const strand of pulled(handle)) {
    if (sameHolder(strand.holder, caller.holder) || !(await isFree(context, handle, strand, caller))) continue;
    if (!isLeftToPerson(strand, caller)) return { now: strand.id };
    later ??= strand.id;
  }
  return later === undefined ? {} : { later };
}

/** A part in which a question is open does not keep a driver from the others: it comes back to it when nothing else is left. */
function isLeftToPerson(strand: Strand | undefined, { stays }: Caller): boolean {
  return stays === true && strand?.waits?.on === "decision";
}

/** A task with an open step that nobody alive holds, for a caller that is not needed in the main strand. */
export async function freeTask(context: EngineContext, handle: RunHandle, caller: Caller): Promise<string | undefined> {
  const { strands, actions } = handle.state;
  const open = Object.values(strands).filter(({ task, waits }) => task !== undefined && waits?.on === "action" && waits.id in actions);
  for (const strand of open) if (await isFree(context, handle, strand, caller)) return strand.id;
  return undefined;
}

/** A caller that is about to take a part has its lease before it is the holder. */
async function isFree(context: EngineContext, handle: RunHandle, strand: Strand, { leaseOwner }: Caller): Promise<boolean> {
  if (folderElsewhere(context, handle, strand.id) !== undefined) return false;
  const { alive } = await readLife(context, handle.id, strand);
  return alive === undefined || (strand.holder === undefined && alive.owner === leaseOwner);
}

/** The facts to keep with a report or an answer, for a strand that is a task or runs beside the main one; other strands have none. */
export function taskFacts(handle: RunHandle, strand: Strand | undefined): { readonly facts?: JsonObject } {
  if (strand?.entry !== undefined) return { facts: { task: strand.id, strand: strand.id, parent: mainStrand, entry: true } };
  if (strand?.task === undefined || isPulled(handle, strand)) return {};
  const row = strand.item === undefined ? {} : { list: strand.item.list, item: strand.item.id };
  return { facts: { task: taskName(strand), strand: strand.id, parent: strand.parent ?? mainStrand, ...row } };
}
