import type { Actor, Holder } from "../kernel/index.ts";

/** Who calls, as the surface knows it. Never taken from a payload. */
export interface Caller {
  readonly holder: Holder;
  /** `mcp-stdio`, `mcp-http`, `cli`, `cli-terminal`, `http`, `elicitation`, `test`, `engine`. */
  readonly surface: string;
  /** Owner name of the leases this caller takes: a process beats for its own, a person at a command line has no process that stays. */
  readonly leaseOwner: string;
  readonly leaseTtlMs?: number;
}

export function actorOf(caller: Caller): Actor {
  return { ...caller.holder, surface: caller.surface };
}

/** The engine acting by itself: effects, timers, lost leases. */
export function engineActor(processId: string): Actor {
  return { kind: "engine", name: "waymark", session: processId, surface: "engine" };
}
