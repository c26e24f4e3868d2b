import { own } from "../../base/index.ts";
import {
  handOutId,
  isMinted,
  isPositionStale,
  mainStrand,
  openRefs,
  readHandOutId,
  sameHolder,
  taskName,
  type Action,
  type Decision,
  type RunState,
} from "../../kernel/index.ts";
import { type About, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { listsOnRequest } from "../hands-out.ts";
import { heldStrand, isSharedOut, resolveStrand, sharesOut, strandTarget, type Target } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import { closingRecord, endOf, handedOutBefore, hasEnded, otherReporter, strandOf } from "./hand-out-records.ts";
import { refusedAnswerBefore } from "./refused-answer.ts";
import { refusalIn, refusedBefore } from "./refused-report.ts";
import type { Reported, ReportRequest } from "./report-request.ts";
import { readTaskFacts } from "./task-facts.ts";

/** What a report is about. `unnamed`: it did not name the hand-out by its own id. */
export type Found =
  | { readonly action: Action; readonly unnamed: boolean }
  | { readonly question: Decision; readonly unnamed: boolean }
  | { readonly before: Reported };

/** A report, and where it is looked for. */
interface Asking {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly handle: RunHandle;
  readonly request: ReportRequest;
}

/**
 * Finds the hand-out that a report is about: by its own id, else by the author's step id, else the one that is open. A report that was
 * made before is known again. Throws what is open instead when it is about nothing, or could be about several.
 */
export async function findReported(context: EngineContext, caller: Caller, handle: RunHandle, given: ReportRequest): Promise<Found> {
  const request = await byAuthorsId(context, handle, given);
  const asking = { context, caller, handle, request };
  const id = isAuthorsName(asking) ? undefined : await namedId(asking);
  const found = await (id === undefined ? byName(asking) : byId(asking, id));
  if (!("before" in found)) return found;
  return { before: { ...found.before, ...otherReporter(caller, await closingRecord(context, handle, found.before.action)) } };
}

async function byName(asking: Asking): Promise<Found> {
  const { caller, handle, request } = asking;
  const target = await targetOf(asking);
  const strand = target.kind === "strand" ? target.strand : mainStrand;
  const repeated = repeatedOf(asking);
  if (repeated !== undefined) return reportedBefore(repeated.action, repeated.step);
  const mine = request.shownOnly !== true || holdsAny(handle, caller);
  const own = target.kind === "strand" && mine ? candidates(asking, strand) : [];
  const open = own.length === 0 && mine ? sharedOut(asking, strand) : own;
  const [only] = open;
  if (only !== undefined && open.length === 1) {
    refuseUnnamed(handle, only, request);
    return "question" in only ? { question: only, unnamed: true } : { action: only, unnamed: true };
  }
  if (open.length > 1) throw ambiguous(handle, request, open);
  const inTask = target.kind === "strand" ? undefined : await closedInTask(asking, target);
  if (inTask !== undefined) return reportedBefore(inTask.id, inTask.step);
  refuseEnded(handle, target);
  const last = handle.state.strands[strand]?.last;
  if (last !== undefined && isLast(handle, last, request.step) && (await isKnown(asking, last.action)))
    return reportedBefore(last.action, last.step);
  const closed = await closedByName(asking, strand);
  if (closed !== undefined) return reportedBefore(closed.id, closed.step);
  throw lostHolder(asking, strand) ?? nothingOpen(asking, strand);
}

/**
 * Where the run shares out what is open, a report without a task is about what the caller holds of it, else about what is open there: of a
 * named step, or of the only one.
 */
function sharedOut({ caller, handle, request: { task, shownOnly, step: name } }: Asking, strand: string): readonly (Action | Decision)[] {
  const { state } = handle;
  if (task !== undefined || shownOnly === true || strand !== mainStrand || !sharesOut(handle)) return [];
  const fits = openOf(state).filter(({ strand: of, step }) => of !== mainStrand && (name === undefined || isCalled(step, name)));
  const actions = fits.filter((each) => !("question" in each));
  const held = actions.filter(({ strand: of }) => sameHolder(state.strands[of]?.holder, caller.holder));
  return [held, actions, fits].find(({ length }) => length > 0) ?? [];
}

function reportedBefore(action: string, step: string): Found {
  return { before: { recorded: "before", action, step } };
}

/** Whether the author calls a step by what looks like the id of a hand-out: then it is not taken for one. */
function isAuthorsName({ handle: { program }, request: { action, step } }: Asking): boolean {
  if (action !== undefined || step === undefined || !isMinted(step)) return false;
  return Object.keys(program.blocks).some((block) => isCalled(block, step));
}

/** Whether the author may call the step so: by its whole id, or by its own part of it inside a task, an included workflow or a file. */
function isCalled(step: string, name: string): boolean {
  return step === name || [".", "/", "#"].some((before) => step.endsWith(`${before}${name}`));
}

/** Whether the name is that of the step that was reported last, and not the end of another one's that is open. */
function isLast({ state }: RunHandle, last: { readonly step: string }, name: string | undefined): boolean {
  if (name === undefined || last.step === name) return last.step === name;
  return isCalled(last.step, name) && !openOf(state).some(({ step }) => isCalled(step, name));
}

/**
 * What was closed under the author's id before, when nothing of that id is open: a report or answer of this strand, else the one step
 * of it that ended with its tasks.
 */
async function closedByName(asking: Asking, strand: string): Promise<Action | Decision | undefined> {
  const { context, handle, request } = asking;
  const { step: name, task } = request;
  if (name === undefined) return undefined;
  const isMine = (each: Action | Decision): boolean => each.strand === strand && isCalled(each.step, name);
  const isJoin = (each: Action | Decision): boolean => each.step === name && (task === undefined || each.strand === strand);
  const { opened, joined } = await handedOutBefore(context, handle.id, name, (each) => isMine(each) || isJoin(each));
  const open = openOf(handle.state);
  for (const each of open.some(isMine) ? [] : opened.filter(isMine).toReversed()) if (await isKnown(asking, each.id)) return each;
  const [ended, other] = open.some(isJoin) ? [] : opened.filter((each) => isJoin(each) && joined.has(each.id));
  return other === undefined ? ended : undefined;
}

/** What was reported under the author's id in a task that is over. */
async function closedInTask(
  { context, handle, request: { step: name } }: Asking,
  { list, item }: Exclude<Target, { readonly kind: "strand" }>,
): Promise<Action | Decision | undefined> {
  if (name === undefined) return undefined;
  const { opened } = await handedOutBefore(context, handle.id, name, ({ step }) => isCalled(step, name));
  for (const each of opened.toReversed()) {
    const facts = await readTaskFacts(context, handle, each.id);
    if (facts?.list === list && facts.item === item) return each;
  }
  return undefined;
}

/** What the same words were about a moment ago. Throws again what refused them, when they closed their question. */
function repeatedOf({ context: { handOuts }, caller, handle: { id: run, state }, request }: Asking): About | undefined {
  if (request.shownOnly !== true) return undefined;
  const words = wordsOf(request);
  const refusal = handOuts.refusedBefore(caller, run, words);
  if (refusal !== undefined && own(state.decisions, refusal.id)?.status !== "pending") throw refusal.error;
  return handOuts.saidBefore(caller, run, words);
}

/** Who was replaced has nothing to report, whatever it was shown. */
function holdsAny({ state }: RunHandle, caller: Caller): boolean {
  return Object.values(state.strands).some(({ holder }) => sameHolder(holder, caller.holder));
}

/** The author's id of a step means the same wherever it is given, but the id of a hand-out, open or not, is about that one. */
export async function byAuthorsId(context: EngineContext, handle: RunHandle, request: ReportRequest): Promise<ReportRequest> {
  const { action, ...rest } = request;
  if (action === undefined || rest.step !== undefined) return request;
  const isOpen = openOf(handle.state).some(({ step }) => isCalled(step, action));
  if (!isOpen && (isMinted(action) || readHandOutId(action) !== undefined)) return request;
  return (await isHandOut(context, handle, action)) ? request : { ...rest, step: action };
}

/** Whether it is the id of a hand-out, open or closed, and not an author's. */
async function isHandOut(context: EngineContext, handle: RunHandle, id: string): Promise<boolean> {
  const { actions, decisions } = handle.state;
  if ((own(actions, id) ?? own(decisions, id)) !== undefined) return true;
  return isMinted(id) ? hasEnded(context, handle.id, id) : (await closingRecord(context, handle, id)) !== undefined;
}

/** The report as it was said, for knowing it again, by whichever tool it comes. */
export function wordsOf({ task, step, status, result, error, blockedUntil }: ReportRequest): string {
  return JSON.stringify([task, step, status === "success" ? undefined : status, result, error, blockedUntil]);
}

/** A step id may carry the hand-out's own id; an author's id of the same form is not taken for one. */
async function namedId({ context, handle, request: { action, step } }: Asking): Promise<string | undefined> {
  const { state } = handle;
  const named = action ?? step;
  if (named !== undefined && (own(state.actions, named) ?? own(state.decisions, named)) !== undefined) return named;
  if (named !== undefined && isMinted(named) && (await closingRecord(context, handle, named)) !== undefined) return named;
  const parts = named === undefined ? undefined : readHandOutId(named);
  if (parts !== undefined) {
    const open = own(state.actions, parts.id) ?? own(state.decisions, parts.id);
    if (
      open?.step === parts.step ||
      (open === undefined && (isMinted(parts.id) || (await closingRecord(context, handle, parts.id)) !== undefined))
    )
      return parts.id;
  }
  return action;
}

async function byId(asking: Asking, id: string): Promise<Found> {
  const { context, handle, request } = asking;
  const action = own(handle.state.actions, id);
  const question = own(handle.state.decisions, id);
  const open = action ?? (question?.status === "pending" ? question : undefined);
  if (open !== undefined) await refuseOtherTask(asking, open);
  if (action !== undefined) return { action, unnamed: false };
  if (question?.status === "pending") return { question, unnamed: false };
  if (await isKnown(asking, id)) return reportedBefore(id, question?.step ?? authorsId(request) ?? id);
  const refusal = await refusedAnswerBefore(context, handle, { id, ...(question === undefined ? {} : { revision: question.revision }) });
  if (refusal !== undefined) throw refusal;
  const end = await endOf(context, handle, id);
  if (end === "joined") return reportedBefore(id, authorsId(request) ?? id);
  const target = await targetOf(asking, id);
  refuseEnded(handle, target, end === "late" ? lateText(id) : "");
  const strand = target.kind === "strand" ? target.strand : mainStrand;
  throw lostHolder(asking, strand) ?? nothingOpen(asking, strand, end === "late" ? lateText(id) : "");
}

/** The task that a report names, else the part that the caller holds, else the one where the hand-out was opened, if that is still there. */
async function targetOf({ context, caller, handle, request: { task } }: Asking, id?: string): Promise<Target> {
  if (task !== undefined) return resolveStrand(context, handle, task);
  const held = heldStrand(handle, caller);
  const opened = held !== undefined || id === undefined ? undefined : await strandOf(context, handle.id, id);
  return strandTarget(held ?? (opened !== undefined && own(handle.state.strands, opened) !== undefined ? opened : mainStrand));
}

/** A report that names a task is about a step of that task, or of what runs inside it. */
async function refuseOtherTask({ context, handle, request: { task } }: Asking, open: Action | Decision): Promise<void> {
  if (task === undefined) return;
  const target = await resolveStrand(context, handle, task);
  const { strands } = handle.state;
  for (let id: string | undefined = open.strand; id !== undefined; id = strands[id]?.parent)
    if (target.kind === "strand" && target.strand === id) return;
  const of = taskName(strands[open.strand] ?? { id: open.strand });
  throw refused(
    "ENGINE_WRONG_STEP",
    `\`${open.step}\` (${open.id}) is a step of \`${of}\`, not of \`${task}\`. Nothing was changed.`,
    `Report it with the task \`${of}\`, or ask for the next step of \`${task}\`.`,
    { open_steps: [handOutId(open.step, open.id)] },
  );
}

function authorsId({ action, step }: ReportRequest): string | undefined {
  const named = step ?? action;
  return named === undefined ? undefined : (readHandOutId(named)?.step ?? step);
}

/**
 * Whether a hand-out was reported or answered before. A report that was refused is not known again: who reports once more names the
 * hand-out that is open for it now.
 */
async function isKnown(asking: Asking, id: string): Promise<boolean> {
  const { context, handle } = asking;
  const record = await closingRecord(context, handle, id);
  const refusal = record === undefined ? undefined : await refusalIn(context, record);
  if (refusal === undefined) return record !== undefined;
  const { strand } = refusal;
  throw lostHolder(asking, strand) ?? refusedBefore(handle, id, refusal) ?? nothingOpen(asking, strand);
}

/** What is open and could be meant. A whole step id is about that step, be it open or just reported, before the same word ends another. */
function candidates(asking: Asking, strand: string): readonly (Action | Decision)[] {
  const { step: name } = asking.request;
  const exact = openSteps(asking, strand, ({ step }) => name === undefined || step === name);
  if (name === undefined || exact.length > 0 || asking.handle.state.strands[strand]?.last?.step === name) return exact;
  return openSteps(asking, strand, ({ step }) => isCalled(step, name));
}

/** What of it fits: all that the caller was shown, or without that memory what is open in the strand. */
function openSteps(
  { context, caller, handle, request }: Asking,
  strand: string,
  fits: (open: Action | Decision) => boolean,
): readonly (Action | Decision)[] {
  const { state, id } = handle;
  if (request.shownOnly === true) {
    const shown = openOf(state).filter((each) => fits(each) && context.handOuts.isShown(caller, id, each.id));
    return request.task === undefined ? shown : shown.filter((each) => each.strand === strand);
  }
  const { waits } = state.strands[strand] ?? {};
  const mine = openOf(state).filter((each) => each.strand === strand && fits(each));
  const awaited = mine.find((each) => each.id === (waits?.on === "action" || waits?.on === "decision" ? waits.id : ""));
  if (awaited !== undefined) return [awaited];
  const actions = mine.filter((each) => !("question" in each));
  if (actions[0] !== undefined) return [actions[0]];
  return request.step === undefined ? [] : openOf(state).filter((each) => !("question" in each) && fits(each));
}

function openOf(state: RunState): readonly (Action | Decision)[] {
  return [...Object.values(state.actions), ...Object.values(state.decisions).filter(({ status }) => status === "pending")];
}

/** After an answer that closed its question the reporter may still mean that one: what is open now has to be named. */
function refuseUnnamed({ id: run, state }: RunHandle, open: Action | Decision, { action, step }: ReportRequest): void {
  if (action !== undefined || step !== undefined || !isPositionStale(state, open.strand)) return;
  throw refused(
    "ENGINE_WRONG_STEP",
    `Run \`${run}\` continued with \`${open.step}\` after the last answer was refused, and this report does not say that it is about that step. Nothing was changed.`,
    `Ask for the next step, and report it with its action id \`${open.id}\`.`,
    { open_steps: [open.step], action_id: open.id },
  );
}

/** An action that was taken over has another id now; its former holder must not be asked to do it again. */
function lostHolder({ handle, caller }: Asking, strand: string): Error | undefined {
  const holder = handle.state.status === "running" ? handle.state.strands[strand]?.holder : undefined;
  if (holder === undefined || sameHolder(holder, caller.holder)) return undefined;
  return refused(
    "HOLDER_LOST",
    `This part of run \`${handle.id}\` is held by ${holder.kind} \`${holder.name}\`, not by you. Nothing was changed.`,
    "Leave it to its holder, and ask for the next step later.",
    openRefs(handle.state),
  );
}

function ambiguous(handle: RunHandle, { step }: ReportRequest, open: readonly (Action | Decision)[]): Error {
  const ids = open.map((each) => handOutId(each.step, each.id));
  return refused(
    "ENGINE_WRONG_STEP",
    `${step === undefined ? "This report" : `\`${step}\``} could be about ${ids.length} open steps of run \`${handle.id}\`: ${ids.slice(0, 10).join(", ")}. Nothing was changed.`,
    "Report each step with its own action_id.",
    { open_steps: ids.slice(0, 10) },
  );
}

