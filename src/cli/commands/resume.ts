import { readState, resume } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import type { Given } from "../define-command.ts";
import { waiting } from "../drive.ts";
import { showPosition } from "../position-text.ts";

export async function resumeCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const task = options["task"] === undefined ? {} : { task: String(options["task"]) };
  const wait = waiting(session, options);
  return session.withEngine(async (context) => {
    const position = await resume(context, cliCaller(session.world, context), { run, ...task, ...wait });
    const { state } = await readState(context, position.run);
    const part = position.program.parts[position.program.main];
    const excluded = part?.onResume.exclude ?? [];
    const told = Object.entries(state).filter(([name]) => !excluded.includes(name));
    const { out } = session;
    if (told.length > 0) {
      out.line("State");
      for (const [name, value] of told) out.line(`  ${name}: ${JSON.stringify(value)}`);
      out.line();
    }
    return showPosition(session, context, position, { state: Object.fromEntries(told) });
  });
}
