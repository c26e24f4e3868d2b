import { defined, isObject, type Json } from "../base/index.ts";
import { taskName, type Position } from "../engine/index.ts";
import { positionView, timeOver } from "../views/index.ts";
import { decideLine, doneLine, nextLine, quoted, whenFixed, type Following } from "./printed-lines.ts";

type StandingOf<K extends Position["standing"]["kind"]> = Extract<Position["standing"], { readonly kind: K }>;

/** `user`: who asks; tasks that another one has begun are not theirs to do. `outcome`: the command that shows what came of the run. */
export function followingOf(position: Position, user: string, outcome: string): Following {
  const { run, standing, state } = position;
  const next = nextLine(run, taskOf(position));
  switch (standing.kind) {
    case "action":
      return actionLine(position, standing, user);
    case "question":
      return { next: decideLine(run, standing.decision) };
    case "working":
      return standing.until === undefined || standing.far !== true ? { next } : atTime(standing.until, next);
    case "joining":
      return { next };
    case "blocked":
      return standing.until === undefined ? whenFixed(run) : atTime(standing.until, next);
    case "task_ended":
      return { later: { when: "if you do the tasks yourself, without sub-agents", command: nextLine(run, standing.within) } };
    case "ended":
      if (state.status === "failed") return whenFixed(run);
      return state.status === "completed" ? { next: `waymark ${outcome} ${quoted(run)}` } : {};
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
  return { next: doneLine({ run, action: action.id, ...defined({ task }) }, wantedOf(position)) };
}

/** What the view asks for as the result of the open step; undefined when it asks for nothing. */
function wantedOf(position: Position): string | undefined {
  const { fill_in: asked } = positionView(position).data as { readonly fill_in?: Json };
  const wanted = isObject(asked) ? asked["result"] : undefined;
  return typeof wanted === "string" ? wanted : undefined;
}

/** What `--task` calls a strand; undefined for the main one. */
export function taskOf({ state, strand }: Pick<Position, "state" | "strand">): string | undefined {
  const held = state.strands[strand];
  return strand === "main" ? undefined : held === undefined ? strand : taskName(held);
}
