import { holderBefore, lastHolder, plainDriver, status, type Caller, type EngineContext } from "../engine/index.ts";
import type { Desk } from "./command-share.ts";
import { driveLine, nextLine, quoted, watchLine, type Following } from "./printed-lines.ts";

type Driver = Pick<Caller["holder"], "name" | "flags">;

/** The options of a driver, which are kept with it. */
export function driverFlags({ name, flags }: Driver): readonly string[] {
  return flags ?? (name === plainDriver ? [] : ["--agent", quoted(name)]);
}

/** A holder as it is called in a sentence. */
export function holderWords({ kind, name }: Pick<Caller["holder"], "kind" | "name">): string {
  if (name === plainDriver) return "the driver";
  return kind === "agent" ? `the agent \`${name}\`` : `\`${name}\``;
}

/** The line that drives a run as its driver did. */
export function drivenLine(run: string, driver: Driver): string {
  return driveLine(run, driverFlags(driver));
}

/**
 * How an open run continues: by who is alive and has what follows, else by a line. A run that was driven is driven again; one that is driven
 * now can be looked at. `task`: the part of it that is meant.
 */
export async function continuing({ context, caller }: Pick<Desk, "context" | "caller">, run: string, task?: string): Promise<Following> {
  const { handle, strands } = await status(context, run);
  const before = await holderBefore(context, caller, handle, task);
  const isDriven = strands.some(({ strand, alive }) => alive && handle.state.strands[strand]?.holder?.kind === "worker");
  const continues = before === undefined ? {} : { continues: { name: before.name, words: holderWords(before) } };
  if (isDriven) return { ...continues, next: watchLine(run) };
  if (before !== undefined) return continues;
  const last = await lastHolder(context, run);
  return { next: last?.kind === "worker" ? drivenLine(run, last) : nextLine(run, task) };
}

/** As the last driver of the run did; plain where it had none. */
export async function lastDrivenLine(context: Pick<EngineContext, "store">, run: string): Promise<string> {
  const driver = await lastHolder(context, run, "worker");
  return driver === undefined ? driveLine(run) : drivenLine(run, driver);
}
