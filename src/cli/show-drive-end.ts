import { asSentence } from "../base/index.ts";
import type { CutOff, UseTotal } from "../engine/index.ts";
import type { DriveEnd } from "../runner/index.ts";
import { timeOver } from "../views/index.ts";
import type { Undone } from "./command-share.ts";
import { askedLine } from "./answer-line.ts";
import { exitCodes } from "./codes.ts";
import { allowLine, whenChanged } from "./printed-lines.ts";
import type { Session } from "./session.ts";
import { totalsData } from "./use-lines.ts";

export interface Ending {
  /** The line that drives the run again. */
  readonly again: string;
  /** The line that lets another agent continue, in general or for a role. */
  readonly other: (role?: string) => string;
  /** The line that drives it again with all that an agent can be allowed. */
  readonly freer: string | undefined;
  /** The line that starts a new run of its workflow. */
  readonly anew: string;
  /** The command that shows why it failed. */
  readonly look: string;
  /** What failed in a run that is complete. */
  readonly left: Undone | undefined;
  /** The command that shows what came of it. */
  readonly outcome: string | undefined;
  /** What agents asked for and were not allowed. */
  readonly denied: readonly string[];
  readonly totals: readonly UseTotal[];
}

function undoneData(left: Undone | undefined): object {
  if (left === undefined || left.text === "") return {};
  return { undone: left.text, ...(left.lines.length === 0 ? {} : { undone_items: left.lines }) };
}

const deniedShown = 5;
/** A conversation that is lost stays lost: only a fresh one helps. */
const lostSession = "(RUNNER_LOST_SESSION)";

/** Says how driving ended and what helps then; answers the exit code. */
export function showDriveEnd(session: Session, end: DriveEnd, ending: Ending): number {
  const { left, denied, totals } = ending;
  const more = { ...totalsData(totals), ...undoneData(left), ...(denied.length === 0 ? {} : { denied }) };
  session.out.entry({ type: "end", run_id: end.run, ...end, ...more });
  const code = showHow(session, end, ending);
  for (const { step, then } of end.cut ?? []) session.out.line(`\`${step}\` was cut off: ${cutText[then]} when the run is driven again.`);
  if (denied.length === 0) return code;
  const others = denied.length > deniedShown ? ` and ${denied.length - deniedShown} more` : "";
  session.out.line(`The agent was not allowed: ${denied.slice(0, deniedShown).join("; ")}${others}.`);
  if (end.kind !== "completed" && end.kind !== "cancelled") {
    const retry = end.kind === "failed" ? `waymark retry ${end.run}, then ` : "";
    if (ending.freer !== undefined) session.out.hint(`→ to allow everything: ${retry}${ending.freer}`);
  }
  return code;
}

const cutText: Readonly<Record<CutOff["then"], string>> = {
  retry: "it is repeated",
  continue: "it counts as done",
  ask: "you are asked whether it is repeated",
  fail: "it fails",
};

function untilText(until: number | undefined): string {
  return until === undefined ? "" : ` Until ${timeOver(until)}.`;
}

function showHow({ out }: Session, end: DriveEnd, { again, other, anew, look, left, outcome = "status" }: Ending): number {
  const { run, kind } = end;
  switch (kind) {
    case "completed":
      if (left !== undefined && left.text !== "") {
        out.line(`Run ${run} is complete, but not everything is done: ${left.text}.`);
        for (const line of left.lines) out.advice(`  ${line}`);
        out.hint(`→ waymark ${outcome} ${run}`);
        out.hint(`A run that is complete has no retry. A new run does all of it again: ${anew}`);
        return exitCodes.failed;
      }
      out.line(`Run ${run} is complete.`);
      out.hint(`→ waymark status ${run}`);
      return exitCodes.done;
    case "failed":
      out.advice(`Run ${run} failed: ${end.why}`);
      out.hint(`→ ${look}`);
      out.hint(
        `→ when the cause is fixed: waymark retry ${run}, then ${end.why.includes(lostSession) ? `${again} --on-lost fresh` : again}`,
      );
      out.hint(whenChanged(anew));
      return exitCodes.failed;
    case "cancelled":
      out.advice(`Run ${run} was cancelled: ${end.why}`);
      return exitCodes.failed;
    case "waits":
      out.line(`Run ${run} waits for a person:`);
      for (const question of end.questions) out.line(askedLine(question));
      out.hint(`→ waymark decide ${run}, then ${again}`);
      return exitCodes.waits;
    case "parked":
      out.advice(`Run ${run} is parked: ${end.until === undefined ? end.why : asSentence(end.why)}${untilText(end.until)}`);
      if (end.stuck === true) out.hint(`→ when the cause is fixed: waymark retry ${run}, then ${again}`);
      else if (end.setup !== undefined) out.hint(`→ when \`${end.setup}\` can work: ${again}`);
      else if (end.login !== undefined) out.hint(`→ when \`${end.login}\` is logged in and paid for: ${again}`);
      else if (end.allow !== undefined) out.hint(`→ ${allowLine(end.allow)}, then ${again}`);
      else if (end.until === undefined) out.hint(`→ ${again}`);
      else {
        out.hint(`→ after ${timeOver(end.until)}: ${again}`);
        // A step that names its agent is done by no other one.
        if (end.fixed !== true) out.hint(`→ to continue now with another agent: waymark retry ${run}, then ${other(end.role)}`);
      }
      return exitCodes.parked;
  }
}
