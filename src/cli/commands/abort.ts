import { end } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { followingText, whenFixed } from "../next-command.ts";

export async function abortCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const status = options["asFailed"] === true ? "failed" : "cancelled";
  const reason = options["reason"] === undefined ? {} : { reason: String(options["reason"]) };
  const ended = await session.withEngine((context) => end(context, cliCaller(session.world, context), { run, status, ...reason }));
  session.out.document({ run_id: run, status: ended.status, final_state: ended.final });
  session.out.line(`Run ${run} is ${ended.status}. What it did so far stays in its journal.`);
  for (const line of followingText(status === "failed" ? whenFixed(run) : { next: `waymark journal ${run}` })) session.out.hint(line);
  return exitCodes.done;
}
