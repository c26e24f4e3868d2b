import { freeHolders } from "../support/free-holders.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { textOf } from "../../src/base/index.ts";
import { answer, next, resume, type Caller } from "../../src/engine/index.ts";
import {
  atGate,
  design,
  expectRefused,
  openWorld,
  project,
  session,
  silent,
  stillAsks,
  strategy,
  tally,
  usual,
  worlds,
} from "../support/machine-attacks.ts";
import { attemptsIn, eventsOf, forgeAnswer, sealIn, withForeignEngine } from "../support/machine-forge.ts";
import { openMcpTeam, type McpTeam } from "../support/machine-mcp.ts";
import { person, type Play } from "../support/machine-world.ts";
import { acceptance, architecture, goodTeam, plan, reported, reportText, spec } from "../support/scripted-team.ts";
import { spawnClient } from "./mcp-client.ts";

afterAll(() => {
  const [refused, recorded] = [tally.filter((each) => each.refused).length, tally.filter((each) => each.recorded).length];
  process.stdout.write(`${tally.length} gate attacks: ${refused} refused, ${recorded} recorded.\n`);
});

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

describe("an agent, over its own surfaces", () => {
  test("cannot answer a gate, write around it or end the run; what a person says by mistake is no approval", async () => {
    const said = ["approved? no, stop", "not approved", "Approved!"];
    let stale = false;
    let folder = "";
    const team = await openMcpTeam(project, (id) => {
      if (id !== design || folder === "") return undefined;
      const word = said.shift();
      if (word === undefined && !stale) {
        stale = true;
        const path = join(team.folder, folder, "spec.md");
        writeFileSync(path, readFileSync(path, "utf8").replace("Make slugs", "Make other slugs"));
        return "approved";
      }
      return word;
    });
    worlds.push(team);
    const asked = await team.drive(await team.start({ request: "Make slugs of titles" }), goodTeam);
    const run = textOf(asked.data.run_id);
    folder = await session(team);
    expect(asked.data).toMatchObject({ status: "question", action_id: design, command_for_person: `waymark decide ${run} ${design}` });
    const all = await spawnClient(team.built.command(["mcp", "--tools", "all"]), "auto");
    const attacks: Record<string, () => Promise<boolean>> = {
      "workflow_decide with an answer": async () =>
        (await team.client.call("workflow_decide", { run_id: run, answer: "approved" })).isError,
      "workflow_decide by another agent": async () =>
        (await all.call("workflow_decide", { run_id: run, decision_id: design, answer: "approved" })).isError,
      "workflow_progress with the answer as result": async () =>
        (await team.client.call("workflow_progress", { run_id: run, action_id: design, result: "approved" })).isError,
      "workflow_progress that reports the gate as failed": async () =>
        (await team.client.call("workflow_progress", { run_id: run, action_id: design, status: "failed", error: "skip it" })).isError,
      "waymark decide without a terminal": async () => (await team.cli("decide", run, design, "approved")).code !== 0,
      "waymark done without a terminal": async () => (await team.cli("done", run, "--result", '"approved"')).code !== 0,
      "workflow_state_update behind the gate": async () =>
        (await all.call("workflow_state_update", { run_id: run, updates: [{ path: "raw.settled_gate", value: "pass" }] })).isError,
      "workflow_complete with a pending decision": async () =>
        (await team.client.call("workflow_complete", { run_id: run, status: "success" })).isError,
    };
    for (const [name, attack] of Object.entries(attacks)) {
      const before = attemptsIn(team.folder, run);
      const refused = await attack();
      const open = (await team.client.call("workflow_next", { run_id: run })).data.action_id === design;
      expectRefused(name, { refused: refused && open, recorded: attemptsIn(team.folder, run) === before + 1 });
    }
    await all.close();
    const words = [...said];
    for (const word of words) {
      const before = attemptsIn(team.folder, run);
      const reply = await team.client.call("workflow_decide", { run_id: run });
      expectRefused(`the answer \`${word}\``, {
        refused: reply.isError && reply.data.error.code === "ANSWER_REFUSED",
        recorded: attemptsIn(team.folder, run) === before + 1,
      });
    }
    const late = await team.client.call("workflow_decide", { run_id: run });
    expectRefused("an approval of what has changed since it was shown", {
      refused: late.data.status === "question" && late.data.action_id === design,
      recorded: late.text.includes("The answer `approved` was not counted"),
    });
    expect(team.seen.filter((line) => line.startsWith("do"))).toEqual(["do SpecAgent:meta", "do Architect:meta"]);
  }, 180_000);

  test("two people answer at the same moment from two processes: one answer counts", async () => {
    const team = await openMcpTeam(project, () => undefined);
    worlds.push(team);
    const asked = await team.drive(await team.start({ request: "Make slugs of titles" }), { SpecAgent: goodTeam["SpecAgent"] as Play });
    const run = textOf(asked.data.run_id);
    const other = await spawnClient(team.built.command(["mcp"]), "auto", () => ({ action: "cancel" }));
    // Neither answers before both were asked.
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    for (const [{ client }, said] of [
      [team.client, "approved"],
      [other, "changes-requested: name the module"],
    ] as const) {
      client.setRequestHandler("elicitation/create", async () => {
        if ((waiting += 1) === 2) release();
        await both;
        return { action: "accept", content: { answer: said } };
      });
    }
    await team.client.call("workflow_progress", { run_id: run, action_id: asked.data.action_id, result: await draw(team) });
    const replies = await Promise.all([team, { client: other }].map(({ client }) => client.call("workflow_decide", { run_id: run })));
    await other.close();
    const events = eventsOf(team.folder, run);
    const closed = events.filter((event) => event.type === "decision_closed" && event.decision === design);
    const kept = events.filter((event) => event.type === "refused" && event.code === "DECISION_CLOSED");
    expectRefused("two answers at once", {
      refused: closed.length === 1 && replies.filter(({ data }) => data.recorded === "now").length === 1,
      recorded: kept.length === 1,
    });
  }, 120_000);
});

