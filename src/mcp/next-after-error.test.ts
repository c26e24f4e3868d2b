import { expect, test } from "vitest";
import { WaymarkError } from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";
import { failedCall } from "./after-error.ts";
import { encodeError } from "./reply.ts";
import { allTools } from "./tool-registry.ts";
import type { Tool } from "./tool.ts";

const start = allTools.find(({ name }) => name === "workflow_start");

function toolAfter(code: string, run?: string): unknown {
  const error = new WaymarkError({ code, message: "It happened.", fix: "Do it." });
  const about = { ...failedCall(start as Tool, { workflow: "w" }, 20_000), ...(run === undefined ? {} : { run }) };
  const { next_call: now, later } = encodeError(error, about).structuredContent as Record<
    "next_call" | "later",
    { tool: string } | undefined
  >;
  return now?.tool ?? later?.tool;
}

const tools = {
  next: "workflow_next",
  batch: "workflow_batch",
  resume: "workflow_resume",
  list: "workflow_list",
  info: "workflow_info",
  runs: "workflow_status",
  again: "workflow_next",
  nothing: undefined,
} as const;

test("the catalogue says which call follows a code; without a word it is the status of the run", () => {
  const entries = Object.entries({ ...engineCodes, ...mcpCodes });
  const used = new Set(entries.map(([, { next }]) => next));
  expect([...used].filter((next) => next !== undefined).sort()).toEqual(Object.keys(tools).sort());
  for (const [code, { next }] of entries) expect(toolAfter(code, "r"), code).toBe(next === undefined ? "workflow_status" : tools[next]);
});

test("a call that needs a run is not offered without one", () => {
  for (const code of ["ENGINE_WRONG_STEP", "STRAND_HELD", "ENGINE_TOKEN_DEAD", "STORE_FULL"])
    expect(toolAfter(code)).toBe("workflow_status");
});
