import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answers, MachineWorld, Play } from "../../../../test/support/machine-world.ts";
import { deliveryWorlds, lean } from "../../../../test/support/delivery-worlds.ts";
import { blocks, code, goodTeam, plan, reported } from "../../../../test/support/scripted-team.ts";
import { textOf, type JsonObject } from "../../../base/index.ts";

/** Leaves a file behind when it runs, named by its argument. */
const mark = 'import { writeFileSync } from "node:fs";\nwriteFileSync(`ran-${process.argv[2]}.txt`, "");\n';

const open = deliveryWorlds({ "mark.mjs": mark, ".gitignore": ".agents-work/\n.waymark/store/\nran-*\n" });

const ran = (world: MachineWorld, name: string): Promise<boolean> =>
  access(join(world.folder, `ran-${name}.txt`)).then(
    () => true,
    () => false,
  );

const planner =
  (command: string): Play =>
  async (dispatch, world) => {
    await world.write(`${textOf(dispatch["session"] ?? "")}/tasks.yaml`, plan(["T-001"]).replace("cmd: node check.mjs", `cmd: ${command}`));
    return reported("OK", "Planned.");
  };

describe("commands of checks", () => {
  test("are shown at the gate, run only when allowed, and asked about again when the plan is another one", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const shown: string[] = [];
    const plans = [planner("node mark.mjs one"), planner("node mark.mjs two")];
    let rounds = 0;
    const cast: Record<string, Play> = {
      ...goodTeam,
      Planner: async (dispatch, at) => (plans.shift() ?? planner("node check.mjs"))(dispatch, at),
      Reviewer: async (dispatch, at) => (shown.length < 2 ? blocks(`wrong ${(rounds += 1)}`) : goodTeam["Reviewer"]?.(dispatch, at)),
    };
    const state: boolean[] = [];
    const answers: Answers = async ({ id, question }) => {
      if (id === "UD-APPROVE-DESIGN") return "approved";
      if (question.includes("leads nowhere")) return "cut-scope";
      if (id !== "UD-REVIEW-STRATEGY") return undefined;
      shown.push(question);
      state.push(await ran(world, "one"), await ran(world, "two"));
      return "per-batch";
    };
    const end = await world.drive(run, cast, answers);
    expect(end.state.status, world.seen.join("\n")).toBe("completed");
    expect(shown).toHaveLength(2);
    expect(shown[0]).toContain("- node mark.mjs one");
    expect(shown[1]).toContain("- node mark.mjs two");
    expect(shown[1]).not.toContain("- node mark.mjs one");
    expect(state).toEqual([false, false, true, false]);
    expect(await ran(world, "two")).toBe(true);
    expect(end.state.decisions["UD-REVIEW-STRATEGY"]?.revision).toBe(2);
  }, 60_000);

  test("that somebody writes into the plan later are asked about before they run", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const asked: string[] = [];
    const cast: Record<string, Play> = {
      ...goodTeam,
      Planner: planner("node check.mjs"),
      Coder: async (dispatch, at) => {
        const path = `${textOf(dispatch["session"] ?? "")}/tasks.yaml`;
        const text = await at.text(path);
        if (asked.length === 0) await at.write(path, text.replace("cmd: node check.mjs", "cmd: node mark.mjs sneaked"));
        return code(dispatch, at);
      },
    };
    const position = await world.drive(run, cast, ({ id, question }) => {
      if (id === "UD-APPROVE-DESIGN") return "approved";
      if (id === "UD-REVIEW-STRATEGY" && !question.includes("sneaked")) return "per-batch";
      if (question.includes("Nothing can continue")) return "retry";
      asked.push(question);
      return question.includes("someone else changed it") ? "take-over" : undefined;
    });
    expect(position.standing.kind).toBe("question");
    expect(asked.at(-1), world.seen.join("\n")).toContain("node mark.mjs sneaked");
    expect(await ran(world, "sneaked")).toBe(false);
  }, 60_000);

  test("of a lean session are asked about first; what a person does not want run counts as not met", async () => {
    const world = await open();
    const run = await world.begin({ request: "Fix a typo", ...lean });
    const asked: string[] = [];
    const cast: Record<string, Play> = {
      ...goodTeam,
      SpecAgent: async (dispatch, at) => {
        await goodTeam["SpecAgent"]?.(dispatch, at);
        return planner("node mark.mjs lean")(dispatch, at);
      },
    };
    const position = await world.drive(run, cast, ({ question }) => {
      asked.push(question);
      if (question.includes("May Waymark run them")) return question.includes("lean") ? "not-run" : "allow";
      return question.includes("leads nowhere") ? "accept" : undefined;
    });
    expect(asked[0]).toContain("- node mark.mjs lean");
    expect(await ran(world, "lean")).toBe(false);
    expect(position.standing.kind).toBe("question");
    expect(asked.at(-1)).toContain("The check `node mark.mjs lean` does not pass.");
    expect((await world.status()).current_state).not.toBe("DONE");
  }, 60_000);
});

describe("instructions of the project", () => {
  test("both files are named with their precedence, and the flag is stored", async () => {
    const world = await open({ "AGENTS.md": "Use ES modules.\n", ".github/copilot-instructions.md": "Use tabs.\n" });
    const run = await world.begin({ request: "Make slugs of titles" });
    const position = await world.drive(run, {}, () => undefined);
    const dispatch = position.standing.kind === "action" ? (position.standing.action.args["dispatch"] as JsonObject) : {};
    expect(new Set(dispatch["project_instructions"] as string[])).toEqual(new Set([".github/copilot-instructions.md", "AGENTS.md"]));
    expect(textOf(dispatch["precedence"] ?? "").split(" > ")).toHaveLength(4);
    expect(textOf(dispatch["precedence"] ?? "")).toMatch(/project$/);
    const { runtime_flags: flags } = await world.status();
    expect(flags).toMatchObject({ copilot_instructions_exists: true, copilot_checked_at: expect.stringMatching(/^\d{4}-/) });
  }, 60_000);

  test("without them nothing is said of them, and the flag says so; it is read again from what was stored", async () => {
    const world = await open();
    const run = await world.begin({ request: "Make slugs of titles" });
    const first = await world.drive(run, {}, () => undefined);
    const dispatch = first.standing.kind === "action" ? (first.standing.action.args["dispatch"] as JsonObject) : {};
    expect(dispatch).not.toHaveProperty("project_instructions");
    expect((await world.status())["runtime_flags"]).toMatchObject({ copilot_instructions_exists: false });
    const { Architect: _later, ...early } = goodTeam;
    const { standing } = await world.drive(run, early, () => undefined);
    expect(standing).toMatchObject({ kind: "action", action: { step: "Architect:meta" } });
    expect((await world.status())["runtime_flags"]).toMatchObject({ copilot_instructions_exists: false });
  }, 60_000);
});
