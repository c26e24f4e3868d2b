import { counted } from "../base/index.ts";
import { authorsName } from "./authors-name.ts";
import { type Standing, timeOver } from "./standing.ts";

type Working = Extract<Standing, { readonly kind: "working" }>;

/** Where a strand is, in a few words. */
export function standingText(standing: Standing): string {
  switch (standing.kind) {
    case "action":
      if (isOwnHandOut(standing)) return `waiting for ${counted(standing.tasks?.length ?? 0, "task")}`;
      return `${standing.action.step} (${standing.action.what})`;
    case "question":
      return `question ${standing.decision.id}: ${standing.decision.question}`;
    case "working":
      return workingText(standing).replaceAll("`", "");
    case "joining":
      return `${counted(standing.tasks.length, "task")} open`;
    case "blocked":
      return `blocked: ${standing.reason}`;
    case "task_ended":
      return `task ${standing.status}`;
    case "ended":
      return "ended";
  }
}

/** Whether tasks are handed out by a part that Waymark made of a definition: its name says nothing to people. */
export function isOwnHandOut({ action }: Pick<Extract<Standing, { readonly kind: "action" }>, "action">): boolean {
  return action.what === "parallel_tasks" && authorsName(action.block) === undefined;
}

/** What the engine works on, where that has a name that people know, and until when. */
export function workingText({ on, until }: Pick<Working, "on" | "until">): string {
  return `working${on === undefined ? "" : ` on \`${on}\``}${until === undefined ? "" : ` until ${timeOver(until)}`}`;
}
