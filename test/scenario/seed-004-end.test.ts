/** The end of a session: what it shows, what it runs again, and what it never touches. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MachineWorld, Play } from "../support/machine-world.ts";
import { record } from "../support/seed-004-recording.ts";
import { request, saying, smallest } from "../support/seed-004-runs.ts";
import { as, planned, redden } from "../support/seed-004-team.ts";
import { goodTeam } from "../support/scripted-team.ts";

const minutes = 120_000;

test(
  "status.json says DONE only when the definition of done holds",
  async () => {
    const { writes } = await smallest();
    const first = writes.findIndex(({ current_state }) => current_state === "DONE");
    expect(writes.slice(first).map(({ current_state }) => current_state)).toEqual(["DONE"]);
  },
  minutes,
);

test(
  "a role that changes an earlier session has its report refused",
  async () => {
    const old = ".agents-work/2025-01-01_old-one/spec.md";
    const meddle: Play = async (dispatch, world) => {
      await world.write(old, "changed\n");
      return as("SpecAgent")(dispatch, world);
    };
    const run = await record({
      inputs: { request },
      files: { [old]: "old\n" },
      cast: { SpecAgent: meddle },
      answers: saying(),
      stopAt: ["Architect:meta", 1],
    });
    expect(run.refused).toEqual(expect.arrayContaining([expect.stringContaining("old-one")]));
  },
  minutes,
);

test(
  "a red build that was accepted keeps the session open, and a retry at the end runs the commands again",
  async () => {
    let asked = 0;
    let place: MachineWorld | undefined;
    const usual = saying({ "FIX_BUILD of meta": ["accept"] });
    const run = await record({
      inputs: { request },
      cast: {
        ...goodTeam,
        Planner: planned(["T-001"], ["T-001", "type: feat", "type: docs"]),
        Integrator: async (dispatch, world) => {
          place = world;
          await redden(world);
          return as("Integrator")(dispatch, world);
        },
      },
      answers: (id, question, world) => {
        if (!question.includes("cannot end yet")) return usual(id, question, world);
        rmSync(join(place?.folder ?? "", "red"), { force: true });
        return (asked += 1) < 3 ? "retry" : undefined;
      },
    });
    expect([run.ended, run.open, asked]).toEqual(["completed", "", 1]);
  },
  minutes,
);
