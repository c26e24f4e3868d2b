import { removeRun, runs } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function rmCommand({ session, args, options }: Given): Promise<number> {
  const { out } = session;
  return session.withEngine(async (context) => {
    for (const id of args) await context.runs.open(id);
    if (options["yes"] !== true) {
      session.requireTerminal("Removing runs asks first, so it", "Add `--yes` when you are sure.");
      const open = new Set((await runs(context, { status: ["running"] })).map((run) => run.id));
      for (const id of args) out.line(`${id}${open.has(id) ? " (still open)" : ""}`);
      if (!(await session.prompter.confirm(`Remove ${args.length === 1 ? "this run" : `these ${args.length} runs`} for good?`))) {
        out.line("Nothing was removed.");
        return exitCodes.done;
      }
    }
    for (const id of args) await removeRun(context, id);
    out.document({ removed: args });
    out.line(`Removed ${args.length} ${args.length === 1 ? "run" : "runs"}.`);
    return exitCodes.done;
  });
}
