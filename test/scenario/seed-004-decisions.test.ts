/** The protocol of questions: what stands in the status file before, while and after a person is asked. */
import { expect, test } from "vitest";
import { decisionFaults, readHistory, readStatus, type DecisionRecord } from "../../src/dialects/machine/definition/index.ts";
import { asking, askingOf, decisionIn, doing, order, type Recording, type StatusFile } from "../support/seed-004-recording.ts";
import { declining, failing, full, outgrown, quiet, single, small, smallest, spent, stubborn } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const all = [full, single, quiet, small, smallest, outgrown, stubborn, spent, failing, declining];
const tracked = ({ writes }: Recording): string[] => {
  const found = writes.map((status) => JSON.stringify((status["gate_tracking"] ?? null) as never));
  return found.filter((text, index) => text !== found[index - 1]);
};

test(
  "R1 a question is written down as pending before it is asked",
  async () => {
    const asked: number[] = [];
    for (const run of all) {
      const questions = (await run()).turns.filter(({ kind }) => kind === "ask");
      for (const { what, status } of questions)
        expect(decisionIn(status, what)).toMatchObject({ status: "pending", answer: null, resolved_at: null, resolution_reason: null });
      asked.push(questions.length);
    }
    expect(asked).toEqual([11, 3, 2, 1, 5, 0, 15, 8, 4, 3]);
  },
  minutes,
);

test(
  "R2 an approval is recorded as approved under UD-APPROVE-DESIGN, and is on disk before PLAN begins",
  async () => {
    const run = await full();
    expect(decisionIn(doing(run, "Planner:meta")[0]!.status, "UD-APPROVE-DESIGN")).toMatchObject({
      status: "answered",
      answer: "approved",
      state_context: "APPROVE_DESIGN",
    });
  },
  minutes,
);

test(
  "R3 a request for changes is recorded with what was said, and does not pass",
  async () => {
    const run = await full();
    const [correction] = doing(run, "SpecAgent:meta").slice(1);
    expect(decisionIn(correction!.status, "UD-APPROVE-DESIGN")).toMatchObject({
      status: "answered",
      answer: "changes-requested: the scope in spec.md is too wide",
    });
    expect(order(run).indexOf("do Planner:meta")).toBeGreaterThan(order(run).lastIndexOf("ask UD-APPROVE-DESIGN"));
  },
  minutes,
);

test(
  "R4 each request for changes is a line of approve-design-history.jsonl before anybody corrects",
  async () => {
    const run = await full();
    const lines = asking(run, "UD-APPROVE-DESIGN").map(({ history }) => readHistory(history).entries.length);
    expect(lines).toEqual([0, 0, 1, 2, 3]);
    expect(readHistory(doing(run, "SpecAgent:meta")[1]!.history).entries).toHaveLength(1);
    const { entries, problems } = readHistory(run.files["approve-design-history.jsonl"] ?? "");
    expect(problems).toEqual([]);
    expect(entries.map(({ decision_id, state_context, answer }) => [decision_id, state_context, answer])).toEqual([
      ["UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: the scope in spec.md is too wide"],
      ["UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: name the modules"],
      ["UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: the layout needs a preview"],
    ]);
  },
  minutes,
);

test(
  "R5 corrections go to SpecAgent, Architect or Designer, by what was said, as meta work with the request as its goal",
  async () => {
    const run = await full();
    const corrections = run.turns.filter(({ dispatch }) => dispatch["correction"] === "UD-APPROVE-DESIGN");
    expect(corrections.map(({ what, dispatch }) => [what, (dispatch["input"] as { task: { goal: string } }).task.goal])).toEqual([
      ["SpecAgent:meta", "changes-requested: the scope in spec.md is too wide"],
      ["Architect:meta", "changes-requested: name the modules"],
      ["Designer:meta", "changes-requested: the layout needs a preview"],
    ]);
  },
  minutes,
);

