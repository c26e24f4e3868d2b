import type { Store, StoreMarks } from "../ports/index.ts";
import { notAdopted } from "./store-errors.ts";

const runsShown = 10;

/**
 * The store, which this user has to have made or adopted before anything is written to it, handed out, leased or performed. Looking into it
 * is free. A store that is made now is the user's own.
 */
export function guardedStore(store: Store, marks: Pick<StoreMarks, "has">): Store {
  let isMarked = false;
  const requireMark = async (): Promise<boolean> => {
    const identity = isMarked ? undefined : await store.identity();
    if (identity === undefined) return isMarked;
    if (!(await marks.has(identity))) throw await refusal(store);
    isMarked = true;
    return true;
  };
  const guarded =
    (write: Method): Method =>
    async (...given) => {
      if (await requireMark()) return write(...given);
      const made = await write(...given);
      await requireMark();
      return made;
    };
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const method = member.bind(target) as Method;
      return looks.has(name) ? method : guarded(method);
    },
  });
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** What changes nothing, and how a store is adopted; everything else is guarded. */
const looks: ReadonlySet<string | symbol> = new Set<keyof Store>([
  "now",
  "readRun",
  "listRuns",
  "findWork",
  "readRecords",
  "findRecord",
  "readSnapshot",
  "readLease",
  "readLeases",
  "readPool",
  "readPools",
  "readBlob",
  "blobFile",
  "selectItems",
  "countItems",
  "readItem",
  "dependants",
  "itemLists",
  "describe",
  "verify",
  "close",
  "identity",
  "identify",
]);

/** Why a store that this user neither made nor adopted is left alone. */
export async function refusal(store: Pick<Store, "describe" | "listRuns">): Promise<Error> {
  const { location } = await store.describe();
  const open = await store.listRuns({ status: ["running"], limit: runsShown + 1 });
  const runs = open.slice(0, runsShown).map(({ id, workflow, createdAt }) => ({ id, workflow, since: new Date(createdAt).toISOString() }));
  return notAdopted(location, runs, open.length > runsShown);
}