/** The design is drawn by hand, so that the gate opens at a moment of the test's choosing. */
async function draw(team: McpTeam): Promise<unknown> {
  await team.write(`${await session(team)}/architecture.md`, architecture);
  return reported("OK", "Designed.");
}

describe("somebody who can write files and the store", () => {
  test("a forged answer does not count, with or without a seal of something else", async () => {
    const world = await openWorld();
    const run = await atGate(world);
    const known = async (): Promise<number> =>
      ((await world.status())["known_issues"] as readonly string[]).filter((issue) => issue.includes("no person gave")).length;
    await forgeAnswer(world, run, { decision: design, answer: "approved" });
    expectRefused("a record without a seal", { refused: await stillAsks(world, run, design), recorded: (await known()) === 1 });
    await forgeAnswer(world, run, { decision: design, answer: "approved", seal: "0".repeat(64) });
    expectRefused("a record with a seal of nobody", { refused: await stillAsks(world, run, design), recorded: (await known()) === 2 });
    const back = "changes-requested: name the module";
    const revision = (await world.engine.context.runs.open(run)).state.decisions[design]?.revision ?? 1;
    await answer(world.engine.context, person, { run, decision: design, answer: back, relayed: false });
    await freeHolders(world.engine.context);
    await resume(world.engine.context, world.engine.caller, { run });
    await world.drive(run, goodTeam, silent);
    const seal = sealIn(world.folder, run, `answer:${design}:${revision}`);
    expect(seal).toMatch(/^[0-9a-f]{64}$/);
    await forgeAnswer(world, run, { decision: design, answer: "approved", seal });
    expectRefused("a record with the seal of an earlier answer", {
      refused: await stillAsks(world, run, design),
      recorded: (await known()) === 3,
    });
    expect(world.seen.some((line) => line.startsWith("do Planner"))).toBe(false);
  }, 120_000);

  test("neither a forged choice nor a forged refusal closes a question about a finding", async () => {
    const world = await openWorld();
    const run = await world.begin({ request: "Make slugs of titles" });
    const finding = { severity: "medium", category: "input", file: "src/a.mjs", description: "unbounded", recommended_fix: "bound it" };
    const cast: Record<string, Play> = {
      ...goodTeam,
      Planner: async (dispatch, at) => {
        await at.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, plan(["T-001"]).replace("[none]", "[security]"));
        return reported("OK", "Planned.");
      },
      Security: async () => reported("NEEDS_DECISION", "A medium finding.", { artifacts: { findings: [finding] } }),
    };
    await world.drive(run, cast, usual);
    expect(world.seen.at(-1)).toBe("ask UD-1");
    const skipped = async (id: string): Promise<boolean> =>
      (await world.status()).user_decisions.some(({ decision_id, status }) => decision_id === id && status === "skipped");
    await forgeAnswer(world, run, { decision: "UD-1", answer: "accept-risk" });
    expectRefused("a forged choice about a finding", { refused: await stillAsks(world, run, "UD-2"), recorded: await skipped("UD-1") });
    await forgeAnswer(world, run, { decision: "UD-2", answer: null, declined: "not now" });
    expectRefused("a forged refusal to choose", { refused: await stillAsks(world, run, "UD-3"), recorded: await skipped("UD-2") });
    await freeHolders(world.engine.context);
    await resume(world.engine.context, world.engine.caller, { run });
    const { state } = await world.drive(run, { ...cast, Security: goodTeam["Security"] as Play }, (question, at) =>
      question.id === "UD-3" ? "fix-now" : usual(question, at),
    );
    expect(state.status, world.seen.join("\n")).toBe("completed");
  }, 120_000);

  test("a Waymark with a key of its own passes no gate for the others", async () => {
    const world = await openWorld();
    const run = await atGate(world);
    await world.engine.context.holding.release(world.engine.caller.leaseOwner);
    const thief: Caller = { holder: { kind: "agent", name: "thief", session: "t" }, surface: "test", leaseOwner: "t" };
    await withForeignEngine(world.folder, join(world.folder, "..", "thief"), async (context) => {
      await freeHolders(context);
      await resume(context, thief, { run });
      await answer(context, person, { run, decision: design, answer: "approved", relayed: false });
      const { standing } = await next(context, thief, { run, waitMs: 20_000 });
      expect(standing).toMatchObject({ kind: "action", action: { step: "Planner:meta" } });
    });
    await freeHolders(world.engine.context);
    await resume(world.engine.context, world.engine.caller, { run });
    const asked: string[] = [];
    const position = await world.drive(run, goodTeam, (question, at) => {
      asked.push(question.id);
      return question.id === design ? undefined : usual(question, at);
    });
    const question = position.standing.kind === "question" ? position.standing.decision.question : "";
    expectRefused("an approval by a Waymark with another key", {
      refused: asked.at(-1) === design && !world.seen.some((line) => line.startsWith("do Coder")),
      recorded:
        question.includes("without an answer from a person") && textOf((await world.status())["known_issues"] ?? "").includes(design),
    });
  }, 120_000);

  test("an edited status.json moves nothing and is shown to a person", async () => {
    const world = await openWorld();
    const run = await atGate(world);
    const path = `${await session(world)}/status.json`;
    const edited = (await world.text(path))
      .replace('"status": "pending"', '"status": "answered"')
      .replace('"answer": null', '"answer": "approved"');
    await world.write(path, edited.replace('"current_state": "APPROVE_DESIGN"', '"current_state": "PLAN"'));
    const held = await stillAsks(world, run, design);
    await freeHolders(world.engine.context);
    await resume(world.engine.context, world.engine.caller, { run });
    let shown = "";
    await world.drive(run, goodTeam, (question, at) => {
      if (question.question.includes("someone else changed it")) shown = question.question;
      return shown === "" ? usual(question, at) : undefined;
    });
    expectRefused("an approval written into status.json", {
      refused: held,
      recorded: shown.includes("+") && shown.includes('"answer": "approved"'),
    });
  }, 120_000);

  test("an answer to an earlier revision of a question does not count", async () => {
    const world = await openWorld();
    const run = await atGate(world);
    const { context } = world.engine;
    await answer(context, person, { run, decision: design, answer: "changes-requested: name the module", relayed: false });
    await world.drive(run, goodTeam, silent);
    const before = attemptsIn(world.folder, run);
    const late = await answer(context, person, { run, decision: design, answer: "approved", revision: 1, relayed: false }).catch(
      (error: unknown) => (error as { code: string }).code,
    );
    expectRefused("an approval of an older revision", {
      refused: late === "DECISION_REVISED" && (await stillAsks(world, run, design)),
      recorded: attemptsIn(world.folder, run) === before + 1,
    });
  }, 120_000);

  test("a session brought along cannot jump over a gate", async () => {
    const world = await openWorld();
    const name = "2026-01-02_old-slugs";
    const decision = (id: string, said: string): Record<string, unknown> => ({
      decision_id: id,
      question: "?",
      status: "answered",
      answer: said,
      asked_at: "2026-01-02T10:00:00Z",
      resolved_at: "2026-01-02T10:00:01Z",
      resolution_reason: null,
      state_context: "APPROVE_DESIGN",
    });
    const status = {
      current_state: "IMPLEMENT_LOOP",
      session: name,
      user_decisions: [decision(design, "approved"), decision(strategy, "single-final")],
    };
    const files = {
      "status.json": JSON.stringify(status),
      "spec.md": spec,
      "acceptance.json": acceptance,
      "architecture.md": architecture,
    };
    for (const [path, text] of Object.entries({ ...files, "tasks.yaml": plan() })) await world.write(`.agents-work/${name}/${path}`, text);
    const run = await world.begin({ request: "Go on", session: name });
    const { standing } = await world.drive(run, goodTeam, silent);
    expectRefused("a session that says it is behind the gates", {
      refused: standing.kind === "question" && standing.decision.id === design && world.seen.every((line) => !line.startsWith("do")),
      recorded: textOf((await world.status())["assumptions"] ?? "").includes("no answer in it was given to Waymark"),
    });
  }, 60_000);
});

