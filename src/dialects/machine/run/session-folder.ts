import type { SessionTask } from "../definition/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { ignoredFiles } from "./ignored-files.ts";
import type { MachineRun } from "./machine-run.ts";
import type { WorkspaceLook } from "./workspace-changes.ts";

/** So many files of earlier sessions are watched. */
const mostWatched = 2000;

/** A file of the session's folder, with its path relative to it. */
export interface SessionFile {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** Every file of the session's folder, ignored by git or not, in order of their paths. */
export async function sessionFilesOf(context: EngineContext, { folder, session }: MachineRun): Promise<readonly SessionFile[]> {
  if (session === "") return [];
  const { workspace, host } = context;
  const found = await workspace.inventory({
    root: host.workspace,
    patterns: ["**/*"],
    exclusions: [],
    scope: { kind: "directory", path: folder },
    priority: [],
    gitignore: false,
  });
  const files: SessionFile[] = [];
  for (const { path } of found.files) {
    const file = await workspace.readText(host.workspace, path);
    if (file !== undefined) files.push({ path: path.slice(folder.length + 1), text: file.text, hash: file.hash });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Contents by path of what is watched although it is no work of this session: other sessions that are over, which nobody may write any
 * more (those that are not over are somebody else's work), and files that git ignores.
 */
export async function finishedSessions(
  context: EngineContext,
  run: MachineRun,
  look: Pick<WorkspaceLook, "ignored">,
): Promise<Readonly<Record<string, string>>> {
  const { workspace, host } = context;
  const root = run.definition.folder;
  const found = await workspace.inventory({
    root: host.workspace,
    patterns: [`${root}/**/*`],
    exclusions: [`${run.folder}/**`],
    scope: { kind: "workspace" },
    priority: [],
    gitignore: false,
    maxFiles: mostWatched,
  });
  const depth = root.split("/").length;
  const open = new Set<string>();
  for (const { path } of found.files) {
    const parts = path.split("/");
    if (parts.length !== depth + 2 || parts.at(-1) !== "status.json") continue;
    const status = await workspace.readText(host.workspace, path);
    if (status !== undefined && !/"current_state"\s*:\s*"DONE"/.test(status.text)) open.add(parts[depth] ?? "");
  }
  const contents: Record<string, string> = await ignoredFiles(context, look, root);
  for (const { path } of found.files)
    if (!open.has(path.split("/")[depth] ?? "")) contents[path] = (await workspace.read(host.workspace, path))?.hash ?? "";
  return contents;
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
  throw refused(
    "MACHINE_NOT_PERSISTED",
    `\`${path}\` could not be written: ${reason}`,
    "Make the session's folder writable, then retry the run.",
    { file: path },
  );
}

/** Tasks as they stand in the worklist, in order. */
export async function taskRows(
  context: EngineContext,
  run: string,
  list: string,
): Promise<readonly { task: SessionTask; label: string; status: string }[]> {
  const rows = await context.store.selectItems(run, { list, query: {}, limit: 100_000 });
  return rows.map((row) => ({ task: row.data as unknown as SessionTask, label: row.label ?? "not-started", status: row.status }));
}
