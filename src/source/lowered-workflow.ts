import type { Diagnostic, JsonObject } from "../base/index.ts";
import type { InputSpec, Program } from "../program/index.ts";

/** What can be said of a workflow without running it; as much as could be read when the file has errors. */
export interface WorkflowInfo {
  readonly name: string;
  readonly description: string;
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
