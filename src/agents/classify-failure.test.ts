import { expect, test } from "vitest";
import { classifyFailure, limitInText, worse } from "./classify-failure.ts";

const now = Date.UTC(2026, 0, 1);

test.each([
  ["HTTP 429 Too Many Requests", "limit"],
  // No time brings money back: a person has to pay.
  ["Your credit balance is too low", "auth"],
  ["Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade. 429", "auth"],
  ["HTTP 401 Unauthorized: rate limit info unavailable", "auth"],
  ["403 Forbidden: quota project not set", "auth"],
  ['API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"no rate limit tier"}}', "auth"],
  ["unexpected status 401: check your usage limit", "auth"],
  ["[permission_error] API access paused for this organization: quota", "auth"],
  ["You've hit your session limit · resets 5:40pm\n/login to switch to an API usage-billed account.", "limit"],
  ["You have exhausted your quota. To increase it, use an API key.", "limit"],
  ["429: try again in 403 seconds", "limit"],
  ["5-hour limit reached ∙ resets 3am", "limit"],
  ["Weekly limit reached ∙ resets Mon 10:00 AM", "limit"],
  ["Session limit reached ∙ resets 8pm", "limit"],
  ["You've hit your session limit · resets 6:40am (UTC)", "limit"],
  ["You have exhausted your capacity on this model.", "limit"],
  ["Free usage exceeded, subscribe to Go", "limit"],
  ["The context limit of the conversation is reached", "unknown"],
  ["Recursion limit reached", "unknown"],
  ["You have reached the context window limit", "unknown"],
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

test.each([
  "429 Too Many Requests",
  "usage limit reached, resets 3am",
  "quota exceeded",
  "try again in 5 minutes",
  "503 overloaded",
  "timeout",
])("refused credentials win, whatever else the message says: %s", (other) => {
  const refusals = ["HTTP 401 Unauthorized", "403 Forbidden", "authentication_error", "Your credit balance is too low"];
  for (const refused of refusals)
    for (const text of [`${refused}: ${other}`, `${other}. ${refused}`])
      expect([text, classifyFailure(text, now).kind]).toEqual([text, "auth"]);
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
  ["You've hit your session limit · resets 6:40am (UTC)", now + 24_000_000],
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
  const login = classifyFailure("401 Unauthorized", now);
  expect([worse(dated, login), worse(login, dated)]).toEqual([login, login]);
});

test.each([
  "You've hit your usage limit. Upgrade to Pro.",
  "You have reached your weekly limit",
  "Error: 429 Too Many Requests",
  "exceeded retry limit, last status: 429 Too Many Requests",
  "5-hour limit reached ∙ resets 3am",
  "  5-hour limit reached ∙ resets 3am\n     /upgrade to increase your usage limit.\n",
  "Weekly limit reached ∙ resets Mon 10:00 AM",
  "Session limit reached ∙ resets 8pm",
  "Opus weekly limit reached ∙ resets Oct 31, 9am",
  "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
  "You've hit your session limit · resets 5:40pm (Europe/Berlin)\n/login to switch to an API usage-billed account.",
  "You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.  View your usage details.",
  "Claude AI usage limit reached|1749924000",
  "Claude usage limit reached. Your limit will reset at 3am (UTC).",
  "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
  "You've hit your usage limit. Try again at 11:30 PM.",
  "The usage limit has been reached",
  "Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.",
  "[API Error: You have exhausted your daily quota on this model.]",
  "You have exhausted your capacity on this model. Your quota will reset after 4h28m20s.",
  "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms of Service (https://docs.github.com/terms). (Request ID: A:B)",
  "Weekly usage limit reached. It will reset in 5 days 10 hours. To continue using this model now, enable usage from your available balance",
])("%s as an answer is a limit", (text) => {
  expect(limitInText(text)).toBe(true);
});

test.each([
  "I added handling of rate limits: the client waits when it gets a 429.",
  "The limit of the list is 10.",
  "Usage limit reached is the text that the page shows now; I changed it in src/page.ts.",
  "I fixed the message. It says `usage limit reached` when the quota is used up.",
  "Daily limit reached. I return early there, and src/count.ts has a test for it.",
  "You've hit your limit of ten names, so the list ends there. I wrote the first ten to names.txt.",
  "429 is answered by the server now, with the time.",
  "Rate limit reached: handled. All tests pass.",
  "5-hour limit reached ∙ resets 3am\n\nThis is what the page must show. It does.",
  "The session limit reached 5 hours in the test, as you asked.",
  `You've hit your usage limit. ${"x".repeat(600)}`,
])("%s as an answer is none", (text) => {
  expect(limitInText(text)).toBe(false);
});
