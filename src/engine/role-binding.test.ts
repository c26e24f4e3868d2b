import { expect, test } from "vitest";
import { bindRole } from "./role-binding.ts";

test("the strongest word counts, for each fact by itself", () => {
  const read = { level: "read" } as const;
  expect(bindRole([{ agent: "codex" }, { agent: "claude", permission: { level: "all" } }, { permission: read }])).toEqual({
    agent: "codex",
    permission: { level: "all" },
  });
  expect(bindRole([undefined, {}, { agent: "claude", model: "opus", permission: read }])).toEqual({
    agent: "claude",
    model: "opus",
    permission: read,
  });
});

test("a model goes with the agent that it is named with", () => {
  expect(bindRole([{ agent: "codex" }, { agent: "claude", model: "opus" }])).toEqual({ agent: "codex" });
  expect(bindRole([{ agent: "codex" }, { model: "opus" }])).toEqual({ agent: "codex" });
  expect(bindRole([{ agent: "claude" }, { agent: "claude", model: "opus" }])).toEqual({ agent: "claude", model: "opus" });
  expect(bindRole([{ model: "sonnet" }, { agent: "claude", model: "opus" }])).toEqual({ agent: "claude", model: "sonnet" });
});
