import type { Caller, EngineContext } from "../engine/index.ts";
import type { ClientFacts } from "./create-mcp-server.ts";

/** One client: its identity towards the engine, the calls it has under way, and what it holds. */
export interface Connection {
  readonly caller: (client: ClientFacts) => Caller;
  readonly track: (work: Promise<unknown>, mayHold: boolean) => void;
  /** Waits for the calls under way, then gives back what the client held. */
  close(): Promise<void>;
}

let connections = 0;

/** The session of a connection is unique in the store, so that two windows of one client are two holders. */
export function createConnection(context: EngineContext, surface: "mcp-stdio" | "mcp-http"): Connection {
  connections += 1;
  const session = `${context.host.processId}-${connections}`;
  const working = new Set<Promise<unknown>>();
  let holds = false;
  return {
    caller: ({ name, version }) => {
      const holder = { kind: "agent" as const, name: version === "" ? name : `${name}/${version}`, session };
      return { holder, surface, leaseOwner: session };
    },
    track: (work, mayHold) => {
      holds ||= mayHold;
      working.add(work);
      void work.finally(() => working.delete(work));
    },
    close: async () => {
      await Promise.allSettled(working);
      // A client that only looked leaves a workspace without a store as it was.
      if (holds) await context.holding.release(session);
    },
  };
}
