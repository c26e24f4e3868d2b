import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

/** Waits until this process sees the run change, at most so long: another process may change it without a sign. Then brings the run up to date. */
export async function waitForChange({ host, runs }: EngineContext, handle: RunHandle, ms: number): Promise<void> {
  const seen = new AbortController();
  try {
    await Promise.race([handle.changed, host.alarms.wait(ms, seen.signal)]);
  } finally {
    seen.abort();
  }
  await runs.refresh(handle);
}
