import fc from "fast-check";
import { expect, test } from "vitest";
import { HolderPlay, type Counts, type Played } from "../../test/support/holder-play.ts";
import { everybody, HolderWorld, ttlMs, type Move, type Who } from "../../test/support/holder-world.ts";

const who = fc.constantFrom(...everybody);
const part = fc.nat({ max: 1 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("next" as const), who, part }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("resume" as const), who, part }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant("report" as const), who, part, which: fc.nat({ max: 3 }), twice: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("call" as const, "leave" as const, "die" as const, "die" as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1_000, ttlMs - 1, ttlMs, 59_999, 60_000, 120_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), who }) },
);

const take = (by: Who): Move => ({ do: "next", who: by, part: 0 });
const say = (by: Who, which = 0): Move => ({ do: "report", who: by, part: 0, which, twice: true });
const die = (by: Who): Move => ({ do: "die", who: by });
const wait = (ms: number): Move => ({ do: "wait", ms });
/** What has to be met in every run of the test, whatever else is. */
const always: readonly [Move[]][] = [
  [[take("ann"), take("ann"), take("bob"), say("bob"), die("ann"), take("bob"), say("ann", 1), say("bob")]],
  [[take("ann"), die("ann"), say("bob"), take("ann"), die("bob"), take("runner"), wait(240_000), take("bob"), say("bob")]],
  [[take("foreign"), die("foreign"), take("ann"), wait(ttlMs - 1), wait(1), take("ann"), say("foreign", 1), say("foreign")]],
  [[take("ann"), wait(59_999), { do: "call", who: "ann" }, wait(59_999), take("bob"), wait(1), take("bob"), say("ann", 1), take("ann")]],
  [[take("runner"), { do: "resume", who: "bob", part: 0 }, { do: "resume", who: "person", part: 0 }, say("runner", 1), say("person")]],
  [
    [
      take("person"),
      wait(119_999),
      take("ann"),
      wait(1),
      say("ann"),
      { do: "abort", who: "bob" },
      { do: "leave", who: "ann" },
      take("bob"),
    ],
  ],
  [[take("ann"), { do: "abort", who: "bob" }, { do: "abort", who: "person" }, take("ann"), say("ann"), { do: "abort", who: "bob" }]],
  [[take("ann"), wait(60_000), take("ann"), take("bob"), die("ann"), take("ann"), say("ann", 1), say("ann")]],
];
const met = ["asked again", "taken up", "taken over", "reported again", "reported for one who is gone", "reported what is over", "aborted"];
const refused = [
  "bob refused, held",
  "reported what is open and another's",
  "reported what is replaced and another's",
  "abort refused, held",
];

const numRuns = Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 8);

test.each<[string, Played]>([
  ["a run", { workflow: "line", steps: 6 }],
  ["tasks of a run", { workflow: "tasks", steps: 3, tasks: ["A", "B"] }],
])("%s: who is dead holds nothing, who is alive loses nothing to an agent, and each report counts once", async (_what, played) => {
  const counts: Counts = new Map();
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
      const world = await HolderWorld.open();
      try {
        const play = await HolderPlay.begin(world, played, counts);
        for (const each of moves) await play.move(each);
        await play.finish();
      } finally {
        await world.close();
      }
    }),
    { numRuns: numRuns + always.length, examples: always.map((each): [Move[]] => [...each]) },
  );
  expect([...met, ...refused].filter((what) => !counts.has(what))).toEqual([]);
});
