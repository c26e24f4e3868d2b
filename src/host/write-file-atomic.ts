import { chmod, stat, writeFile } from "node:fs/promises";
import { placeFile } from "../disk/index.ts";
import { writeFailed } from "./codes.ts";

/**
 * Replaces a file as a whole: readers see the old text or the new one, also after a crash. Missing folders are made. Without
 * `mode` an existing file keeps its own. Pieces are written as they come. Rejects with `HOST_WRITE_FAILED`, the old file untouched.
 */
export async function writeFileAtomic(path: string, text: string | Uint8Array | AsyncIterable<string>, mode?: number): Promise<void> {
  try {
    await placeFile(path, async (beside) => {
      const held = await stat(path).catch(() => undefined);
      const wanted = mode ?? (held && held.mode & 0o777);
      await writeFile(beside, text, { flag: "wx", mode: wanted ?? 0o666, flush: true });
      // The mask of this process narrows the mode of a new file.
      if (wanted !== undefined) await chmod(beside, wanted);
    });
  } catch (cause) {
    throw writeFailed(path, cause);
  }
}
