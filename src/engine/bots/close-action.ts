import type { Json, JsonObject } from "../../base/index.ts";
import { mainStrand, type Decision, type Event } from "../../kernel/index.ts";
import { standingOf, type Standing } from "../../views/index.ts";
import type { Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import { answer } from "../commands/answer.ts";
import { next } from "../commands/next.ts";
import { report } from "../commands/report.ts";
import type { EngineContext } from "../context.ts";
import { storedRows } from "../effects/effect.ts";
import type { Position } from "../position.ts";
import type { RunHandle } from "../run-cache.ts";
import { isIndependent, recordedActivity } from "./activity.ts";
import { currentPlace, latestRun, positionOf, settledPosition, watchedPosition, type Waiting } from "./bot-position.ts";
import { behaviourOf, requireBot, type BotPlace, type BotRun } from "./bot-run.ts";
import { chosenArea } from "./project-area.ts";

export interface ClosedAction {
  readonly bot: string;
  readonly completed: BotPlace;
  /** The action after it, when the behaviour goes on. */
  readonly next?: string;
  readonly completedBehaviour?: string;
  readonly nextBehaviour?: BotPlace;
  readonly finished: boolean;
  readonly position: Position;
  /** It was closed before: nothing was changed. */
  readonly repeated: boolean;
}

export interface CloseRequest extends Waiting {
  readonly bot: string;
  /** The action that is meant, by name, as `behaviour.action` or by the id it was handed out with; makes a repeat recognisable. */
  readonly action?: string;
  /** What came of the work, unless it was reported before. */
  readonly result?: JsonObject;
  /** Nothing is said about the work: that counts only where it was reported before. */
  readonly saysNothing?: boolean;
  /** Actions that settings combine were handed out as one, so they are closed as one. */
  readonly combined?: boolean;
  /** Who says that it is done; the caller unless given. */
  readonly person?: Caller;
}

interface Closing {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly handle: RunHandle;
  readonly run: BotRun;
}

/**
 * The person's "done": reports the open action, answers its question and goes on. Who may say it is up to the bot. What was completed
 * before is not completed again.
 */
export async function closeAction(context: EngineContext, caller: Caller, request: CloseRequest): Promise<ClosedAction> {
  const handle = await openRun(context, request.bot);
  const closing: Closing = { context, caller, handle, run: requireBot(handle) };
  // Somebody may be closing it right now.
  if (standingOf(handle.state, mainStrand).kind === "working") await watchedPosition(context, caller, handle, request);
  const place = currentPlace(handle);
  const meant = place !== undefined && (isMeant(handle, place, request.action) || (await isReported(closing, place, request.action)));
  if (place === undefined || handle.state.status !== "running" || !meant) return closedBefore(closing, request);
  const last = await reportOpen(closing, place, request);
  const standing = standingOf(handle.state, mainStrand);
  const question = doneQuestion(standing, last);
  if (question !== undefined) {
    refuseDoneWithoutArea(handle, last, question);
    await sayDone(closing, question, request);
  }
  if (question === undefined && standing.kind === "question" && isAt(handle, last)) throw needsAnswer(standing.decision);
  const position = await settledPosition(context, caller, handle, request);
  if (position.state.status === "failed")
    throw refused(
      "ENGINE_BOT_FILE",
      position.state.error?.message ?? "The run failed.",
      `Fix the cause, then: waymark retry ${handle.id}`,
      {},
    );
  const over = last.behaviour === place.behaviour ? {} : { completedBehaviour: place.behaviour };
  return { ...over, ...after(closing, last, position), repeated: false };
}

async function openRun(context: EngineContext, bot: string): Promise<RunHandle> {
  const { run } = await latestRun(context, bot);
  // A bot that is not there is another mistake than one that was never called.
  if (run === undefined) await context.catalog.loadValid(bot);
  if (run === undefined)
    throw refused("ENGINE_NO_ACTION", `\`${bot}\` was not begun here, so there is nothing to close.`, "Call the bot first.", {});
  return context.runs.open(run.id);
}

function isAt(handle: RunHandle, place: BotPlace): boolean {
  const now = currentPlace(handle);
  return now?.behaviour === place.behaviour && now.action === place.action;
}

function isMeant({ state }: RunHandle, place: BotPlace, named: string | undefined): boolean {
  const waits = state.strands[mainStrand]?.waits;
  const id = waits?.on === "action" || waits?.on === "decision" ? waits.id : undefined;
  return named === undefined || [place.action, `${place.behaviour}.${place.action}`, id].includes(named);
}

/** Whether the id is that of the action whose work was reported and which waits for a person's word: then it is the same close again. */
async function isReported(closing: Closing, place: BotPlace, named: string | undefined): Promise<boolean> {
  const asked = doneQuestion(standingOf(closing.handle.state, mainStrand), place);
  return asked !== undefined && (await openedStep(closing, named)) === asked.step;
}

/** The question whether the action at a place is done. */
function doneQuestion(standing: Standing, place: BotPlace): Decision | undefined {
  if (standing.kind !== "question" || standing.decision.kind === "lost") return undefined;
  return standing.decision.step === `${place.behaviour}.${place.action}` ? standing.decision : undefined;
}

/** Reports what is open, with everything that is done in the same go; answers where that ended. */
async function reportOpen(closing: Closing, place: BotPlace, request: CloseRequest): Promise<BotPlace> {
  const { context, caller, handle, run } = closing;
  if (doneQuestion(standingOf(handle.state, mainStrand), place) !== undefined) return place;
  const position = await next(context, caller, { ...request, run: handle.id });
  if (position.standing.kind === "question" && isAt(handle, place) && doneQuestion(position.standing, place) === undefined)
    throw needsAnswer(position.standing.decision);
  if (position.standing.kind !== "action" || !isAt(handle, place)) return place;
  if (request.saysNothing === true) throw saysNothing(place, position.standing.action.id);
  refuseWithoutArea(closing, place, request.result);
  await report(context, caller, {
    run: handle.id,
    action: position.standing.action.id,
    result: { status: "completed", ...request.result },
  });
  let last = place;
  for (const at of request.combined === true ? combined(run, place) : []) {
    const following = await next(context, caller, { ...request, run: handle.id });
    if (following.standing.kind !== "action" || !isAt(handle, at)) return last;
    const result = { status: "completed", summary: `Done together with ${last.action}.` };
    await report(context, caller, { run: handle.id, action: following.standing.action.id, result });
    last = at;
  }
  await next(context, caller, { ...request, run: handle.id });
  return last;
}

function saysNothing({ action }: BotPlace, id: string): Error {
  return refused(
    "ENGINE_NO_RESULT",
    `\`${action}\` is not done without word of what was done. Nothing was changed.`,
    "Close it again with its `summary`.",
    { action_id: id, fill_in: { "parameters.summary": "what was done" } },
  );
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
      {},
    );
}

