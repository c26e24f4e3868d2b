import type { Json } from "../../src/base/index.ts";
import type { BatchFilter, CheckReport } from "../../src/dialects/checklist/run/index.ts";

/** What an agent has in hand, whatever surface told it. */
export interface Open {
  readonly kind: "check" | "question" | "batch" | "complete" | "waiting" | "blocked" | "ended" | "other";
  /** Id of the action or of the question. */
  readonly id: string;
  readonly file: string;
  /** The short name of the entry, or the id of the instance. */
  readonly item: string;
  readonly instance: boolean;
  readonly place: { readonly line: number; readonly column: number; readonly call: string };
  readonly question: { readonly text: string; readonly options: readonly string[]; readonly person: boolean };
  /** Of a block: why, and the ways out. */
  readonly why: string;
  readonly ways: readonly string[];
}

export const nothingOpen: Open = {
  kind: "other",
  id: "",
  file: "",
  item: "",
  instance: false,
  place: { line: 0, column: 0, call: "" },
  question: { text: "", options: [], person: false },
  why: "",
  ways: [],
};

export type Report = Omit<CheckReport, "run">;
export type Recorded = "now" | "before";

export interface BatchEnd {
  readonly batch: string;
  readonly previewed: number;
  readonly modified: number;
  readonly failed: number;
  readonly leftOut: number;
  readonly done: boolean;
}

/** How an agent talks to the engine: the same words for its commands and for the tools. What is refused throws with `code`. */
export interface Surface {
  /** Of the agent, not of the surface: another session is another agent. */
  readonly session: string;
  /** Answers the id of the run. */
  start(workflow: string): Promise<string>;
  next(run: string, takeOver?: boolean): Promise<Open>;
  report(run: string, report: Report): Promise<Recorded>;
  answer(run: string, question: string, value: string): Promise<Recorded>;
  /** The general way to report, which knows nothing of checklists. */
  progress(run: string, action: string, result: Json): Promise<Recorded>;
  /** Writes to the run's state behind the back of its steps. */
  write(run: string, path: string, value: Json): Promise<void>;
  complete(run: string): Promise<string>;
  preview(run: string, operation: "apply_fixes" | "skip_instances", filter: BatchFilter): Promise<string | undefined>;
  confirm(run: string, token: string): Promise<BatchEnd>;
  undo(run: string, batch: string): Promise<void>;
  /** Asks where the run stands, without touching it. */
  look(run: string): Promise<{ readonly total: number; readonly open: number }>;
  /** Its process ends at once: no goodbye, and its leases run out. */
  die(): Promise<void>;
  /** Stops to give signs of life without ending, as a process that hangs. */
  hang(): void;
}
