import type { Agents } from "../ports/index.ts";

/**
 * Agents of which none is opened before the agents that a killed runner left have ended: two must not work on the same files. What
 * needs no agent does not wait, so a run is taken up at once. Why the ending failed is for who opens an agent.
 */
export function agentsAfter(ended: Promise<unknown>, agents: Agents): Agents {
  ended.catch(() => undefined);
  return {
    ...agents,
    open: async (name) => {
      await ended;
      return agents.open(name);
    },
  };
}