/** Work that was reported without a possible project area cannot be called done. */
function refuseDoneWithoutArea(handle: RunHandle, { action }: BotPlace, { id }: Decision): void {
  if (requireBot(handle).area !== "") return;
  throw refused(
    "ENGINE_NO_AREA",
    `\`${action}\` cannot be closed: it was reported without a project area. Nothing was changed.`,
    `Answer \`redo\` (waymark decide ${handle.id} ${id}), then close it with the chosen folder as \`project_area\`.`,
    {},
  );
}

/** Actions that were handed out together with the first one: up to the first that wants a word of its own. */
function combined(run: BotRun, place: BotPlace): readonly BotPlace[] {
  const chain: BotPlace[] = [];
  const entered = run.definition.behaviours.filter((each) => each.setting !== "skip");
  const actions = entered.flatMap((behaviour) =>
    behaviour.actions
      .filter((each) => each.setting !== "skip")
      .map((each) => ({ ...each, place: { behaviour: behaviour.name, action: each.name } })),
  );
  const at = actions.findIndex((each) => isSame(each.place, place));
  if (at < 0) return chain;
  for (let next = at + 1; actions[next - 1]?.setting === "combine"; next += 1) {
    const upcoming = actions[next];
    if (upcoming === undefined || upcoming.calls !== undefined) break;
    chain.push(upcoming.place);
  }
  return chain;
}

async function sayDone({ context, caller, handle }: Closing, decision: Decision, { person }: CloseRequest): Promise<void> {
  const who = person ?? caller;
  await answer(context, who, { run: handle.id, decision: decision.id, answer: "done", relayed: who.holder.kind !== "person" });
}

function needsAnswer(decision: Decision): Error {
  return refused("ENGINE_NEEDS_ANSWER", `A question must be answered first: ${decision.question}`, "Answer it, then close the action.", {
    decision: decision.id,
    options: (decision.options ?? []).map((option) => option.value),
  });
}

