import { expect, test } from "vitest";
import { WaymarkError } from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";
import { encodeError } from "./reply.ts";

const again = { tool: "workflow_start", arguments: { workflow: "w" } };

function toolAfter(code: string, run?: string): unknown {
  const error = new WaymarkError({ code, message: "It happened.", fix: "Do it." });
  const about = { again, workflow: "w", replyChars: 20_000, ...(run === undefined ? {} : { run }) };
  return (encodeError(error, about).structuredContent as { next_call?: { tool: string } }).next_call?.tool;
}

const tools = {
  next: "workflow_next",
  batch: "workflow_batch",
  resume: "workflow_resume",
  list: "workflow_list",
  info: "workflow_info",
  runs: "workflow_status",
  again: again.tool,
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
