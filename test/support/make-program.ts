import type { Block, BlockId, DoBlock, Expr, Item, Part, Program, WorkBlock } from "../../src/program/index.ts";

export const value = (of: Expr["of"]): Expr => ({ as: "value", of });
export const condition = (of: string): Expr => ({ as: "condition", of });

/** Part with everything empty but its root. */
export function part(root: BlockId, more: Partial<Part> = {}): Part {
  return {
    name: "test",
    dialect: "steps",
    description: "",
    version: "1.0.0",
    inputs: {},
    config: {},
    defaults: { raw: {}, state: {} },
    fields: { raw: {}, state: {} },
    computed: [],
    root,
    entries: {},
    worklists: [],
    rules: [],
    tracking: {},
    onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
    ...more,
  };
}

export function program(list: readonly Block[], root: BlockId, more: Partial<Part> = {}): Program {
  return {
    version: 1,
    name: "test",
    dialect: "steps",
    main: "test",
    parts: { test: part(root, more) },
    blocks: Object.fromEntries(list.map((block) => [block.id, block])),
    places: {},
  };
}

export function agentStep(id: BlockId, more: Partial<DoBlock> = {}): DoBlock {
  return { kind: "do", id, who: "agent", what: "user_message", args: {}, writes: [], ...more };
}

/** A row of the list `l` that is open and has nothing of its own but its id. */
export function itemRow(id: string, more: Partial<Item> = {}): Item {
  return { list: "l", id, order: id, status: "pending", data: {}, facets: {}, root: id, attempts: 0, waitsFor: 0, ...more };
}

/** A work `w` over a list of its own, whose tasks do `a`, two at a time. */
export function taskWork(more: Partial<WorkBlock> = {}): WorkBlock {
  return { kind: "work", id: "w", fill: value([]), mode: "strands", parallel: 2, join: "all", body: "a", ...more };
}
