export interface ErrorFacts {
  /** Permanent, `ROOM_WHAT`, listed in the room's catalogue. */
  readonly code: string;
  /** What happened and why, in full sentences, values in backticks. */
  readonly message: string;
  /** The next thing to do, as an instruction. */
  readonly fix?: string;
  /** Facts a program can read: run, step, holder, nearest names. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one operational error. Built only by named factories; recognised by brand, since the sandbox is another realm. */
export class WaymarkError extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly brand = "waymark.error";

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "WaymarkError";
    this.code = facts.code;
    this.fix = facts.fix;
    this.details = facts.details ?? {};
  }
}

export function isWaymarkError(value: unknown): value is WaymarkError {
  return typeof value === "object" && value !== null && (value as { brand?: unknown }).brand === "waymark.error";
}

/** One row of a room's catalogue of codes; `docs/errors.md` is generated from all of them. */
export interface CodeEntry {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** Which call an agent makes next; absent: it asks for the step of its task, or without one for the status of the run. */
  readonly next?: NextAfter;
}

/**
 * `next`: the open step. `batch`: a dry run. `wait`: the open step, once its holder is done or gone. `person`: the open step, once a person has answered its question. `other`: the open run that the error names. `list`: the workflows. `info`: the workflow. `runs`: the runs.
 * `status`: the run, also for who works on a task. `again`: the same call, as it should have been made. `nothing`: a person must act first.
 * `allowed`: the same once a person has allowed it.
 */
export type NextAfter = "next" | "wait" | "person" | "other" | "list" | "info" | "runs" | "status" | "again" | "allowed" | "nothing";
export type Catalogue = Readonly<Record<string, CodeEntry>>;
