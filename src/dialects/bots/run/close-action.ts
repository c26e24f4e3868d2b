import { checkedArea } from "./project-area.ts";
import { isList, isObject, isWaymarkError, type Json, type JsonObject } from "../../../base/index.ts";
import { combinedAfter, combinedBefore, currentPlace, idOf, isSame, leftUndone, placeOf, type BotPlace } from "../views/index.ts";
import { mainStrand, mainScope, type Action, type Decision } from "../../../kernel/index.ts";
import { standingOf } from "../../../views/index.ts";
import {
  refused,
  answer,
  next,
  report,
  handsOutWork,
  heldStrand,
  pulled,
  type Caller,
  type EngineContext,
  type Position,
  type RunHandle,
} from "../../../engine/index.ts";
import { openRun, settledPosition, watchedPosition, type Waiting } from "./bot-position.ts";
import { botOf, requireBot } from "./bot-run.ts";
import {
  after,
  closedBefore,
  openedStep,
  needsAnswer,
  opensCalled,
  opensNothing,
  saysNothing,
  type ClosedAction,
  type Closing,
} from "./closed-action.ts";
import { leftLines } from "./activity.ts";

export interface CloseRequest extends Waiting {
  readonly bot: string;
  /** The action that is meant, by name, as `behaviour.action` or by the id it was handed out with; makes a repeat recognisable. */
  readonly action?: string;
  /** The caller did not name `action`, and was shown another one since: it counts only while nothing else is open. */
  readonly unclear?: boolean;
  /** What came of the work, unless it was reported before. */
  readonly result?: JsonObject;
  /** Nothing is said about the work: that counts only where it was reported before. */
  readonly saysNothing?: boolean;
  /** Actions that settings combine were handed out as one, so they are closed as one. */
  readonly combined?: boolean;
  /** Who says that it is done; the caller unless given. */
  readonly person?: Caller;
}

