/** What scenarios of the bundled delivery share: worlds that are closed after each test, the lean way, and answers that let it pass. */
import { afterEach } from "vitest";
import { bundledMachine, openMachineWorld, type Answers, type MachineWorld, type WorldOptions } from "./machine-world.ts";

type Files = Readonly<Record<string, string>>;

/** Answers a function that opens worlds with these files, and closes them after the test that opened them. */
export function deliveryWorlds(files: Files = {}): (more?: Files, options?: WorldOptions) => Promise<MachineWorld> {
  const worlds: MachineWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });
  return async (more = {}, options = {}) => {
    const usually = { "check.mjs": "process.exit(0);\n", "README.md": "# x\n" };
    const world = await openMachineWorld({ ...(await bundledMachine()), ...usually, ...files, ...more }, options);
    worlds.push(world);
    return world;
  };
}

/** Inputs of a run in the lean way, with all that it wants confirmed. */
export const lean = {
  mode: "lean",
  confirmed: { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true },
};

/** Lets every gate pass and allows what checks run. */
export const approving: Answers = ({ id, question }) => {
  if (id === "UD-APPROVE-DESIGN") return "approved";
  if (id === "UD-REVIEW-STRATEGY") return "per-batch";
  return question.includes("May Waymark run them") ? "allow" : undefined;
};
