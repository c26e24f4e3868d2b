import { mkdir, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { defined, isList, isObject } from "../base/index.ts";
import type { Permission, Permissions } from "../ports/index.ts";
import { dataInsideWorkspace, dataUnsafe, unreadable, writeFailed } from "./codes.ts";
import type { Log } from "./log.ts";
import { insideWorkspace } from "./workspace-path.ts";

export interface PermissionOptions {
  readonly workspace: string;
  readonly dataFolder: string;
  readonly log: Log;
}

type Entry =
  | ({ readonly type: "allow" } & Permission)
  | { readonly type: "revoke"; readonly hash: string; readonly workspace: string; readonly at: string };

/**
 * Permissions as a file of JSON lines that is only ever appended to, so that several processes can write it at once. A
 * permission counts in the workspace it was given for: equal workflow text in another project may start other programs there.
 * Rejects when the file could have been written by the project or by another user.
 */
export class PermissionFile implements Permissions {
  readonly #options: PermissionOptions;
  readonly #path: string;

  constructor(options: PermissionOptions) {
    this.#options = options;
    this.#path = join(options.dataFolder, "permissions.jsonl");
  }

  async find(hash: string): Promise<Permission | undefined> {
    return (await this.list()).findLast((held) => held.hash === hash && held.workspace === this.#options.workspace);
  }

  /** All that are in force, of every workspace, oldest first. */
  async list(): Promise<readonly Permission[]> {
    const held = new Map<string, Permission>();
    for (const entry of await this.#read()) {
      if (entry.type === "allow") {
        const { type: _type, ...permission } = entry;
        held.set(`${permission.hash} ${permission.workspace}`, permission);
      } else if (entry.type === "revoke") {
        held.delete(`${entry.hash} ${entry.workspace}`);
      }
    }
    return [...held.values()];
  }

  async grant(permission: Omit<Permission, "at">): Promise<Permission> {
    const { hash, workflow, workspace, runs, details, unattended } = permission;
    const at = new Date().toISOString();
    const granted: Permission = { hash, workflow, workspace, runs, ...defined({ details }), unattended, at };
    await this.#append({ type: "allow", ...granted });
    return granted;
  }

  /** Takes the permission back in this workspace; false when there was none. */
  async revoke(hash: string): Promise<boolean> {
    if ((await this.find(hash)) === undefined) return false;
    await this.#append({ type: "revoke", hash, workspace: this.#options.workspace, at: new Date().toISOString() });
    return true;
  }

  async #read(): Promise<Entry[]> {
    await this.#refuseInside();
    if (!(await isPrivate(this.#options.dataFolder)) || !(await isPrivate(this.#path))) return [];
    const text = await readFile(this.#path, "utf8").catch((cause: unknown) => {
      throw unreadable(this.#path, cause);
    });
    const lines = text.split("\n").filter((line) => line !== "");
    const entries = lines.map(parseEntry).filter((entry) => entry !== undefined);
    const message = "Some lines of the permissions cannot be read; what they allowed counts as not allowed.";
    if (entries.length < lines.length) this.#options.log("warn", message, { file: this.#path });
    return entries;
  }

  /** One write in append mode, so that entries of several processes never mix; the line break in front ends a torn line. */
  async #append(entry: Entry): Promise<void> {
    await this.#refuseInside();
    const { dataFolder } = this.#options;
    await mkdir(dataFolder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
      throw writeFailed(dataFolder, cause);
    });
    await isPrivate(dataFolder);
    await isPrivate(this.#path);
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

  async #refuseInside(): Promise<void> {
    const { dataFolder, workspace } = this.#options;
    if (await insideWorkspace(workspace, dataFolder)) throw dataInsideWorkspace(dataFolder, workspace);
  }
}

/** False when it does not exist; rejects when another user can change it. */
async function isPrivate(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return false;
  if (process.platform === "win32") return true;
  if (facts.uid !== process.getuid?.()) throw dataUnsafe(path, "belongs to another user");
  if ((facts.mode & 0o022) !== 0) throw dataUnsafe(path, "can be written by other users");
  return true;
}

function parseEntry(line: string): Entry | undefined {
  let held: unknown;
  try {
    held = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(held) || typeof held["at"] !== "string") return undefined;
  const { type, runs, unattended } = held;
  const texts = typeof type === "string" ? requiredTexts.get(type) : undefined;
  if (texts === undefined || !texts.every((name) => typeof held[name] === "string")) return undefined;
  if (type === "allow" && !(isList(runs) && runs.every((run) => typeof run === "string"))) return undefined;
  if (type === "allow" && typeof unattended !== "boolean") return undefined;
  return held as unknown as Entry;
}

const requiredTexts: ReadonlyMap<string, readonly string[]> = new Map([
  ["allow", ["hash", "workflow", "workspace"]],
  ["revoke", ["hash", "workspace"]],
]);
