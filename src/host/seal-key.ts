import { createHmac, randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFailed } from "./codes.ts";

const keyBytes = 32;

/** Seals what this user says, and knows what was sealed by them or by those whose keys they took in. */
export interface Seal {
  /** A keyed hash of the text, in lower-case hex. */
  readonly make: (text: string) => Promise<string>;
  /** The same with a key that nobody else gets: who has the other one could say in this user's name what is their own. */
  readonly makeHere: (text: string) => Promise<string>;
  readonly isOf: (text: string, seal: string) => Promise<boolean>;
}

/** The folder for keys of other users and computers, in the user's data folder. */
export function otherKeys(dataFolder: string): string {
  return join(dataFolder, "seal-keys");
}

/**
 * Seals with a key in the user's own data folder: a process that can only write to the workspace or its store cannot make one. The key is
 * made once; of several processes that make it at the same moment, one wins and all use that one. Keys that are put in its place or among
 * the other ones count from then on.
 */
export function createSeal(dataFolder: string): Seal {
  const [own, here] = ["seal.key", "own.key"].map((name) => {
    const path = join(dataFolder, name);
    return keyReader(path, () => madeKey(path));
  }) as [KeyReader, KeyReader];
  const others = new Map<string, KeyReader>();
  const readOther = (path: string): Promise<Buffer> => {
    const read = others.get(path) ?? keyReader(path, () => keyIn(path));
    others.set(path, read);
    return read();
  };
  return {
    make: async (text) => hashOf(await own(), text),
    makeHere: async (text) => hashOf(await here(), text),
    isOf: async (text, seal) => {
      if (hashOf(await own(), text) === seal) return true;
      for (const path of keysIn(otherKeys(dataFolder))) if (hashOf(await readOther(path), text) === seal) return true;
      return false;
    },
  };
}

function hashOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

function keysIn(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".key"))
    .map((name) => join(folder, name));
}

type KeyReader = () => Promise<Buffer>;

/** Reads a key again when its file is another one. */
function keyReader(path: string, read: KeyReader): KeyReader {
  let known: { readonly as: string; readonly key: Buffer } | undefined;
  return async () => {
    const as = fileMark(path);
    if (known === undefined || known.as !== as) known = { as, key: await read() };
    return known.key;
  };
}

/** Another text after every change of the file. */
function fileMark(path: string): string {
  const { ino = 0, size = 0, mtimeMs = 0, ctimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return [ino, size, mtimeMs, ctimeMs].join(" ");
}

async function madeKey(path: string): Promise<Buffer> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const fresh = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
    await writeFile(fresh, randomBytes(keyBytes).toString("hex"), { mode: 0o600, flag: "wx" });
    await link(fresh, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(fresh, { force: true });
    return await keyIn(path);
  } catch (error) {
    throw writeFailed(path, error);
  }
}

async function keyIn(path: string): Promise<Buffer> {
  return Buffer.from((await readFile(path, "utf8")).trim(), "hex");
}
