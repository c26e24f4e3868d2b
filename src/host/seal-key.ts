import { createHmac, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFailed } from "./codes.ts";

const keyBytes = 32;

/**
 * Seals texts, in lower-case hex, with a key in the user's own data folder: a process that can only write to the workspace or its
 * store cannot make one. The key is made once; of several processes that make it at the same moment, one wins and all use that one.
 */
export function createSeal(dataFolder: string): (text: string) => Promise<string> {
  let key: Promise<Buffer> | undefined;
  return async (text) => {
    key ??= readKey(dataFolder).catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    const seal = createHmac("sha256", await key);
    return seal.update(text).digest("hex");
  };
}

async function readKey(folder: string): Promise<Buffer> {
  const path = join(folder, "seal.key");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
    await writeFile(fresh, randomBytes(keyBytes).toString("hex"), { mode: 0o600, flag: "wx" });
    await link(fresh, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(fresh, { force: true });
    return Buffer.from((await readFile(path, "utf8")).trim(), "hex");
  } catch (error) {
    throw writeFailed(path, error);
  }
}
