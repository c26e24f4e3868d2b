import type { Json, JsonObject } from "../../base/index.ts";
import type { AgentSession, Settling, Usage, Waiting } from "../../kernel/index.ts";
import type { NextRequest } from "./next.ts";

export interface ReportRequest extends Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  readonly run: string;
  readonly task?: string;
  /** The action or step that is answered; with one open action it may be left out. */
  readonly action?: string;
  readonly step?: string;
  /** True: what is not named by its own id must have been shown to the caller and not be reported yet. */
  readonly shownOnly?: boolean;
  readonly status?: "success" | "failed" | "skipped";
  /** undefined: the result was written by a state update before. */
  readonly result?: Json;
  readonly error?: string;
  /** Of a failure: it is known to be one that may pass by itself. */
  readonly mayPass?: true;
  /** Values of the fields that the leaf of the step takes beside these. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The step cannot continue before this time (milliseconds); it is handed out again then, and `error` says why. */
  readonly blockedUntil?: number;
  readonly waiting?: Waiting;
  /** Of a failure: only a person can change what it failed for. */
  readonly needsPerson?: true;
  readonly usage?: Usage;
  readonly settling?: Settling;
  /** Of a driven agent: the conversation that the step was done in, and what it wanted to do and was not allowed. */
  readonly session?: AgentSession;
  readonly denied?: readonly string[];
}

export interface Reported {
  readonly recorded: "now" | "before";
  readonly action: string;
  readonly step: string;
  /** Who reported it before, where that was not the caller. */
  readonly by?: string;
  /** What the leaf has to say about it. */
  readonly said?: JsonObject;
}
