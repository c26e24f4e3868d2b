/**
 * What runs of chains do beside handing out prompts: the folder for artifacts, the signal of loops, and the log that follows a run.
 * Begin with `runtime.ts`.
 */
export { describeRun } from "./describe-run.ts";
export { logOf } from "./log-of.ts";
export { lostLines, lostText } from "./lost-items.ts";
export { lostItems, type NodeRow, nodeRows } from "./node-rows.ts";
export { promptsRuntime } from "./runtime.ts";
