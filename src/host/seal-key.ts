import { createHmac, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFailed } from "./codes.ts";

const keyBytes = 32;

/**
 * Seals texts, in lower-case hex, with a key in the user's own data folder: a process that can only write to the workspace or its
 * store cannot make one. The key is made once; of several processes that make it at the same moment, one wins and all use that one. One that is
 * put in its place, as that of another computer, counts from then on.
 */
export function createSeal(dataFolder: string): (text: string) => Promise<string> {
  let known: { readonly as: string; readonly key: Buffer } | undefined;
  return async (text) => {
    const as = fileMark(join(dataFolder, "seal.key"));
    if (known === undefined || known.as !== as) known = { as, key: await readKey(dataFolder) };
    return createHmac("sha256", known.key).update(text).digest("hex");
  };
}

/** Another text after every change of the file. */
function fileMark(path: string): string {
  const { ino = 0, size = 0, mtimeMs = 0, ctimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return [ino, size, mtimeMs, ctimeMs].join(" ");
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
