import type { Rejected } from "./input.ts";
import type { RunState, WorkFrame } from "./run-state.ts";
import { nameOfItem, readListName } from "./task-name.ts";
import type { Turn } from "./turn.ts";

const namesShown = 5;

/** Why nothing can be tried again now. What failed in a group that still works waits for the group's end, or is left as it is. */
export function nothingToRetry(turn: Turn): Rejected {
  const { state } = turn;
  const groups = Object.values(state.strands).flatMap(({ frames }) => frames.filter(isGroup));
  const waiting = groups.find(({ block }) => !isLeftBehind(turn, block));
  const group = waiting ?? groups[0];
  if (group !== undefined) return ofGroup(turn, group, waiting === undefined);
  const passed = failedTasks(turn);
  if (passed === 0)
    return {
      code: "NOTHING_TO_RETRY",
      message: `Nothing in run \`${state.id}\` has failed or is blocked.`,
      fix: "Ask for its status to see what is open.",
    };
  const what = passed === 1 ? "1 task" : `${passed} tasks`;
  return {
    code: "NOTHING_TO_RETRY",
    message: `${what} of run \`${state.id}\` failed, and the workflow went on without ${passed === 1 ? "it" : "them"}: nothing can be tried again.`,
    fix: "Ask for its status to see what is open.",
  };
}

type Group = WorkFrame & { readonly block: string };

function isGroup(frame: RunState["strands"][string]["frames"][number]): frame is Group {
  return frame.kind === "work" && frame.failed.length > 0;
}

function isLeftBehind(turn: Turn, block: string): boolean {
  const work = turn.block(block);
  return work.kind === "work" && work.onItemFailure?.then === "continue";
}

function ofGroup({ state }: Turn, { block, list, failed }: Group, left: boolean): Rejected {
  const names = failed.map((id) => nameOfItem({ list, id }));
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  const shown = names.slice(0, namesShown).map((name) => `\`${name}\``);
  const what = `${shown.join(", ")}${more} of \`${block}\` failed`;
  const it = names.length === 1 ? "it" : "them";
  return {
    code: "NOTHING_TO_RETRY",
    message: left
      ? `${what}, and the workflow continues without ${it}: nothing in run \`${state.id}\` can be tried again.`
      : `${what}, and other tasks of it are still open: nothing in run \`${state.id}\` can be tried again now.`,
    fix: left
      ? "Ask for the run's status to see what is open."
      : `Finish the open tasks of \`${block}\`. When all have ended and the run has failed, a retry continues what failed.`,
    details: { failed: names.slice(0, 50) },
  };
}

/** Tasks that failed in groups that are over: those of one step are counted together, under its name. */
function failedTasks({ program, state: { lists } }: Turn): number {
  return Object.entries(lists).reduce((sum, [list, { by }]) => {
    const block = program.blocks[readListName(list)?.block ?? list];
    return block?.kind === "work" && block.fill !== undefined ? sum + by.failed : sum;
  }, 0);
}
