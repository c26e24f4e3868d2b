import { counted, defined, grouped, isoTime, topCounts } from "../../../base/index.ts";
import { followingData, followingText, type Following, type PositionView } from "../../../views/index.ts";
import { actionData, actionText, cutOf, fitAction, type CheckAction, clipTokens } from "./action-view.ts";
import type { ChecklistFacts } from "../definition/index.ts";

const samplesShown = 5;
const failuresShown = 10;
const typesShown = 12;

/** With the call that confirms it, once the user has seen it, or the one that follows where there is nothing to confirm. */
export interface BatchPreview extends Following {
  readonly operation: string;
  readonly instances: number;
  readonly files: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly samples: readonly { readonly file: string; readonly line: number; readonly before: string; readonly after: string }[];
  /** Absent when nothing matches: there is nothing to confirm. */
  readonly token?: string;
  readonly expiresAt?: number;
  /** The whole difference as text, on request, or where it is. */
  readonly diff?: string;
  readonly diffPath?: string;
  /** Why nothing matches, where it is known. */
  readonly note?: string;
}

/** What a batch would do. Nothing has been changed. */
export function batchPreviewReply(facts: ChecklistFacts, preview: BatchPreview): PositionView {
  const samples = preview.samples
    .slice(0, samplesShown)
    .map(({ file, line, before, after }) => ({ file, line, before: clipTokens(before, 50), after: clipTokens(after, 60) }));
  const { token } = preview;
  const prompt = promptText(preview);
  const data = defined({
    session_id: facts.run,
    operation: preview.operation,
    dry_run: true,
    preview: {
      instances_affected: preview.instances,
      files_affected: preview.files,
      by_instance_type: topCounts(preview.byType, typesShown),
    },
    sample_changes: samples,
    diff: preview.diff,
    diff_path: preview.diffPath,
    confirmation_required: token !== undefined,
    confirmation_token: token,
    expires_at: preview.expiresAt === undefined ? undefined : isoTime(preview.expiresAt),
    confirmation_prompt: prompt,
    ...followingData(preview),
  });
  const types = Object.entries(topCounts(preview.byType, typesShown)).map(([type, count]) => `${type} ${grouped(count)}`);
  const text = [
    `Dry run of ${preview.operation} in ${facts.run}: ${counted(preview.instances, "instance")} in ${counted(preview.files, "file")}${types.length === 0 ? "" : ` (${types.join(", ")})`}`,
    ...samples.map(({ file, line, before, after }) => `${file}:${line}\n- ${before}\n+ ${after}`),
    ...(preview.diffPath === undefined ? [] : [`Whole difference: ${preview.diffPath}`]),
    ...(preview.diff === undefined ? [] : [preview.diff]),
    prompt,
    ...followingText(preview),
  ].join("\n");
  return { text, data };
}

function promptText({ operation, instances, files, token, note }: BatchPreview): string {
  if (token === undefined)
    return `Nothing matches this filter; nothing was changed and there is nothing to confirm.${note === undefined ? "" : ` ${note}`}`;
  const verb = verbs[operation] ?? "settle";
  return `This will ${verb} ${counted(instances, "instance")} across ${counted(files, "file")}. Show it to the user; type 'confirm ${token}' to proceed.`;
}

const verbs: Readonly<Record<string, string>> = { apply_fixes: "modify", skip_instances: "skip", flag_for_review: "flag", undo: "restore" };

type BatchCounts = Readonly<Record<"previewed" | "modified" | "failed" | "left_out" | "files_modified" | "files_failed", number>>;

/** The record of a batch. */
export interface BatchResult extends BatchCounts {
  readonly operation: string;
  readonly batch: string;
  readonly done: boolean;
  /** Failed and left out, each with its reason. */
  readonly failures: readonly { readonly file: string; readonly line: number; readonly error: string }[];
  /** Instances of the kinds of a batch of fixes that a second scan of its files still found. */
  readonly remaining: number;
}

/** What a batch did: modified, failed and left out add up to what was previewed. */
export function batchResultReply(facts: ChecklistFacts, result: BatchResult, action?: CheckAction): PositionView {
  const fitted = action === undefined ? undefined : fitAction(action, 300);
  const { operation, batch, previewed, modified, failed, left_out: leftOut, files_modified: files } = result;
  const failures = result.failures.slice(0, failuresShown).map((failure) => ({ ...failure, error: clipTokens(failure.error, 30) }));
  const remaining = operation === "apply_fixes" && result.done ? result.remaining : undefined;
  const data = defined({
    session_id: facts.run,
    operation,
    dry_run: false,
    batch_id: batch,
    result: {
      instances_previewed: previewed,
      instances_modified: modified,
      instances_failed: failed,
      instances_left_out: leftOut,
      files_modified: files,
      files_failed: result.files_failed,
    },
    found_by_second_scan: remaining,
    failures,
    failures_total: result.failures.length > failuresShown ? result.failures.length : undefined,
    ...(fitted === undefined ? {} : { next_action: actionData(fitted), ...followingData(fitted.action) }),
  });
  const more = result.failures.length - failures.length;
  const text = [
    `${operation} (batch ${batch}): ${grouped(modified)} modified, ${grouped(failed)} failed, ${grouped(leftOut)} left out of ${grouped(previewed)} previewed; ${counted(files, "file")} written`,
    ...(remaining === undefined
      ? []
      : [`A second scan of the batch's files found ${remaining === 0 ? "none" : grouped(remaining)} of these kinds left`]),
    ...failures.map(({ file, line, error }) => `- ${file}:${line}: ${error}`),
    ...(more > 0 ? [`- and ${grouped(more)} more`] : []),
    ...(fitted === undefined ? [] : [actionText(fitted)]),
  ].join("\n");
  return { text, data, ...(fitted === undefined ? {} : cutOf(fitted)) };
}

/** What came of the undoing of a batch: `restored` files were restored, `left` could not be. */
export function undoneText(batch: string, restored: number, left: number): string {
  if (restored === 0 && left > 0) return `Batch ${batch} is not undone: no file was restored.`;
  if (restored === 0) return `Batch ${batch} is undone: there was no file to restore.`;
  return `Batch ${batch} is undone${left === 0 ? "" : " in part"}: restored ${counted(restored, "file")}.`;
}

export function leftText(left: number): string {
  return `${counted(left, "file was", "files were")} left as ${left === 1 ? "it is" : "they are"}:`;
}
