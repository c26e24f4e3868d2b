import type { Place } from "../base/index.ts";
import type { ExpressionChecker } from "./expression-checker.ts";
import type { LoweredWorkflow, WorkflowInfo } from "./lowered-workflow.ts";
import type { FolderFile, SourceSet } from "./source-set.ts";
import type { SourceFile } from "./source-node.ts";

/** One way to write a workflow. Pure: it knows no engine and no surface. */
export interface Dialect {
  /** Stored as `Part.dialect` of every part that it lowers, for ever. */
  readonly name: DialectName;
  owns(file: SourceFile): boolean;
  /** What a file names, whether it exists or not. The linker looks it up, for all dialects alike. */
  references(file: FolderFile): References;
  /** Parses, checks and lowers; never links: `call` blocks name parts of other dialects that are put in afterwards. */
  load(set: CallingSet, checker?: ExpressionChecker): LoweredWorkflow;
  /** Whether it lowers workflows of its own dialect that it calls together with the caller. */
  readonly lowersItsOwn: boolean;
  /** Code of a call of a workflow that does not exist; absent when `load` complains itself. */
  readonly unknownCall?: string;
}

export type DialectName = "steps" | "checklist" | "bots" | "machine";

export interface References {
  readonly workflows: readonly WorkflowReference[];
  /** Other files, as written: imports of steps, instructions of roles. */
  readonly files: readonly string[];
}

/** A place that names a workflow. */
export interface WorkflowReference {
  readonly name: string;
  readonly place: Place;
  /** Position in the document, e.g. `sub_workflows[0]`. */
  readonly path: string;
  /** Names of the inputs it gives; absent when the dialect checks them itself. */
  readonly inputs?: readonly string[];
  /** They are given only to a workflow that declares them. */
  readonly ifDeclared?: true;
}

/** What a dialect loads, with what is known of the workflows of other dialects that it calls. */
export interface CallingSet extends SourceSet {
  readonly called: Readonly<Record<string, WorkflowInfo>>;
  /** It is called by a workflow of another dialect, which decides when the run is over. */
  readonly within: boolean;
}
