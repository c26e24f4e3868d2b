import { freeHolders } from "../../../../test/support/free-holders.ts";
import { describe, expect, test } from "vitest";
import { person, type Answers, type MachineWorld } from "../../../../test/support/machine-world.ts";
import { deliveryWorlds, lean } from "../../../../test/support/delivery-worlds.ts";
import { acceptance, architecture, goodTeam, plan, spec } from "../../../../test/support/scripted-team.ts";
import { isObject, type JsonObject } from "../../../base/index.ts";
import { answer, next, progress, resume } from "../../../engine/index.ts";

const open = deliveryWorlds();

const name = "2026-01-02_old-slugs";
const design = "UD-APPROVE-DESIGN";
const strategy = "UD-REVIEW-STRATEGY";
const silent: Answers = () => undefined;

function decision(id: string, said: string | null, state = "APPROVE_DESIGN"): JsonObject {
  const at = said === null ? null : "2026-01-02T10:00:01Z";
  const record = {
    decision_id: id,
    question: "?",
    status: said === null ? "pending" : "answered",
    answer: said,
    asked_at: "2026-01-02T10:00:00Z",
  };
  return { ...record, resolved_at: at, resolution_reason: null, state_context: state };
}

const sentBack = decision(design, "changes-requested: name the module in the architecture");
const track = (correction_status: string, agent: string | null = null): JsonObject => ({
  APPROVE_DESIGN: { correction_status, last_correction_dispatch: { agent, task_id: agent === null ? null : "meta", at: null } },
});

/** A session that was worked on elsewhere, taken up by a run. */
async function bring(
  status: JsonObject,
  files: Readonly<Record<string, string>> = {},
  inputs: JsonObject = {},
): Promise<[MachineWorld, string]> {
  const world = await open();
  const all = { "spec.md": spec, "acceptance.json": acceptance, "architecture.md": architecture, ...files };
  for (const [path, text] of Object.entries({ ...all, "status.json": JSON.stringify({ session: name, ...status }) }))
    await world.write(`.agents-work/${name}/${path}`, text);
  return [world, await world.begin({ request: "Go on", session: name, ...inputs })];
}

const tracked = async (world: MachineWorld): Promise<unknown> => {
  const { gate_tracking: tracking } = await world.status();
  return isObject(tracking) && isObject(tracking["APPROVE_DESIGN"]) ? tracking["APPROVE_DESIGN"] : undefined;
};

describe("a session brought along in APPROVE_DESIGN with changes requested", () => {
  test("none: the correction is queued and dispatched once, then the same question is asked", async () => {
    const [world, run] = await bring({ current_state: "APPROVE_DESIGN", user_decisions: [sentBack] });
    await world.drive(run, {}, silent);
    expect(await tracked(world)).toMatchObject({
      correction_status: "dispatched",
      last_correction_dispatch: { agent: "Architect", task_id: "meta" },
    });
    await world.drive(run, goodTeam, silent);
    expect(world.seen).toEqual(["do Architect:meta", "do Architect:meta", `ask ${design}`]);
    expect(await tracked(world)).toMatchObject({ correction_status: "completed" });
  }, 60_000);

  test("queued: the role that its words concern is dispatched", async () => {
    const record = decision(design, "changes-requested: the acceptance criteria are vague");
    const [world, run] = await bring({ current_state: "APPROVE_DESIGN", user_decisions: [record], gate_tracking: track("queued") });
    await world.drive(run, goodTeam, silent);
    expect(world.seen).toEqual(["do SpecAgent:meta", `ask ${design}`]);
  }, 60_000);

  test("dispatched: the work is looked at, counts as completed, and nobody is dispatched again", async () => {
    const status = { current_state: "APPROVE_DESIGN", user_decisions: [sentBack], gate_tracking: track("dispatched", "Architect") };
    const [world, run] = await bring(status);
    await world.drive(run, goodTeam, silent);
    expect(world.seen).toEqual([`ask ${design}`]);
    expect(await tracked(world)).toMatchObject({ correction_status: "completed" });
  }, 60_000);

  test("dispatched, but what was made does not pass: it is mended first", async () => {
    const status = { current_state: "APPROVE_DESIGN", user_decisions: [sentBack], gate_tracking: track("dispatched", "Architect") };
    const [world, run] = await bring(status, { "architecture.md": "# Architecture\n" });
    await world.drive(run, goodTeam, silent);
    expect(world.seen).toEqual(["do Architect:meta", `ask ${design}`]);
  }, 60_000);

  test("completed: approval is asked for", async () => {
    const status = { current_state: "APPROVE_DESIGN", user_decisions: [sentBack], gate_tracking: track("completed", "Architect") };
    const [world, run] = await bring(status);
    await world.drive(run, goodTeam, silent);
    expect(world.seen).toEqual([`ask ${design}`]);
    expect((await world.status()).user_decisions).toMatchObject([{ decision_id: design, status: "pending", answer: null }]);
  }, 60_000);
});

