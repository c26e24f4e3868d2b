import type { Finding } from "../../ports/index.ts";

/** How a tool's output is read. */
export interface Reading {
  /** Id of the tool in the workflow. */
  readonly tool: string;
  readonly format: "sarif" | "eslint" | "lines";
  /** Of `lines`: a regular expression with the named groups `file` and `line`, and perhaps `column`, `severity`, `rule`, `message`. */
  readonly pattern?: string;
  /** Absolute path, with links followed: what a tool names is made relative to it. */
  readonly workspace: string;
}

/** What a tool reported about nothing that the workspace has: it is counted, not worked off. */
export interface Unplaced extends Omit<Finding, "path" | "region" | "fix"> {
  /** `no_file`: it names none, as a fault in a configuration. `outside`: its file is not in the workspace. */
  readonly unplaced: "no_file" | "outside";
  /** As the tool named it. */
  readonly named?: string;
}
