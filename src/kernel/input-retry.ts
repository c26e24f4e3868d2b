import { ofEntry } from "./ending.ts";
import { cancelStrand, enter, leaveTo } from "./enter-leave.ts";
import type { Frame, WorkFrame } from "./frame.ts";
import { sameHolder } from "./read-state.ts";
import type { InputOf, Rejected } from "./input.ts";
import { retryStrand } from "./retry-strand.ts";
import { mainStrand, type Strand } from "./run-state.ts";
import { isStopped, resumeStrand } from "./stop-strands.ts";
import { nameOfItem, readListName } from "./task-name.ts";
import type { Turn } from "./turn.ts";

/** Lets failed and blocked strands continue where they stopped. */
export function acceptRetry(turn: Turn, input: InputOf<"retry">): Rejected | undefined {
  const wanted = Object.values(turn.state.strands).filter((strand) => input.strand === undefined || strand.id === input.strand);
  const stopped = wanted.filter((strand) => strand.status === "failed" || strand.status === "blocked");
  if (stopped.length === 0) return nothingToRetry(turn);
  if (turn.state.status === "failed") turn.emit({ type: "reopened", why: "retry" });
  for (const strand of stopped) {
    if (turn.state.strands[strand.id] === undefined) continue;
    if (strand.holder !== undefined && !sameHolder(strand.holder, turn.by))
      turn.emit({ type: "released", strand: strand.id, why: "taken_over" });
    if (input.fromStart === true && strand.id === mainStrand) startOver(turn, strand);
    else if (isStopped(strand)) resumeStrand(turn, strand.id);
    else retryStrand(turn, strand, input.resetCounts);
  }
}

/** Nothing that was done counts: the strand begins at its first step again, and works that it does not wait for end. */
function startOver(turn: Turn, { id }: Strand): void {
  const reason = "started again from the first step";
  leaveTo(turn, id, 0, { how: "skipped", reason });
  for (const other of Object.values(turn.state.strands))
    if (other.parent !== undefined && !ofEntry(turn, other)) cancelStrand(turn, other.id, "skipped", reason);
  enter(turn, id, turn.mainPart().root);
  turn.ready(id);
}

const namesShown = 5;

/** Why nothing can be tried again now. What failed in a group that still works waits for the group's end, or is left as it is. */
function nothingToRetry(turn: Turn): Rejected {
  const { strands, id, status } = turn.state;
  const code = "NOTHING_TO_RETRY";
  if (status === "cancelled")
    return { code, message: `Run \`${id}\` was cancelled: nothing of it is tried again.`, fix: "Start another run." };
  const groups = Object.values(strands).flatMap(({ frames }) => frames.filter(isGroup));
  const waiting = groups.find((frame) => turn.blockOf(frame).onItemFailure?.then !== "continue");
  const group = waiting ?? groups[0];
  if (group !== undefined) return { code, ...aboutGroup(id, group, waiting === undefined) };
  const fix = "Ask for its status to see what is open.";
  const passed = failedTasks(turn);
  if (passed === 0) return { code, message: `Nothing in run \`${id}\` has failed or is blocked.`, fix };
  const [what, it] = passed === 1 ? ["1 task", "it"] : [`${passed} tasks`, "them"];
  return { code, message: `${what} of run \`${id}\` failed, and the workflow continued without ${it}: nothing can be tried again.`, fix };
}

function isGroup(frame: Frame): frame is WorkFrame {
  return frame.kind === "work" && frame.failed.length > 0;
}

/** `left`: the workflow continues without what failed. */
function aboutGroup(run: string, { block, list, failed }: WorkFrame, left: boolean): Omit<Rejected, "code"> {
  const names = failed.map((id) => nameOfItem({ list, id }));
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  const shown = names.slice(0, namesShown).map((name) => `\`${name}\``);
  const what = `${shown.join(", ")}${more} of \`${block}\` failed`;
  const it = names.length === 1 ? "it" : "them";
  return {
    message: left
      ? `${what}, and the workflow continues without ${it}: nothing in run \`${run}\` can be tried again.`
      : `${what}, and other tasks of it are still open: nothing in run \`${run}\` can be tried again now.`,
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
