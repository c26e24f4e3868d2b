import type { EngineContext } from "../context.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";
import { sealIn } from "./seal.ts";

/**
 * Whether the very answer of this seal was refused before. A seal covers run, question, revision and words, so the same one again is
 * the same wrong answer to the same question, also from somebody else.
 */
export async function wasRefused(context: EngineContext, handle: RunHandle, seal: string): Promise<boolean> {
  for await (const { facts = "" } of recordsWith(context, handle, ['"answer_refused"'])) if (sealIn(facts) === seal) return true;
  return false;
}
