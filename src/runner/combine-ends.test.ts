import fc from "fast-check";
import { expect, test } from "vitest";
import { combineEnds } from "./combine-ends.ts";
import type { DriveEnd } from "./drive-request.ts";

const run = "wf-1";
/** From the one that counts before all others to the one that counts last. */
const inOrder: readonly DriveEnd[] = [
  { run, kind: "completed" },
  { run, kind: "failed", why: "It broke." },
  { run, kind: "cancelled", why: "Somebody aborted it." },
  { run, kind: "waits", questions: [] },
  { run, kind: "parked", why: "No permission.", allow: { workflow: "two" } },
  { run, kind: "parked", why: "Not logged in.", login: "fake" },
  { run, kind: "parked", why: "No such model.", setup: "fake" },
  { run, kind: "parked", why: "Blocked.", stuck: true },
  { run, kind: "parked", why: "A limit.", until: 1_790_000_000_000 },
  { run, kind: "parked", why: "A later limit.", until: 1_790_000_000_001 },
  { run, kind: "parked", why: "It was interrupted." },
];

test("however many workers there are and in whichever order, the strongest of their ends is that of the run", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(inOrder.length - 1), { minLength: 1, maxLength: 64 }), (places) => {
      const ends = places.map((place) => inOrder[place]!) as [DriveEnd, ...DriveEnd[]];
      expect(combineEnds(ends)).toBe(inOrder[Math.min(...places)]);
    }),
  );
});

test("of equal ends the first worker's is told", () => {
  const [one, other] = ["first", "second"].map((why): DriveEnd => ({ run, kind: "parked", why }));
  expect(combineEnds([one!, other!])).toBe(one);
});