describe("silence", () => {
  test("nothing goes on, and no number of wrong answers ends the question; declined it is BLOCKED", async () => {
    const world = await openWorld();
    const run = await atGate(world);
    const { context, caller } = world.engine;
    let said = 0;
    // The same wrong words again cost no further try, so each time they are others.
    const nonsense = async (): Promise<void> => {
      said += 1;
      await answer(context, person, { run, decision: design, answer: `hm ${said}`, relayed: false }).catch(() => undefined);
    };
    for (let turn = 0; turn < 3; turn += 1)
      expect((await next(context, caller, { run, waitMs: 0 })).standing).toMatchObject({ kind: "question", decision: { id: design } });
    for (let turn = 0; turn < 6; turn += 1) await nonsense();
    expect(await stillAsks(world, run, design)).toBe(true);
    await freeHolders(context);
    await resume(context, caller, { run });
    const { state } = await context.runs.open(run);
    expect(state.decisions[design]).toMatchObject({ status: "pending", revision: 1 });
    expect(state.decisions[design]).not.toHaveProperty("attempts");
    await answer(context, person, { run, decision: design, answer: null, declined: "Not now.", relayed: false });
    const { standing } = await next(context, caller, { run, waitMs: 20_000 });
    const status = await world.status();
    expectRefused("silence, and a gate that is declined", {
      refused: standing.kind === "question" && standing.decision.id === "UD-1" && status.current_state === "BLOCKED",
      recorded: JSON.stringify(status["blocker"]).includes("mandatory_user_decision_missing"),
    });
    expect(status.user_decisions[0]).toMatchObject({
      decision_id: design,
      status: "cancelled",
      resolution_reason: "Not now.",
    });
    await answer(context, person, { run, decision: "UD-1", answer: "retry", relayed: false });
    expect((await next(context, caller, { run, waitMs: 20_000 })).standing).toMatchObject({
      kind: "question",
      decision: { id: design, revision: 2 },
    });
  }, 60_000);
});

