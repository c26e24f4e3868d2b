import type { SourceFile } from "./source-node.ts";

/** Everything a workflow is made of, already read. Nothing is looked up on disk here. */
export interface SourceSet {
  readonly main: FolderFile & { readonly name: string; readonly source: "project" | "global" | "bundled" };
  /** Imported files by `importKey(path of the importing file, reference as written)`. */
  readonly imports: Readonly<Record<string, SourceFile>>;
  /** Files of called workflows by name, also of those that are called by called ones. */
  readonly workflows: Readonly<Record<string, FolderFile>>;
  /** Names of all workflows there are, for suggestions. */
  readonly known?: readonly string[];
  /** The main file is described by itself: what it refers to was not looked for. */
  readonly alone?: true;
}

/** A file; of a workflow that is a folder, with everything in it. */
export interface FolderFile extends SourceFile {
  readonly files?: readonly SourceFile[];
}

export function importKey(fromPath: string, reference: string): string {
  return `${fromPath}\0${reference}`;
}
