import type { EngineContext } from "../../engine/index.ts";

type Store = EngineContext["store"];

/** The store with a clock that a test can move forwards, so that waits and delays take no time. Everything else is the store's own. */
export function shiftedStore(store: Store): { readonly store: Store; jumpTo(time: number): Promise<void> } {
  let ahead = 0;
  const now = async (): Promise<number> => (await store.now()) + ahead;
  const shifted = new Proxy(store, {
    get: (target, name) => {
      if (name === "now") return now;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return {
    store: shifted,
    jumpTo: async (time) => {
      ahead += Math.max(0, time - (await now()) + 1);
    },
  };
}
