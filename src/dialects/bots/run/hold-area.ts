import { refused, type EngineContext } from "../../../engine/index.ts";

const pauseMs = 15;
let turns = 0;

/** One at a time writes the files of a project area, whichever process or bot it is for. A turn whose process died ends by itself. */
export async function holdArea<T>({ store, host, settings }: EngineContext, area: string, work: () => Promise<T>): Promise<T> {
  const key = `bot-area/${area}`;
  turns += 1;
  const owner = `${host.processId}/${turns}`;
  const deadline = (await store.now()) + 2 * settings.leaseTtlMs;
  for (;;) {
    const fence = ((await store.readLease(key))?.fence ?? 0) + 1;
    if ((await store.acquire(key, owner, fence, settings.leaseTtlMs)).granted) break;
    if ((await store.now()) > deadline)
      throw refused(
        "ENGINE_BOT_FILE",
        `The files of ${area} are being written by somebody else for too long.`,
        "Retry the run in a moment.",
        {},
      );
    await host.alarms.wait(pauseMs);
  }
  try {
    return await work();
  } finally {
    await store.releaseLease(key, owner).catch(() => undefined);
  }
}
