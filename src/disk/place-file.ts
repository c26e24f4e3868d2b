import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Replaces a file as a whole by one that `write` makes beside it and syncs: readers see the old content or the new one, also after a
 * crash. Missing folders are made, with `folderMode`. When it fails, the old file is untouched and nothing is left beside it.
 */
export async function placeFile(path: string, write: (beside: string) => Promise<void>, folderMode?: number): Promise<void> {
  const folder = dirname(path);
  const beside = join(folder, `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`);
  const made = await mkdir(folder, { recursive: true, mode: folderMode });
  if (made !== undefined) await syncFolder(dirname(made));
  try {
    await write(beside);
    await whileInUse(() => rename(beside, path));
    await syncFolder(folder);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw cause;
  }
}

/** Windows refuses to replace a file that another process is reading at this moment; a few short waits help. */
export async function whileInUse<T>(replace: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await replace();
    } catch (cause) {
      const mayPass = ["EPERM", "EACCES", "EBUSY"].includes((cause as NodeJS.ErrnoException).code ?? "");
      if (process.platform !== "win32" || tries > 5 || !mayPass) throw cause;
      await delay(20 * tries);
    }
  }
}

/** Makes the content of a file survive a power cut. */
export async function syncFile(path: string, flags = "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names in the folder survive a power cut. Windows keeps them by itself and cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== "win32") await syncFile(folder, "r");
}
