import { retry } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";

export async function retryCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const wait = waiting(session, options);
  return session.withEngine(async (context) => {
    const caller = cliCaller(session.world, context);
    return showMoved(
      session,
      context,
      caller,
      await retry(context, caller, { run, resetCounts: options["resetCounts"] === true, ...wait }),
    );
  });
}
