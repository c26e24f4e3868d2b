import type { TestEngine } from "../support/test-engine.ts";
import { account, checkCounts } from "./account.ts";
import { DriftWorld } from "./drift-world.ts";
import { actHonestly } from "./honest.ts";
import { misbehaviours } from "./misbehave.ts";
import type { Open, Surface } from "./surface.ts";

export interface DriftCase {
  readonly kind: string;
  readonly seed: number;
  readonly mostFiles: number;
  readonly agent: (engine: TestEngine) => Promise<Surface>;
}

export interface DriftEnd {
  readonly kind: string;
  readonly seed: number;
  readonly workflow: string;
  readonly files: number;
  readonly accounted: number;
  /** Why the run waits, when it could not end. */
  readonly blocked?: string;
  readonly steps: number;
  readonly misdeeds: number;
  readonly refusals: ReadonlyMap<string, number>;
  readonly complaints: readonly string[];
}

/** How often the agent does something else than what is open. */
const drift = 0.4;
const disturbance = 0.02;
const sampled = 0.1;

/** One run from its start to its end, with an agent that misbehaves in one way. */
export async function driftCase(options: DriftCase): Promise<DriftEnd> {
  const { kind, seed } = options;
  const world = await DriftWorld.open(options);
  try {
    if (seed % 4 === 3) await world.newcomer();
    const limit = 200 + world.initial.size * 40;
    let blocked: string | undefined;
    let steps = 0;
    for (; steps < limit; steps += 1) {
      const { agent } = world;
      const open = await world.next(agent);
      if (open.kind === "ended") break;
      blocked = await whyBlocked(world, agent, open);
      if (blocked !== undefined) break;
      if (open.kind === "check" && world.random.chance(disturbance)) world.disturb();
      await oneStep(world, agent, open, misbehaviours[kind] ?? []);
      if (world.random.chance(sampled)) await checkCounts(world);
    }
    if (steps === limit) world.complain(`it did not end in ${limit} steps`);
    await checkCounts(world);
    const { files, accounted, open } = await account(world, blocked !== undefined || steps === limit);
    if (blocked === undefined && (accounted !== files || open > 0)) world.complain(`${accounted} of ${files} files are accounted for`);
    const { misdeeds, refusals, complaints, workflow } = world;
    return {
      kind,
      seed,
      workflow: workflow.name,
      files,
      accounted,
      steps,
      misdeeds,
      refusals,
      complaints,
      ...(blocked === undefined ? {} : { blocked }),
    };
  } finally {
    await world.close();
  }
}

async function oneStep(world: DriftWorld, agent: Surface, open: Open, acts: (typeof misbehaviours)[string]): Promise<void> {
  if (open.kind === "waiting") return;
  if (acts.length > 0 && world.random.chance(drift)) {
    world.misdeeds += 1;
    await world.random.pick(acts)(world, agent, open);
    return;
  }
  await actHonestly(world, agent, open);
}

/** A run that nobody at hand can bring further must say why and name the ways out. */
async function whyBlocked(world: DriftWorld, agent: Surface, open: Open): Promise<string | undefined> {
  if (open.kind === "blocked") {
    if (open.why === "" || open.ways.length === 0) world.complain("it is blocked and does not say why, or names no way out");
    return open.why;
  }
  if (open.kind !== "question" || !open.question.person || world.workflow.person !== "never") return undefined;
  await world.refused("an agent's answer for a person", agent.answer(world.run, open.id, "go_on"), ["DECISION_FOR_PERSON"]);
  if (open.question.text === "" || open.question.options.length < 2) world.complain("it waits for a person and does not say for what");
  return open.question.text;
}
