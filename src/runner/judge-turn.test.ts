import { expect, test } from "vitest";
import { judgeTurn, type TurnResult } from "./judge-turn.ts";

const turn = (of: Partial<TurnResult>): TurnResult => ({
  type: "result",
  sessionId: "s",
  stop: "end",
  text: "done",
  usage: {},
  denied: [],
  ...of,
});

test.each<[string, Partial<TurnResult>, ReturnType<typeof judgeTurn>]>([
  ["an end without a sign of failure", {}, { kind: "ended" }],
  ["an end with something denied", { denied: ["run: rm"] }, { kind: "ended" }],
  ["an end with an error beside it", { error: "It broke." }, { kind: "failed", why: "It broke." }],
  ["an end without a login", { errorKind: "auth" }, { kind: "failed", why: "The agent is not logged in.", needs: "login" }],
  ["a model that is not there", { errorKind: "setup", error: "No model." }, { kind: "failed", why: "No model.", needs: "setup" }],
  ["a cancelled turn", { stop: "cancelled" }, { kind: "interrupted" }],
  ["a refusal", { stop: "refused" }, { kind: "failed", why: "The agent refused to do it." }],
  ["a refusal with its reason", { stop: "refused", error: "Not that." }, { kind: "failed", why: "Not that." }],
  ["an error without words", { stop: "error" }, { kind: "failed", why: "The agent failed without saying why." }],
  ["an end with a kind of failure", { errorKind: "refused" }, { kind: "failed", why: "refused" }],
  ["an error that stays", { stop: "error", errorKind: "auth", error: "Log in." }, { kind: "failed", why: "Log in.", needs: "login" }],
  ["silence", { stop: "error", errorKind: "timeout", error: "It was silent." }, { kind: "failed", why: "It was silent." }],
  [
    "an overloaded provider",
    { stop: "error", errorKind: "overloaded", error: "529" },
    { kind: "again", why: "529", atOnce: false, overloaded: true },
  ],
  ["a crash without words", { stop: "error", errorKind: "crash" }, { kind: "again", why: "The agent failed (crash).", atOnce: true }],
  ["a broken connection", { stop: "error", errorKind: "transport", error: "Closed." }, { kind: "again", why: "Closed.", atOnce: false }],
  ["a limit without a time, also at an end", { errorKind: "limit" }, { kind: "limit", why: "The agent's provider has reached its limit." }],
  ["a limit with a time", { stop: "error", errorKind: "limit", error: "Later.", resetAt: 5 }, { kind: "limit", why: "Later.", until: 5 }],
])("%s", (_what, result, verdict) => {
  expect(judgeTurn(turn(result))).toEqual(verdict);
});

test.each(["max_tokens", "max_turns"] as const)("a turn that ends with %s is not done", (stop) => {
  expect(judgeTurn(turn({ stop }))).toMatchObject({ kind: "failed", why: expect.stringContaining("before the step was done") as string });
});
