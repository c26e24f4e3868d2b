import type { FileEdit, Finding, ScanRules } from "../ports/index.ts";

/** What a scanning thread receives, and what it answers. Results travel as JSON text, which is parsed when they are asked for. */
export type ToThread =
  | ({ readonly kind: "open"; readonly job: number } & ScanFacts)
  | ({ readonly kind: "scan"; readonly job: number; readonly task: number; readonly paths: readonly string[] } & Asked)
  | { readonly kind: "close"; readonly job: number };

/** What all files of a job have in common. */
export interface ScanFacts {
  /** A real path. */
  readonly root: string;
  readonly rules: ScanRules;
  /** Whether the hash of each file is wanted. */
  readonly hash: boolean;
  /** How long a pattern may run on one file. */
  readonly patternMs: number;
}

/** How the files of a task are scanned. */
export interface Asked {
  readonly leave: Leave;
  /** Edits of those files that are scanned as they would be after them. */
  readonly edits: readonly FileEdit[];
  /** What tools reported about them, in the order of the paths; absent when nobody reported anything. */
  readonly findings?: readonly (readonly Finding[])[];
}

/** Patterns that are not run, by id, and why. */
export interface Leave {
  /** They ran too long on the one file of the task. */
  readonly cutOff: readonly string[];
  /** They ran too long on several files. */
  readonly givenUp: readonly string[];
}

export interface FromThread {
  readonly task: number;
  readonly results: string;
}

/**
 * What a thread does at this moment, in shared memory, since a thread inside a regular expression answers no questions. `step` grows
 * with everything it begins; the others say what that is. `kilobytes` is the size of the file.
 */
export const cells = { step: 0, task: 1, file: 2, pattern: 3, kilobytes: 4 } as const;
export const cellBytes = 20;
/** Value of `pattern` before the first one: the file is read and decoded. */
export const noPattern = -1;
/** Value of `task` when the thread waits. */
export const idle = -1;