/** Nothing is open in a task that is over: what is open beside it is not its agent's to do. */
function refuseEnded({ id: run, program }: RunHandle, target: Target, before = ""): void {
  if (target.kind === "strand" || listsOnRequest(program).has(target.list)) return;
  throw refused(
    "ENGINE_NO_ACTION",
    `${before}Task \`${target.task}\` of run \`${run}\` is ${target.status}: nothing is open in it. Nothing was changed.`,
    isSharedOut(program, target.list) ? "Ask for the next step of the run." : "You are done; report this to the agent that started you.",
    { status: target.status },
  );
}

export function lateText(id: string): string {
  return `The time of \`${id}\` ran out before this report (TIMEOUT), so it does not count. `;
}

/** `ended` says that the time of the hand-out ran out. */
function nothingOpen({ handle, request }: Asking, strand: string, ended = ""): Error {
  const open = openOf(handle.state).filter((each) => each.strand === strand);
  const asked = request.step ?? request.action;
  const [first] = open;
  if (first !== undefined) {
    const unseen = asked === undefined || isCalled(first.step, asked);
    return refused(
      "ENGINE_WRONG_STEP",
      unseen
        ? `\`${first.step}\` of run \`${handle.id}\` is open, but it has not been handed out to you. Nothing was changed.`
        : `${ended}\`${asked}\` is not open in run \`${handle.id}\`; open is \`${first.step}\`. Nothing was changed.`,
      `Ask for the next step, do \`${first.step}\` and report it with its action_id \`${first.id}\`.`,
      { open_steps: open.map((each) => each.step), action_id: first.id },
    );
  }
  return refused(
    "ENGINE_NO_ACTION",
    `${ended}Nothing is open to report on in run \`${handle.id}\`${asked === undefined ? "" : ` under \`${asked}\``}. Nothing was changed.`,
    "Ask for the next step.",
    { status: handle.state.status },
  );
}
