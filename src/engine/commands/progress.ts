import { defined, isWaymarkError, WaymarkError } from "../../base/index.ts";
import { taskName, type Strand } from "../../kernel/index.ts";
import { reportedBeforeText } from "../../views/index.ts";
import type { Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { oneCommand } from "../one-command.ts";
import { isOnRequest, isPulled, resolveStrand, strandTarget, targetOfRow, type Target } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import type { DeniedClaim } from "../runtime.ts";
import { attemptMeant } from "./attempts.ts";
import { next, taskEnded, type NextRequest, type Position } from "./next.ts";
import { reportIn, reportingStrand } from "./report.ts";
import type { Reported, ReportRequest } from "./report-request.ts";
import { readTaskFacts, type TaskFacts } from "./task-facts.ts";

export interface Progressed {
  readonly reported: Reported;
  readonly position: Position;
  /** The report says that its item is done, and the engine finds otherwise. */
  readonly denied?: DeniedClaim;
}

/** Reports and gives the next action of the same strand in one call. */
export async function progress(engine: EngineContext, caller: Caller, given: ReportRequest): Promise<Progressed> {
  const context = oneCommand(engine);
  const first = await context.runs.open(given.run);
  const request = first.state.status === "failed" ? await attemptMeant(context, caller, given) : given;
  const handle = request === given ? first : await context.runs.open(request.run);
  const named = asTask(reportingStrand(handle, caller, request));
  const pulled = named !== undefined && isPulled(handle, named);
  const { reported, of } = await reportIn(context, caller, request);
  const strand = of === undefined ? named : asTask(of.strand);
  const onRequest = of === undefined ? pulled : strand !== undefined && of.pulled;
  const task = strand?.task === undefined ? undefined : taskName(strand);
  const { run, waitMs, signal, onProgress } = request;
  const then: NextRequest = { run, follows: reported.recorded, ...defined({ waitMs, signal, onProgress }) };
  try {
    if (reported.recorded === "before" && (strand === undefined || (task !== undefined && !onRequest)))
      return { reported, position: await repeated(context, caller, { handle, reported, named: request.task }, then) };
    const position = await after(context, caller, { handle, strand, onRequest, task }, then);
    const denied = request.status === "success" ? await of?.denied?.(position.standing) : undefined;
    return { reported, position, ...defined({ denied }) };
  } catch (error) {
    throw isWaymarkError(error) ? recordedAll(error, reported) : error;
  }
}

/** Where a reporter is that says again what it reported: a sub-agent in its own task, or at that task's end. */
async function repeated(
  context: EngineContext,
  caller: Caller,
  { handle, reported, named }: { readonly handle: RunHandle; readonly reported: Reported; readonly named: string | undefined },
  then: NextRequest,
): Promise<Position> {
  const known = await readTaskFacts(context, handle, reported.action);
  if (known?.ended !== undefined) return taskEnded(handle, { task: known.task, status: known.ended, list: known.list }, known.parent);
  const task = named ?? known?.task;
  if (task === undefined || (known === undefined && (await isOnRequest(context, handle, task)))) return next(context, caller, then);
  if (known?.entry === true && handle.state.strands[known.strand] === undefined) return next(context, caller, then);
  const target = known === undefined ? await resolveStrand(context, handle, task) : await targetOf(context, handle, known);
  if (target.kind === "strand") return next(context, caller, { ...then, strand: target.strand });
  return taskEnded(handle, target, known?.parent);
}

/** Where the task of a report is now: in the strand that it had, or in that of a later try. */
async function targetOf(context: EngineContext, handle: RunHandle, { task, strand, list, item }: TaskFacts): Promise<Target> {
  if (handle.state.strands[strand] !== undefined) return strandTarget(strand);
  const row = list === undefined || item === undefined ? undefined : await context.store.readItem(handle.id, list, item);
  return row === undefined ? resolveStrand(context, handle, task) : targetOfRow(handle, row);
}

/** The strand that reports, and what its task was called before the report ended it. */
interface Reporting {
  readonly handle: RunHandle;
  readonly strand: Strand | undefined;
  readonly onRequest: boolean;
  readonly task: string | undefined;
}

/** Where the reporter is once the report is in. */
async function after(
  context: EngineContext,
  caller: Caller,
  { handle, strand, onRequest, task }: Reporting,
  then: NextRequest,
): Promise<Position> {
  if (strand === undefined || onRequest) return next(context, caller, then);
  const position = handle.state.strands[strand.id] === undefined ? undefined : await next(context, caller, { ...then, strand: strand.id });
  // What ran beside the main strand is over: its holder continues there.
  const over = position === undefined || (position.standing.kind === "ended" && handle.state.status === "running");
  if (strand.entry !== undefined && over) return next(context, caller, then);
  return position ?? endedTask(context, handle, strand, task ?? "");
}

/** What follows a report was refused, for instance because another holder was quicker: the refusal must say what became of the report. */
function recordedAll(error: WaymarkError, { recorded, action, step, by }: Reported): WaymarkError {
  const said = recorded === "now" ? `The report of \`${step}\` is recorded.` : reportedBeforeText(step, by);
  return new WaymarkError({
    code: error.code,
    message: `${said} What follows was refused: ${error.message}`,
    ...defined({ fix: error.fix }),
    details: { ...error.details, reported: { recorded, action, step, ...defined({ by }) } },
    cause: error,
  });
}

/** The strand of a task, or beside the main one; undefined of the main strand. A later task of the same name is another strand. */
function asTask(strand: Strand | undefined): Strand | undefined {
  return strand?.task === undefined && strand?.entry === undefined ? undefined : strand;
}

async function endedTask(context: EngineContext, handle: RunHandle, { item, parent }: Strand, task: string): Promise<Position> {
  const row = item === undefined ? undefined : await context.store.readItem(handle.id, item.list, item.id);
  const status = row?.status === "completed" || row?.status === "skipped" ? row.status : "failed";
  return taskEnded(handle, { task, status, list: item?.list }, parent);
}