/** Whether a result says what was done: in words, by what it left behind, or by the project area that was chosen. */
export function tellsWork({ summary, outputs, content, files, project_area: area }: JsonObject): boolean {
  const filled = (value: Json | undefined): boolean =>
    typeof value === "string" ? value.trim() !== "" : isList(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  return [summary, outputs, content, files, area].some(filled);
}

/**
 * The person's "done": reports the open action, answers its question and continues. Who may say it is up to the bot. What was completed
 * before is not completed again. A report that could not be done as a whole is recorded, and its question stays open.
 */
export async function closeAction(context: EngineContext, caller: Caller, request: CloseRequest): Promise<ClosedAction> {
  const handle = await openRun(context, request.bot);
  const closing: Closing = { context, caller, handle, run: requireBot(handle) };
  // Another caller may be closing it right now.
  if (standingOf(handle.state, mainStrand).kind === "working") await watchedPosition(context, caller, handle, request);
  const place = currentPlace(handle);
  refuseUnnamed(closing, request);
  const meant = place !== undefined && (await isMeant(closing, place, request.action));
  // By its id a close names an independent action as well.
  const beside = meant ? undefined : openBeside(handle).find(({ action }) => action.id === request.action);
  if (beside !== undefined) return closeBeside(closing, beside, request);
  if (place === undefined || handle.state.status !== "running" || !meant) return closedBefore(closing, request);
  const { last, reported } = await reportOpen(closing, place, request);
  const standing = standingOf(handle.state, mainStrand);
  const question = doneQuestion(handle, last);
  if (question !== undefined) {
    refuseUnseen(closing, last, question, request);
    await sayDone(closing, question, request, reported);
  }
  if (question === undefined && standing.kind === "question" && isAt(handle, last)) throw needsAnswer(standing.decision);
  const position = await settledPosition(context, caller, handle, request);
  if (position.state.status === "failed")
    throw refused("ENGINE_BOT_FILE", position.state.error?.message ?? "The run failed.", `Fix the cause, then: waymark retry ${handle.id}`);
  const over = last.behaviour === place.behaviour ? {} : { completedBehaviour: place.behaviour };
  const left = leftLines(requireBot(handle), [place, ...combinedAfter(closing.run.definition, place)]);
  return { ...over, ...after(closing, last, position), repeated: false, ...(left.length > 0 && { left }) };
}

function isAt(handle: RunHandle, place: BotPlace): boolean {
  const now = currentPlace(handle);
  return now !== undefined && isSame(now, place);
}

function bringsReport({ saysNothing: nothing, result = {} }: CloseRequest): boolean {
  return nothing !== true && Object.keys(result).length > 0;
}

/** Whether a close is about the action at a place. By the id of work that was reported and waits for a person's word it is the same close again. */
async function isMeant(closing: Closing, place: BotPlace, named: string | undefined): Promise<boolean> {
  if (named === undefined || [place.action, idOf(place), openId(closing.handle.state)].includes(named)) return true;
  const asked = doneQuestion(closing.handle, place);
  return asked !== undefined && (await openedStep(closing, named)) === asked.step;
}

/** The id of the action or the question that the main strand waits for. */
function openId(state: RunHandle["state"]): string | undefined {
  const waits = state.strands[mainStrand]?.waits;
  return waits?.on === "action" || waits?.on === "decision" ? waits.id : undefined;
}

/** The question whether the action at a place is done. A called workflow may name a step of its own like the action. */
function doneQuestion(handle: RunHandle, place: BotPlace): Decision | undefined {
  const standing = standingOf(handle.state, mainStrand);
  if (standing.kind !== "question") return undefined;
  const { kind, step, strand } = standing.decision;
  if (kind === "lost" || kind === "asked") return undefined;
  const asks = step === idOf(place) && botOf(handle, handle.state.strands[strand]?.scope) !== undefined;
  return asks ? standing.decision : undefined;
}

/** Reports what is open, with everything that is done in the same go; `last`: where that ended. Not `reported`: the work was reported before. */
async function reportOpen(
  closing: Closing,
  place: BotPlace,
  request: CloseRequest,
): Promise<{ readonly last: BotPlace; readonly reported: boolean }> {
  const { context, caller, handle, run } = closing;
  const before = { last: place, reported: false };
  if (doneQuestion(handle, place) !== undefined) return before;
  await refuseParts(closing, place);
  const asking = { ...request, run: handle.id, onlyDriver: true };
  const action = ownAction(handle, place, await next(context, caller, asking));
  if (action === undefined) return before;
  // Tasks refuse it themselves.
  if (request.saysNothing === true && action.what === "bot_action") throw saysNothing(place, action.id);
  refuseWithoutArea(closing, place, request.result);
  await report(context, caller, { run: handle.id, action: action.id, result: { status: "completed", ...request.result } });
  let last = place;
  for (const at of request.combined === true ? combinedAfter(run.definition, place) : []) {
    const following = await next(context, caller, asking);
    if (following.standing.kind !== "action" || !isAt(handle, at)) return { last, reported: true };
    const result = { status: "completed", summary: `Done together with ${last.action}.` };
    await report(context, caller, { run: handle.id, action: following.standing.action.id, result });
    last = at;
  }
  await next(context, caller, asking);
  return { last, reported: true };
}

/**
 * What the bot hands out at a place, or the tasks that are handed out there; undefined when it was reported or passed meanwhile. Whatever
 * else is open there is refused: a close says nothing about it.
 */
function ownAction(handle: RunHandle, place: BotPlace, { standing }: Position): Action | undefined {
  if (!isAt(handle, place) || standing.kind === "ended" || standing.kind === "task_ended") return undefined;
  if (standing.kind === "question") {
    if (doneQuestion(handle, place) !== undefined) return undefined;
    throw needsAnswer(standing.decision);
  }
  if (standing.kind !== "action") throw opensNothing(place);
  const { action } = standing;
  if (action.what !== "bot_action" && action.what !== "parallel_tasks") throw opensCalled(place, handle.id, action);
  return action;
}

/** Without a project area nothing can be kept, so the action that chooses it is not done before it names one that is possible. */
function refuseWithoutArea({ context, run }: Closing, place: BotPlace, result: JsonObject | undefined): void {
  const given = result?.["project_area"];
  const named = typeof given === "string" && given !== "";
  if (named && (run.area === "" || run.definition.choosesArea === place.action)) checkedArea(context, given);
  if (run.area === "" && !named)
    throw refused(
      "ENGINE_NO_AREA",
      `\`${place.action}\` cannot be closed: no project area is chosen.`,
      "Close it with the chosen folder as `project_area`.",
    );
}

/**
 * Work that was reported without a possible project area cannot be called done. Else, who reports does not know yet what could not be
 * done: a close with a report counts only when it names the question, which shows it; a close without one is a word of its own.
 */
function refuseUnseen({ handle, run, caller }: Closing, last: BotPlace, question: Decision, request: CloseRequest): void {
  const now = requireBot(handle);
  if (now.area === "")
    throw refused(
      "ENGINE_NO_AREA",
      `\`${last.action}\` cannot be closed: it was reported without a project area. Nothing was changed.`,
      `Answer \`redo\` (waymark decide ${handle.id} ${question.id} redo), then close it with the chosen folder as \`project_area\`.`,
    );
  const counts = question.answerBy !== "person" || (request.person ?? caller).holder.kind === "person";
  if (!bringsReport(request) || !counts || request.action === question.id) return;
  const together = request.combined === true ? combinedBefore(run.definition, last) : [];
  const left = [...leftUndone(handle.state, mainStrand), ...leftLines(now, together)];
  if (left.length === 0) return;
  // The question tells what was left of its own action.
  const others = left.filter((problem) => !question.question.includes(problem)).map((problem) => `${problem} `);
  throw refused(
    "ENGINE_NEEDS_ANSWER",
    `The work is recorded, and not all of it could be done. ${others.join("")}A question must be answered first: ${question.question}`,
    "Answer `redo` to do it again, or `done` to leave it so.",
    { decision: question.id, options: (question.options ?? []).map((option) => option.value), not_done: left },
  );
}

/** `reported`: in this call, which a refusal says as well. */
async function sayDone(
  { context, caller, handle }: Closing,
  decision: Decision,
  { person }: CloseRequest,
  reported: boolean,
): Promise<void> {
  const who = person ?? caller;
  try {
    await answer(context, who, { run: handle.id, decision: decision.id, answer: "done", relayed: who.holder.kind !== "person" });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "DECISION_FOR_PERSON") throw error;
    throw refused(error.code, error.message, error.fix, { decision: decision.id, reported });
  }
}

