import { batches, undoBatch, type Undone } from "../../dialects/checklist/run/index.ts";
import { leftText, undoneText } from "../../dialects/checklist/views/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { waiting } from "../drive.ts";
import type { Session } from "../session.ts";

const filesShown = 20;

export async function undoCommand({ session, args: [run = "", batch], options }: Given): Promise<number> {
  const { waitMs, signal } = waiting(session, options);
  return session.withEngine(async (context) => {
    const before = new Set((await batches(context, run)).filter(({ record }) => record.undone).map(({ id }) => id));
    const request = { run, waitMs: waitMs ?? 0, ...(batch === undefined ? {} : { batch }), ...(signal === undefined ? {} : { signal }) };
    const undone = await undoBatch(context, cliCaller(session.world, context), request);
    return showUndone(session, run, undone, before.has(undone.batch));
  });
}

function showUndone({ out }: Session, run: string, { batch, record, restored, finished }: Undone, before: boolean): number {
  const left = record.not_restored ?? [];
  out.document({
    run_id: run,
    batch,
    undone: record.undone,
    ...(before ? { before: true } : {}),
    restored,
    not_restored: left.map(({ file, error }) => ({ file, error })),
  });
  if (!finished) {
    out.line(`Batch ${batch} is being undone; this was not waited for to its end.`);
    out.hint(`→ waymark status ${run}`);
    return exitCodes.failed;
  }
  if (before) out.line(`Batch ${batch} was undone before; nothing was done now.`);
  else out.line(undoneText(batch, restored.length, left.length));
  for (const file of restored.slice(0, filesShown)) out.line(`  ${file}`);
  if (restored.length > filesShown) out.line(`  and ${restored.length - filesShown} more`);
  if (left.length === 0) return exitCodes.done;
  out.line(`${out.paint("yellow", "!")} ${leftText(left.length)}`);
  for (const { file, error } of left) out.line(`  ${file}: ${error}`);
  return exitCodes.failed;
}
