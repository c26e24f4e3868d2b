import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import { importKey, type FolderFile, type References } from "./dialect.ts";
import type { SourceFile } from "./source-node.ts";

/** A workflow file that was found, with its text; nothing is parsed yet. */
export interface FoundWorkflow extends FolderFile {
  /** Name from its place (`standards:fix`), which the file itself may override. */
  readonly name: string;
  readonly source: "project" | "global" | "bundled";
  /** Folder that imports are resolved against after the file's own. */
  readonly folder: string;
  /** Its folder is one of several of which the first with a valid workflow counts. */
  readonly firstValid?: true;
  /** Of a workflow that is a folder: the folder, to which the paths of its `files` are relative. */
  readonly root?: string;
  /** Why files that belong to it cannot be read. It cannot be used before that is corrected. */
  readonly problems?: readonly Diagnostic[];
}

/** How the files that a workflow names are found. */
export interface Sources {
  readonly referencesOf: (file: FolderFile) => Promise<References>;
  /** A file beside `from`, else below `folder`; undefined when there is none. */
  readonly read: (reference: string, from: string, folder: string) => Promise<SourceFile | undefined>;
  readonly workflow: (name: string) => Promise<FoundWorkflow | undefined>;
}

/** Every file that a workflow, and what it calls, is made of. */
export interface GatheredSources {
  /** By path, main file first. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Files that were read because another one names them, by `importKey`. */
  readonly imports: Readonly<Record<string, SourceFile>>;
  /** Import references as written, per file that was read because of them. */
  readonly references: readonly string[];
  readonly workflows: Readonly<Record<string, FoundWorkflow>>;
  /** A workflow that one of them calls is not there. */
  readonly missing: boolean;
  /** What cannot be read is a problem of the file that names it. */
  readonly problems: readonly Diagnostic[];
}

/** Follows everything that a workflow names, in its own file and in those that it leads to. */
export async function gatherSources(main: FoundWorkflow, { referencesOf, read, workflow }: Sources): Promise<GatheredSources> {
  const problems = new Set(main.problems);
  const files = new Map<string, SourceFile>([[main.path, main], ...folderFiles(main)]);
  const imports: Record<string, SourceFile> = {};
  const workflows: Record<string, FoundWorkflow> = {};
  const references: string[] = [];
  let missing = false;
  const queue: { readonly file: FolderFile; readonly folder: string }[] = [{ file: main, folder: main.folder }];
  const add = (file: FolderFile, folder: string): void => {
    if (!files.has(file.path)) queue.push({ file, folder });
    files.set(file.path, file);
  };
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { file, folder } = next;
    const { files: wanted, workflows: called } = await referencesOf(file);
    for (const alternatives of wanted) {
      for (const reference of alternatives) {
        const found = await read(reference, file.path, folder).catch((error: unknown) => {
          problems.add(unreadable(error, file, reference));
          return undefined;
        });
        if (found === undefined) continue;
        imports[importKey(file.path, reference)] = found;
        references.push(reference);
        add(found, folder);
        break;
      }
    }
    for (const { name } of called) {
      if (workflows[name] !== undefined) continue;
      const target = await workflow(name);
      missing ||= target === undefined;
      if (target === undefined) continue;
      workflows[name] = target;
      for (const problem of target.problems ?? []) problems.add(problem);
      add(target, target.folder);
      for (const [path, inner] of folderFiles(target)) files.set(path, inner);
    }
  }
  return { files, imports, references, workflows, missing, problems: [...problems] };
}

function unreadable(error: unknown, { path, text }: SourceFile, reference: string): Diagnostic {
  if (!isWaymarkError(error)) throw error;
  const { code, message, fix = "Import a file of the workspace, or remove the import." } = error;
  const lines = text.slice(0, Math.max(0, text.indexOf(reference))).split("\n");
  return { code, severity: "error", message, fix, place: { file: path, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } };
}

/** Files of a workflow that is a folder, under the paths that problems show. */
function folderFiles({ root, files = [] }: FoundWorkflow): [string, SourceFile][] {
  return files.map(({ path: inner, text }) => {
    const path = joinPath(root ?? "", inner);
    return [path, { path, text }];
  });
}

/** The path of a file that is named relative to a folder, with `..` resolved. */
function joinPath(folder: string, path: string): string {
  const names = folder.split("/");
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else names.push(name);
  }
  return names.join("/");
}
