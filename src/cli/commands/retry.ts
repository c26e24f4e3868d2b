import { checklistOf, reopenFailed } from "../../dialects/checklist/run/index.ts";
import { next, retryWithCalled } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";

export async function retryCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const wait = waiting(session, options);
  const resetCounts = options["resetCounts"] === true;
  return session.withEngine(async (context) => {
    const caller = cliCaller(session.world, context);
    if (checklistOf(await context.runs.open(run)) === undefined) {
      const { opened, position } = await retryWithCalled(context, caller, { run, resetCounts, ...wait });
      if (opened > 0) session.out.line(openedLine(opened));
      return showMoved(session, { context, caller }, position);
    }
    if (resetCounts) throw usage("A checklist counts no tries.", "Leave `--reset-counts` out.");
    const opened = await reopenFailed(context, caller, run);
    session.out.line(openedLine(opened));
    return showMoved(session, { context, caller }, await next(context, caller, { run, ...wait }));
  });
}

function openedLine(opened: number): string {
  return `Opened ${opened} files and items again.`;
}
