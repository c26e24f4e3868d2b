import { createHmac, randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFailed } from "./codes.ts";

const keyBytes = 32;

/**
 * Seals texts with a key in the user's own data folder: whoever can only write to the workspace or its store cannot make one. The
 * key is made once; of several processes that make it at the same moment, one wins and all use that one.
 */
export class SealKey {
  readonly #folder: string;
  #key: Promise<Buffer> | undefined;

  constructor(dataFolder: string) {
    this.#folder = dataFolder;
  }

  /** Lower-case hex. */
  async seal(text: string): Promise<string> {
    this.#key ??= this.#read();
    return createHmac("sha256", await this.#key)
      .update(text)
      .digest("hex");
  }

  async #read(): Promise<Buffer> {
    const path = join(this.#folder, "seal.key");
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const fresh = `${path}.${process.pid}-${randomBytes(4).toString("hex")}`;
      await writeFile(fresh, randomBytes(keyBytes).toString("hex"), { mode: 0o600, flag: "wx" });
      await link(fresh, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      await rm(fresh, { force: true });
      return Buffer.from((await readFile(path, "utf8")).trim(), "hex");
    } catch (error) {
      this.#key = undefined;
      throw writeFailed(path, error);
    }
  }
}
