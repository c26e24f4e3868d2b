/**
 * What is looked for in files. Plain JSON, so that it can be pinned, hashed and sent to a worker. A pattern is either a
 * regular expression or the name of a finder that understands a language.
 */
export interface ScanRules {
  readonly patterns: readonly PatternSpec[];
  /** `BC24`, `24` or `24.0`; used where no app.json says which runtime a file is compiled for. */
  readonly bcVersion?: string;
  /** The version that an upgrade goes to: what its preprocessor symbols exclude is nothing to do. */
  readonly targetVersion?: string;
  /** Kinds of files, as `generated` or `tests`, in which patterns find nothing; what tools report there counts. */
  readonly leaveOut?: readonly FileKind[];
  /** Files above this size are reported as oversized and not read. */
  readonly maxFileBytes?: number;
}

/** What a file is for, by its path and its text. */
export type FileKind = "generated" | "vendored" | "minified" | "declarations" | "tests" | "locales" | "examples" | "scripts";

export interface PatternSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Why it matters, and what to do about it in general. */
  readonly why?: string;
  readonly fix?: string;
  /** A language-aware finder (`al-error-call`, `al-no-series`); `regex` is not used then. */
  readonly finder?: string;
  readonly regex?: string;
  readonly flags?: string;
  /** A match is dropped when this also matches its text, or its line. */
  readonly exclude?: string;
  /** Which part of the text counts: everything, code without strings and comments, or comments alone. */
  readonly in?: "all" | "code" | "comments" | "strings";
  /** The match must begin and end at the border of an identifier. */
  readonly wholeWord?: boolean;
  /** A match that ends inside brackets is extended to their balanced end. */
  readonly balanced?: boolean;
  /** Only calls with these numbers of arguments, or whose argument at a place has a shape. */
  readonly arguments?: {
    readonly min?: number;
    readonly max?: number;
    /** By place from 0: what the argument must be. */
    readonly shapes?: Readonly<Record<string, ArgumentShape>>;
  };
  /** Kinds of files in which it finds nothing. */
  readonly leaveOut?: readonly FileKind[];
  /** Only files that match one of these globs. */
  readonly files?: readonly string[];
  readonly contextLines: number;
  /** Tried in order; the first whose pattern matches names the type. */
  readonly rules: readonly ClassifierRule[];
  readonly transformations: readonly TransformationSpec[];
  readonly severity?: Severity;
  /** What it finds is a secret: the scanner masks it in the text of its instances. */
  readonly secret?: boolean;
  readonly category?: string;
  /** Rules of other tools that mean the same, as `eslint/no-empty`: a directive that names one of them settles what this pattern finds. */
  readonly sameAs?: readonly string[];
  readonly specialist?: string;
  readonly topic?: string;
  /** Conversion guide and version step (`BC23-BC24`) it comes from. */
  readonly guide?: string;
  readonly step?: string;
  /** Heading of the guide's section that helps with it. */
  readonly section?: string;
}

export type ArgumentShape = "string" | "number" | "name" | "call" | "member" | "expression" | "any";

export interface ClassifierRule {
  readonly name: string;
  readonly pattern: string;
  readonly action: string;
  readonly auto: boolean;
}

/** `template` may use `{{original_string}}`, `{{params}}`, `{{constant_name}}`, `{{match}}`, `{{arg0}}` ..., `{{name}}`. */
export interface TransformationSpec {
  readonly type: string;
  readonly template: string;
  readonly review: boolean;
}

/** From the least to the gravest. */
export type Severity = "info" | "warning" | "error" | "critical";

/** What a tool of the team reported about a file, as it said it: its place is not looked up in the file yet. */
export interface Finding {
  /** Id of the tool in the workflow. */
  readonly tool: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly region: Region;
  /** Page about the rule. */
  readonly help?: string;
  /** Edits that the tool itself would make; one that is a choice among several is not among them. */
  readonly fix?: readonly { readonly region: Region; readonly text: string }[];
  /** The team has settled it: it is counted and left. */
  readonly suppressed?: Suppression;
  /** It is about a secret: the scanner masks the text that it is about. */
  readonly secret?: true;
}

