import type { Conversations, Store, StoreMarks } from "../ports/index.ts";
import { refusal } from "./guarded-store.ts";

/** What takes nothing up. */
const looks: ReadonlySet<string | symbol> = new Set<keyof Conversations>(["close", "countSettled"]);

/** What a chat remembers, in a store that this user has to have made or adopted: messages and runs that wait there are taken up. */
export function guardedConversations(
  conversations: Conversations,
  store: Pick<Store, "identity" | "describe" | "listRuns">,
  marks: Pick<StoreMarks, "has">,
): Conversations {
  let isMarked = false;
  const requireMark = async (): Promise<void> => {
    if (isMarked) return;
    const identity = await store.identity();
    if (identity === undefined) return;
    if (!(await marks.has(identity))) throw await refusal(store);
    isMarked = true;
  };
  return new Proxy(conversations, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || looks.has(name)) return member;
      return async (...given: unknown[]): Promise<unknown> => {
        await requireMark();
        const done = await (member as (...args: unknown[]) => Promise<unknown>).apply(target, given);
        await requireMark();
        return done;
      };
    },
  });
}
