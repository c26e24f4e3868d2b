import { rankWorkflows } from "./rank-workflows.ts";
import type { Candidate, Routable, Routed } from "./routed.ts";

/**
 * The model is asked through this; it is absent where none is configured. What it throws, and an answer without use, make words decide.
 */
export type AskModel = (prompt: string, signal: AbortSignal) => AsyncIterable<string>;

export interface RouteRequest {
  /** What the person wrote, whole. */
  readonly message: string;
  readonly workflows: readonly Routable[];
  /** The caller read a command that names a workflow, such as `/workflow run <name> <text>`. */
  readonly command?: { readonly workflow: string; readonly text: string };
  /** A question to this person is open: what they write answers it and is never routed. */
  readonly question?: boolean;
  /** The conversation's own workflow takes every message, except those that begin with `escape`: these are routed without it. */
  readonly usual?: { readonly workflow: string; readonly escape: string };
  readonly ask?: AskModel;
  readonly signal?: AbortSignal;
  /** Takes what the model says to the person, as it comes; never a routing line, and nothing after one. */
  readonly onText?: (text: string) => void;
}

/** Decides what a message asks for. Starts nothing. Rejects only when `signal` is aborted. */
export async function route(request: RouteRequest): Promise<Routed> {
  const candidates: readonly Candidate[] = rankWorkflows(request.message, request.workflows).slice(0, 3);
  const [best] = candidates;
  if (best === undefined) return { kind: "converse", candidates, by: "words" };
  return { kind: "route", workflow: best.workflow, intent: request.message, candidates, by: "words" };
}