/**
 * Lines and columns from 1, the end exclusive. Without a column the whole line, without an end the place alone; with `endLine` alone to the end of
 * that line, without the line break. Offsets count from the first character behind a byte order mark; bytes are those of the text in UTF-8.
 */
export type Region =
  | {
      readonly line: number;
      readonly column?: number;
      readonly endLine?: number;
      readonly endColumn?: number;
      /** What columns count; default UTF-16 units. `bytes`: of UTF-8. */
      readonly columns?: "utf16" | "characters" | "bytes";
    }
  | { readonly offset: number; readonly length: number; readonly unit: "utf16" | "characters" | "bytes" };

/** Why a finding is left: a directive in the file, or what the tool itself says. */
export interface Suppression {
  readonly kind: "in_source" | "external";
  readonly reason?: string;
}

/** A place in a file that a pattern or a tool found. Lines and columns count from 1, columns in UTF-16 units, the end is exclusive. */
export interface Instance {
  readonly pattern: string;
  readonly type: string;
  /** Older name of the type, where one exists. */
  readonly seedType?: string;
  readonly auto: boolean;
  /** What it needs when the engine cannot fix it: a look, or work by hand. */
  readonly needs?: "review" | "manual";
  /** Why it is not fixed by the engine. */
  readonly why?: string;
  /** Why there is certainly nothing to do: the engine settles it with this reason. */
  readonly nothing?: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** Offsets in bytes of the file as it is on disk. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What to do with it, in a sentence. */
  readonly action?: string;
  /** The match as it should read; a proposal unless `auto`. */
  readonly suggestion?: string;
  /** Edits that turn the match into the suggestion; only where the rewrite is certain. */
  readonly edits?: readonly ByteEdit[];
  /** Instances of one file with the same value are changed together or not at all. */
  readonly together?: string;
  readonly procedure?: string;
  readonly guide?: string;
  readonly step?: string;
  readonly section?: string;
  /** The tool that found it, and what it says; absent for what a pattern of the workflow found, whose `PatternSpec` says it. */
  readonly tool?: string;
  readonly rule?: string;
  readonly severity?: Severity;
  readonly message?: string;
  readonly help?: string;
  /** It is a secret: `text` and `suggestion` hold it masked. */
  readonly secret?: true;
  /** Tells instances of the same text in one file apart: the first is 0. */
  readonly ordinal: number;
}

/** An instance that the team has settled by a directive or in its tool. */
export interface SuppressedInstance extends Instance {
  readonly suppressed: Suppression;
}

/** Bytes `start` to `end` of the file before any edit are replaced by `text`, written in the file's own encoding. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "windows-1252";

/** What was seen in one file. */
export interface FileScan {
  /** Relative to the root that was scanned, with `/`. */
  readonly path: string;
  readonly size: number;
  /** sha256 of all bytes, lower-case hex; absent when the file was not read or nobody wanted it. */
  readonly hash?: string;
  readonly encoding?: Encoding;
  readonly language?: string;
  /** `Codeunit`, `Page`, `TableExtension` ... for AL. */
  readonly objectType?: string;
  readonly test?: boolean;
  readonly instances: readonly Instance[];
  /** Found and left, because the team settled them; absent without any. */
  readonly suppressed?: readonly SuppressedInstance[];
  /** Why it was not scanned, or not in full. */
  readonly problems: readonly ScanProblem[];
}

export interface ScanProblem {
  readonly code: string;
  readonly message: string;
  readonly pattern?: string;
}

/** Which files belong to a job. */
export interface InventoryRequest {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly patterns: readonly string[];
  readonly exclusions: readonly string[];
  /**
   * `files`: exactly these paths, relative to the root; `directory`: a folder below it; `paths`: both, each as what it is. `listed`: of files only
   * those that are there and that the globs take.
   */
  readonly scope:
    | { readonly kind: "workspace" }
    | { readonly kind: "directory"; readonly path: string }
    | { readonly kind: "files"; readonly paths: readonly string[] }
    | { readonly kind: "paths"; readonly paths: readonly string[]; readonly listed?: boolean };
  readonly maxFiles?: number;
  /** Files that match come first. */
  readonly priority: readonly string[];
  readonly gitignore: boolean;
  readonly signal?: AbortSignal;
}

