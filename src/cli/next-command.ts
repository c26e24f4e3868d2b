import { isObject, type Json, type JsonObject } from "../base/index.ts";
import type { Position } from "../engine/index.ts";
import { positionView, timeOver } from "../views/index.ts";
import { decideLine, doneLine, nextLine, quoted, taskOf } from "./printed-lines.ts";

/**
 * The line to run now, or one for later that would only repeat what failed, ask again and again, or lead an agent to work that is not its
 * own, if it were run now.
 */
export interface Following {
  readonly next?: string;
  readonly later?: { readonly when: string; readonly command: string };
}

type StandingOf<K extends Position["standing"]["kind"]> = Extract<Position["standing"], { readonly kind: K }>;

/** `user`: who asks; tasks that somebody else has begun are not theirs to do. */
export function followingOf(position: Position, user: string): Following {
  const { run, standing, state, program } = position;
  const task = taskOf(position);
  switch (standing.kind) {
    case "action":
      return actionLine(position, standing, user);
    case "question":
      return { next: decideLine(run, standing.decision) };
    case "working":
      return standing.until === undefined || standing.far !== true
        ? { next: nextLine(run, task) }
        : atTime(standing.until, nextLine(run, task));
    case "joining":
      return { next: nextLine(run, task) };
    case "blocked":
      return standing.until === undefined ? whenFixed(run) : atTime(standing.until, nextLine(run, task));
    case "task_ended":
      return { later: { when: "if you do the tasks yourself, without sub-agents", command: nextLine(run, standing.within) } };
    case "ended":
      if (state.status === "failed") return whenFixed(run);
      return state.status === "completed" ? { next: `waymark ${program.dialect === "checklist" ? "report" : "state"} ${quoted(run)}` } : {};
  }
}

function atTime(until: number, command: string): Following {
  return { later: { when: `at ${timeOver(until)}`, command } };
}

function actionLine(position: Position, { action, tasks = [] }: StandingOf<"action">, user: string): Following {
  const { run } = position;
  const task = taskOf(position);
  if (action.what === "parallel_tasks") {
    const mine = tasks.find(({ holder }) => holder === undefined) ?? tasks.find(({ holder }) => holder === user);
    return mine === undefined
      ? { later: { when: "when all tasks have ended", command: nextLine(run, task) } }
      : { next: nextLine(run, mine.task) };
  }
  return { next: doneLine({ run, action: action.id, ...(task === undefined ? {} : { task }) }, wantedOf(position)) };
}

/** What the view asks for as the result of the open step; undefined when it asks for nothing. */
function wantedOf(position: Position): string | undefined {
  const { fill_in: asked } = positionView(position).data as { readonly fill_in?: Json };
  const wanted = isObject(asked) ? asked["result"] : undefined;
  return typeof wanted === "string" ? wanted : undefined;
}

export function whenFixed(run: string): Following {
  return { later: { when: "when the cause is fixed", command: `waymark retry ${quoted(run)}` } };
}

/** The same for scripts. */
export function followingData({ next, later }: Following): JsonObject {
  return { ...(next === undefined ? {} : { next_command: next }), ...(later === undefined ? {} : { later_command: later.command }) };
}

/** The same for people; only what can be done now has an arrow. */
export function followingText({ next, later }: Following): readonly string[] {
  return [
    ...(next === undefined ? [] : [`→ ${next}`]),
    ...(later === undefined ? [] : [`${later.when.slice(0, 1).toUpperCase()}${later.when.slice(1)}: ${later.command}`]),
  ];
}
