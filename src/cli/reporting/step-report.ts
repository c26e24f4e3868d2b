import type { Json } from "../../base/index.ts";
import type { Caller, EngineContext, findReported, NextRequest, Position, Reported, ReportRequest } from "../../engine/index.ts";
import type { Session } from "../session.ts";

/** Who reports, on which engine. */
export interface Reporter {
  readonly session: Session;
  readonly context: EngineContext;
  readonly caller: Caller;
}

export type Outcome =
  | { readonly as: "done"; readonly result?: Json }
  | { readonly as: "failed"; readonly error?: string; readonly blockedUntil?: number }
  | { readonly as: "skipped"; readonly reason: string; readonly identical: boolean };

export interface StepReport extends Pick<ReportRequest, "run" | "task" | "action" | "step" | "usage"> {
  readonly outcome: Outcome;
  readonly wait: Pick<NextRequest, "waitMs" | "signal" | "onProgress">;
}

/** What became of a report, and where its reporter stands now. */
export interface Stepped {
  readonly recorded: Reported["recorded"];
  readonly said: readonly string[];
  readonly position: Position;
}

export type Found = Awaited<ReturnType<typeof findReported>>;

export function beforeText(step: string): string {
  return `\`${step}\` was reported before; nothing was changed.`;
}
