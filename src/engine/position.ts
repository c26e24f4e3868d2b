import type { RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import type { ShownStanding } from "../views/index.ts";

/** Where the caller's strand of a run is, with what is open as its leaf shows it. */
export interface Position {
  readonly run: string;
  readonly program: Program;
  readonly state: RunState;
  readonly head: number;
  readonly strand: string;
  readonly standing: ShownStanding;
}
