import { isWaymarkError, own } from "../base/index.ts";
import { waitForChange, type RunHandle } from "../engine/index.ts";
import type { DriveRequest } from "../runner/index.ts";
import { askUntilValid } from "./ask-until-valid.ts";
import type { Desk } from "./command-share.ts";
import type { DriveScreen } from "./drive-screen.ts";

type Ask = NonNullable<DriveRequest["ask"]>;
type Question = Parameters<Ask>[1];

/** How long an answer that another process records may go unnoticed, in milliseconds. */
const longestLook = 500;

/**
 * Asks the person at the terminal of a driver. The prompt gives way when driving is to end, and when there is nothing to answer any more:
 * the question was answered elsewhere, is asked in another way, or the run is over. Then driving continues.
 */
export function askInPlace(desk: Desk, screen: DriveScreen): Ask {
  const { session, context } = desk;
  return async (run, question, finish) => {
    const handle = await context.runs.open(run);
    await screen.stop();
    const over = new AbortController();
    const prompt = askUntilValid(desk, run, question, AbortSignal.any([finish, over.signal]));
    const watching = goneFrom(context, handle, question, AbortSignal.any([finish, over.signal])).then((why) => {
      over.abort("gone");
      return why;
    });
    try {
      await prompt;
      return true;
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
      // Ctrl-C at the question, the end of the input, or of driving: it stays open.
      if (finish.aborted || !over.signal.aborted) return false;
      session.out.line(`${session.out.paint("yellow", "!")} ${await watching}`);
      return true;
    } finally {
      over.abort("answered");
      await watching;
      session.prompter.rest();
      screen.start();
    }
  };
}

/** Why nobody need answer any more, as soon as that is so; empty when nobody asks. */
async function goneFrom(context: Desk["context"], handle: RunHandle, { id, revision }: Question, stop: AbortSignal): Promise<string> {
  for (;;) {
    if (stop.aborted) return "";
    const { status, decisions } = handle.state;
    if (status !== "running") return "The run is over: there is nothing to answer any more.";
    const asked = own(decisions, id);
    if (asked === undefined || asked.status !== "pending") return "The question was answered elsewhere.";
    if (asked.revision !== revision) return "The question is asked in another way by now.";
    await waitForChange(context, handle, longestLook, stop);
  }
}
