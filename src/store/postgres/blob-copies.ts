import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isWaymarkError } from "../../base/index.ts";
import { placeFile } from "../../disk/index.ts";
import { unlessMissing } from "../blob-folder.ts";
import { fileFailure } from "../store-errors.ts";

/** A copy that nobody asked for in this time is removed; it is made again when it is asked for. */
const keptMs = 7 * 24 * 3_600_000;

/** Files with the bytes of blobs, on this computer, for people and agents to open. Only their user can read them. */
export class BlobCopies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A file whose bytes have the hash now: one that was changed is made again from what `read` gives. */
  async file(hash: string, read: () => Promise<Uint8Array>): Promise<string> {
    const path = join(this.#folder, hash.slice(0, 2), hash);
    try {
      // Young before it is read: nobody removes it while it is, or it is made again.
      await utimes(path, new Date(), new Date()).catch(unlessMissing);
      if ((await hashOf(path)) !== hash) {
        const bytes = await read();
        await placeFile(path, (beside) => writeFile(beside, bytes, { flag: "wx", mode: 0o600, flush: true }), 0o700);
      }
      return path;
    } catch (error) {
      throw isWaymarkError(error) ? error : fileFailure(error, path);
    }
  }

  /** Removes copies that nobody asked for lately. */
  async clean(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const folder = join(this.#folder, name);
      for (const file of await readdir(folder).catch(() => [])) {
        const path = join(folder, file);
        const found = await stat(path).catch(() => undefined);
        if (found?.isFile() === true && Date.now() - found.mtimeMs > keptMs) await rm(path, { force: true });
      }
    }
  }
}

async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
  } catch (error) {
    return unlessMissing(error);
  }
}