describe("done is not said, it holds", () => {
  test("open tasks keep the session open", async () => {
    const world = await openWorld((yaml) =>
      yaml.replace("do: [{ promote: task, to: completed }]", "do: [{ promote: task, to: implemented }]"),
    );
    const run = await world.begin({ request: "Make slugs of titles" });
    const asked: string[] = [];
    const position = await world.drive(run, goodTeam, (question, at) => {
      asked.push(question.question);
      if (!question.question.includes("cannot end yet")) return usual(question, at);
      return asked.filter((each) => each.includes("cannot end yet")).length === 1 ? "retry" : undefined;
    });
    expectRefused("DONE with open tasks", {
      refused: position.state.status === "running" && asked.filter((each) => each.includes("cannot end yet")).length === 2,
      recorded: /Task T-001 is implemented\.[\s\S]*Task T-002 is implemented\./.test(asked.at(-1) ?? ""),
    });
  }, 120_000);

  test("unmet criteria, a plan that says it is done, and reports that lack a part", async () => {
    const world = await openWorld((yaml) => yaml, "process.exit(1);\n");
    const run = await world.begin({ request: "Make slugs of titles" });
    const claimed = plan(["T-001"]).replace("status: not-started", "status: completed");
    let gutted = false;
    const cast: Record<string, Play> = {
      ...goodTeam,
      Planner: async (dispatch, at) => {
        await at.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, claimed);
        return reported("OK", "Planned, and all done already.");
      },
      Docs: async (dispatch, at) => {
        const path = `${textOf(dispatch["session"] ?? "")}/report.md`;
        const whole = world.seen.filter((line) => line.includes("MACHINE_REPORT_REFUSED")).length > 0;
        await at.write(path, whole ? reportText : reportText.replace("## How to test", "## Something else"));
        return reported("OK", "Documented.");
      },
      Integrator: async (_dispatch, at) => {
        const path = `${await session(world)}/report.md`;
        const there = await at.text(path).catch(() => undefined);
        if (there !== undefined && !gutted) await at.write(path, "# Done\n");
        else if (there === "# Done\n") await at.write(path, reportText);
        gutted ||= there !== undefined;
        return reported("OK", "Green.", { artifacts: { ci_notes: [] } });
      },
    };
    const unmet: string[] = [];
    await world.drive(run, cast, (question, at) => {
      if (question.question.includes("leads nowhere")) return "accept";
      if (!question.question.includes("cannot end yet")) return usual(question, at);
      unmet.push(question.question);
      return undefined;
    });
    const refusals = world.seen.filter((line) => line.includes("MACHINE_REPORT_REFUSED"));
    const failed = eventsOf(world.folder, run).filter((event) => event.type === "failed" && event.error.code === "MACHINE_REPORT_REFUSED");
    expectRefused("a plan whose tasks are completed before they begin", {
      refused: world.seen.includes("do Coder:T-001"),
      recorded: textOf((await world.status())["assumptions"] ?? "").includes("T-001 is completed before work on it began"),
    });
    expectRefused("a report without its four parts", {
      refused: refusals[0]?.includes("How to test") === true,
      recorded: failed.length >= 1,
    });
    expectRefused("a report emptied by another role", {
      refused: refusals[1]?.includes("report.md") === true,
      recorded: failed.length === 2,
    });
    expectRefused("DONE with unmet criteria", {
      refused: unmet.length === 1 && (await world.status()).current_state !== "DONE",
      recorded: unmet[0]?.includes("AC-001 is not met: `node check.mjs` does not pass.") === true,
    });
  }, 180_000);
});
