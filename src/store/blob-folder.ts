import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, statSync, unlinkSync, utimesSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isWaymarkError } from "../base/index.ts";
import { placeFile, syncFile, syncFolder } from "../disk/index.ts";
import type { BlobFacts } from "../ports/index.ts";
import { badHash, fileFailure, noBlob, noFile, storeCorrupt } from "./store-errors.ts";

/** Work that no other process does at the same time; synchronous, so that it is short. */
type Exclusively = <T>(work: () => T) => Promise<T>;

const collectAfterMs = 3_600_000;
const renewAfterMs = collectAfterMs / 2;
const collectTogether = 256;

/**
 * Bytes kept once under their hash, in `<folder>/ab/<sha256>`. A file appears under its name only when all of it is on the
 * disk. Putting bytes that are already there makes their file young again; that and collecting exclude each other, so a
 * blob that was just put is never collected.
 */
export class BlobFolder {
  readonly #folder: string;
  readonly #exclusively: Exclusively;

  constructor(folder: string, exclusively: Exclusively) {
    this.#folder = folder;
    this.#exclusively = exclusively;
  }

  /** The file of a blob that is there. */
  async file(hash: string): Promise<string> {
    if (await this.has(hash)) return this.path(hash);
    throw isHash(hash) ? noBlob(hash) : badHash(hash);
  }

  path(hash: string): string {
    if (!isHash(hash)) throw badHash(hash);
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  async put(bytes: Uint8Array): Promise<BlobFacts> {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const path = this.path(hash);
    await translated(path, async () => {
      if (!(await this.#renew(path))) await placeFile(path, (beside) => writeFile(beside, bytes, { flag: "wx", flush: true }));
    });
    return { hash, bytes: bytes.byteLength };
  }

  async adopt(source: string): Promise<BlobFacts> {
    const facts = await translated(source, () => hashFile(source));
    const path = this.path(facts.hash);
    await translated(path, async () => {
      if (!(await this.#renew(path)) && !(await this.#move(source, path))) await placeFile(path, (beside) => copyDurably(source, beside));
      await rm(source, { force: true });
    });
    return facts;
  }

  async read(hash: string): Promise<Uint8Array | undefined> {
    const path = this.path(hash);
    const bytes = await translated(path, () => readFile(path).catch(unlessMissing));
    if (bytes !== undefined && createHash("sha256").update(bytes).digest("hex") !== hash)
      throw storeCorrupt(path, "its content does not have the hash it is named by");
    return bytes;
  }

  async has(hash: string): Promise<boolean> {
    return isHash(hash) && (await stat(this.path(hash)).catch(unlessMissing)) !== undefined;
  }

  /** Removes blobs that `isUsed` denies and that were last put more than an hour ago, and what unfinished puts left behind. */
  async collect(isUsed: (hash: string) => boolean): Promise<{ readonly removed: number; readonly bytes: number }> {
    const total = { removed: 0, bytes: 0 };
    for (const name of await translated(this.#folder, () => readdir(this.#folder))) {
      const folder = join(this.#folder, name);
      const files = await readdir(folder).catch(() => []);
      for (let from = 0; from < files.length; from += collectTogether) {
        const some = files.slice(from, from + collectTogether);
        await translated(folder, () => this.#exclusively(() => some.forEach((file) => removeUnused(folder, file, isUsed, total))));
      }
    }
    return total;
  }

  /** Whether the blob is there, and then for at least another half hour, also after a crash. */
  async #renew(path: string): Promise<boolean> {
    const found = await stat(path).catch(unlessMissing);
    if (found === undefined) return false;
    const renewed = Date.now() - found.mtimeMs < renewAfterMs || (await this.#exclusively(() => touch(path)));
    if (renewed) await syncFolder(dirname(path));
    return renewed;
  }

  /** False when the file is on another disk. It is made young first, since its own times may be old. */
  async #move(source: string, path: string): Promise<boolean> {
    if ((await mkdir(dirname(path), { recursive: true })) !== undefined) await syncFolder(this.#folder);
    await syncFile(source);
    touch(source);
    try {
      await rename(source, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      return false;
    }
    await syncFolder(dirname(path));
    return true;
  }
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function touch(path: string): boolean {
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    return unlessMissing(error) !== undefined;
  }
}

function removeUnused(folder: string, file: string, isUsed: (hash: string) => boolean, total: { removed: number; bytes: number }): void {
  const path = join(folder, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || Date.now() - found.mtimeMs < collectAfterMs) return;
  const isBlob = isHash(file);
  if (isBlob ? isUsed(file) : !file.endsWith(".tmp")) return;
  unlinkSync(path);
  if (!isBlob) return;
  total.removed += 1;
  total.bytes += found.size;
}

/** Of a regular file, which is not a link. */
export async function hashFile(path: string): Promise<BlobFacts> {
  const found = await lstat(path).catch(unlessMissing);
  if (found === undefined) throw noFile(path, "there is no such file");
  if (!found.isFile()) throw noFile(path, "it is not a regular file");
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { hash: hash.digest("hex"), bytes };
}

async function copyDurably(source: string, to: string): Promise<void> {
  await pipeline(createReadStream(source), createWriteStream(to, { flags: "wx" }));
  await syncFile(to);
}

export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  return undefined;
}

async function translated<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isWaymarkError(error) ? error : fileFailure(error, path);
  }
}
