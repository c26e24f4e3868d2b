import type { Json } from "../../base/index.ts";
import {
  handOutId,
  type DeniedClaim,
  type findReported,
  type NextRequest,
  type Position,
  type Reported,
  type ReportRequest,
} from "../../engine/index.ts";

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

/** A hand-out as replies name it: the author's id comes again in every round, this one does not. Of one that is over the id may be all that is known. */
export function nameOf({ step, action }: Pick<Reported, "step" | "action">): string {
  return step === action ? action : handOutId(step, action);
}

export function beforeText(reported: Pick<Reported, "step" | "action">): string {
  return `\`${nameOf(reported)}\` was reported before; nothing was changed.`;
}

/** What became of a report that the file contradicts: an instance that is still there is not converted, even when the report says so. */
export function deniedText(reported: Pick<Reported, "step" | "action">, { became, reason }: DeniedClaim): string {
  const why = became === "failed" ? `it is set aside as failed: ${reason}` : "the instance is still there, so it stays open.";
  return `Recorded your report on \`${nameOf(reported)}\`, but ${why}`;
}
