import type { RunState, Standing } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** Where the caller's strand of a run stands. */
export interface Position {
  readonly run: string;
  readonly program: Program;
  readonly state: RunState;
  readonly head: number;
  readonly strand: string;
  readonly standing: Standing;
}
