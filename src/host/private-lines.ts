import { statSync, type Stats } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { dataInsideWorkspace, dataUnsafe, unreadable, writeFailed } from "./codes.ts";
import type { Log } from "./log.ts";
import { insideWorkspace } from "./workspace-path.ts";

export interface PrivateOptions {
  readonly workspace: string;
  readonly dataFolder: string;
  readonly log: Log;
}

/**
 * A file of JSON lines in the user's data folder that is only ever appended to, so that several processes can write it at once. Rejects
 * when the project or another user could have written it. Lines that `parse` does not know count for nothing.
 */
export class PrivateLines<E> {
  readonly #options: PrivateOptions;
  readonly #path: string;
  readonly #parse: (held: unknown) => E | undefined;
  #known: { readonly as: string; readonly entries: readonly E[] } | undefined;

  constructor(options: PrivateOptions, name: string, parse: (held: unknown) => E | undefined) {
    this.#options = options;
    this.#path = join(options.dataFolder, name);
    this.#parse = parse;
  }

  /** Read again only when the file has changed: what it holds unchanged was outside the workspace when it was read. */
  async read(): Promise<readonly E[]> {
    const facts = privateFacts(this.#options.dataFolder) && privateFacts(this.#path);
    const as = facts && [facts.dev, facts.ino, facts.size, facts.mtimeMs, facts.ctimeMs].join(" ");
    if (as !== undefined && this.#known?.as === as) return this.#known.entries;
    await this.#refuseInside();
    if (as === undefined) return [];
    const entries = await this.#readAll();
    this.#known = { as, entries };
    return entries;
  }

  /** One write in append mode, so that entries of several processes never mix; the line break in front ends a torn line. */
  async append(entry: E): Promise<void> {
    await this.#refuseInside();
    const { dataFolder } = this.#options;
    await mkdir(dataFolder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw writeFailed(dataFolder, cause);
    });
    privateFacts(dataFolder);
    privateFacts(this.#path);
    try {
      const file = await open(this.#path, "a", 0o600);
      try {
        const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        const { bytesWritten } = await file.write(line);
        if (bytesWritten < line.length) throw new Error("only a part of the entry was written, so it does not count");
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (cause) {
      throw writeFailed(this.#path, cause);
    }
  }

  async #readAll(): Promise<readonly E[]> {
    const text = await readFile(this.#path, "utf8").catch((cause: unknown) => {
      throw unreadable(this.#path, cause);
    });
    const lines = text.split("\n").filter((line) => line !== "");
    const entries = lines.map((line) => this.#parse(jsonIn(line))).filter((entry) => entry !== undefined);
    const message = "Some lines of a file in your data folder cannot be read; they count for nothing.";
    if (entries.length < lines.length) this.#options.log("warn", message, { file: this.#path });
    return entries;
  }

  async #refuseInside(): Promise<void> {
    const { dataFolder, workspace } = this.#options;
    if (await insideWorkspace(workspace, dataFolder)) throw dataInsideWorkspace(dataFolder, workspace);
  }
}

interface FileFacts {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** undefined when it does not exist; throws when another user can change it. Every effect and every turn asks, and a thread for it would cost ten times the look. */
function privateFacts(path: string): FileFacts | undefined {
  const facts = statOf(path);
  if (facts === undefined || process.platform === "win32") return facts;
  if (facts.uid !== process.getuid?.()) throw dataUnsafe(path, "belongs to another user");
  if ((facts.mode & 0o022) !== 0) throw dataUnsafe(path, "can be written by other users");
  return facts;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
