import type { JsonObject } from "../base/index.ts";
import { retryRun, type Caller, type EngineContext, type NextRequest, type Position } from "../engine/index.ts";
import { timeOver } from "../views/index.ts";
import { showCheck } from "./checklist/show-check.ts";
import { parseDuration } from "./parse-values.ts";
import { showPosition } from "./position-text.ts";
import type { Session } from "./session.ts";

/** Longer than anybody waits; the engine's own limit is for surfaces that poll. */
const forEver = 365 * 86_400_000;

/** Waits for the engine's work until there is something to do, `--wait` is over, or the person interrupts. */
export function waiting(session: Session, options: { readonly wait?: string }): Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  let said = "";
  return {
    waitMs: options.wait === undefined ? forEver : parseDuration(options.wait, "--wait"),
    signal: session.world.stopSignal(),
    onProgress: (standing) => {
      const text =
        standing.kind === "working"
          ? `Working on \`${standing.on}\`${standing.until === undefined ? "" : ` until ${timeOver(standing.until)}`}...`
          : "";
      if (text !== said && text !== "") session.out.aside(text);
      said = text;
    },
  };
}

/**
 * Shows where a run stands. One that failed and whose workflow asks for a new attempt goes on in a run linked to it: the same failed
 * run leads to the same new one, however often it is asked for. `extra` is for scripts.
 */
export async function showMoved(
  session: Session,
  { context, caller }: { readonly context: EngineContext; readonly caller: Caller },
  position: Position,
  extra: JsonObject = {},
): Promise<number> {
  const { state, run } = position;
  // A sub-agent is at the end of its task: the new run has tasks of its own.
  const again = position.standing.kind === "task_ended" ? undefined : await retryRun(context, caller, run, waiting(session, {}));
  if (again === undefined)
    return (await showCheck(session, context, position, { hints: true, extra })) ?? showPosition(session, context, position, extra);
  session.out.line(`Run ${run} failed: ${state.error?.message ?? "no reason was given"}`);
  session.out.line(`Its workflow asks for another attempt, which is run ${again.run}.`);
  return showPosition(session, context, again, { ...extra, retry_of: run });
}
