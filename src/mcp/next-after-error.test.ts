import { expect, test } from "vitest";
import { WaymarkError, type Catalogue } from "../base/index.ts";
import { dialectTools } from "../../test/support/all-dialects.ts";
import { engineCodes } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";
import { encodeError, failedCall } from "./error-reply.ts";
import { allTools } from "./tool-registry.ts";
import type { Tool } from "./tool.ts";

const known = {
  replyChars: 20_000,
  codes: Object.assign({}, ...(await Promise.all(dialectTools.flatMap(({ codes }) => codes?.() ?? [])))) as Catalogue,
};

const start = allTools(dialectTools).find(({ name }) => name === "workflow_start");

function toolAfter(code: string, run?: string): unknown {
  const error = new WaymarkError({ code, message: "It happened.", fix: "Do it." });
  const about = { ...failedCall(start as Tool, { workflow: "w" }, known), ...(run === undefined ? {} : { run }) };
  const { next_call: now, later } = encodeError(error, about).structuredContent as Record<
    "next_call" | "later",
    { tool: string } | undefined
  >;
  return now?.tool ?? later?.tool;
}

const tools = {
  next: "workflow_next",
  wait: "workflow_next",
  person: "workflow_next",
  other: "workflow_status",
  list: "workflow_list",
  info: "workflow_info",
  runs: "workflow_status",
  status: "workflow_status",
  again: "workflow_next",
  allowed: "workflow_next",
  nothing: undefined,
} as const;

test("the catalogue says which call follows a code; without a word it is the status of the run", () => {
  const entries = Object.entries({ ...engineCodes, ...mcpCodes, ...known.codes });
  const used = new Set(entries.map(([, { next }]) => next));
  expect([...used].filter((next) => next !== undefined).sort()).toEqual(Object.keys(tools).sort());
  for (const [code, { next }] of entries) expect(toolAfter(code, "r"), code).toBe(next === undefined ? "workflow_status" : tools[next]);
});

test("while there is no store, nothing but the same call later is offered: one that may have been recorded is looked for", () => {
  const progress = allTools(dialectTools).find(({ name }) => name === "workflow_progress") as Tool;
  const after = (tool: Tool, given: object, code = "STORE_UNREACHABLE", uncertain = false): unknown => {
    const error = new WaymarkError({ code, message: "It happened.", fix: "Do it.", details: { uncertain } });
    const { next_call, later } = encodeError(error, failedCall(tool, given, known)).structuredContent as Record<string, unknown>;
    expect(next_call).toBeUndefined();
    return later;
  };
  const report = { run_id: "r", action_id: "a1", result: "done" };
  const when = "when the database is back";
  for (const uncertain of [false, true])
    expect(after(progress, report, "STORE_UNREACHABLE", uncertain)).toEqual({ when, tool: "workflow_progress", arguments: report });
  expect(after(progress, { ...report, result: "x".repeat(2_000) })).toEqual({ when, tool: "workflow_next", arguments: { run_id: "r" } });
  expect(after(start as Tool, { workflow: "w" })).toEqual({ when, tool: "workflow_start", arguments: { workflow: "w" } });
  expect(after(start as Tool, { workflow: "w" }, "STORE_UNREACHABLE", true)).toEqual({ when, tool: "workflow_status", arguments: {} });
  const status = allTools(dialectTools).find(({ name }) => name === "workflow_status") as Tool;
  const corrected = { when: "when a person has corrected it", tool: "workflow_status", arguments: {} };
  expect(after(status, {}, "STORE_CANNOT_OPEN")).toEqual(corrected);
});

test("a call that needs a run is not offered without one", () => {
  for (const code of ["ENGINE_WRONG_STEP", "STRAND_HELD", "ENGINE_TOKEN_DEAD", "STORE_FULL"])
    expect(toolAfter(code)).toBe("workflow_status");
});

test("a tool of a bot leads to the one that shows where it is, and that one never to itself", () => {
  const after = (name: string, given: object, code: string, details = {}): unknown => {
    const error = new WaymarkError({ code, message: "It happened.", details });
    return encodeError(error, failedCall({ ...(start as Tool), name, shows: "b_tool" }, given, known)).structuredContent;
  };
  const shows = { tool: "b_tool", arguments: {} };
  expect(after("b_shape_tool", {}, "ENGINE_BOT_FILE")).toMatchObject({ next_call: shows });
  expect(after("b_tool", { parameters: { answer: "x" } }, "ENGINE_BOT_FILE")).toMatchObject({ next_call: shows });
  for (const code of ["ENGINE_BOT_FILE", "STRAND_HELD", "HOLDER_LOST"]) {
    const told = after("b_tool", {}, code);
    expect(told, code).toMatchObject({ later: { ...shows, when: expect.stringContaining("when") as string } });
    expect(told, code).not.toHaveProperty("next_call");
  }
  expect(after("b_close_current_action", {}, "STRAND_HELD", { run_id: "r" })).toMatchObject({ later: shows });
  const other = { later: { tool: "workflow_next", arguments: { run_id: "r" } } };
  expect(after("b_tool", {}, "ENGINE_AREA_TAKEN", { run_id: "r" })).toMatchObject(other);
});
