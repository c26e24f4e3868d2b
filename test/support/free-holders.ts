import type { EngineContext } from "../../src/engine/index.ts";

/** Leaves every part of every run free, as after the death of the processes that held them. */
export async function freeHolders({ store, holding }: EngineContext): Promise<void> {
  const owners = new Set((await store.readLeases("strand/")).map(({ owner }) => owner));
  for (const owner of owners) await holding.release(owner);
}
