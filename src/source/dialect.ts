import type { JsonObject, Place, Diagnostic } from "../base/index.ts";
import type { Told } from "./told.ts";
import type { DeclaredState, Program, Expr, InputSpec } from "../program/index.ts";
import type { SourceFile } from "./source-node.ts";

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
  readonly explain?: (program: Program, inputs?: JsonObject, roles?: PlayedRoles) => Explanation;
}

/** Who plays each role, by whatever says so: `agent`, `model`, `permission`. */
export type PlayedRoles = Readonly<Record<string, JsonObject>>;

/** One explanation in three forms, each made when it is asked for. */
export interface Explanation {
  readonly text: () => string;
  /** A Mermaid diagram. */
  readonly mermaid: () => string;
  readonly data: () => JsonObject;
  /** The same for people who do not know the workflow, nor how it is written. */
  readonly told?: () => Told;
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

/** What a workflow says about the requests it is for, beside its description. */
export interface RoutingKeys {
  readonly triggers: readonly string[];
  readonly examples: readonly string[];
  readonly notFor: readonly string[];
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
  /** The programs of those that have no errors, for a dialect that puts what is in them into its own instead of calling them. */
  readonly programs: Readonly<Record<string, Program>>;
  /** It is called by a workflow of another dialect, which decides when the run is over. */
  readonly within: boolean;
}

/** Where workflows of a dialect are found, as data for the host, which knows no dialect. */
export interface WorkflowPlace {
  /** How the names of its files end. Of a file that is a workflow, what comes before the longest ending that fits is its name. */
  readonly endings: readonly string[];
  /** Folders of the project and of the user's home that are searched, instead of the common ones. */
  readonly folders?: readonly string[];
  /**
   * Of its folders, the first one with a valid workflow counts, and those after it are shadowed. Of two files of one folder with the same
   * name the later one counts.
   */
  readonly firstValid?: true;
  /** Where files are that its workflows name by a word. */
  readonly texts?: readonly TextFolders[];
  /** A folder is one workflow. */
  readonly whole?: WholeFolder;
}

/** Where the texts of one kind are that workflows name. */
export interface TextFolders {
  /** What a reference to one begins with, and no path does: `<steps>/plan.md` begins with `<steps>`. */
  readonly word: string;
  /**
   * Folders that are searched for it, beside the folder that the workflow is in, then beside the others that are searched; in each, also
   * one folder down. The first file found counts.
   */
  readonly folders: readonly string[];
  /** How the names of such files end. */
  readonly endings: readonly string[];
}

export interface WholeFolder {
  /** Files that make a folder a workflow, relative to it. The first one that exists is its main file. */
  readonly markers: readonly string[];
  /** Folders beside it whose files belong to it too, unless it has a folder of that name itself. */
  readonly beside?: readonly string[];
  /** Files of the workspace that belong to every such workflow, wherever it is. */
  readonly workspaceFiles?: readonly string[];
}

/**
 * What this room needs to know about expressions. It is handed in, because analysis of expressions lives in the `state` room
 * and no dialect may look in there. Without one, files are checked for everything else.
 */
export interface ExpressionChecker {
  /** Syntax errors; `offset` counts in the text of the expression. A `value` is handed in leaf by leaf. */
  check(expr: Expr): readonly { readonly message: string; readonly offset: number }[];
  /** Free names the expression reads, without those of the language itself. Asked only when `check` found nothing. */
  names(expr: Expr): readonly string[];
  /** Circles among computed fields, each as the names along it. */
  cycles(part: DeclaredState): readonly (readonly string[])[];
  /** Names that are in more than one tier. */
  collisions(part: DeclaredState): readonly string[];
}

/** What can be said of a workflow without running it; as much as could be read when the file has errors. */
export interface WorkflowInfo {
  readonly name: string;
  readonly description: string;
  readonly routing: RoutingKeys;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly source: "project" | "global" | "bundled";
  /** The file it was found in. */
  readonly path: string;
  readonly imports: readonly ImportNode[];
  /** Names of the workflows it includes, directly or through others. */
  readonly includes: readonly string[];
  /** The definition as one document, imports merged in. */
  readonly definition: JsonObject;
  /** Errors of this file by itself; what depends on files that were not given is not counted. */
  readonly problems: number;
}

export interface ImportNode {
  readonly reference: string;
  readonly path: string;
  /** Name inside the imported file, when it has one. */
  readonly name?: string;
  readonly imports: readonly ImportNode[];
}

export interface LoweredWorkflow {
  /** Absent when there is at least one error. */
  readonly program?: Program;
  /** All problems of all files, main file first, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly info: WorkflowInfo;
}

/** Everything a workflow is made of, already read. Nothing is looked up on disk here. */
export interface SourceSet {
  readonly main: FolderFile & { readonly name: string; readonly source: "project" | "global" | "bundled" };
  /** Imported files by `importKey(path of the importing file, reference as written)`. */
  readonly imports: Readonly<Record<string, SourceFile>>;
  /** Files of called workflows by name, also of those that are called by called ones. */
  readonly workflows: Readonly<Record<string, FolderFile>>;
  /** Names of all workflows there are, for suggestions, where one that is called is not there. */
  readonly known?: readonly string[];
  /** References to the texts that the main file could name, such as `<steps>/plan.md`, where it names one that is not there. */
  readonly texts?: readonly string[];
  /** Names of the coding agents that the configuration adds. */
  readonly agents?: readonly string[];
  /** Folder of the project: what is inside is known by its path in it, which is the same in every checkout. */
  readonly workspace?: string;
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
