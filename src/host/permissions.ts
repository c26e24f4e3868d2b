import { defined, isList, isObject } from "../base/index.ts";
import type { Permission, Permissions } from "../ports/index.ts";
import { PrivateLines, type PrivateOptions } from "./private-lines.ts";

type Entry =
  | ({ readonly type: "allow" } & Permission)
  | { readonly type: "revoke"; readonly hash: string; readonly workspace: string; readonly at: string };

/**
 * Permissions in the user's data folder. One counts in the workspace it was given for: equal workflow text in another project may start
 * other programs there. Rejects when the file could have been written by the project or by another user.
 */
export class PermissionFile implements Permissions {
  readonly workspace: string;
  readonly #lines: PrivateLines<Entry>;

  constructor(options: PrivateOptions) {
    this.workspace = options.workspace;
    this.#lines = new PrivateLines(options, "permissions.jsonl", parseEntry);
  }

  async find(hash: string): Promise<Permission | undefined> {
    return (await this.list()).findLast((held) => held.hash === hash && held.workspace === this.workspace);
  }

  async list(): Promise<readonly Permission[]> {
    const held = new Map<string, Permission>();
    for (const entry of await this.#lines.read()) {
      if (entry.type === "allow") {
        const { type: _type, ...permission } = entry;
        held.set(`${permission.hash} ${permission.workspace}`, permission);
      } else if (entry.type === "revoke") {
        held.delete(`${entry.hash} ${entry.workspace}`);
      }
    }
    return [...held.values()];
  }

  async lastGiven(workflow: string): Promise<Permission | undefined> {
    const entries = await this.#lines.read();
    const last = entries.findLast((entry) => entry.type === "allow" && entry.workflow === workflow && entry.workspace === this.workspace);
    if (last?.type !== "allow") return undefined;
    const { type: _type, ...permission } = last;
    return permission;
  }

  async grant(permission: Omit<Permission, "at">): Promise<Permission> {
    const { hash, workflow, workspace, runs, details, plan, unattended } = permission;
    const at = new Date().toISOString();
    const granted: Permission = { hash, workflow, workspace, runs, ...defined({ details, plan }), unattended, at };
    await this.#lines.append({ type: "allow", ...granted });
    return granted;
  }

  /** Takes the permission back in this workspace; false when there was none. */
  async revoke(hash: string): Promise<boolean> {
    if ((await this.find(hash)) === undefined) return false;
    await this.#lines.append({ type: "revoke", hash, workspace: this.workspace, at: new Date().toISOString() });
    return true;
  }
}

function parseEntry(held: unknown): Entry | undefined {
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
