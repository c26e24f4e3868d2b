import type { Position } from "../engine/index.ts";

/** The prompt for an agent that reads and reports its step by our tools. */
export function stepPrompt(brief: string): string {
  return [
    "You carry out one step of a Waymark run, alone and to its end. Nobody is watching: decide by yourself. Only what a person must decide you ask with the tool workflow_ask, and then you end your turn.",
    brief,
    "When it is done, report it with the tool workflow_progress of the MCP server `waymark`, as above. If you cannot do it, report it with status failed and say why. Then end your turn.",
  ].join("\n\n");
}

/** What a turn did not bring, for who reads of it and for the agent that is asked for it. */
export interface Missing {
  readonly why: string;
  readonly prompt: string;
}

/** Asks for exactly the call that is missing. */
export function missingReport({ handle, action }: { readonly handle: { readonly id: string }; readonly action: OpenAction }): Missing {
  const call = JSON.stringify({ run_id: handle.id, action_id: action.id });
  const why = `The step \`${action.step}\` is not reported.`;
  return {
    why,
    prompt: `You ended your turn. ${why} Call workflow_progress of the MCP server \`waymark\` with ${call} and its result or status now; if it failed, with status failed and the error. Then end your turn.`,
  };
}

type OpenAction = Extract<Position["standing"], { readonly kind: "action" }>["action"];

/** After a failure in passing, in the same conversation. */
export const againPrompt = "You were interrupted by a technical failure. Continue where you were, and finish what you were asked to do.";

const silent = "The turn ended without a word and without a tool call.";

/** Silence is not a report: nobody can tell whether anything was done. */
export const emptyTurn: Missing = {
  why: silent,
  prompt: `${silent} Do what you were asked, then say in one sentence what you did. If there is nothing to do, say so.`,
};
