import { readdir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { FoundWorkflow, SourceFile, WholeFolder, WorkflowPlace } from "../ports/index.ts";
import { fixOf } from "./codes.ts";
import { readDefinition, readOrWarn, type Warn } from "./read-definition.ts";
import { pathForOutput } from "./workspace-path.ts";

const mostFiles = 5_000;
const deepest = 8;

/** A place whose folders are workflows. */
export type WholePlace = WorkflowPlace & { readonly whole: WholeFolder };

export interface WholeFolderRequest {
  readonly folder: string;
  readonly places: readonly WholePlace[];
  /** Links that lead out of this real path are not followed. */
  readonly realRoot: string;
  readonly workspace: string;
  readonly warn: Warn;
}

type WholeWorkflow = Required<Pick<FoundWorkflow, "path" | "text" | "root" | "files">> & Pick<FoundWorkflow, "problems">;

/** A folder that is one workflow, read with every file that belongs to it; undefined when it is an ordinary folder. */
export async function readWholeFolder(request: WholeFolderRequest): Promise<WholeWorkflow | undefined> {
  const { folder, realRoot, warn } = request;
  for (const place of request.places) {
    for (const marker of place.whole.markers) {
      const path = join(folder, marker);
      const text = await readOrWarn(path, realRoot, warn);
      if (text === undefined) continue;
      const files = await filesOf(request, place);
      const unread = await addWorkspaceFiles(request, place, files);
      const found = { path: pathForOutput(path), text, root: pathForOutput(folder), files };
      return unread.length === 0 ? found : { ...found, problems: unread };
    }
  }
  return undefined;
}

async function filesOf({ folder, realRoot, warn }: WholeFolderRequest, { endings, whole }: WholePlace): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const collecting = { endings, realRoot, files, warn };
  await collect(folder, "", collecting);
  for (const name of whole.beside ?? []) {
    if (!files.some((file) => file.path.startsWith(`${name}/`))) await collect(join(folder, "..", name), `../${name}`, collecting);
  }
  return files;
}

/** A workflow that is the workspace itself has these files already. */
async function addWorkspaceFiles(
  { folder, workspace }: WholeFolderRequest,
  { whole }: WholePlace,
  files: SourceFile[],
): Promise<Diagnostic[]> {
  const unread: Diagnostic[] = [];
  for (const name of whole.workspaceFiles ?? []) {
    const path = join(workspace, name);
    const inner = pathForOutput(relative(folder, path));
    if (!inner.startsWith("../") || files.some((file) => file.path === inner)) continue;
    try {
      const text = await readDefinition(path, await realpath(workspace));
      if (text !== undefined) files.push({ path: inner, text });
    } catch (cause) {
      if (!isWaymarkError(cause)) throw cause;
      const { code, message } = cause;
      unread.push({ code, severity: "error", message, fix: fixOf(code), place: { file: pathForOutput(path), line: 1, column: 1 } });
    }
  }
  return unread;
}

interface Collecting extends Pick<WholeFolderRequest, "realRoot" | "warn">, Pick<WorkflowPlace, "endings"> {
  readonly files: SourceFile[];
}

async function collect(folder: string, way: string, collecting: Collecting, depth = 0): Promise<void> {
  if (depth > deepest || (await realpath(folder).catch(() => undefined)) === undefined) return;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || collecting.files.length >= mostFiles) continue;
    const inner = way === "" ? entry.name : `${way}/${entry.name}`;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, inner, collecting, depth + 1);
    else if (collecting.endings.some((ending) => entry.name.toLowerCase().endsWith(ending))) {
      const text = await readOrWarn(path, collecting.realRoot, collecting.warn);
      if (text !== undefined) collecting.files.push({ path: inner, text });
    }
  }
}
