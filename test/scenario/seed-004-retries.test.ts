/** Every budget of the process: how often something is tried, and what happens then. */
import { expect, test } from "vitest";
import { asking, askingOf, doing, order, taskIn, textsIn, type Recording, type Turn } from "../support/seed-004-recording.ts";
import { failing, full, spent, stubborn, unwritable } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const mending = ({ turns }: Recording, loop: string): Turn[] => turns.filter(({ dispatch }) => dispatch["repair"] === loop);
const asked = async (loop: string): Promise<Turn[]> => askingOf(await spent(), `${loop} of T-001 leads nowhere`);
const before = ({ turns }: Recording, turn: Turn | undefined): Turn[] => turns.slice(0, turns.indexOf(turn!));

test.each([
  ["B1", "FIX_REVIEW", "finding"],
  ["B2", "FIX_TESTS", "finding"],
  ["B3", "FIX_SECURITY", "finding"],
  ["B4", "FIX_BUILD", "node check.mjs"],
])(
  "%s %s is tried three times for a task, then a person is asked",
  async (_id, loop, found) => {
    const run = await spent();
    const [first] = await asked(loop);
    expect(before(run, first).filter(({ dispatch }) => dispatch["repair"] === loop)).toHaveLength(3);
    expect(first?.question).toContain("3 of 3 rounds were tried.");
    expect(first?.question).toContain(`Still open: `);
    expect(first?.question).toContain(found);
  },
  minutes,
);

