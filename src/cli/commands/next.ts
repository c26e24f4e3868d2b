import { next } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";

export async function nextCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const task = options["task"] === undefined ? {} : { task: String(options["task"]) };
  const wait = waiting(session, options);
  return session.withEngine(async (context) => {
    const caller = cliCaller(session.world, context);
    return showMoved(session, { context, caller }, await next(context, caller, { run, ...task, ...wait }));
  });
}
