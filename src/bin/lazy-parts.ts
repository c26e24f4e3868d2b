import type { Knowledge } from "../knowledge/index.ts";
import type { Workspace } from "../ports/index.ts";

/** A workspace that is loaded when a run first goes through its files: most servers never need it. */
export function lazyWorkspace(load: () => Promise<Workspace>): Workspace {
  return lazyPart(load, (part) => ({
    async *scan(request) {
      yield* (await part.open()).scan(request);
    },
    close: async () => (await part.opening)?.close(),
  }));
}

/** Knowledge that is loaded with the first question. */
export function lazyKnowledge(load: () => Promise<Knowledge>): Knowledge {
  return lazyPart(load);
}

interface LazyPart<T> {
  open(): Promise<T>;
  opening: Promise<T> | undefined;
  opened: T | undefined;
}

/** Opened by the first call of a method that is not among its own; all others answer a promise. What could not be opened is tried again. */
function lazyPart<T extends object>(load: () => Promise<T>, ownOf: (part: LazyPart<T>) => Partial<T> = () => ({})): T {
  const part: LazyPart<T> = {
    opening: undefined,
    opened: undefined,
    open: async () => {
      part.opening ??= load();
      try {
        part.opened = await part.opening;
        return part.opened;
      } catch (error) {
        part.opening = undefined;
        throw error;
      }
    },
  };
  const own = ownOf(part);
  return new Proxy({} as T, {
    get: (_target, name: string & keyof T) => {
      if (name === "then") return undefined;
      if (Object.hasOwn(own, name)) return own[name];
      return async (...args: never[]): Promise<unknown> => {
        const held = part.opened ?? (await part.open());
        return (held[name] as (...given: never[]) => unknown).apply(held, args);
      };
    },
  });
}
