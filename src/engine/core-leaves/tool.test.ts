import { expect, test } from "vitest";
import type { ToolOutcome, Tools } from "../../ports/index.ts";
import type { EffectJob } from "../runtime.ts";
import { performTool } from "./tool.ts";

/** What becomes of a call that a server answers so, and what the server was asked. */
async function called(
  answer: ToolOutcome | undefined,
  args: object = { method: "srv.do", params: { a: 1 } },
  more: object = {},
  signal = new AbortController().signal,
) {
  const asked: unknown[] = [];
  const tools: Tools = {
    configured: true,
    call: (...of) => (asked.push(of.slice(0, 2), of[2].timeoutMs), Promise.resolve(answer)),
    close: () => Promise.resolve(),
  };
  const engine = { host: { tools }, settings: { commandTimeoutMs: 77 } };
  const performed = await performTool({ engine, effect: { args, ...more }, signal } as unknown as EffectJob<unknown>);
  return { asked, outcome: performed?.outcome };
}

test("a tool is called with its parameters and the step's own time, else the usual one", async () => {
  expect(await called({ ok: true, value: [1] })).toEqual({ asked: [["srv.do", { a: 1 }], 77], outcome: { ok: true, value: [1] } });
  const { asked } = await called({ ok: true, value: null }, { method: "m" }, { timeoutMs: 5 });
  expect(asked).toEqual([["m", {}], 5]);
});

test("a tool that fails is a failure in its own words, and one that nobody offers is left to the agent", async () => {
  const message = "`srv.do` failed: gone";
  expect((await called({ ok: false, message: "gone" })).outcome).toEqual({ ok: false, code: "TOOL_FAILED", message });
  expect((await called(undefined)).outcome).toEqual({ ok: "cannot" });
});

test("a call that was stopped has no outcome, unless it came to its end before", async () => {
  const stopped = AbortSignal.abort();
  expect((await called({ ok: false, message: "stopped" }, undefined, {}, stopped)).outcome).toBeUndefined();
  expect((await called({ ok: true, value: 1 }, undefined, {}, stopped)).outcome).toEqual({ ok: true, value: 1 });
});
