import { expect, test } from "vitest";
import { readChoices } from "./acp-session.ts";
import { readUpdate, reportedFailure, reportedUsage, ToolCalls, toolEvent, toolRequest } from "./read-update.ts";

test("content that is not text is named, and what is not shown is left out", () => {
  expect(readUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "image" } }, [])).toEqual({ type: "text", text: "[image]" });
  expect(readUpdate({ sessionUpdate: "available_commands_update" }, [])).toBeUndefined();
  expect(readUpdate({ sessionUpdate: "usage_update", used: 5, size: 10 }, [])).toEqual({
    type: "usage",
    usage: { contextUsed: 5, contextSize: 10 },
  });
  expect(readUpdate({ sessionUpdate: "notice", severity: "error", title: "a", description: "b" }, [])).toEqual({
    type: "notice",
    level: "error",
    text: "a: b",
  });
});

test("updates of a tool call add to what is known of it", () => {
  const calls = new ToolCalls();
  calls.merge({ toolCallId: "1", title: "Write", kind: "edit", rawInput: { path: "a" }, status: "pending" });
  const call = calls.merge({ toolCallId: "1", kind: null, status: "completed", rawOutput: "ok", locations: [{ path: "b" }] });
  expect(toolEvent(call)).toEqual({
    type: "tool",
    id: "1",
    name: "Write",
    kind: "edit",
    status: "done",
    input: { path: "a" },
    output: "ok",
  });
  expect(toolRequest(call)).toEqual({ id: "1", kind: "edit", input: { path: "a" }, files: ["b"] });
  expect(toolRequest({ toolCallId: "2", _meta: { claudeCode: { toolName: "Bash" } } })).toMatchObject({ name: "Bash" });
});

test("failures beside the text are read in the forms of two vendors", () => {
  const failure = { severity: "warning", category: "limit", title: "Soon full" };
  expect(reportedFailure({ _meta: { jetbrains: { air: { sessionFailure: failure } } } })).toEqual({
    isError: false,
    category: "limit",
    text: "Soon full",
  });
  expect(reportedFailure({ _meta: { codex: { threadStatus: { type: "systemError" } } } })?.isError).toBe(true);
  expect(reportedFailure({ _meta: { codex: { threadStatus: { type: "idle" } } } })).toBeUndefined();
});

test("tokens and cost are read in the forms that agents use", () => {
  expect(reportedUsage({ usage: { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3 } })).toEqual({
    inputTokens: 1,
    outputTokens: 2,
    cachedTokens: 3,
  });
  expect(reportedUsage({ _meta: { quota: { token_count: { input_tokens: 4, output_tokens: 5 } } } })).toEqual({
    inputTokens: 4,
    outputTokens: 5,
  });
  expect(reportedUsage({ cost: { amount: 0.5, currency: "USD" } })).toEqual({ costUsd: 0.5 });
  expect(reportedUsage({ cost: { amount: 0.5, currency: "EUR" } })).toEqual({});
});

test("modes and models are read from options, grouped or not, and from the older lists", () => {
  const grouped = { category: "model", id: "m", options: [{ group: "g", options: [{ value: "a" }] }, { value: "b" }] };
  const mode = { category: "mode", id: "k", options: [{ value: "ask" }] };
  expect(readChoices({ configOptions: [grouped, mode] })).toEqual({
    modes: ["ask"],
    models: ["a", "b"],
    modeOption: "k",
    modelOption: "m",
  });
  expect(readChoices({ models: { availableModels: [{ modelId: "x" }] }, modes: { availableModes: [{ id: "y" }] } })).toEqual({
    modes: ["y"],
    models: ["x"],
  });
  expect(readChoices(null)).toEqual({ modes: [], models: [] });
});
