import { describe, expect, test } from "vitest";
import { person, type Answers, type MachineWorld, type Play } from "../../../../test/support/machine-world.ts";
import { approving as usual, deliveryWorlds, lean } from "../../../../test/support/delivery-worlds.ts";
import { blocks, code, goodTeam, passes, plan, reported, spec, taskOf } from "../../../../test/support/scripted-team.ts";
import { textOf } from "../../../base/index.ts";
import { note } from "../../../engine/index.ts";

const open = deliveryWorlds();

/** Plays these in turn, then the usual part. */
function turns(usually: Play | undefined, ...plays: readonly Play[]): Play {
  const left = [...plays];
  return async (dispatch, world) => (left.shift() ?? usually ?? (async () => passes()))(dispatch, world);
}

describe("a full delivery", () => {
  test("goes from request to done, and its status shows each role the state that it works in", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const shown = new Set<string>();
    const noting = Object.entries(goodTeam).map(([role, play]): [string, Play] => [
      role,
      async (dispatch, seen) => {
        shown.add(`${role} ${(await seen.status()).current_state}`);
        return play(dispatch, seen);
      },
    ]);
    const { state } = await world.drive(run, Object.fromEntries(noting), usual);
    expect(state.status).toBe("completed");
    expect([...shown]).toEqual([
      "SpecAgent INTAKE",
      "Architect DESIGN",
      "Planner PLAN",
      "Coder IMPLEMENT_LOOP",
      "Reviewer IMPLEMENT_LOOP",
      "QA IMPLEMENT_LOOP",
      "Security IMPLEMENT_LOOP",
      "Integrator INTEGRATE",
      "Docs RELEASE",
      "Integrator RELEASE",
    ]);
    expect(world.seen.filter((line) => line.startsWith("ask"))).toEqual(["ask UD-APPROVE-DESIGN", "ask UD-REVIEW-STRATEGY"]);
    const status = await world.status();
    expect(status.current_state).toBe("DONE");
    expect(status.user_decisions).toMatchObject([
      { decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved" },
      { decision_id: "UD-REVIEW-STRATEGY", status: "answered", answer: "per-batch" },
    ]);
    expect(await world.text(`.agents-work/${await world.session()}/tasks.yaml`)).toMatch(/status: completed[\s\S]*status: completed/);
  }, 120_000);

  test("a reviewer that blocks twice, tests that fail once, a finding to decide, a design sent back, a message in the middle", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    let asked = 0;
    const heard: string[] = [];
    const cast = {
      ...goodTeam,
      Architect: turns(goodTeam["Architect"]),
      Coder: async (dispatch: Parameters<Play>[0], at: MachineWorld) => {
        heard.push(...((taskOf(dispatch)["constraints"] ?? []) as string[]));
        if (dispatch["repair"] === undefined && asked === 1)
          await note(at.engine.context, person, { run, text: "Mind the umlauts", target: "QA" });
        return code(dispatch, at);
      },
      Reviewer: turns(
        goodTeam["Reviewer"],
        async () => blocks("off by one"),
        async () => blocks("still off by one"),
      ),
      QA: turns(goodTeam["QA"], async () =>
        reported("BLOCKED", "A test fails.", {
          artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "boom" }, coverage_gaps: ["umlauts"] },
        }),
      ),
      Security: turns(goodTeam["Security"], async () =>
        reported("NEEDS_DECISION", "A medium finding.", {
          artifacts: {
            findings: [
              { severity: "medium", category: "input", file: "src/T-001.mjs", description: "unbounded", recommended_fix: "bound it" },
            ],
          },
        }),
      ),
    };
    const answers: Answers = async (question, at) => {
      if (question.id === "UD-APPROVE-DESIGN")
        return (asked += 1) === 1 ? "changes-requested: name the module in the architecture" : "approved";
      if (question.question.includes("What shall be done?")) return "fix-now";
      return usual(question, at);
    };
    const { state } = await world.drive(run, cast, answers);
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(world.seen.filter((line) => line === "do Architect:meta")).toHaveLength(2);
    const status = await world.status();
    expect(status).toMatchObject({
      current_state: "DONE",
      gate_tracking: {
        APPROVE_DESIGN: { correction_status: "completed", last_correction_dispatch: { agent: "Architect", task_id: "meta" } },
      },
      retry_counts: { "T-001": { FIX_REVIEW: 2, FIX_TESTS: 1 }, meta: { FIX_SECURITY: 1 } },
    });
    const history = await world.text(`.agents-work/${await world.session()}/approve-design-history.jsonl`);
    expect(history.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(history)).toMatchObject({ decision_id: "UD-APPROVE-DESIGN", state_context: "APPROVE_DESIGN" });
  }, 180_000);

  test("one review for all at the end promotes all tasks together", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const answers: Answers = (question, at) => (question.id === "UD-REVIEW-STRATEGY" ? "single-final" : usual(question, at));
    const { state } = await world.drive(run, goodTeam, answers);
    expect(state.status).toBe("completed");
    expect(world.seen.filter((line) => line.startsWith("do Reviewer"))).toEqual(["do Reviewer:meta"]);
  }, 120_000);

  test("a repair loop that changes nothing is stopped before its budget is spent", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const cast = {
      ...goodTeam,
      Coder: async (dispatch: Parameters<Play>[0], at: MachineWorld) =>
        dispatch["repair"] === undefined ? code(dispatch, at) : reported("OK", "Did nothing.", { artifacts: { patch_summary: [] } }),
      Reviewer: async () => blocks("wrong"),
    };
    const position = await world.drive(run, cast, usual);
    expect(position.standing).toMatchObject({ kind: "question", decision: { id: "UD-1" } });
    expect(await world.status()).toMatchObject({ current_state: "ASK_USER", retry_counts: { "T-001": { FIX_REVIEW: 1 } } });
    expect(position.standing.kind === "question" ? position.standing.decision.question : "").toContain("changed nothing");
  }, 120_000);

  test("three rounds of repair are spent, then a person decides", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    let round = 0;
    const cast = { ...goodTeam, Reviewer: async () => blocks(`wrong ${(round += 1)}`) };
    const answers: Answers = (question, at) => (question.question.includes("leads nowhere") ? "accept" : usual(question, at));
    const position = await world.drive(run, cast, answers, () => world.seen.includes("do QA:T-001"));
    expect(position.standing.kind).toBe("action");
    expect(await world.status()).toMatchObject({
      retry_counts: { "T-001": { FIX_REVIEW: 3 } },
      known_issues: [expect.stringContaining("FIX_REVIEW of T-001")],
    });
  }, 120_000);

  test("an artifact changed after its approval voids it, and it is asked again under the same id", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    await world.drive(run, { SpecAgent: goodTeam["SpecAgent"] as Play, Architect: goodTeam["Architect"] as Play }, usual);
    await world.write(`.agents-work/${await world.session()}/spec.md`, spec.replace("Make slugs", "Make short slugs"));
    const cast = { ...goodTeam, Planner: turns(goodTeam["Planner"], async () => reported("FAIL", "Cannot now.")) };
    const answers: Answers = (question, at) => (question.question.includes("Nothing can continue") ? "retry" : usual(question, at));
    const { state } = await world.drive(run, cast, answers);
    expect(state.status).toBe("completed");
    expect(state.decisions["UD-APPROVE-DESIGN"]?.revision).toBe(2);
  }, 120_000);

  test("only the files of a role may change; three reports that do not count halt the run", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const cast = {
      ...goodTeam,
      Reviewer: async (_dispatch: Parameters<Play>[0], at: MachineWorld) => {
        await at.write("src/sneaky.mjs", `export const x = ${Math.random()};\n`);
        return passes();
      },
    };
    const position = await world.drive(run, cast, usual);
    expect(position.standing).toMatchObject({
      kind: "question",
      decision: { question: expect.stringMatching(/^Nothing can continue: .*`src\/sneaky.mjs` was changed/s) },
    });
    expect(await world.status()).toMatchObject({ current_state: "BLOCKED", blocker: { code: "subagent_failure" } });
    expect(world.seen.filter((line) => line.includes("MACHINE_REPORT_REFUSED"))).toHaveLength(3);
  }, 120_000);

  test("a hand-edited plan is shown with its difference and undone or taken over by a person", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const { Coder: _later, ...early } = goodTeam;
    await world.drive(run, early, usual);
    const path = `.agents-work/${await world.session()}/tasks.yaml`;
    await world.write(path, (await world.text(path)).replaceAll("not-started", "completed"));
    let shown = "";
    const cast = { ...goodTeam, Coder: turns(code, async () => reported("FAIL", "No.")) };
    const answers: Answers = (question, at) => {
      if (question.question.includes("someone else changed it")) return (shown = question.question) && "undo";
      return question.question.includes("Nothing can continue") ? "retry" : usual(question, at);
    };
    const { state } = await world.drive(run, cast, answers);
    expect(state.status).toBe("completed");
    expect(shown).toContain("completed");
  }, 120_000);
});

