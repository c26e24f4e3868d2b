import type { JsonObject } from "../base/index.ts";
import { retryRun, type NextRequest, type Position } from "../engine/index.ts";
import type { Desk } from "./command-share.ts";
import { parseDuration } from "./parse-values.ts";
import { showPosition } from "./position-text.ts";
import type { Session } from "./session.ts";
import { workingText } from "../views/index.ts";

/** Longer than any person waits; the engine's own limit is for surfaces that poll. */
const yearMs = 365 * 86_400_000;

/** Waits for the engine's work until there is something to do, `--wait` is over, or the person interrupts. */
export function waiting(
  session: Session,
  options: { readonly wait?: string } = {},
): Required<Pick<NextRequest, "waitMs" | "signal" | "onProgress">> {
  let said = "";
  return {
    waitMs: options.wait === undefined ? yearMs : parseDuration(options.wait, "--wait"),
    signal: session.world.stopSignal(),
    onProgress: (standing) => {
      const text = standing.kind === "working" ? `${workingText(standing).replace("w", "W")}...` : "";
      if (text !== said && text !== "") session.out.aside(text);
      said = text;
    },
  };
}

/** Says that a run has begun, and what should be known of it; answers that for scripts. */
export async function tellBegun({ session, shares }: Pick<Desk, "session" | "shares">, position: Position): Promise<JsonObject> {
  const begun = (await shares.of(position.program.dialect)).begun?.(position) ?? [];
  session.out.line(`Started run ${position.run}.`);
  for (const line of begun) session.out.line(`${session.out.paint("yellow", "!")} ${line}`);
  return begun.length === 0 ? {} : { begun };
}

/**
 * Shows where a run is. One that failed and whose workflow asks for a new attempt continues in a run linked to it: the same failed
 * run leads to the same new one, however often it is asked for. `extra` is for scripts.
 */
export async function showMoved(desk: Desk, position: Position, extra: JsonObject = {}): Promise<number> {
  const { session, context, caller, shares } = desk;
  const { state, run, program } = position;
  // A sub-agent is at the end of its task: the new run has tasks of its own.
  const again = position.standing.kind === "task_ended" ? undefined : await retryRun(context, caller, run, waiting(session));
  if (again === undefined) {
    const { show } = await shares.of(program.dialect);
    return (await show?.(desk, position, { hints: true, extra })) ?? showPosition(desk, position, extra);
  }
  session.out.line(`Run ${run} failed: ${state.error?.message ?? "no reason was given"}`);
  session.out.line(`Its workflow asks for another attempt, which is run ${again.run}.`);
  return showPosition(desk, again, { ...extra, retry_of: run });
}
