import type { Catalogue } from "../base/index.ts";
import type { DialectCommands } from "../cli/index.ts";
import type { EngineContext, Runtime } from "../engine/index.ts";
import type { DialectTools } from "../mcp/index.ts";
import type { Dialect } from "../source/index.ts";

/** A log as it should be by now; lines are only ever added. */
export interface RunLog {
  /** Relative to the folder that the run works on. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** A dialect as the composition root finds it. What is large is loaded when it is first needed. */
export interface DialectEntry {
  /** Stored with every part that it lowers, forever. */
  readonly name: string;
  readonly definition: () => Promise<Dialect>;
  /** Every code that it gives, in definitions and in runs. */
  readonly codes: () => Promise<Catalogue>;
  /** Absent when its programs use core leaves alone. */
  readonly runtime?: () => Promise<Runtime<unknown>>;
  /** The log that its runs keep in the workspace; undefined for a run without one. */
  readonly log?: () => Promise<(engine: EngineContext, run: string) => Promise<RunLog | undefined>>;
  readonly tools?: () => Promise<DialectTools>;
  /** Data only: every command line begins with them. */
  readonly commands?: DialectCommands;
}