/** A repeat is answered with what was recorded; anything else is not there to be closed. */
async function closedBefore(closing: Closing, { action: named, bot }: CloseRequest): Promise<ClosedAction> {
  const { context, handle, run } = closing;
  const place = currentPlace(handle);
  const all = await recordedActivity(storedRows(context, handle.id), run);
  const completed = all.filter(({ entry }) => entry.actionState === "completed" && !isIndependent(run, entry)).map(({ entry }) => entry);
  const by = await openedStep(closing, named);
  const meant = completed.findLast(
    (entry) => named === undefined || [entry.action, `${entry.behaviour}.${entry.action}`].includes(by ?? named),
  );
  const over = handle.state.status !== "running";
  if (meant === undefined || (named === undefined && !over)) {
    if (run.area === "" && !over)
      throw refused(
        "ENGINE_NO_AREA",
        `\`${bot}\` has no project area yet, so there is nothing to close.`,
        `Choose the project area first: answer the bot's question, or run \`waymark bot ${bot} --area <folder>\`.`,
        {},
      );
    const now = place === undefined ? "" : ` Current is \`${place.behaviour}.${place.action}\`.`;
    const what =
      named === undefined
        ? `\`${bot}\` has no open action.`
        : `\`${named}\` is not the current action of \`${bot}\`, nor was it completed.`;
    throw refused("ENGINE_NO_ACTION", `${what}${now} Nothing was changed.`, "Ask the bot where it is.", {});
  }
  return {
    ...after(closing, { behaviour: meant.behaviour, action: meant.action }, await positionOf(context, handle, mainStrand)),
    repeated: true,
  };
}

/** The step of an action or question with this id, wherever in the journal it was opened. */
async function openedStep({ context, handle }: Closing, id: string | undefined): Promise<string | undefined> {
  if (id === undefined || !/^[ad]\d+$/.test(id)) return undefined;
  for (let from = 0; ;) {
    const records = await context.store.readRecords(handle.id, from, 500);
    for (const { events } of records) {
      if (!events.includes(`"${id}"`)) continue;
      for (const event of JSON.parse(events) as readonly Event[]) {
        const opened = event.type === "action_opened" ? event.action : event.type === "decision_opened" ? event.decision : undefined;
        if (opened?.id === id) return opened.step;
      }
    }
    const last = records.at(-1);
    if (last === undefined) return undefined;
    from = last.position;
  }
}

function after({ run, handle }: Closing, place: BotPlace, position: Position): Omit<ClosedAction, "repeated"> {
  const finished = position.state.status === "completed";
  const { definition } = run;
  const actions = behaviourOf(run, place.behaviour)?.actions ?? [];
  const own = actions.slice(actions.findIndex((each) => each.name === place.action) + 1).find((each) => each.setting !== "skip");
  const shared = { bot: definition.name, completed: place, finished, position };
  const now = currentPlace(handle);
  const upcoming = now?.behaviour === place.behaviour && !isSame(now, place) ? now.action : own?.name;
  if (upcoming !== undefined) return { ...shared, next: upcoming };
  const at = definition.behaviours.findIndex((behaviour) => behaviour.name === place.behaviour);
  const following = definition.behaviours.slice(at + 1).find((behaviour) => behaviour.setting !== "skip");
  const first = following?.actions.find((each) => each.setting !== "skip");
  return {
    ...shared,
    completedBehaviour: place.behaviour,
    ...(following === undefined || first === undefined ? {} : { nextBehaviour: { behaviour: following.name, action: first.name } }),
  };
}

function isSame(a: BotPlace, b: BotPlace): boolean {
  return a.behaviour === b.behaviour && a.action === b.action;
}

/** Answers the question that a bot waits with, and goes on. A project area is checked before it is taken. */
export async function answerBot(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly bot: string; readonly answer: Json; readonly person?: Caller; readonly decision?: string },
): Promise<Position> {
  const handle = await openRun(context, request.bot);
  requireBot(handle);
  const standing = standingOf(handle.state, mainStrand);
  if (standing.kind !== "question" || (request.decision !== undefined && request.decision !== standing.decision.id))
    throw refused("ENGINE_NO_DECISION", `\`${request.bot}\` has no such open question.`, "Ask the bot where it is.", {});
  const { decision } = standing;
  const given = decision.step === "project_area" ? checkedArea(context, request.answer) : request.answer;
  const who = request.person ?? caller;
  await answer(context, who, { run: handle.id, decision: decision.id, answer: given, relayed: who.holder.kind !== "person" });
  return settledPosition(context, caller, handle, request);
}

export function checkedArea({ host }: EngineContext, given: Json): string {
  const chosen = chosenArea(host.workspace, typeof given === "string" ? given : "");
  if ("area" in chosen) return chosen.area;
  throw refused("ENGINE_NO_AREA", `${chosen.refused} Nothing was changed.`, "Name a folder inside the workspace.", {});
}