test(
  "R6 the correction is tracked: queued, dispatched, completed",
  async () => {
    const states = tracked(await full()).map((text) => {
      const held = JSON.parse(text) as {
        APPROVE_DESIGN: { correction_status: string; last_correction_dispatch: { agent: string } };
      } | null;
      return held === null ? "none" : `${held.APPROVE_DESIGN.last_correction_dispatch.agent} ${held.APPROVE_DESIGN.correction_status}`;
    });
    expect(states).toEqual([
      "none",
      ...["SpecAgent", "Architect", "Designer"].flatMap((role) => ["queued", "dispatched", "completed"].map((word) => `${role} ${word}`)),
    ]);
  },
  minutes,
);

test(
  "R7 the two fixed ids stand at most once in a status file and are updated in place",
  async () => {
    const outcomes = { answered: await full(), cancelled: await stubborn() };
    for (const [outcome, run] of Object.entries(outcomes))
      for (const id of ["UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"]) {
        const times = run.writes.map(({ user_decisions }) => user_decisions.filter(({ decision_id }) => decision_id === id).length);
        expect(times.filter((count, index) => count !== times[index - 1])).toEqual([0, 1]);
        const words = run.writes.flatMap((status) => decisionIn(status, id)?.status ?? []);
        expect(words).toEqual(expect.arrayContaining(["pending", outcome]));
      }
  },
  minutes,
);

test(
  "R8 who puts a gate off explicitly gets it cancelled with a reason, and BLOCKED with mandatory_user_decision_missing",
  async () => {
    const run = await stubborn();
    const halts = askingOf(run, "Nothing can continue");
    const [design, strategy] = halts.map(({ status }) => status);
    expect(decisionIn(design!, "UD-APPROVE-DESIGN")).toMatchObject({
      status: "cancelled",
      resolution_reason: expect.stringMatching(/\S/) as string,
    });
    expect(decisionIn(strategy!, "UD-REVIEW-STRATEGY")).toMatchObject({ status: "cancelled" });
    for (const { status } of halts)
      expect(status).toMatchObject({ current_state: "BLOCKED", blocker: { code: "mandatory_user_decision_missing" } });
  },
  minutes,
);

test(
  "R9 both gates are left out in lean mode",
  async () => {
    for (const run of [await small(), await smallest()]) {
      expect(run.ended).toBe("completed");
      expect(order(run).filter((line) => /UD-(?:APPROVE|REVIEW)/.test(line))).toEqual([]);
    }
  },
  minutes,
);

test(
  "R10 every status file that is written parses, and every record in it is valid",
  async () => {
    for (const run of all) {
      const { writes } = await run();
      expect(writes.length).toBeGreaterThan(10);
      for (const status of writes) {
        const { problems, status: read } = readStatus(JSON.stringify(status));
        expect(problems).toEqual([]);
        expect(read?.user_decisions).toHaveLength(status.user_decisions.length);
        expect(read?.user_decisions.flatMap((record: DecisionRecord) => decisionFaults(record))).toEqual([]);
      }
    }
  },
  minutes,
);

test(
  "R11 no state is left while a question of it is pending",
  async () => {
    const dispatched: number[] = [];
    for (const run of all) {
      const work = (await run()).turns.filter(({ kind }) => kind === "do");
      for (const { status } of work) expect(status.user_decisions.filter((record) => record.status === "pending")).toEqual([]);
      dispatched.push(work.length);
    }
    expect(dispatched).toEqual([37, 16, 11, 5, 3, 3, 3, 31, 10, 4]);
  },
  minutes,
);

