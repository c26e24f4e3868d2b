import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCliBench } from "../../../../test/process/cli-world.ts";
import { bundledMachine, person, type Answers, type MachineWorld, type Play } from "../../../../test/support/machine-world.ts";
import { approving as usual, deliveryWorlds, lean } from "../../../../test/support/delivery-worlds.ts";
import { blocks, code, goodTeam, passes, plan, reported } from "../../../../test/support/scripted-team.ts";
import { textOf } from "../../../base/index.ts";
import { next, note, type Position } from "../../../engine/index.ts";

const open = deliveryWorlds({ ".gitignore": ".agents-work/\n.waymark/store/\n.env*\nlocal/\ncoverage/\nnode_modules/\n*.log\n" });

const planned =
  (text: string): Play =>
  async (dispatch, world) => {
    await world.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, text);
    return reported("OK", "Planned.");
  };
const oneTask: Readonly<Record<string, Play>> = { ...goodTeam, Planner: planned(plan(["T-001"])) };
const idle: Play = async () => reported("OK", "Coded.", { artifacts: { patch_summary: ["made it"] } });
function questionIn({ standing }: Position): string {
  return standing.kind === "question" ? standing.decision.question : "";
}

describe("a repair loop", () => {
  const failing = plan(["T-001"]).replace("cmd: node check.mjs", "cmd: node late.mjs");
  const late = { "late.mjs": "console.log(`took ${process.hrtime.bigint()} ns`);\nprocess.exit(1);\n" };

  test("that changes nothing is stopped although its checks print something else each time", async () => {
    const world = await open(late);
    const run = await world.begin({ request: "Make slugs of titles" });
    const position = await world.drive(run, { ...oneTask, Coder: idle, Planner: planned(failing) }, usual);
    expect(questionIn(position)).toContain("changed nothing");
    expect(await world.status()).toMatchObject({ retry_counts: { "T-001": { FIX_BUILD: 1 } } });
  }, 60_000);

  test("that changes nothing is stopped although its reviewer finds other words each time", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    let said = 0;
    const position = await world.drive(run, { ...oneTask, Coder: idle, Reviewer: async () => blocks(`wording ${(said += 1)}`) }, usual);
    expect(questionIn(position)).toContain("changed nothing");
    expect(await world.status()).toMatchObject({ retry_counts: { "T-001": { FIX_REVIEW: 1 } } });
  }, 60_000);

  test("is stopped also when the tester, not the mender, changes files", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    let tries = 0;
    const QA: Play = async (_dispatch, at) => {
      await at.write("test/slug.test.mjs", `export const tries = ${(tries += 1)};\n`);
      return reported("BLOCKED", "A test fails.", {
        artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "boom" }, coverage_gaps: [] },
      });
    };
    const Coder: Play = async (dispatch, at) => (dispatch["repair"] === undefined ? code(dispatch, at) : idle(dispatch, at));
    const position = await world.drive(run, { ...oneTask, Coder, QA }, usual);
    expect(questionIn(position)).toContain("changed nothing");
    expect(await world.status()).toMatchObject({ retry_counts: { "T-001": { FIX_TESTS: 1 } } });
  }, 60_000);

  test("goes on as long as files change, and asks when its rounds are spent", async () => {
    const world = await open(late);
    const run = await world.begin({ request: "Make slugs of titles" });
    const position = await world.drive(run, { ...oneTask, Planner: planned(failing) }, usual);
    expect(questionIn(position)).toContain("3 of 3 rounds were tried");
    expect(questionIn(position)).not.toContain("changed nothing");
  }, 60_000);
});

describe("the small mode", () => {
  const many: Play = async (dispatch, world) => {
    if (dispatch["repair"] !== undefined) for (let at = 0; at < 12; at += 1) await world.write(`src/auth/f${at}.mjs`, "x\n");
    return code(dispatch, world);
  };
  const once = (first: () => unknown, then: Play): Play => {
    let asked = 0;
    return async (dispatch, world) => ((asked += 1) === 1 ? first() : then(dispatch, world));
  };
  const tested = goodTeam["QA"] as Play;
  const failed = (): unknown =>
    reported("BLOCKED", "A test fails.", {
      artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "boom" }, coverage_gaps: [] },
    });

  test.each<[string, Readonly<Record<string, Play>>]>([
    [
      "FIX_REVIEW",
      {
        Reviewer: once(
          () => blocks("x"),
          async () => passes(),
        ),
      },
    ],
    ["FIX_TESTS", { QA: once(failed, tested) }],
  ])(
    "is left when %s makes the change large",
    async (_loop, cast) => {
      const world = await open();
      const run = await world.begin({ request: "Fix a typo", ...lean });
      const { state } = await world.drive(run, { ...goodTeam, Coder: many, ...cast }, usual);
      expect(state.status, world.seen.join("\n")).toBe("completed");
      expect(state.scopes["run"]?.raw["mode"]).toBe("full");
      expect(world.seen).toEqual(expect.arrayContaining(["ask UD-APPROVE-DESIGN", "do Security:meta"]));
    },
    120_000,
  );

  test("is left when a repair of its checks makes the change large", async () => {
    const world = await open({
      "check.mjs": 'import { existsSync } from "node:fs";\nprocess.exit(existsSync("src/auth/f1.mjs") ? 0 : 1);\n',
    });
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const { state } = await world.drive(run, { ...goodTeam, Coder: many }, usual);
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(state.scopes["run"]?.raw["mode"]).toBe("full");
  }, 120_000);

  test("stays when a repair keeps the change small", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const { state } = await world.drive(
      run,
      {
        ...goodTeam,
        Reviewer: once(
          () => blocks("x"),
          async () => passes(),
        ),
      },
      usual,
    );
    expect(state.status).toBe("completed");
    expect(state.scopes["run"]?.raw["mode"]).toBe("lean");
  }, 60_000);
});

