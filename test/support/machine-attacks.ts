/** Attacks on gates: worlds that wait for a person, and what became of every attempt. */
import { freeHolders } from "./free-holders.ts";
import { expect } from "vitest";
import { resume } from "../../src/engine/index.ts";
import type { McpTeam } from "./machine-mcp.ts";
import { bundledMachine, openMachineWorld, type Answers, type MachineWorld } from "./machine-world.ts";
import { goodTeam } from "./scripted-team.ts";

export const tally: { readonly attack: string; readonly refused: boolean; readonly recorded: boolean }[] = [];
export const design = "UD-APPROVE-DESIGN";
export const strategy = "UD-REVIEW-STRATEGY";

/** Every attack must be refused, and leave its trace in the run. */
export function expectRefused(attack: string, outcome: { readonly refused: boolean; readonly recorded: boolean }): void {
  tally.push({ attack, ...outcome });
  expect(outcome, attack).toEqual({ refused: true, recorded: true });
}

export const project = { "check.mjs": "process.exit(0);\n", "README.md": "# x\n" };
export const worlds: (MachineWorld | McpTeam)[] = [];

export async function openWorld(edit: (yaml: string) => string = (yaml) => yaml, check = "process.exit(0);\n"): Promise<MachineWorld> {
  const files = await bundledMachine();
  const path = ".waymark/workflows/delivery.machine.yaml";
  const world = await openMachineWorld({ ...files, [path]: edit(files[path] ?? ""), "check.mjs": check, "README.md": "# x\n" });
  worlds.push(world);
  return world;
}

export const usual: Answers = ({ id, question }) => {
  if (id === design) return "approved";
  if (id === strategy) return "per-batch";
  return question.includes("May Waymark run them") ? "allow" : undefined;
};
export const silent: Answers = () => undefined;
export const session = async (world: MachineWorld | McpTeam): Promise<string> => `.agents-work/${await world.session()}`;

/** A world whose run waits for the first gate. */
export async function atGate(world: MachineWorld): Promise<string> {
  const run = await world.begin({ request: "Make slugs of titles" });
  await world.drive(run, goodTeam, silent);
  return run;
}

/** Whether the run still waits for this question, seen by a fresh process. */
export async function stillAsks(world: MachineWorld, run: string, id: string): Promise<boolean> {
  const fresh = await world.engine.again();
  try {
    await freeHolders(fresh.context);
    const { standing } = await resume(fresh.context, fresh.caller, { run, waitMs: 20_000 });
    return standing.kind === "question" && standing.decision.id === id;
  } finally {
    await fresh.close();
  }
}
