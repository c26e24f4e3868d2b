import { isList, isObject, textOf, type Json } from "../../base/index.ts";
import {
  checklistRows,
  completeChecklist,
  gatherFacts,
  next,
  openOf,
  reportCheck,
  requireChecklist,
  type Caller,
  type CheckReport,
  type CheckReported,
  type EngineContext,
  type Position,
} from "../../engine/index.ts";
import { checklistReport, type ReportFormat } from "../../views/index.ts";
import { badValue, exitCodes, usage } from "../codes.ts";
import { showMoved, waiting } from "../drive.ts";
import type { Session } from "../session.ts";

export interface WrittenReport {
  readonly format?: ReportFormat;
  readonly out?: string;
}

/** The report of a checklist run, as it stands; an interim one while it goes on. */
export async function writeReport(session: Session, context: EngineContext, run: string, wish: WrittenReport): Promise<number> {
  const { out, world } = session;
  const handle = await context.runs.open(run);
  requireChecklist(handle);
  const format = wish.format ?? (out.json ? "json" : "markdown");
  const facts = await gatherFacts(context, run);
  const pieces = checklistReport(facts, checklistRows(context, handle), { format });
  if (wish.out === undefined) {
    for await (const piece of pieces) {
      if (format === "markdown") out.line(piece.replace(/\n$/, ""));
      else out.raw(piece);
      await out.flush();
    }
    return exitCodes.done;
  }
  const path = session.pathOf(wish.out);
  await world.writeFile(path, pieces);
  out.document({ run_id: run, file: path, format, interim: facts.endedAt === undefined });
  out.line(`Wrote ${path}${facts.endedAt === undefined ? " (an interim report: the run has not ended)" : ""}.`);
  return exitCodes.done;
}

export interface CheckOptions {
  readonly done?: boolean;
  readonly skip?: string;
  readonly failed?: boolean;
  readonly error?: string;
  readonly action?: string;
  readonly identical?: boolean;
  readonly wait?: string;
}

/** Records what a person did with the open entry of a checklist, and shows the next one. */
export async function reportEntry(
  session: Session,
  { context, caller, run }: { readonly context: EngineContext; readonly caller: Caller; readonly run: string },
  options: CheckOptions,
  result: Json | undefined,
): Promise<number> {
  const handle = await context.runs.open(run);
  const wait = waiting(session, options.wait === undefined ? {} : { wait: options.wait });
  const open = openOf(handle, caller).action;
  const request = checkReport(run, options, result);
  if (open?.what === "complete_workflow" && request.status === "completed") {
    await completeChecklist(context, caller, run);
    session.out.line("Completed the run.");
  } else {
    const reported = await reportCheck(context, caller, request);
    // The engine looks at the file before anything is said: a report is checked, not believed.
    const position = await next(context, caller, { run, ...wait });
    session.out.line(
      reported.recorded === "now"
        ? await recordedText({ context, run }, { open, request, reported, position })
        : `\`${reported.step}\` was reported before; nothing was changed.`,
    );
    for (const { topic, why } of reported.dropped) session.out.line(`Topic ${topic} was left out: ${why}`);
    return showMoved(session, context, caller, position);
  }
  return showMoved(session, context, caller, await next(context, caller, { run, ...wait }));
}

interface Recorded {
  readonly open: ReturnType<typeof openOf>["action"];
  readonly request: CheckReport;
  readonly reported: CheckReported;
  readonly position: Position;
}

/** What became of a report: an instance that is still in its file is not converted, whoever says so. */
async function recordedText(
  { context, run }: { readonly context: EngineContext; readonly run: string },
  { open, request, reported, position }: Recorded,
): Promise<string> {
  const plain = `Recorded \`${reported.step}\` as ${request.status}.`;
  const item = open?.args["item"];
  const { standing } = position;
  if (request.status !== "completed" || open?.id !== reported.action || !isObject(item) || item["kind"] !== "instance") return plain;
  const row = await context.store.readItem(run, textOf(open.args["list"] ?? ""), textOf(item["id"] ?? ""));
  if (row?.status === "failed")
    return `Recorded your report on \`${reported.step}\`, but it is set aside as failed: ${row.reason ?? "it is still there."}`;
  const again = standing.kind === "action" && standing.action.step === reported.step && standing.action.id !== reported.action;
  return again ? `Recorded your report on \`${reported.step}\`, but the instance is still there, so it stays open.` : plain;
}

function checkReport(run: string, options: CheckOptions, result: Json | undefined): CheckReport {
  const failed = options.failed === true || options.error !== undefined;
  const ways = [options.done === true || result !== undefined, options.skip !== undefined, failed].filter(Boolean).length;
  if (ways !== 1)
    throw usage("An entry of a checklist is done, skipped or failed.", "Give one of `--done`, `--skip <why>` and `--error <why>`.");
  if (options.identical === true && options.skip === undefined) throw usage("`--identical` belongs to `--skip`.");
  return {
    run,
    status: options.skip !== undefined ? "skipped" : failed ? "failed" : "completed",
    ...(options.action === undefined ? {} : { actionId: options.action }),
    ...(options.skip === undefined ? {} : { skipReason: options.skip }),
    ...(options.error === undefined ? {} : { error: options.error }),
    ...(options.identical === true ? { identical: true } : {}),
    ...(result === undefined ? {} : resultLists(result)),
  };
}

const lists = ["findings", "proposed_changes", "topics"] as const;

function resultLists(result: Json): Pick<CheckReport, "findings" | "changes" | "topics"> {
  const fix = 'Write for example `{"findings": [{"severity": "warning", "description": "..."}]}`.';
  if (!isObject(result)) throw badValue("The result of a checklist entry is an object.", fix);
  const unknown = Object.keys(result).find((key) => !lists.some((known) => known === key));
  if (unknown !== undefined) throw badValue(`\`${unknown}\` is no part of a result; its parts are ${lists.join(", ")}.`, fix);
  const listOf = (name: (typeof lists)[number]): readonly never[] | undefined => {
    const value = result[name];
    if (value !== undefined && !(isList(value) && value.every(isObject))) throw badValue(`\`${name}\` must be a list of objects.`, fix);
    return value as unknown as readonly never[] | undefined;
  };
  const [findings, changes, topics] = lists.map(listOf);
  return {
    ...(findings === undefined ? {} : { findings }),
    ...(changes === undefined ? {} : { changes }),
    ...(topics === undefined ? {} : { topics }),
  };
}
