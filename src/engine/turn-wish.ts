import type { JsonObject } from "../base/index.ts";
import type { AgentSession } from "../kernel/index.ts";
import type { AgentPermission, Turn } from "../ports/index.ts";

/** One turn of an agent, as the workflow wants it. */
export interface TurnWish {
  /** Complete, without any tool wording. */
  readonly prompt: string;
  /** `last`: the last session of the strand; default `fresh`. */
  readonly context?: "fresh" | "last";
  /** The session that it continues, in the place of `context`: where another agent does the step, it is lost. */
  readonly session?: AgentSession;
  /** That session is forked: what is said from here on is not part of it. */
  readonly fork?: true;
  /** What a session that cannot be resumed means; default `fail`. */
  readonly onLost?: "fail" | "fresh" | "replay";
  readonly permission?: AgentPermission;
  readonly agent?: string;
  readonly model?: string;
  readonly tools?: Turn["tools"];
  /** JSON Schema: the final text of the turn is read as JSON and checked. */
  readonly returns?: JsonObject;
  /** Files that must be there, relative to the folder of the run. */
  readonly artifacts?: readonly string[];
  /** The end of a successful turn is the report. */
  readonly endIsReport?: true;
  readonly idleMs?: number;
  /** What the workflow says for all of its steps; weaker than what who drives says. */
  readonly usual?: { readonly agent?: string; readonly model?: string; readonly permission?: AgentPermission };
}
