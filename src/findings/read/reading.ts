import type { Finding } from "../../ports/index.ts";
import type { WorkspaceNames } from "./path-in.ts";

/** How a tool's output is read. */
export interface Reading extends WorkspaceNames {
  /** Id of the tool in the workflow. */
  readonly tool: string;
  readonly format: "sarif" | "eslint" | "lines";
  /** Of `lines`: a regular expression with the named groups `file` and `line`, and perhaps `column`, `severity`, `rule`, `message`. */
  readonly pattern?: string;
}

/** What a tool reported about nothing that the workspace has: it is counted, not worked off. */
export interface Unplaced extends Omit<Finding, "path" | "region" | "fix"> {
  /** `no_file`: it names none, as a fault in a configuration. `outside`: its file is not in the workspace. */
  readonly unplaced: "no_file" | "outside";
  /** As the tool named it. */
  readonly named?: string;
}
