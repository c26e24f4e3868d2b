import { defined, counted, shorten } from "../../../base/index.ts";
import {
  closeApproach,
  diffBatch,
  previewBatch,
  requireChecklist,
  runBatch,
  waitForBatch,
  type BatchFilter,
  type BatchRecord,
  type BatchPreview,
} from "../run/index.ts";
import {
  atDesk,
  badValue,
  didYouMean,
  exitCodes,
  loadCommandKit,
  quoted,
  usage,
  type Desk,
  type Given,
  type Output,
  type Session,
} from "../../../cli/index.ts";
import { selectRows } from "./select-rows.ts";

const { waiting } = await loadCommandKit();

const operations = ["apply_fixes", "skip_instances", "flag_for_review", "apply_changes", "group_by_type"] as const;
type Operation = (typeof operations)[number];

interface BatchOptions {
  readonly type?: readonly string[];
  readonly file?: readonly string[];
  readonly autoOnly?: boolean;
  readonly status?: "pending" | "in_progress" | "failed";
  readonly guide?: string;
  readonly step?: string;
  readonly workflow?: string;
  readonly reason?: string;
  readonly confirm?: string;
  readonly diff?: boolean;
  readonly wait?: string;
}

/** A dry run unless a token confirms one. */
export async function batchCommand({ session, shares, args: [run = "", word = ""], options }: Given): Promise<number> {
  const operation = operationOf(word);
  const wishes: BatchOptions = options;
  const { type, file, autoOnly, status, guide, step, workflow } = wishes;
  const named = { instance_types: type, file_patterns: file, status, guide, version_step: step, workflow };
  const filter: BatchFilter = defined({ ...named, auto_fixable_only: autoOnly === true ? true : undefined });
  if (operation === "group_by_type") return groupByType(session, run, wishes);
  if (operation === "apply_changes" && Object.keys(filter).length > 0)
    throw usage("`apply_changes` applies every change that was proposed as safe, so it takes no filter.", "Leave the filter out.");
  return atDesk({ session, shares }, async (desk) => {
    const { context, caller } = desk;
    requireChecklist(await context.runs.open(run));
    const { reason } = wishes;
    if (wishes.confirm !== undefined) return confirm(desk, { run, operation, filter, token: wishes.confirm }, wishes);
    if (operation === "skip_instances" && reason === undefined) throw usage("A skip needs its reason.", "Add `--reason <text>`.");
    const preview = await previewBatch(context, caller, { run, operation, filter, ...defined({ reason }) });
    await showPreview(desk, run, preview, { diff: wishes.diff === true, hint: true });
    return exitCodes.done;
  });
}

function operationOf(word: string): Operation {
  if (word === "") throw usage("The operation of the batch is missing.", `Operations are ${operations.join(", ")}.`);
  const name = word.replaceAll("-", "_");
  const known = operations.find((each) => each === name);
  if (known === undefined)
    throw badValue(
      `\`${word}\` is not an operation of a batch.${didYouMean(name, operations)}`,
      `Operations are ${operations.join(", ")}.`,
    );
  return known;
}

const samplesShown = 5;
const leftOutShown = 10;

export async function showPreview(
  { session, context }: Desk,
  run: string,
  preview: BatchPreview,
  { diff, hint }: { readonly diff: boolean; readonly hint: boolean },
): Promise<void> {
  const { out } = session;
  const { plan, token, expiresAt, leftOut } = preview;
  const samples = plan.files.flatMap((file) => file.items.map((item) => ({ file: file.path, ...item }))).slice(0, samplesShown);
  const text = diff ? await diffBatch(context, run, preview.plan) : undefined;
  const until = new Date(expiresAt ?? 0).toISOString();
  out.document({
    run_id: run,
    operation: plan.operation,
    workflow: plan.workflow,
    dry_run: true,
    instances: plan.instances,
    files: plan.files.length,
    by_type: plan.byType,
    samples: samples.map(({ file, line, type, before, after }) => ({ file, line, type, before, after })),
    left_out: leftOut,
    note: preview.note,
    diff: text,
    ...(token === undefined ? {} : { confirmation_token: token, expires_at: until }),
  });
  if (out.json) return;
  const types = Object.entries(plan.byType).map(([type, count]) => `${type} ${count}`);
  out.line(
    `Dry run of ${plan.operation}${plan.workflow === undefined ? "" : ` in \`${plan.workflow}\`, which this run calls`}: ${counted(plan.instances, "instance")} in ${counted(plan.files.length, "file")}${types.length === 0 ? "" : ` (${types.join(", ")})`}. Nothing was changed.`,
  );
  if (text !== undefined) out.line(`\n${text.trimEnd()}`);
  else
    for (const { file, line, before, after } of samples) {
      out.line(`\n  ${file}:${line}`);
      for (const old of before.split(/\r?\n/)) out.line(out.paint("red", `  - ${shorten(old, 110)}`));
      if (after !== "") for (const fresh of after.split(/\r?\n/)) out.line(out.paint("green", `  + ${shorten(fresh, 110)}`));
    }
  if (leftOut.length > 0) {
    out.line();
    showLeftOut(out, `${counted(leftOut.length, "instance is", "instances are")} left out`, leftOut.length, leftOut.slice(0, leftOutShown));
  }
  if (!hint) return;
  if (token === undefined)
    out.hint(
      `→ Nothing matches.${preview.note === undefined ? "" : ` ${preview.note}`} \`waymark batch ${quoted(run)} group_by_type\` shows what is open.`,
    );
  else {
    out.hint(`→ waymark batch ${quoted(run)} ${plan.operation} --confirm ${token}`);
    out.hint(`It can be confirmed once, until ${until}.`);
  }
}