describe("a message", () => {
  test("for nobody is refused and says who there is", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const { context } = world.engine;
    const say = (target: string): Promise<unknown> => note(context, person, { run, text: "mind the gap", target });
    await expect(say("NOSUCH")).rejects.toMatchObject({ code: "ENGINE_BAD_VALUE", message: expect.stringContaining("`NOSUCH`") });
    await expect(say("Revewer")).rejects.toMatchObject({ fix: expect.stringContaining("`Reviewer`") });
    await expect(say("Nobody:T-001")).rejects.toMatchObject({ code: "ENGINE_BAD_VALUE" });
    for (const target of ["QA", "T-002", "QA:T-002", "Reviewer:meta", "FIX_SECURITY", "INTEGRATE", "REVIEW"]) await say(target);
    expect((await next(context, world.engine.caller, { run, waitMs: 20_000 })).state.notes).toHaveLength(7);
  }, 60_000);

  test("for a task that the plan does not have is refused", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const { Coder: _later, ...early } = oneTask;
    await world.drive(run, early, usual);
    const say = (target: string): Promise<unknown> => note(world.engine.context, person, { run, text: "mind the gap", target });
    await expect(say("T-009")).rejects.toMatchObject({ code: "ENGINE_BAD_VALUE", fix: expect.stringContaining("T-001") });
    await say("T-001");
  }, 60_000);
});

test("messages that wait are shown with the status of a run, and one for nobody fails", async () => {
  const bench = await openCliBench(await bundledMachine());
  try {
    const started = await bench.json<{ run_id: string }>(["start", "delivery", "-i", "request=Make slugs"]);
    expect((await bench.run(["tell", started.run_id, "mind", "the", "gap", "--for", "QA"])).code).toBe(0);
    const refused = await bench.run(["tell", started.run_id, "mind", "the", "gap", "--for", "NOSUCH"]);
    expect(refused.code).not.toBe(0);
    expect(`${refused.stdout}${refused.stderr}`).toContain("Reviewer");
    expect((await bench.run(["status", started.run_id])).stdout).toContain("Not delivered yet, for `QA`: mind the gap");
  } finally {
    await bench.close();
  }
}, 60_000);

test("a tester that is content with failed tests is not believed", async () => {
  const world = await open();
  const run = await world.begin({ request: "Make slugs of titles" });
  const QA: Play = async () =>
    reported("OK", "Three tests fail.", {
      artifacts: { test_results: { passed: 0, failed: 3, skipped: 0, output: "boom" }, coverage_gaps: [] },
    });
  const position = await world.drive(run, { ...oneTask, QA }, usual);
  expect(position.state.status).toBe("running");
  expect(world.seen.find((line) => line.startsWith("refused"))).toContain("3 tests failed");
}, 60_000);

