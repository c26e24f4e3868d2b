import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";

/** What a person's answer is sealed over: a record that was put into the store by hand has no seal, or one of another answer. */
export function sealedText(run: string, decision: string, revision: number, answer: string): string {
  return ["waymark.answer", run, decision, String(revision), answer].join("\n");
}

/** Whether the newest answer to this question was given to Waymark by a person, and reads as it did then. */
export async function isSealed({ store, host }: EngineContext, handle: RunHandle, decision: string, answer: string): Promise<boolean> {
  const revision = handle.state.decisions[decision]?.revision ?? 1;
  const record = await store.findRecord(handle.id, `answer:${decision}:${revision}`);
  const facts = record?.facts === undefined ? undefined : (JSON.parse(record.facts) as { readonly seal?: unknown });
  return typeof facts?.seal === "string" && facts.seal === (await host.seal(sealedText(handle.id, decision, revision, answer)));
}