test(
  "R12 ad-hoc questions are numbered, and say where the run goes on",
  async () => {
    const { user_decisions } = (await full()).writes.at(-1) as StatusFile;
    expect(user_decisions.map(({ decision_id, state_context }) => [decision_id, state_context])).toEqual([
      ["UD-1", "DESIGN"],
      ["UD-APPROVE-DESIGN", "APPROVE_DESIGN"],
      ["UD-REVIEW-STRATEGY", "REVIEW_STRATEGY"],
      ["UD-2", "IMPLEMENT_LOOP"],
      ["UD-3", "IMPLEMENT_LOOP"],
      ["UD-4", "IMPLEMENT_LOOP"],
    ]);
    const inRepair = askingOf(await spent(), "leads nowhere").map(({ what, status }) => decisionIn(status, what)?.state_context);
    expect(inRepair).toEqual(["FIX_BUILD", "FIX_BUILD", "FIX_REVIEW", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"]);
  },
  minutes,
);

test(
  "R13 a review that passes with notes asks which of them to fix: fixed and reviewed again, or accepted",
  async () => {
    const [fix, accept] = askingOf(await full(), "passes with notes");
    expect([fix?.given, accept?.given]).toEqual(["fix", "accept"]);
    const run = await full();
    expect(run.turns[run.turns.indexOf(fix!) + 1]).toMatchObject({ what: "Coder:T-001", dispatch: { repair: "FIX_REVIEW" } });
    expect(run.turns[run.turns.indexOf(accept!) + 1]).toMatchObject({ what: "Reviewer:meta" });
  },
  minutes,
);

test(
  "R14 a medium finding always asks: fix-now, fix-later or accept-risk, with the finding shown",
  async () => {
    const run = await full();
    const [asked] = askingOf(run, "The audit found");
    expect(asked?.question).toContain("unbounded");
    expect(run.turns[run.turns.indexOf(asked!) - 1]).toMatchObject({ what: "Security:T-001", given: { status: "NEEDS_DECISION" } });
    expect(run.turns[run.turns.indexOf(asked!) + 1]).toMatchObject({ what: "Coder:T-001", dispatch: { repair: "FIX_SECURITY" } });
    const later = await single();
    const [put] = askingOf(later, "The audit found");
    expect([put?.given, later.turns[later.turns.indexOf(put!) + 1]?.what]).toEqual(["fix-later", "Integrator:meta"]);
  },
  minutes,
);

test(
  "R89 a finding that is to be fixed later is kept as a known issue",
  async () => {
    expect((await single()).writes.at(-1)?.known_issues).toEqual([expect.stringContaining("medium finding")]);
  },
  minutes,
);

test(
  "R15 a Researcher who needs to know more has its questions asked, and goes on with the answer",
  async () => {
    const run = await full();
    const [asked] = askingOf(run, "Which alphabet is used?");
    expect(asked).toMatchObject({ given: "latin only", status: { current_state: "ASK_USER" } });
    const [, again] = doing(run, "Researcher:meta");
    expect(JSON.stringify(again?.dispatch["input"])).toContain("latin only");
  },
  minutes,
);

test(
  "R16 any other role that cannot go on has its words shown, and goes on with what the person says",
  async () => {
    const run = await failing();
    const asked = askingOf(run, "The disk is full.")[0];
    expect(asked?.question).toMatch(/`retry`, `stop`, `guidance: <text>`/);
    expect(JSON.stringify(doing(run, "Architect:meta")[1]?.dispatch["input"])).toContain("free some space");
  },
  minutes,
);

test(
  "R132 a question that a person leaves without an answer is cancelled with a reason, and the work goes on",
  async () => {
    const run = await declining();
    const [asked] = askingOf(run, "passes with notes");
    const next = run.turns[run.turns.indexOf(asked!) + 1]!;
    expect(decisionIn(next.status, asked!.what)).toMatchObject({
      status: "cancelled",
      answer: null,
      resolved_at: expect.any(String) as string,
      resolution_reason: expect.stringMatching(/\S/) as string,
    });
    expect(next.what).toBe("Security:T-001");
  },
  minutes,
);

test(
  "R133 a finding is put off only explicitly: cancelled with a reason, and a known issue",
  async () => {
    const run = await declining();
    const [asked] = askingOf(run, "The audit found");
    const last = run.writes.at(-1) as StatusFile;
    expect(decisionIn(last, asked!.what)).toMatchObject({ status: "cancelled", resolution_reason: expect.stringMatching(/\S/) as string });
    expect(last.known_issues).toEqual([expect.stringContaining("medium finding")]);
  },
  minutes,
);

test(
  "R17 silence answers nothing: the question stays open and nothing goes on",
  async () => {
    const run = await stubborn();
    expect(run).toMatchObject({ ended: "question", open: "UD-REVIEW-STRATEGY" });
    expect(decisionIn(run.writes.at(-1)!, "UD-REVIEW-STRATEGY")).toMatchObject({ status: "pending" });
  },
  minutes,
);
