import { checkpoint } from "../../engine/index.ts";
import { resumeText } from "../../views/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function checkpointCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const step = options["step"] === undefined ? {} : { step: String(options["step"]) };
  const { mark, statePath, handle } = await session.withEngine((context) =>
    checkpoint(context, cliCaller(session.world, context), { run, reason: String(options["reason"]), ...step }),
  );
  const text = resumeText(run, handle.state.workflow);
  const { out } = session;
  out.document({
    run_id: run,
    checkpoint_id: mark.id,
    step_id: mark.step,
    reason: mark.reason,
    state_path: statePath,
    resume_text: text,
    next_command: `waymark resume ${run}`,
  });
  out.line(`Checkpoint at \`${mark.step}\`: ${mark.reason}`);
  out.line(`State   ${statePath}`);
  out.line("\nGive this to the next conversation:\n");
  out.line(text);
  out.line();
  out.hint(`→ or go on here: waymark resume ${run}`);
  return exitCodes.done;
}
