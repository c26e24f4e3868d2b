import { freeHolders } from "../../../../test/support/free-holders.ts";
import { describe, expect, test } from "vitest";
import { person, type Answers, type MachineWorld, type Play } from "../../../../test/support/machine-world.ts";
import { deliveryWorlds } from "../../../../test/support/delivery-worlds.ts";
import { goodTeam, reported, taskOf } from "../../../../test/support/scripted-team.ts";
import type { JsonObject } from "../../../base/index.ts";
import { next, note, progress, resume, type Position } from "../../../engine/index.ts";

const open = deliveryWorlds();

const usual: Answers = ({ id, question }) => {
  if (id === "UD-APPROVE-DESIGN") return "approved";
  if (id === "UD-REVIEW-STRATEGY") return "per-batch";
  return question.includes("Nothing can continue") ? "retry" : undefined;
};

const say = (world: MachineWorld, run: string, text: string, target?: string): Promise<unknown> =>
  note(world.engine.context, person, { run, text, ...(target === undefined ? {} : { target }) });

/** What a person said, as the action in hand carries it: beside the dispatch, or as a constraint of its task. */
function heardIn({ standing }: Position): readonly string[] {
  if (standing.kind !== "action") return [];
  const { notes = [], args } = standing.action;
  return [
    ...notes,
    ...((taskOf(args["dispatch"] as JsonObject)["constraints"] ?? []) as readonly string[]).filter(
      (line) => !line.startsWith("The request:"),
    ),
  ];
}

/** Drives to the end and remembers which step heard what. */
async function listen(world: MachineWorld, run: string, cast: Readonly<Record<string, Play>> = goodTeam): Promise<Map<string, string[]>> {
  const heard = new Map<string, string[]>();
  const { state } = await world.drive(run, cast, usual, (position) => {
    const words = heardIn(position);
    if (position.standing.kind === "action" && words.length > 0) {
      const { step } = position.standing.action;
      heard.set(step, [...(heard.get(step) ?? []), ...words]);
    }
    return false;
  });
  expect(state.status, world.seen.join("\n")).toBe("completed");
  expect(state.notes).toEqual([]);
  return heard;
}

describe("messages of a person", () => {
  test("wait for the state, the role, the task or the step they are meant for", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    await say(world, run, "to the role", "QA");
    await say(world, run, "to the task", "T-002");
    await say(world, run, "to the step", "Reviewer:T-002");
    await say(world, run, "to the state", "INTEGRATE");
    await say(world, run, "to the inner state", "REVIEW");
    await say(world, run, "to whoever is next");
    const heard = await listen(world, run);
    expect(Object.fromEntries(heard)).toEqual({
      "Architect:meta": ["to whoever is next"],
      "Reviewer:T-001": ["to the inner state"],
      "QA:T-001": ["to the role"],
      "Coder:T-002": ["to the task"],
      "Reviewer:T-002": ["to the step"],
      "Integrator:meta": ["to the state"],
    });
  }, 60_000);

  test("come again with every try until a report counts, and after a halt", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    await say(world, run, "mind the umlauts", "Architect");
    let tries = 0;
    const cast = {
      ...goodTeam,
      Architect: (async (dispatch, at) => {
        tries += 1;
        if (tries <= 3) return { nonsense: tries };
        return tries === 4 ? reported("FAIL", "Cannot now.") : goodTeam["Architect"]?.(dispatch, at);
      }) satisfies Play,
    };
    const heard = await listen(world, run, cast);
    expect(tries).toBe(5);
    expect(heard.get("Architect:meta")).toEqual(Array.from({ length: 5 }, () => "mind the umlauts"));
    expect(heard.size).toBe(1);
  }, 60_000);

  test("are there for the next process, also when a step is reported as failed", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const { context, caller } = world.engine;
    await say(world, run, "use German", "SpecAgent");
    const first = await next(context, caller, { run, waitMs: 20_000 });
    // The first dispatch was open before the message came: it is for the next one of this role.
    expect(heardIn(first)).toEqual([]);
    const action = first.standing.kind === "action" ? first.standing.action.id : "";
    const { position } = await progress(context, caller, { run, action, status: "failed", error: "crashed", waitMs: 20_000 });
    expect(heardIn(position)).toEqual(["use German"]);
    const second = position.standing.kind === "action" ? position.standing.action.id : "";
    const again = await progress(context, caller, { run, action: second, status: "failed", error: "crashed", waitMs: 20_000 });
    expect(heardIn(again.position)).toEqual(["use German"]);
    const fresh = await world.engine.again();
    await freeHolders(fresh.context);
    expect(heardIn(await resume(fresh.context, fresh.caller, { run, waitMs: 20_000 }))).toEqual(["use German"]);
    await fresh.close();
  }, 60_000);

  test("said while a gate is open reach the work behind it, and one for a state that never comes is kept", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    await world.drive(run, goodTeam, () => undefined);
    await say(world, run, "small tasks, please");
    await say(world, run, "never heard", "FIX_SECURITY");
    const position = await world.drive(run, {}, usual);
    expect(position.standing).toMatchObject({ kind: "action", action: { step: "Planner:meta", notes: ["small tasks, please"] } });
    expect(position.state.notes).toMatchObject([{ text: "never heard", target: "FIX_SECURITY" }]);
  }, 60_000);
});
