import type { Block, BlockId, DoBlock, Expr, Part, Program } from "../../src/program/index.ts";

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