describe("a lean delivery", () => {
  test("has one task, no gates, and a report written by Waymark", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const { state } = await world.drive(run, goodTeam, usual);
    expect(state.status).toBe("completed");
    expect(world.seen).toEqual(["do SpecAgent:meta", "do Coder:T-001", "ask UD-1", "do Reviewer:T-001", "do QA:T-001"]);
    expect(await world.text(`.agents-work/${await world.session()}/report.md`)).toContain("## How to test");
  }, 120_000);

  test("is left when the work turns out complex", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const tooMuch = async (): Promise<unknown> =>
      reported("BLOCKED", "This is larger.", {
        artifacts: { patch_summary: [] },
        next: { recommended_agent: "SpecAgent", recommended_task_id: null, reason: "complex" },
      });
    const cast = {
      ...goodTeam,
      Coder: turns(code, tooMuch),
      Planner: async (dispatch: Parameters<Play>[0], at: MachineWorld) => {
        await at.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, plan(["T-001", "T-002"]));
        return reported("OK", "Planned.");
      },
    };
    const { state } = await world.drive(run, cast, usual);
    expect(state.status).toBe("completed");
    expect(world.seen).toContain("ask UD-APPROVE-DESIGN");
    expect(state.scopes["run"]?.raw["mode"]).toBe("full");
  }, 120_000);

  test("begins in full mode when its conditions are not confirmed", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", mode: "lean" });
    await world.drive(run, {}, usual);
    expect(await world.status()).toMatchObject({ current_state: "INTAKE", assumptions: [expect.stringContaining("not confirmed")] });
  }, 60_000);
});
