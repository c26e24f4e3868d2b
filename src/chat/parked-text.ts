import { asSentence, isWaymarkError } from "../base/index.ts";
import type { DriveEnd } from "../runner/index.ts";
import { timeOver } from "../views/index.ts";
import type { Asking } from "./question-text.ts";

/** Why a run does not continue by itself, and what helps: on the machine where it runs, then here. */
export function parkedText({ run, workflow }: Asking, end: Extract<DriveEnd, { readonly kind: "parked" }>): string {
  const until = end.until === undefined ? "" : ` Until ${timeOver(end.until)}.`;
  return `**Workflow parked**: ${workflow} (run \`${run}\`)\n\n${asSentence(end.why)}${until}\n\n${helpText(run, end)}`;
}

function helpText(run: string, { allow, login, setup, until }: Extract<DriveEnd, { readonly kind: "parked" }>): string {
  const resume = `\`/workflow resume ${run}\``;
  if (allow !== undefined) {
    const line = "workflow" in allow ? `waymark allow ${allow.workflow}` : `waymark allow --agent ${allow.agent}`;
    return `A person has to read what it runs and type \`${line}\` on the machine where it runs; a chat cannot allow it. Then write ${resume}.`;
  }
  if (login !== undefined) return `When \`${login}\` is logged in and paid for, write ${resume}.`;
  if (setup !== undefined) return `When \`${setup}\` can work, write ${resume}.`;
  return until === undefined ? `When the cause is fixed, write ${resume}.` : `After that, write ${resume}.`;
}

/** What could not even be begun. */
export function stoppedText({ run, workflow }: Asking, error: unknown): string {
  return `**Workflow parked**: ${workflow} (run \`${run}\`)\n\n${errorText(error)}\n\nWhen the cause is fixed, write \`/workflow resume ${run}\`.`;
}

/** An error as a chat shows it: what happened, and what to do. */
export function errorText(error: unknown): string {
  if (isWaymarkError(error)) return [error.message, error.fix ?? ""].filter((part) => part !== "").join("\n\n");
  return "Something went wrong inside Waymark. Its log on the machine where it runs says what.";
}