/** An independent action that is handed out and not reported yet. */
interface OpenBeside {
  readonly place: BotPlace;
  readonly action: Action;
}

function openBeside({ state }: RunHandle): readonly OpenBeside[] {
  return Object.values(state.strands).flatMap(({ id, entry, scope, frames }) => {
    const standing = standingOf(state, id);
    if (entry !== "independent" || scope !== mainScope || standing.kind !== "action") return [];
    return [{ place: placeOf(frames[0]?.locals?.["item"]), action: standing.action }];
  });
}

/** What came of the work does not tell which action it is of, once an independent one is open beside the sequence. */
function refuseUnnamed({ handle, run }: Closing, request: CloseRequest): void {
  if (request.action !== undefined && request.unclear !== true) return;
  const place = currentPlace(handle);
  // A "done" without a report can only be about the question.
  if (place !== undefined && !bringsReport(request) && doneQuestion(handle, place) !== undefined) return;
  const id = openId(handle.state);
  // What a called workflow hands out is not one of the bot's actions: a close that would mean it is refused as such.
  const open = handle.state.actions[id ?? ""];
  if (open !== undefined && open.what !== "bot_action") return;
  const beside = openBeside(handle).map((each) => [idOf(each.place), each.action.id] as const);
  if (place === undefined || id === undefined || beside.length === 0) return;
  const all = [[idOf(place), id] as const, ...beside];
  const { name: bot } = run.definition;
  throw refused(
    "ENGINE_WRONG_STEP",
    `\`${bot}\` has ${all.length} actions open, and the close does not say which one is done: ${all.map((each) => `${each[0]} (${each[1]})`).join(", ")}. Nothing was changed.`,
    `Close it again with the id as \`action\`. On the command line, for ${idOf(place)}: waymark bot close ${bot} ${id} --result '<what was done>'`,
    { open: Object.fromEntries(all) },
  );
}

/** Reports an independent action. The place of the bot stays as it is. */
async function closeBeside(closing: Closing, { place, action }: OpenBeside, request: CloseRequest): Promise<ClosedAction> {
  const { context, caller, handle, run } = closing;
  const { strand } = action;
  const { standing } = await next(context, caller, { ...request, run: handle.id, strand });
  if (standing.kind === "question") throw needsAnswer(standing.decision);
  if (request.saysNothing === true) throw saysNothing(place, action.id);
  await report(context, caller, { run: handle.id, action: action.id, result: { status: "completed", ...request.result } });
  await watchedPosition(context, caller, handle, { ...request, strand });
  const position = await settledPosition(context, caller, handle, request);
  return { bot: run.definition.name, completed: place, finished: position.state.status === "completed", position, repeated: false };
}

/**
 * A called workflow that hands out its work to everyone who asks has no action of the bot to close, and a close does not ask for work: who holds
 * none of it is refused, and nothing is handed out or held.
 */
async function refuseParts({ context, caller, handle }: Closing, place: BotPlace): Promise<void> {
  if (!handsOutWork(handle) || heldStrand(handle, caller) !== undefined) return;
  const main = handle.state.strands[mainStrand];
  for (const strand of [...pulled(handle), ...(main === undefined ? [] : [main])]) await context.holding.refuseHeld(handle, strand, caller);
  throw opensNothing(place);
}
