import type { JsonObject, Place } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import type { ExpressionChecker } from "./expression-checker.ts";
import type { LoweredWorkflow, WorkflowInfo } from "./lowered-workflow.ts";
import type { FolderFile, SourceSet } from "./source-set.ts";
import type { SourceFile } from "./source-node.ts";
import type { WorkflowPlace } from "./workflow-place.ts";

/** One way to write a workflow. Pure: it knows no engine and no surface. */
export interface Dialect {
  /** Stored as `Part.dialect` of every part that it lowers, forever. */
  readonly name: string;
  readonly places: readonly WorkflowPlace[];
  /** Whether a file is its own. Absent for the one dialect that takes what no other one owns. */
  readonly owns?: (file: SourceFile) => boolean;
  /** What a file names, whether it exists or not. The linker looks it up, for all dialects alike. */
  references(file: FolderFile): References;
  /** Parses, checks and lowers; never links: `call` blocks name parts of other dialects that are put in afterwards. */
  load(set: CallingSet, checker?: ExpressionChecker): LoweredWorkflow;
  /** Whether it lowers workflows of its own dialect that it calls together with the caller. */
  readonly lowersItsOwn?: true;
  /** Code of a call of a workflow that does not exist; absent when `load` complains itself. */
  readonly unknownCall?: string;
  /** Its workflows cannot run beside others: not two at once, or not in tasks at all. `word` is what messages call one of them. */
  readonly alone?: { readonly word: string; readonly when: "at once" | "in tasks" };
  /** Its lists are those of the run: a called part uses the ones that its caller has. */
  readonly sharesLists?: true;
  /** What its generated reference page says; absent when its pages are written by hand. */
  readonly reference?: DialectReference;
  /** JSON Schema (draft 7) of a file, for editors; absent when a workflow is not one file. */
  readonly jsonSchema?: () => JsonObject;
  /** What a program does, for people. A program of a dialect without it is explained by the one that owns nothing in particular. */
  readonly explain?: (program: Program, inputs?: JsonObject) => Explanation;
}

/** One explanation in three forms, each made when it is asked for. */
export interface Explanation {
  readonly text: () => string;
  /** A Mermaid diagram. */
  readonly mermaid: () => string;
  readonly data: () => JsonObject;
}

/** Keys and words of a dialect, for the page that lists all of them. What each key means is in the JSON Schema. */
export interface DialectReference {
  /** The page that explains how the pieces work together. */
  readonly guide: string;
  readonly topLevelKeys: readonly string[];
  /** Keys of each section, by its path: `*` is a name that the author chooses, `[]` each member of a list. */
  readonly sectionKeys: Readonly<Record<string, readonly string[]>>;
  /** Keys of each kind of step. */
  readonly stepKeys?: Readonly<Record<string, readonly string[]>>;
  /** Words with a meaning, by where they are written. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** What the tables cannot say, in Markdown. */
  readonly note?: string;
}

export interface References {
  readonly workflows: readonly WorkflowReference[];
  /** Other files, each as the references that may lead to it, as written: the first that exists counts. */
  readonly files: readonly (readonly string[])[];
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
