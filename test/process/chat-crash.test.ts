import { expect, test } from "vitest";
import { killChats } from "../crash/chat-matrix.ts";

/** `npm run test:long` kills at every point in both modes; here each begins at another one. */
test.each([
  ["stream", 1],
  ["batch", 5],
] as const)("in %s mode the run is started once, and nothing is shown twice but what was being sent", async (mode, first) => {
  expect((await killChats(mode, 9, first)).size).toBeGreaterThan(5);
});
