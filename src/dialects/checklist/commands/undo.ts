import { defined } from "../../../base/index.ts";
import { batches, undoBatch, type Undone } from "../run/index.ts";
import { leftText, undoneText } from "../views/index.ts";
import { atDesk, exitCodes, loadCommandKit, type Given, type Session } from "../../../cli/index.ts";

const { waiting } = await loadCommandKit();

const filesShown = 20;

export async function undoCommand({ session, shares, args: [run = "", batch], options }: Given): Promise<number> {
  const { waitMs, signal } = waiting(session, options);
  return atDesk({ session, shares }, async ({ context, caller }) => {
    const before = new Set((await batches(context, run)).filter(({ record }) => record.undone).map(({ id }) => id));
    const undone = await undoBatch(context, caller, { run, waitMs, signal, ...defined({ batch }) });
    return showUndone(session, run, undone, before.has(undone.batch));
  });
}

function showUndone({ out }: Session, run: string, { batch, record, restored, finished }: Undone, before: boolean): number {
  const left = record.not_restored ?? [];
  out.document({
    run_id: run,
    batch,
    undone: record.undone,
    before: before || undefined,
    restored,
    not_restored: left.map(({ file, error }) => ({ file, error })),
  });
  if (!finished) {
    out.line(`Batch ${batch} is still being undone.`);
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
