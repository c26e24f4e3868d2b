import type { OptionValues } from "commander";
import type { Json, JsonObject } from "../base/index.ts";
import type { Caller, EngineContext, findReported, NextRequest, Position, Reported, ReportRequest } from "../engine/index.ts";
import type { Output } from "./output.ts";
import type { Session } from "./session.ts";
import type { OwnBranch } from "./testing/coverage.ts";

/** One command with the engine open: where it works, and who calls. */
export interface Desk {
  readonly session: Session;
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly shares: Shares;
}

/** The shares of all dialects. Each is loaded when it is first asked for. */
export interface Shares {
  /** Of the dialect that a run or a workflow is of. */
  of(dialect: string): Promise<CommandShare>;
  all(): Promise<readonly CommandShare[]>;
}

/** A dialect's share of the general commands. Where a member is missing, or answers undefined, the general command does it. */
export interface CommandShare {
  /** Shows the open step of one of its runs, and answers the exit code. */
  readonly show?: (desk: Desk, position: Position, options: ShowOptions) => Promise<number | undefined>;
  /** Lets a person at the terminal do the open step of one of its runs, and answers where the run is then. */
  readonly drive?: (desk: Desk, position: Position) => Promise<Position | undefined>;
  /** Records what became of a step of one of its runs. `found` is undefined when the engine refuses to say which step is meant. */
  readonly report?: (desk: Desk, report: StepReport, found: Found | undefined) => Promise<Stepped | undefined>;
  /** Continues one of its runs where it stopped. */
  readonly retry?: (desk: Desk, request: RetryWish) => Promise<Position>;
  /** The status of one of its runs. */
  readonly status?: (context: EngineContext, run: string) => Promise<ShownPart>;
  /** Prints the items of a run with a part of it, and answers how many; undefined where the run has none of its items. */
  readonly items?: (desk: Pick<Desk, "session" | "context">, run: string, options: OptionValues) => Promise<number | undefined>;
  /** What failed in one of its runs that is complete. */
  readonly undone?: (context: EngineContext, run: string) => Promise<Undone>;
  /** What the status of a run of another dialect shows that calls a workflow of this one. */
  readonly calledStatus?: (context: EngineContext, run: string) => Promise<ShownPart>;
  /** What one of its runs may have left in the workspace: paths, relative to it or absolute. It stays when the run is removed, empty folders aside. */
  readonly leaves?: (context: EngineContext, run: string) => Promise<readonly string[]>;
  /** What an author wrote in one of its workflows that is a branch of a block with a name of Waymark's; tests count it. */
  readonly branches?: (program: Position["program"]) => readonly OwnBranch[];
  /** What `info` says of one of its workflows, beside what all have. */
  readonly info?: (program: Position["program"]) => readonly string[];
  /** Inputs of one of its workflows that were typed as paths and further options of `start`. Without it there are none. */
  readonly startInputs?: (session: Session, paths: readonly string[], options: OptionValues) => Promise<JsonObject>;
  /** The rules that one of its workflows brings, for `info`. */
  readonly rules?: (program: Position["program"]) => readonly ShownRule[];
  /** How many files the engine has looked at in one of its runs, while it does. */
  readonly scanned?: (run: Pick<Position, "program" | "state">) => { readonly done: number; readonly total: number } | undefined;
  /** What a person should know of one of its runs that has just begun. */
  readonly begun?: (position: Position) => readonly string[];
  /** The command that shows what came of a completed run; `state` without it. */
  readonly outcome?: string;
  /** What `doctor` checks beside the store. */
  readonly inspect?: (desk: Desk, run: string | undefined, options: OptionValues) => Promise<Inspection>;
  /** Files of `init --example`, by their path in the workspace. */
  readonly examples?: Readonly<Record<string, string>>;
  /** What its printed lines leave to be filled in. */
  readonly fillIns?: readonly string[];
}

export type Outcome =
  | { readonly as: "done"; readonly result?: Json }
  | { readonly as: "failed"; readonly error?: string; readonly blockedUntil?: number }
  | { readonly as: "skipped"; readonly reason: string; readonly identical: boolean };

export interface StepReport extends Pick<ReportRequest, "run" | "task" | "action" | "step" | "usage"> {
  readonly outcome: Outcome;
  readonly wait: Pick<NextRequest, "waitMs" | "signal" | "onProgress">;
}

/** What became of a report, and where its reporter is now. */
export interface Stepped {
  readonly recorded: Reported["recorded"];
  /** The hand-out that it is about, as replies name it. */
  readonly reported: string;
  readonly said: readonly string[];
  readonly position: Position;
}

export type Found = Awaited<ReturnType<typeof findReported>>;

export interface ShowOptions {
  /** False where the person is asked right away. */
  readonly hints: boolean;
  /** For scripts. */
  readonly extra?: JsonObject;
}

export interface RetryWish extends Pick<NextRequest, "run" | "waitMs" | "signal" | "onProgress" | "looks"> {
  readonly resetCounts: boolean;
}

export interface Undone {
  /** In a few words; empty when nothing failed. */
  readonly text: string;
  /** What failed and why, a line each. */
  readonly lines: readonly string[];
}

/** What is added to a document for scripts, and shown to people. */
/** A rule of a workflow: what it finds, how grave that is, and what to do about it. */
export interface ShownRule {
  readonly id: string;
  readonly severity: string;
  readonly name?: string;
  readonly description?: string;
  readonly category?: string;
  readonly advice?: string;
  readonly help?: string;
}

export interface ShownPart {
  readonly data: JsonObject;
  readonly show: (out: Output) => void;
}

export interface Inspection extends ShownPart {
  /** False: something is wrong, and the command fails. */
  readonly sound: boolean;
}
