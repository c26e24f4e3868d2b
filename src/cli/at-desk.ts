import type { Caller, EngineContext } from "../engine/index.ts";
import type { Desk } from "./command-share.ts";
import type { Given } from "./define-command.ts";
import type { CliWorld } from "./world.ts";

/** Opens the engine for the length of one command. */
export function atDesk<T>({ session, shares }: Pick<Given, "session" | "shares">, work: (desk: Desk) => Promise<T>): Promise<T> {
  return session.withEngine((context) => work({ session, shares, context, caller: cliCaller(session.world, context) }));
}

/**
 * A person at the command line. No process stays behind to beat for them, so their lease lasts as long as a strand may be idle.
 * `cli-terminal` is claimed only when stdin and stdout are a terminal.
 */
export function cliCaller(world: Pick<CliWorld, "user" | "isTerminal">, context: EngineContext): Caller {
  return {
    holder: { kind: "person", name: world.user, session: "cli" },
    surface: world.isTerminal ? "cli-terminal" : "cli",
    leaseOwner: `cli:${world.user}`,
    leaseTtlMs: context.settings.idleAfterMs,
  };
}
