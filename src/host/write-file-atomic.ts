import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { writeFailed } from "./codes.ts";

/**
 * Replaces a file as a whole: readers see the old text or the new one, also after a crash. Missing folders are made. Without
 * `mode` an existing file keeps its own. Pieces are written as they come. Rejects with `HOST_WRITE_FAILED`, the old file untouched.
 */
export async function writeFileAtomic(path: string, text: string | Uint8Array | AsyncIterable<string>, mode?: number): Promise<void> {
  const folder = dirname(path);
  const beside = join(folder, `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    const held = await stat(path).catch(() => undefined);
    const wanted = mode ?? (held && held.mode & 0o777);
    await writeFile(beside, text, { flag: "wx", mode: wanted ?? 0o666, flush: true });
    // The mask of this process narrows the mode of a new file.
    if (wanted !== undefined) await chmod(beside, wanted);
    await moveOver(beside, path);
    await syncFolder(folder);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw writeFailed(path, cause);
  }
}

/** Windows refuses to replace a file that another process is reading at this moment; a few short waits help. */
async function moveOver(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      if (process.platform !== "win32" || tries > 5 || (code !== "EPERM" && code !== "EACCES" && code !== "EBUSY")) throw cause;
      await delay(20 * tries);
    }
  }
}

/** Makes the new name durable. Windows has no such thing for folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
