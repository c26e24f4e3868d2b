import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

/** Waits until this process sees the run change, at most so long: another process may change it without a sign. Then brings the run up to date. */
export async function waitForChange({ host, runs }: EngineContext, handle: RunHandle, ms: number): Promise<void> {
  const seen = new AbortController();
  try {
    await Promise.race([handle.changed, host.alarms.wait(ms, seen.signal)]);
  } finally {
    // Without a reason, an error with its stack would be made as one.
    seen.abort("seen");
  }
  await runs.refresh(handle);
}
