import { expect, test } from "vitest";
import { classifyFailure, limitInText, worse } from "./classify-failure.ts";

const now = Date.UTC(2026, 0, 1);

test.each([
  ["HTTP 429 Too Many Requests", "limit"],
  ["Your credit balance is too low", "limit"],
  ["401 Unauthorized", "auth"],
  ["Please log in first", "auth"],
  ["invalid x-api-key: API key not valid", "auth"],
  ["529 overloaded_error", "overloaded"],
  ["503 Service Unavailable", "overloaded"],
  ["read ECONNRESET", "transport"],
  ["fetch failed", "transport"],
  ["The request was refused by the content policy", "refused"],
  ["Something else", "unknown"],
])("%s is of the kind %s", (text, kind) => {
  expect(classifyFailure(text, now).kind).toBe(kind);
});

test("a category that the agent gives counts before its words", () => {
  expect(classifyFailure("Something else", now, "rate_limit").kind).toBe("limit");
  expect(classifyFailure("429", now, "a new category").kind).toBe("limit");
});

test.each([
  ["Usage limit reached. Resets at 2026-01-02T03:04:05Z.", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["Claude AI usage limit reached|1767330245", 1_767_330_245_000],
  ["Rate limit: try again in 2 hours and 30 minutes.", now + 9_000_000],
  ["429: retry after 20s", now + 20_000],
  ["429: retry after 500ms", now + 500],
  ["Rate limit reached.", undefined],
])("%s says when it ends", (text, resetAt) => {
  expect(classifyFailure(text, now).resetAt).toBe(resetAt);
});

test("a moment in another failure is not the end of a limit", () => {
  expect(classifyFailure("fetch failed at 2026-01-02T03:04:05Z", now)).not.toHaveProperty("resetAt");
});

test("what only a person can change counts before what may pass, in either order", () => {
  const [limit, network, unknown] = ["429", "ECONNRESET", "?"].map((text) => classifyFailure(text, now));
  expect(worse(network, limit)).toBe(limit);
  expect(worse(limit, network)).toBe(limit);
  expect(worse(unknown, network)).toBe(network);
  expect(worse(undefined, unknown)).toBe(unknown);
  const dated = classifyFailure("429, retry after 20s", now);
  expect(worse(limit, dated)).toBe(dated);
});

test.each([
  ["You've hit your usage limit. Upgrade to Pro.", true],
  ["You have reached your weekly limit", true],
  ["Error: 429 Too Many Requests", true],
  ["exceeded retry limit, last status: 429 Too Many Requests", true],
  ["I added handling of rate limits: the client waits when it gets a 429.", false],
  ["The limit of the list is 10.", false],
  [`You've hit your usage limit. ${"x".repeat(600)}`, false],
])("%s is a limit as an answer: %s", (text, expected) => {
  expect(limitInText(text)).toBe(expected);
});