export interface InventoryFile {
  readonly path: string;
  readonly size: number;
  /** 1 for the files that come first. */
  readonly priority: number;
}

export interface Inventory {
  /** In the order in which they are worked on. */
  readonly files: readonly InventoryFile[];
  /** Left out by `maxFiles`. */
  readonly outOfScope: readonly InventoryFile[];
  /** Named but absent, unreadable folders, links that lead outside. */
  readonly problems: readonly ScanProblem[];
}

export interface ScanRequest {
  readonly root: string;
  readonly paths: readonly string[];
  readonly rules: ScanRules;
  /** `false` when nobody needs the hashes of the files; they are left out then. */
  readonly hash?: boolean;
  /** Their files are scanned as they would be after these edits; nothing is written. */
  readonly edits?: readonly FileEdit[];
  /** What tools reported about files, by path: each is looked up in its file and comes back as an instance. */
  readonly findings?: Readonly<Record<string, readonly Finding[]>>;
  readonly signal?: AbortSignal;
}

/** Edits of one file, bound to its content before and after. */
export interface FileEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly edits: readonly ByteEdit[];
  /** Bytes that each edit takes away, in base64, so that it can be undone. */
  readonly removed: readonly string[];
}

export type EditOutcome =
  | { readonly path: string; readonly status: "done" }
  /** Left as it was: `reason` says why. `changed`: its content is neither the one before nor the one after. */
  | {
      readonly path: string;
      readonly status: "failed";
      readonly code: "changed" | "vanished" | "read_only" | "failed";
      readonly reason: string;
    };

/** The files a run works on. Every path is relative to a root and may not leave it, also not by a link. */
export interface Workspace {
  inventory(request: InventoryRequest): Promise<Inventory>;
  /** In the order of `paths`, on all cores. A file that cannot be scanned comes with its problem. */
  scan(request: ScanRequest): AsyncIterable<FileScan>;
  /** undefined when it does not exist or cannot be read. */
  read(root: string, path: string): Promise<{ readonly bytes: Uint8Array; readonly hash: string } | undefined>;
  /** Text of the file and its lines, decoded as the scan decodes it. */
  readText(root: string, path: string): Promise<{ readonly text: string; readonly hash: string; readonly encoding: Encoding } | undefined>;
  /** Plans edits of one file against its content now; undefined when its hash is not `hash`. */
  planEdit(root: string, path: string, hash: string, edits: readonly ByteEdit[]): Promise<FileEdit | undefined>;
  /** The same for edits whose `start` and `end` are UTF-16 offsets in the decoded text. */
  planTextEdit(root: string, path: string, hash: string, edits: readonly ByteEdit[]): Promise<FileEdit | undefined>;
  /** Writes each file atomically, all or nothing per file. A file that already has its content after counts as done. */
  applyEdits(root: string, edits: readonly FileEdit[], signal?: AbortSignal): Promise<readonly EditOutcome[]>;
  /** The reverse: restores the content before where the content after is in place. */
  undoEdits(root: string, edits: readonly FileEdit[], signal?: AbortSignal): Promise<readonly EditOutcome[]>;
  /** Writes a whole file below the root, atomically; `expected`: the hash it must have before, null when it must not exist. */
  writeFile(root: string, path: string, bytes: Uint8Array, expected: string | null): Promise<EditOutcome>;
  /** Makes a folder below the root, with those above it; false when that would lead out of the root. */
  makeFolder(root: string, path: string): Promise<boolean>;
  /** Says of a path whether one of the globs matches it; globs for AL files ignore case. */
  matcher(globs: readonly string[]): Promise<(path: string) => boolean>;
  /** Version of the scanner: results of another one are not comparable. */
  rulesVersion(): Promise<string>;
  close(): Promise<void>;
}
