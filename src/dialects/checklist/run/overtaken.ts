import { defined, fieldOf, isObject } from "../../../base/index.ts";
import { rowsOf, storedRows, type At, type Draft, type HandedOut } from "../../../engine/index.ts";
import type { Action } from "../../../kernel/index.ts";
import { checklistOf, type ChecklistConfig } from "./checklist-run.ts";
import { fileChange } from "./effects/file-effects.ts";
import { whyUnread } from "./file-rows.ts";
import { changedOutside } from "./reconcile.ts";
import { scanRunFiles } from "./scan-run-files.ts";

type Overtaken = Awaited<ReturnType<NonNullable<HandedOut<ChecklistConfig>["overtaken"]>>>;

/**
 * An instance may have been changed by others since its file was scanned: what is gone is skipped with that reason, and what moved is handed out
 * where it is. A file that is as it was is not scanned again.
 */
export async function overtaken({ engine: context, handle }: At<ChecklistConfig>, action: Action): Promise<Overtaken> {
  const run = checklistOf(handle, handle.state.strands[action.strand]?.scope);
  const { item } = action.args;
  // What a tool reported is settled by the tool.
  if (run === undefined || fieldOf(item, "tool") !== "") return undefined;
  const path = fieldOf(item, "file");
  const id = fieldOf(item, "id");
  const rows = storedRows(context, handle.id);
  const [file, read] = await Promise.all([rows.read(run.lists.files, path), context.workspace.read(context.host.workspace, path)]);
  if (read !== undefined && isObject(file?.data) && file.data["hash"] === read.hash) return undefined;
  for await (const scan of scanRunFiles({ context, run }, [path])) {
    const unread = whyUnread(scan);
    if (unread !== undefined) return { outcome: skippedAs(unread) };
    const options = { inHand: id };
    const { present } = await fileChange({ context, run }, rows, scan, options);
    const change = async (draft: Draft) => (await fileChange({ context, run }, rowsOf(context, handle.id, draft), scan, options)).change;
    return defined({ change, outcome: present ? undefined : skippedAs(changedOutside) });
  }
  return undefined;
}

function skippedAs(reason: string): NonNullable<NonNullable<Overtaken>["outcome"]> {
  return { ok: true, value: { status: "skipped", skip_reason: reason } };
}
