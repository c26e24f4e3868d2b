import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { sealIn } from "./seal.ts";

/**
 * Whether the very answer of this seal was refused before. A seal covers run, question, revision and words, so the same one again is
 * the same wrong answer to the same question, whoever sends it.
 */
export async function wasRefused({ store }: EngineContext, { id }: RunHandle, seal: string): Promise<boolean> {
  for (let from = 0; ;) {
    const records = await store.readRecords(id, from, 500);
    if (records.some(({ events, facts = "" }) => events.includes('"answer_refused"') && sealIn(facts) === seal)) return true;
    const last = records.at(-1);
    if (last === undefined) return false;
    from = last.position;
  }
}
