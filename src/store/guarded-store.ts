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
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (await requireMark()) return write(...given);
      const made = await write(...given);
      await requireMark();
      return made;
    };
  return {
    ...store,
    createRun: guarded(store.createRun),
    removeRun: guarded(store.removeRun),
    commit: guarded(store.commit),
    writeSnapshot: guarded(store.writeSnapshot),
    dropSnapshots: guarded(store.dropSnapshots),
    dropItems: guarded(store.dropItems),
    applyItems: guarded(store.applyItems),
    acquire: guarded(store.acquire),
    beat: guarded(store.beat),
    releaseLease: guarded(store.releaseLease),
    putBlob: guarded(store.putBlob),
    adoptBlob: guarded(store.adoptBlob),
    collectBlobs: guarded(store.collectBlobs),
  };
}

async function refusal(store: Store): Promise<Error> {
  const { location } = await store.describe();
  const open = await store.listRuns({ status: ["running"], limit: runsShown + 1 });
  const runs = open.slice(0, runsShown).map(({ id, workflow, createdAt }) => ({ id, workflow, since: new Date(createdAt).toISOString() }));
  return notAdopted(location, runs, open.length > runsShown);
}
