import type { Store } from "../src/ports/index.ts";

/** What makes a durable transaction. */
const writing: ReadonlySet<string> = new Set([
  "createRun",
  "removeRun",
  "commit",
  "writeSnapshot",
  "dropSnapshots",
  "dropItems",
  "applyItems",
  "acquire",
  "beat",
  "releaseLease",
  "putBlob",
  "adoptBlob",
  "identify",
] satisfies (keyof Store)[]);

/** The store, with its writes counted by name. */
export function countWrites(store: Store, counts: Map<string, number>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const held: unknown = Reflect.get(target, name);
      if (typeof held !== "function") return held;
      return (...given: unknown[]): unknown => {
        if (writing.has(String(name))) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
        return Reflect.apply(held, target, given);
      };
    },
  });
}