describe("a session brought along elsewhere", () => {
  test("REVIEW_STRATEGY: the strategy is asked for after the approval that Waymark never had; valid work is not done again", async () => {
    const decisions = [decision(design, "approved"), decision(strategy, null, "REVIEW_STRATEGY")];
    const [world, run] = await bring({ current_state: "REVIEW_STRATEGY", user_decisions: decisions }, { "tasks.yaml": plan(["T-001"]) });
    await world.drive(run, goodTeam, ({ id }) => (id === design ? "approved" : undefined));
    expect(world.seen).toEqual([`ask ${design}`, `ask ${strategy}`]);
    expect((await world.status()).current_state).toBe("REVIEW_STRATEGY");
  }, 60_000);

  test("ASK_USER: it goes back to where the question came from, pending ones are settled with a reason, ids go on counting", async () => {
    const decisions = [
      decision(design, "approved"),
      decision(strategy, "per-batch", "REVIEW_STRATEGY"),
      decision("UD-3", null, "IMPLEMENT_LOOP"),
    ];
    const [world, run] = await bring({ current_state: "ASK_USER", user_decisions: decisions }, { "tasks.yaml": plan(["T-001"]) });
    const { Coder: _later, ...early } = goodTeam;
    const answers: Answers = ({ id, question }) => {
      if (id === design) return "approved";
      return id === strategy ? "per-batch" : question.includes("Nothing can continue") ? undefined : "allow";
    };
    await world.drive(run, early, answers);
    expect(world.seen).toEqual([`ask ${design}`, `ask ${strategy}`, "do Coder:T-001"]);
    expect((await world.status()).user_decisions[2]).toMatchObject({
      decision_id: "UD-3",
      status: "skipped",
      resolution_reason: expect.stringContaining("again"),
    });
    const cast = { ...goodTeam, Coder: async () => ({ status: "no report" }) };
    await world.drive(run, cast, answers);
    expect(world.seen.at(-1)).toBe("ask UD-4");
  }, 60_000);

  test("a whole session is finished: what was made elsewhere counts", async () => {
    const [world, run] = await bring({ current_state: "PLAN", user_decisions: [decision(design, "approved")] });
    const { state } = await world.drive(run, goodTeam, ({ id }) =>
      id === design ? "approved" : id === strategy ? "single-final" : undefined,
    );
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(world.seen.slice(0, 3)).toEqual([`ask ${design}`, "do Planner:meta", `ask ${strategy}`]);
  }, 60_000);

  test("lean: its one task is taken up, and the gates of the other mode do not stand in the way", async () => {
    const [world, run] = await bring({ current_state: "IMPLEMENT_LOOP" }, { "tasks.yaml": plan(["T-001"]) }, lean);
    await world.drive(run, {}, silent);
    expect(world.seen).toEqual(["do Coder:T-001"]);
  }, 60_000);

  test("a gate whose artifacts do not pass is not asked before they do", async () => {
    const [world, run] = await bring({ current_state: "APPROVE_DESIGN" }, { "architecture.md": "nothing\n" });
    await world.drive(run, {}, silent);
    expect(world.seen).toEqual(["do Architect:meta"]);
  }, 60_000);
});

describe("a process that dies in the middle", () => {
  test("of a correction: the next one has the same dispatch, and it is dispatched once", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    await world.drive(run, goodTeam, silent);
    await answer(world.engine.context, person, { run, decision: design, answer: "changes-requested: name the module", relayed: false });
    const first = await next(world.engine.context, world.engine.caller, { run, waitMs: 20_000 });
    expect(first.standing).toMatchObject({ kind: "action", action: { step: "Architect:meta" } });
    const before = await tracked(world);
    const fresh = await world.engine.again();
    await freeHolders(world.engine.context);
    const again = await resume(fresh.context, fresh.caller, { run, waitMs: 20_000 });
    expect(again.standing).toMatchObject({ kind: "action", action: { step: "Architect:meta", taken: 1 } });
    expect(await tracked(world)).toEqual(before);
    const dispatch = again.standing.kind === "action" ? (again.standing.action.args["dispatch"] as JsonObject) : {};
    const action = again.standing.kind === "action" ? again.standing.action.id : "";
    const result = (await goodTeam["Architect"]?.(dispatch, world)) as JsonObject;
    const { position } = await progress(fresh.context, fresh.caller, { run, action, status: "success", result, waitMs: 20_000 });
    expect(position.standing).toMatchObject({ kind: "question", decision: { id: design, revision: 2 } });
    await fresh.close();
    const lines = (await world.text(`.agents-work/${await world.session()}/approve-design-history.jsonl`)).trim().split("\n");
    expect(lines).toHaveLength(1);
  }, 60_000);

  test("of a task: the place, the counts and the tasks are as they were", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const { QA: _later, ...early } = goodTeam;
    const answers: Answers = ({ id }) => (id === design ? "approved" : id === strategy ? "per-batch" : "allow");
    await world.drive(run, early, answers);
    expect(world.seen.at(-1)).toBe("do QA:T-001");
    const before = await world.status();
    const fresh = await world.engine.again();
    await freeHolders(world.engine.context);
    const { standing } = await resume(fresh.context, fresh.caller, { run, waitMs: 20_000 });
    expect(standing).toMatchObject({ kind: "action", action: { step: "QA:T-001", taken: 1 } });
    await freeHolders(world.engine.context);
    await fresh.close();
    expect(await world.status()).toEqual(before);
    await resume(world.engine.context, world.engine.caller, { run });
    const { state } = await world.drive(run, goodTeam, answers);
    expect(state.status).toBe("completed");
    expect(world.seen.filter((line) => line === "do Coder:T-001")).toHaveLength(1);
  }, 60_000);
});
