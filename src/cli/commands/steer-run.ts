import { defined } from "../../base/index.ts";
import { checkpoint, end, note } from "../../engine/index.ts";
import { becameText, resumeText } from "../../views/index.ts";
import { atDesk } from "../session.ts";
import type { Given } from "../define-command.ts";
import { usage } from "../codes.ts";
import { followingText, quoted, whenFixed } from "../printed-lines.ts";

export async function tellCommand({ session, shares, args: [run = "", ...words], options }: Given): Promise<void> {
  const { out } = session;
  const text = words.join(" ");
  if (text === "")
    throw usage("The note is missing.", `Write it behind the run: waymark tell ${quoted(run === "" ? "<run>" : run)} "<text>"`);
  const target: string | undefined = options["for"];
  const { known } = await atDesk({ session, shares }, ({ context, caller }) =>
    note(context, caller, { run, text, ...defined({ target }) }),
  );
  out.document({ run_id: run, noted: true, text, target, known });
  if (known) out.line(`Noted. It is delivered with ${target === undefined ? "the next step" : `\`${target}\``}.`);
  else out.line(`Noted. Nothing is called \`${target}\` yet: it is delivered when a step or task of that name begins.`);
}

export async function abortCommand({ session, shares, args: [run = ""], options }: Given): Promise<void> {
  const { out } = session;
  const reason: string | undefined = options["reason"];
  const status = options["asFailed"] === true ? "failed" : "cancelled";
  const ended = await atDesk({ session, shares }, ({ context, caller }) => end(context, caller, { run, status, ...defined({ reason }) }));
  out.document({ run_id: run, status: ended.status, final_state: ended.final });
  out.line(`Run ${run} ${becameText(ended.status)}. What it did so far stays in its journal.`);
  for (const line of followingText(status === "failed" ? whenFixed(run) : { next: `waymark journal ${run}` })) out.hint(line);
}

export async function checkpointCommand({ session, shares, args: [run = ""], options }: Given): Promise<void> {
  const { out } = session;
  const step: string | undefined = options["step"];
  const { mark, statePath, handle } = await atDesk({ session, shares }, ({ context, caller }) =>
    checkpoint(context, caller, { run, reason: String(options["reason"]), ...defined({ step }) }),
  );
  const text = resumeText(run, handle.state.workflow);
  out.document({
    run_id: run,
    checkpoint_id: mark.id,
    step_id: mark.step,
    reason: mark.reason,
    state_path: statePath,
    resume_text: out.placed(text),
    next_command: `waymark resume ${run}`,
  });
  out.line(`Checkpoint at \`${mark.step}\`: ${mark.reason}`);
  out.line(`State   ${statePath}`);
  out.line("\nGive this to the next conversation:\n");
  out.advice(text);
  out.line();
  out.hint(`→ or continue here: waymark resume ${run}`);
}