describe("files that only Waymark writes", () => {
  const history = async (world: MachineWorld): Promise<string> => `.agents-work/${await world.session()}/approve-design-history.jsonl`;

  /** Sends the design back once, does something to the history, and goes on; questions about it are answered with `said`. */
  async function sentBack(said: string, spoil: (world: MachineWorld) => Promise<void>, more: readonly string[] = []) {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const asked: string[] = [];
    const rounds = ["changes-requested: name the module", ...more];
    let whole = "";
    const answers: Answers = async (question, at) => {
      if (question.question.includes("someone else changed it")) {
        asked.push(question.question);
        return said;
      }
      if (question.id !== "UD-APPROVE-DESIGN") return usual(question, at);
      const round = rounds.shift();
      if (round === "changes-requested: name the module") return round;
      if (whole === "") {
        whole = await at.text(await history(at));
        await spoil(at);
      }
      return round ?? "approved";
    };
    const { state } = await world.drive(run, oneTask, answers);
    expect(state.status, world.seen.join("\n")).toBe("completed");
    return { world, asked, whole, now: await world.text(await history(world)) };
  }

  test("a history that somebody emptied is asked about and written again", async () => {
    const { asked, whole, now } = await sentBack("undo", async (world) => world.write(await history(world), ""));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("name the module");
    expect(whole).not.toBe("");
    expect(now).toBe(whole);
  }, 120_000);

  test("a history that somebody emptied before one more round is whole again, with that round", async () => {
    const more = ["changes-requested: and its interface"];
    const { asked, whole, now } = await sentBack("undo", async (world) => world.write(await history(world), ""), more);
    expect(asked).toHaveLength(1);
    expect(now.startsWith(whole)).toBe(true);
    expect(now.trim().split("\n")).toHaveLength(2);
  }, 120_000);

  test("a change of the history that a person takes over stays, and nothing else is touched", async () => {
    const line = `${JSON.stringify({ at: "2026-01-01T00:00:00.000Z", decision_id: "UD-APPROVE-DESIGN", answer: "x", state_context: "APPROVE_DESIGN" })}\n`;
    const { world, asked, now } = await sentBack("take-over", async (at) => at.write(await history(at), line));
    expect(asked).toHaveLength(1);
    expect(now).toBe(line);
    expect((await world.status())["assumptions"]).toEqual([]);
  }, 120_000);

  test("a history that nobody touched is asked about by nobody", async () => {
    const { asked, now } = await sentBack("undo", async () => undefined, ["changes-requested: and its interface"]);
    expect(asked).toEqual([]);
    expect(now.trim().split("\n")).toHaveLength(2);
  }, 120_000);

  test("a report that Waymark wrote is written again when someone else changed it", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const SpecAgent: Play = async (dispatch, at) => {
      const told = await (goodTeam["SpecAgent"] as Play)(dispatch, at);
      const criteria = [{ id: "AC-001", description: "ok", verify: ["manual: look"] }];
      await at.write(`${textOf(dispatch["session"] ?? "")}/acceptance.json`, JSON.stringify({ acceptance_criteria: criteria }));
      return told;
    };
    let whole = "";
    let asked = "";
    const path = async (): Promise<string> => `.agents-work/${await world.session()}/report.md`;
    const answers: Answers = async (question, at) => {
      if (question.question.includes("someone else changed it")) return (asked += question.question) && "undo";
      if (!question.question.includes("looked at by a person")) return usual(question, at);
      whole = await world.text(await path());
      await world.write(await path(), `${whole}\nAll is well, trust me.\n`);
      return "confirmed";
    };
    const { state } = await world.drive(run, { ...goodTeam, SpecAgent }, answers);
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(whole).toContain("How to test");
    expect(asked).toContain("trust me");
    expect(await world.text(await path())).toBe(whole);
  }, 120_000);
});

test("a status file that cannot be read is kept beside the new one", async () => {
  const session = ".agents-work/2025-01-01_old-work";
  const broken = '{ "current_state": "PLAN", "user_decisions": [{"decision_id":"UD-1"}], }\n';
  const world = await open({ [`${session}/status.json`]: broken, [`${session}/spec.md`]: "x" });
  const run = await world.begin({ request: "go on", session: "2025-01-01_old-work" });
  await next(world.engine.context, world.engine.caller, { run, waitMs: 20_000 });
  const copies = (await readdir(join(world.folder, session))).filter((name) => name.includes("unreadable"));
  expect(copies).toEqual(["status.unreadable.json"]);
  expect(await world.text(`${session}/status.unreadable.json`)).toBe(broken);
  const status = await world.status();
  expect(status["known_issues"]).toEqual([expect.stringContaining("status.unreadable.json")]);
}, 60_000);

describe("files that git ignores", () => {
  const secret = "node_modules/pkg/index.js";

  async function reviewed(play: (world: MachineWorld) => Promise<void>) {
    const world = await open();
    await world.write(".env", "KEY=1\n");
    await world.write("local/settings.json", "{}\n");
    await world.write(secret, "x\n");
    const run = await world.begin({ request: "Make slugs of titles" });
    const Reviewer: Play = async (_dispatch, at) => {
      await play(at);
      return passes();
    };
    return { world, position: await world.drive(run, { ...oneTask, Reviewer }, usual) };
  }

  test.each([
    [".env", "KEY=2\n"],
    [".env.local", "KEY=1\n"],
    ["local/settings.json", '{ "a": 1 }\n'],
  ])(
    "%s may not be written by who may write nothing",
    async (path, text) => {
      const { world, position } = await reviewed((at) => at.write(path, text));
      expect(position.state.status).toBe("running");
      expect(world.seen.filter((line) => line.includes("MACHINE_REPORT_REFUSED"))[0]).toContain(`\`${path}\``);
    },
    60_000,
  );

  test("what tools leave behind does not count, nor does what stays as it is", async () => {
    const { world, position } = await reviewed(async (at) => {
      await at.write("coverage/index.html", "x\n");
      await at.write("node_modules/.cache/x.json", "{}\n");
      await at.write("debug.log", "x\n");
    });
    expect(position.state.status, world.seen.join("\n")).toBe("completed");
  }, 120_000);

  test("a Coder may write them, and they are no files of the change", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const Coder: Play = async (dispatch, at) => {
      for (const name of [".env", ".env.a", ".env.b", ".env.c"]) await at.write(name, "KEY=2\n");
      return code(dispatch, at);
    };
    const { state } = await world.drive(run, { ...goodTeam, Coder }, usual);
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(state.scopes["run"]?.raw["mode"]).toBe("lean");
  }, 60_000);
});
