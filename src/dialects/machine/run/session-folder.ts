import type { WaymarkError } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import type { InventoryRequest } from "../../../ports/index.ts";
import type { SessionTask } from "../definition/index.ts";
import type { MachineRun } from "./machine-run.ts";

/** A file of the session's folder, with its path relative to it. */
export interface SessionFile {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** Every file of the session's folder, ignored by git or not, in order of their paths. */
export async function sessionFilesOf(context: EngineContext, { folder, session }: MachineRun): Promise<readonly SessionFile[]> {
  if (session === "") return [];
  const files: SessionFile[] = [];
  for (const path of await listFiles(context, { scope: { kind: "directory", path: folder } })) {
    const file = await context.workspace.readText(context.host.workspace, path);
    if (file !== undefined) files.push({ path: path.slice(folder.length + 1), text: file.text, hash: file.hash });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export async function readSessionFile(context: EngineContext, { folder }: MachineRun, name: string): Promise<SessionFile | undefined> {
  const found = await context.workspace.readText(context.host.workspace, `${folder}/${name}`);
  return found === undefined ? undefined : { path: name, text: found.text, hash: found.hash };
}

/** Writes a file of the session atomically and reads it again; up to three times. Answers its hash. */
export async function writeSessionFile(context: EngineContext, { folder }: MachineRun, name: string, text: string): Promise<string> {
  const { workspace, host } = context;
  const path = `${folder}/${name}`;
  const bytes = new TextEncoder().encode(text);
  const wanted = host.sha256(text);
  let reason = "";
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const held = await workspace.read(host.workspace, path);
    if (held?.hash === wanted) return wanted;
    const outcome = await workspace.writeFile(host.workspace, path, bytes, held?.hash ?? null);
    reason = outcome.status === "failed" ? outcome.reason : "it reads differently from what was written";
  }
  if ((await workspace.read(host.workspace, path))?.hash === wanted) return wanted;
  throw notWritten(path, `\`${path}\` could not be written: ${reason}`);
}

/** A task of the worklist. */
export interface TaskRow {
  readonly task: SessionTask;
  readonly label: string;
  readonly status: string;
}

/** Tasks of the worklist, in order; those that the plan dropped are skipped. */
export async function taskRows(context: EngineContext, run: string, list: string): Promise<readonly TaskRow[]> {
  const rows = await context.store.selectItems(run, { list, query: {}, limit: 100_000 });
  return rows.map((row) => ({ task: row.data as unknown as SessionTask, label: row.label ?? "not-started", status: row.status }));
}

/** Paths of files of the workspace, ignored by git or not, unless the request says otherwise. */
export async function listFiles({ workspace, host }: EngineContext, asked: Partial<InventoryRequest>): Promise<string[]> {
  const all = { patterns: ["**/*"], exclusions: [], scope: { kind: "workspace" }, priority: [], gitignore: false } as const;
  const { files } = await workspace.inventory({ root: host.workspace, ...all, ...asked });
  return files.map(({ path }) => path);
}

/** Hash of a file of the workspace; empty when it does not exist. */
export async function hashAt({ workspace, host }: EngineContext, path: string): Promise<string> {
  return (await workspace.read(host.workspace, path))?.hash ?? "";
}

/** Hashes of the session's files, by path in the workspace. */
export function hashesIn({ folder }: MachineRun, files: readonly SessionFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, hash }) => [`${folder}/${path}`, hash]));
}

export function notWritten(file: string, message: string): WaymarkError {
  return refused("MACHINE_NOT_PERSISTED", message, "Make the session's folder writable, then retry the run.", { file });
}