type LeftOut = Pick<BatchPreview["leftOut"][number], "file" | "line" | "reason">;

function showLeftOut(out: Output, what: string, count: number, first: readonly LeftOut[]): void {
  out.line(`${what}:`);
  for (const { file, line, reason } of first) out.line(`  ${file}:${line} ${reason}`);
  if (count > first.length) out.line(`  and ${count - first.length} more`);
}

async function confirm(
  { session, context, caller }: Desk,
  request: Parameters<typeof runBatch>[2],
  { wait, diff, reason }: BatchOptions,
): Promise<number> {
  if (diff === true || reason !== undefined)
    throw usage("A confirmation does what its dry run showed.", "Give `--diff` and `--reason` with the dry run.");
  const { waitMs, signal } = waiting(session, defined({ wait }));
  const { run } = request;
  const { batch } = await runBatch(context, caller, request);
  const record = await waitForBatch(context, { run, batch, waitMs, signal });
  const closed = record.done ? await closeApproach(context, run) : undefined;
  const code = showRecord(session, run, batch, record);
  if (closed !== undefined && !session.out.json) session.out.line(closed);
  return code;
}

export function showRecord({ out }: Session, run: string, batch: string, record: BatchRecord): number {
  const { operation, previewed, modified, failed, left_out, files_modified, failures, remaining, done } = record;
  const { left_out_beforehand: beforehand } = record;
  const counts = { done, previewed, modified, failed, left_out, files_modified, failures, remaining };
  out.document({ run_id: run, batch, operation, ...counts, left_out_beforehand: beforehand });
  if (!done) out.line(`Batch ${batch} is still running; ${modified} of ${previewed} are done.`);
  else {
    const edits = operation === "apply_fixes" || operation === "apply_changes";
    out.line(
      `Batch ${batch}: ${modified} of ${counted(previewed, "instance")} done${edits ? ` in ${counted(files_modified, "file")}` : ""}, ${failed} failed, ${left_out} left out.`,
    );
    if (operation === "apply_fixes") out.line(`A second scan of the batch's files found ${remaining} of them still there.`);
    for (const { file, line, error } of failures) out.line(`  ${file}:${line} ${error}`);
    if (beforehand !== undefined) {
      const { instances, first } = beforehand;
      showLeftOut(out, `${counted(instances, "instance was", "instances were")} left out by the dry run`, instances, first);
    }
    out.hint(`→ waymark next ${run}`);
    if (edits) out.hint(`To take it back: waymark undo ${run} ${batch}`);
  }
  return failed > 0 || !done ? exitCodes.failed : exitCodes.done;
}

/** Counts by kind of what the filter means; changes nothing and needs no token. */
async function groupByType(session: Session, run: string, options: BatchOptions): Promise<number> {
  const { type = [], file = [], autoOnly, status = "pending", guide, step, workflow, reason, confirm: token, diff } = options;
  if (guide !== undefined || step !== undefined || reason !== undefined || token !== undefined || diff !== undefined)
    throw usage("`group_by_type` only counts.", "It takes `--type`, `--file`, `--status`, `--workflow` and `--auto-only`.");
  const { out } = session;
  const groups = new Map<string, { count: number; auto: number; files: Set<string> }>();
  await session.withEngine(async (context) => {
    const own = requireChecklist(await context.runs.open(run)).definition.type;
    for await (const { row, workflow: of = own } of selectRows(context, run, { kinds: ["instance"], types: type, files: file, status })) {
      if (workflow !== undefined && workflow !== of) continue;
      const auto = row.facets["fix"] === "auto";
      if (autoOnly === true && !auto) continue;
      const name = row.facets["type"] ?? "";
      const group = groups.get(name) ?? { count: 0, auto: 0, files: new Set<string>() };
      group.count += 1;
      group.auto += auto ? 1 : 0;
      group.files.add(row.parent ?? "");
      groups.set(name, group);
    }
  });
  const sorted = [...groups].sort(([a, left], [b, right]) => right.count - left.count || (a < b ? -1 : 1));
  const found = sorted.map(([name, { count, auto, files }]) => ({ type: name, count, auto_fixable: auto, files: files.size }));
  out.document({ run_id: run, groups: found });
  if (found.length === 0) out.line("No instance matches.");
  else
    out.table(
      ["TYPE", "INSTANCES", "AUTO-FIXABLE", "FILES"],
      found.map((group) => Object.values(group).map(String)),
    );
  return exitCodes.done;
}
