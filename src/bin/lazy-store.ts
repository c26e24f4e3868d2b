import type { Store } from "../ports/index.ts";

/**
 * A store that is opened by the first call that needs it: commands that only read definitions create nothing in the
 * workspace, and a server answers its first request without waiting for the database.
 */
export function lazyStore(open: () => Promise<Store>): Store {
  let opening: Promise<Store> | undefined;
  let opened: Store | undefined;
  const ready = async (): Promise<Store> => {
    opening ??= open();
    try {
      opened = await opening;
      return opened;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const special: Partial<Store> = {
    close: async () => {
      if (opening !== undefined) await (await opening).close();
    },
    blobPath: (hash) => {
      if (opened === undefined) throw new Error("The store has not been opened yet.");
      return opened.blobPath(hash);
    },
  };
  return new Proxy({} as Store, {
    get: (_target, name: keyof Store | "then") => {
      if (name === "then") return undefined;
      if (Object.hasOwn(special, name)) return special[name];
      return async (...args: never[]): Promise<unknown> => {
        const store = opened ?? (await ready());
        return (store[name] as (...given: never[]) => unknown).apply(store, args);
      };
    },
  });
}