test(
  "B5 a spent budget offers another approach, going on as it is, less scope, or guidance",
  async () => {
    for (const loop of ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"])
      expect((await asked(loop))[0]?.question).toContain("`other-approach`, `accept`, `cut-scope`, `guidance: <text>`");
  },
  minutes,
);

test(
  "B6 another approach: one more round, told that what was tried does not work, then asked again",
  async () => {
    const run = await spent();
    const [first, second] = await asked("FIX_BUILD");
    expect([first?.given, second?.given]).toEqual(["other-approach", "accept"]);
    const next = run.turns[run.turns.indexOf(first!) + 1]!;
    expect(next.dispatch).toMatchObject({ repair: "FIX_BUILD" });
    expect(textsIn(taskIn(next)["constraints"]).join(" ")).toContain("take a different approach");
  },
  minutes,
);

test(
  "B7 accepted as it is: a known issue, and the loop is left",
  async () => {
    const run = await spent();
    const [, accepted] = await asked("FIX_REVIEW");
    expect(run.turns[run.turns.indexOf(accepted!) + 1]).toMatchObject({
      what: "QA:T-001",
      status: { known_issues: expect.arrayContaining([expect.stringContaining("FIX_REVIEW of T-001 was accepted as it is")]) as string[] },
    });
  },
  minutes,
);

test(
  "B8 less scope: back to PLAN, and the Planner is told why",
  async () => {
    const run = await spent();
    expect(run).toMatchObject({ open: "Planner:meta" });
    expect(run.shown.slice(-2)).toEqual(["FIX_SECURITY", "PLAN"]);
    expect(JSON.stringify(run.handed["input"])).toContain("Cut the scope: FIX_SECURITY of T-001 could not be repaired.");
  },
  minutes,
);

test(
  "B9 guidance is given to the next round",
  async () => {
    const run = await spent();
    const [guided] = await asked("FIX_REVIEW");
    expect(guided?.given).toBe("guidance: use a table");
    expect(textsIn(taskIn(run.turns[run.turns.indexOf(guided!) + 1]!)["constraints"])).toEqual(["use a table"]);
  },
  minutes,
);

test(
  "B10 tries are counted in retry_counts by task and loop, and for the session as a whole as meta",
  async () => {
    expect((await full()).writes.at(-1)?.retry_counts).toEqual({
      "T-001": { FIX_REVIEW: 2, FIX_TESTS: 1, FIX_SECURITY: 2, FIX_BUILD: 1 },
      meta: { FIX_REVIEW: 1, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 1 },
    });
    for (const { retry_counts } of (await spent()).writes)
      for (const counts of Object.values(retry_counts)) for (const count of Object.values(counts)) expect(count).toBeLessThanOrEqual(3);
  },
  minutes,
);

test.each([
  ["B11", "FIX_REVIEW", "Reviewer", 3],
  ["B12", "FIX_TESTS", "QA", 1],
  ["B13", "FIX_SECURITY", "Security", 2],
])(
  "%s after %s the one who blocked looks again: %s",
  async (_id, loop, role, times) => {
    const run = await full();
    const next = mending(run, loop).map((turn) => run.turns[run.turns.indexOf(turn) + 1]?.what.split(":")[0]);
    expect(next).toEqual(Array(times).fill(role));
  },
  minutes,
);

test(
  "B14 after FIX_BUILD the commands are run again, and INTEGRATE begins anew",
  async () => {
    const run = await full();
    const [ofTask, ofAll] = mending(run, "FIX_BUILD");
    expect(run.turns[run.turns.indexOf(ofTask!) + 1]?.what).toBe("Reviewer:T-001");
    expect(run.turns[run.turns.indexOf(ofAll!) + 1]?.what).toBe("Integrator:meta");
  },
  minutes,
);

test(
  "B15 a gate is asked until a person answers or declines, whatever the wrong answers before; declined it is BLOCKED",
  async () => {
    const run = await stubborn();
    const [design] = askingOf(run, "Nothing can continue");
    expect(before(run, design).filter(({ what }) => what === "UD-APPROVE-DESIGN")).toHaveLength(6);
    expect(design?.status).toMatchObject({
      current_state: "BLOCKED",
      user_decisions: [{ decision_id: "UD-APPROVE-DESIGN", status: "cancelled", resolution_reason: "Not this month." }, {}],
    });
    const strategy = order(run).filter((line) => line === "ask UD-REVIEW-STRATEGY" || line === "ask UD-2");
    expect(strategy.slice(0, 6)).toEqual([...Array(5).fill("ask UD-REVIEW-STRATEGY"), "ask UD-2"]);
  },
  minutes,
);

test(
  "B16 wrong answers are not counted, and after BLOCKED the gate is asked in a visit of its own",
  async () => {
    const asked = asking(await stubborn(), "UD-APPROVE-DESIGN").map(({ dispatch }) => dispatch["revision"]);
    expect(asked).toEqual([1, 1, 1, 1, 1, 1, 2]);
  },
  minutes,
);

test(
  "B17 rounds of requested changes are not limited",
  async () => {
    const given = asking(await full(), "UD-APPROVE-DESIGN").map(({ given: answer }) => answer);
    expect(given.filter((answer) => typeof answer === "string" && answer.startsWith("changes-requested"))).toHaveLength(3);
    expect(given.at(-1)).toBe("approved");
  },
  minutes,
);

test(
  "B18 a dispatch whose report does not count is given again twice, with what is wrong, then BLOCKED with subagent_failure",
  async () => {
    const run = await failing();
    expect(order(run).slice(0, 4)).toEqual([...Array(3).fill("do SpecAgent:meta"), "ask UD-1"]);
    expect(run.turns[3]).toMatchObject({ status: { current_state: "BLOCKED", blocker: { code: "subagent_failure" } } });
    expect(run.refused.slice(0, 3).every((line) => line.startsWith("MACHINE_REPORT_REFUSED"))).toBe(true);
  },
  minutes,
);

test(
  "B19 nobody takes over the work of a role that failed: after the person's word it is dispatched again",
  async () => {
    const run = await failing();
    expect(run.turns[4]?.what).toBe("SpecAgent:meta");
    expect(doing(run, "SpecAgent:meta")).toHaveLength(5);
  },
  minutes,
);

test(
  "B20 a role that gives up is not repeated: BLOCKED at once, with its words",
  async () => {
    const run = await failing();
    const at = order(run).indexOf("do Architect:meta");
    expect(order(run)[at + 1]).toBe("ask UD-2");
    expect(run.turns[at + 1]?.status).toMatchObject({ blocker: { code: "role_failed", detail: "The disk is full." } });
  },
  minutes,
);

test(
  "B21 what is written is read again, and written again up to three times",
  async () => {
    expect(await unwritable(2)).toMatchObject({ ended: "SpecAgent:meta" });
  },
  minutes,
);

test(
  "B22 what cannot be written after three tries blocks the run, and says why",
  async () => {
    const { tried, ended } = await unwritable(100);
    expect(tried % 3).toBe(0);
    expect(ended).toMatch(/MACHINE_NOT_PERSISTED[\s\S]*the disk is full/);
  },
  minutes,
);
