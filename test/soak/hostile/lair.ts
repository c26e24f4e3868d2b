import { isWaymarkError } from "../../../src/base/index.ts";
import { start, type Position } from "../../../src/engine/index.ts";
import type { TestEngine } from "../../support/test-engine.ts";
import { listedCode } from "../listed-codes.ts";
import type { Tally } from "../tally.ts";

/** Where attacks are tried: a real engine on a workspace that the attacker wrote. */
export interface Lair {
  readonly engine: TestEngine;
  readonly tally: Tally;
  /** One of so many attacks is made. */
  readonly every: number;
  index: number;
}

export const caseName = "lair:case";

export function bad(why: string): never {
  throw new Error(why);
}

/** One attack; `check` says how it was refused, or throws. */
export async function attempt(lair: Lair, name: string, check: () => Promise<string>): Promise<void> {
  lair.index += 1;
  if (lair.index % lair.every !== 0) return;
  await lair.tally.case(lair.index, async () => `${name.split(":")[0] ?? name}: ${await check()}`, name);
}

/** Writes the workflow over the last one, allows it and starts it; runs keep what they started with. */
export async function open({ engine }: Lair, body: object): Promise<Position> {
  await engine.write(
    ".waymark/workflows/lair__case.yaml",
    JSON.stringify({ name: caseName, description: "A case.", version: "1.0.0", ...body }),
  );
  const { program } = await engine.context.catalog.load(caseName);
  if (program !== undefined) await engine.allow(caseName);
  return start(engine.context, engine.caller, { workflow: caseName });
}

/** Does something that must be refused, by an error or by ending the run; `otherwise` judges anything else. */
export async function outcome<T>(call: () => Promise<T>, otherwise: (value: T) => string): Promise<string> {
  try {
    return otherwise(await call());
  } catch (error) {
    if (isWaymarkError(error)) return `refused (${listedCode(error.code, error.message)})`;
    throw error;
  }
}

/** How the run that was to be refused failed. */
export function refusal({ state, standing }: Position): string {
  if (state.status === "failed" && state.error !== undefined) return `refused (${listedCode(state.error.code, state.error.message)})`;
  return bad(`The run is ${state.status} and stands at ${standing.kind}.`);
}
