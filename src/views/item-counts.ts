import type { JsonObject } from "../base/index.ts";
import { readListName, type RunState } from "../kernel/index.ts";
import { blocksInside, childBlocks, itemStatuses, type ItemStatus, type Program, type WorkBlock } from "../program/index.ts";

interface Run {
  readonly program: Pick<Program, "parts" | "blocks">;
  readonly state: Pick<RunState, "lists">;
}

/** Counts over all items that are worked on; absent when the run has none. */
export function progressOf(run: Run): { readonly progress?: JsonObject } {
  const { completed: done, total, failed, skipped } = itemCounts(run);
  return total === 0 ? {} : { progress: { done, total, ...(failed > 0 ? { failed } : {}), ...(skipped > 0 ? { skipped } : {}) } };
}

/**
 * Items to work on, in all lists together: what came of the work is kept in lists as well, and does not count. Nor do tasks that are parts of
 * the work on an item, and what was settled from the beginning (facet `done` with `given`): nobody did it.
 */
export function itemCounts({ program, state }: Run): Readonly<Record<ItemStatus | "total", number>> {
  const { declared, lists, parts } = countedIn(program);
  const counts = { total: 0, pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
  const given = { completed: 0, skipped: 0 };
  for (const [id, { total, by, facets }] of Object.entries(state.lists)) {
    // A block may be called as a declared list is. Lists that are over are counted together, by the name of their block.
    if (declared.has(id) ? !lists.has(id) : parts.has(readListName(id)?.block ?? id)) continue;
    // Where rows are groups with actions below them, the actions count.
    const actions = facets["kind=action"];
    for (const [facet, of] of Object.entries(facets))
      if (facet.startsWith("done=given")) for (const status of settledAlready) given[status] += of[status];
    counts.total += actions === undefined ? total : Object.values(actions).reduce((sum, count) => sum + count, 0);
    for (const status of itemStatuses) counts[status] += (actions ?? by)[status];
  }
  const without = given.completed + given.skipped;
  // Where nothing was to be done at all, everything is done.
  if (without >= counts.total) return counts;
  return {
    ...counts,
    total: counts.total - without,
    completed: counts.completed - given.completed,
    skipped: counts.skipped - given.skipped,
  };
}

const settledAlready = ["completed", "skipped"] as const;

/** Whether what is in a list is a part of the work on an item of a declared one, which is what people know of. */
export function isPartOfItem({ program }: Pick<Run, "program">, list: string): boolean {
  const { declared, within } = countedIn(program);
  return !declared.has(list) && within.has(readListName(list)?.block ?? list);
}

interface Counted {
  readonly declared: ReadonlySet<string>;
  /** Declared lists that are worked through for themselves. The others record what was found or done, or are parts of the work on an item. */
  readonly lists: ReadonlySet<string>;
  /** Blocks whose lists do not count: those inside the work on an item, and those whose items are numbered steps. */
  readonly parts: ReadonlySet<string>;
  /** Of those, the ones inside the work on an item of a declared list. */
  readonly within: ReadonlySet<string>;
}

const known = new WeakMap<Run["program"]["blocks"], Counted>();

function countedIn({ parts, blocks }: Run["program"]): Counted {
  const before = known.get(blocks);
  if (before !== undefined) return before;
  const works = Object.values(blocks).filter((block): block is WorkBlock => block.kind === "work");
  const items = works.filter(({ list, dependsOn }) => list !== undefined || dependsOn !== undefined);
  const inside = items.map((work) => ({ work, blocks: blocksInside({ blocks, parts }, childBlocks(work), true) }));
  // What an item of a declared list calls counts beside it; what a node or a task calls is a part of that.
  const isPart = ({ id }: WorkBlock): boolean => inside.some(({ work, blocks: of }) => work.dependsOn !== undefined && of.has(id));
  const beside = Object.values(blocks).flatMap(({ id, label }) => (label?.kind === stepsLabel ? [id] : []));
  const found = {
    declared: new Set(Object.values(parts).flatMap(({ worklists }) => worklists.map(({ id }) => id))),
    lists: new Set(items.flatMap((work) => (work.list === undefined || isPart(work) ? [] : [work.list]))),
    parts: new Set([...inside.flatMap((each) => [...each.blocks]), ...beside]),
    within: new Set(inside.flatMap(({ work, blocks: of }) => (work.list === undefined ? [] : [...of]))),
  };
  known.set(blocks, found);
  return found;
}

/** The label of a work whose items are numbered steps that run beside each other. */
const stepsLabel = "steps";

/** How far a run is. */
export interface Done {
  readonly done: number;
  readonly total: number;
  /** What `done` and `total` count; items without it. */
  readonly counts?: "steps";
}

/** Items where there are any, else the numbered steps of the workflow. */
export function doneOf(state: RunState, program: Program): Done {
  const { completed, skipped, failed, total } = itemCounts({ program, state });
  // What an end by hand left is skipped, and nobody did it.
  if (total > 0) return { done: completed + failed + (state.status === "cancelled" ? 0 : skipped), total };
  const { total: steps, before } = stepsOf(program);
  if (steps === 0) return { done: 0, total: 0 };
  const [first = ""] = before.keys();
  const at = state.strands["main"]?.frames.find(({ block }) => before.has(block))?.block ?? first;
  const done = (before.get(at) ?? 0) + settledBeside(state, at);
  return { done: state.status === "completed" ? steps : done, total: steps, counts: "steps" };
}

/** The numbered steps of a workflow: how many there are, and how many come before each block that has some. */
interface Steps {
  readonly total: number;
  readonly before: ReadonlyMap<string, number>;
}

const knownSteps = new WeakMap<Program["blocks"], Steps>();

function stepsOf(program: Program): Steps {
  const { blocks, parts, main } = program;
  const known = knownSteps.get(blocks);
  if (known !== undefined) return known;
  const root = blocks[parts[main]?.root ?? ""];
  const before = new Map<string, number>();
  let total = 0;
  for (const id of root?.kind === "seq" ? root.blocks : []) {
    const steps = stepsIn(program, id);
    if (steps > 0 && !before.has(id)) before.set(id, total);
    total += steps;
  }
  knownSteps.set(blocks, { total, before });
  return { total, before };
}

/** How many numbered steps a block of the workflow is. */
function stepsIn({ blocks }: Program, id: string): number {
  const block = blocks[id];
  if (block?.label?.kind === stepsLabel) return block.kind === "work" ? Object.keys(block.bodies ?? {}).length : 0;
  return block?.label?.kind === "step" ? 1 : 0;
}

/** Of the steps that run beside each other in a block: those that are done. */
function settledBeside({ lists }: RunState, block: string): number {
  const own = Object.entries(lists).filter(([id]) => readListName(id)?.block === block);
  return own.reduce((sum, [, { by }]) => sum + by.completed, 0);
}
