import { readState, resume } from "../../engine/index.ts";
import { shortState } from "../../views/index.ts";
import { cliCaller } from "../cli-caller.ts";
import type { Given } from "../define-command.ts";
import { waiting } from "../drive.ts";
import { showPosition } from "../position-text.ts";
import { shorten } from "../render-table.ts";

export async function resumeCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const task = options["task"] === undefined ? {} : { task: String(options["task"]) };
  const wait = waiting(session, options);
  return session.withEngine(async (context) => {
    const position = await resume(context, cliCaller(session.world, context), { run, ...task, ...wait });
    const { state } = await readState(context, run);
    const part = position.program.parts[position.program.main];
    const short = shortState(state, part?.onResume.exclude ?? []);
    const { out } = session;
    if (Object.keys(short).length > 0) {
      out.line("State");
      for (const [name, value] of Object.entries(short)) out.line(`  ${name}: ${shorten(JSON.stringify(value), 100)}`);
      out.line();
    }
    return showPosition(session, position, { state: short });
  });
}
