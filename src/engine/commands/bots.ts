import { isWaymarkError, nearest, type JsonObject } from "../../base/index.ts";
import { mainStrand, standingOf, type Decision } from "../../kernel/index.ts";
import { actionOf, behaviourOf, placeOf, requireBot, type BotPlace, type BotRun } from "../bots/bot-run.ts";
import { actorOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { runId } from "../create-run.ts";
import { decide } from "../decide.ts";
import type { Position } from "../position.ts";
import type { RunHandle } from "../run-cache.ts";
import { answer } from "./answer.ts";
import { next, type NextRequest } from "./next.ts";
import { report } from "./report.ts";
import { start } from "./start.ts";

type Waiting = Pick<NextRequest, "waitMs" | "signal" | "onProgress">;

/**
 * The one open run of a bot in this workspace, begun when there is none. Its id follows from what is there, so that two windows
 * that ask at the same time come to the same run.
 */
export async function openBot(
  context: EngineContext,
  caller: Caller,
  bot: string,
  inputs: JsonObject = {},
  waiting: Waiting = {},
): Promise<Position> {
  const known = await context.store.listRuns({ workflow: bot });
  const open = known.find((row) => row.status === "running");
  if (open !== undefined) return next(context, caller, { ...waiting, run: open.id });
  const id = runId(bot, await context.store.now(), context.host.sha256(`${context.host.workspace}\0${bot}\0${known.length}`).slice(0, 6));
  try {
    return await start(context, caller, { ...waiting, workflow: bot, inputs, id });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STORE_RUN_EXISTS") throw error;
    return next(context, caller, { ...waiting, run: id });
  }
}

/** Where the bot is: the behaviour and action of its main strand, whatever that waits for. */
export function currentPlace(handle: RunHandle): BotPlace | undefined {
  const frames = handle.state.strands[mainStrand]?.frames ?? [];
  const frame = frames.findLast((each) => each.kind === "work" && each.item !== undefined && each.item.parent !== undefined);
  return frame?.kind === "work" ? placeOf(frame.item?.data) : undefined;
}

export interface BotCall {
  readonly bot: string;
  readonly behaviour?: string;
  readonly action?: string;
  readonly parameters?: JsonObject;
}

/**
 * Goes to the current action; to that of a behaviour; or to one action. Another place than the current one is a question to a
 * person; an independent action runs beside and changes no place.
 */
export async function callBot(context: EngineContext, caller: Caller, call: BotCall, waiting: Waiting = {}): Promise<Position> {
  const inputs = typeof call.parameters?.["project_area"] === "string" ? { project_area: call.parameters["project_area"] } : {};
  const position = await openBot(context, caller, call.bot, inputs, waiting);
  const handle = await context.runs.open(position.run);
  const run = requireBot(handle);
  const wanted = wantedPlace(run, handle, call);
  if (wanted === undefined) return position;
  if (actionOf(run, wanted)?.workflow === false)
    return callIndependent({ context, caller, handle }, wanted, call.parameters ?? {}, waiting);
  const current = currentPlace(handle);
  if (current === undefined || (current.behaviour === wanted.behaviour && current.action === wanted.action)) return position;
  return askJump({ context, caller, handle }, { from: current, to: wanted }, waiting);
}

interface Place {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly handle: RunHandle;
}

/** undefined: wherever the bot is. */
function wantedPlace(run: BotRun, handle: RunHandle, { behaviour, action }: BotCall): BotPlace | undefined {
  if (behaviour === undefined && action === undefined) return undefined;
  const current = currentPlace(handle);
  const named = behaviour ?? current?.behaviour ?? run.definition.behaviours[0]?.name ?? "";
  const found = behaviourOf(run, named);
  if (found === undefined)
    throw unknown(
      run,
      "behaviour",
      named,
      run.definition.behaviours.map((each) => each.name),
    );
  if (action === undefined)
    return current?.behaviour === named ? undefined : { behaviour: named, action: firstOpen(found.actions.map((each) => each.name)) };
  const place = { behaviour: named, action };
  if (actionOf(run, place) === undefined)
    throw unknown(run, "action", action, [
      ...found.actions.map((each) => each.name),
      ...run.definition.independent.map((each) => each.name),
    ]);
  return place;
}

function firstOpen(actions: readonly string[]): string {
  return actions[0] ?? "";
}

function unknown({ definition }: BotRun, what: string, name: string, known: readonly string[]): Error {
  const near = nearest(name, known)[0];
  return refused(
    "ENGINE_NO_BOT_PLACE",
    `\`${definition.name}\` has no ${what} \`${name}\`.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`,
    `Use one of: ${known.join(", ")}.`,
    {},
  );
}

/** A person confirms that the bot leaves its sequence. The same wish again is the same question. */
async function askJump(
  { context, caller, handle }: Place,
  { from, to }: { readonly from: BotPlace; readonly to: BotPlace },
  waiting: Waiting,
): Promise<Position> {
  const question = `Leave ${from.behaviour}.${from.action} and go to ${to.behaviour}.${to.action}?`;
  const asked = (): Decision | undefined =>
    Object.values(handle.state.decisions).find((decision) => decision.status === "pending" && decision.question === question);
  if (asked() === undefined) {
    const at = await context.store.now();
    const args = { to: { ...to, from: from.behaviour }, question };
    const decision = await decide(context, handle, [{ input: { type: "entry", name: "jump", args, at, by: actorOf(caller) } }]);
    if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  }
  const open = asked();
  return open === undefined ? next(context, caller, { ...waiting, run: handle.id }) : positionOf(handle, open.strand);
}

function positionOf(handle: RunHandle, strand: string): Position {
  const { id: run, program, state, head } = handle;
  return { run, program, state, head, strand, standing: standingOf(state, strand) };
}

/** One strand for each call; the same holder asking again gets the open one. */
async function callIndependent(
  { context, caller, handle }: Place,
  place: BotPlace,
  parameters: JsonObject,
  waiting: Waiting,
): Promise<Position> {
  const id = `${place.behaviour}.${place.action}`;
  const open = Object.values(handle.state.strands).find(
    (strand) => strand.entry === "independent" && (strand.frames[0]?.locals?.["item"] as { readonly id?: string } | undefined)?.id === id,
  );
  if (open === undefined) {
    const at = await context.store.now();
    const item = { id, kind: "independent", behaviour: place.behaviour, action: place.action, next: null, auto: true, parameters };
    const decision = await decide(context, handle, [
      { input: { type: "entry", name: "independent", args: { item }, at, by: actorOf(caller) } },
    ]);
    if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  }
  const strand =
    open?.id ??
    Object.values(handle.state.strands).findLast(
      (each) => each.entry === "independent" && (each.frames[0]?.locals?.["item"] as { readonly id?: string } | undefined)?.id === id,
    )?.id;
  return next(context, caller, { ...waiting, run: handle.id, ...(strand === undefined ? {} : { task: strand }) });
}

export interface ClosedAction {
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

/**
 * The person's "done": reports the open action, answers its question and goes on. Who may say it is up to the bot; `action` makes a
 * repeat recognisable.
 */
export async function closeAction(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly bot: string; readonly action?: string; readonly result?: JsonObject; readonly person?: Caller },
): Promise<ClosedAction> {
  const opened = await openBot(context, caller, request.bot, {}, request);
  const handle = await context.runs.open(opened.run);
  const run = requireBot(handle);
  if (run.area === "" && run.definition.choosesArea === undefined)
    throw refused(
      "ENGINE_NO_AREA",
      `\`${request.bot}\` has no project area yet, so there is nothing to close.`,
      "Answer the question for the project area first.",
      {},
    );
  const place = currentPlace(handle);
  if (place === undefined) throw refused("ENGINE_NO_ACTION", `\`${request.bot}\` has no open action.`, "Ask for the next step.", {});
  if (request.action !== undefined && request.action !== place.action && request.action !== `${place.behaviour}.${place.action}`) {
    const [behaviour = place.behaviour, action = request.action] = request.action.includes(".")
      ? request.action.split(".")
      : [place.behaviour, request.action];
    return { ...after(run, { behaviour, action }, opened), repeated: true };
  }
  let { standing } = opened;
  if (standing.kind === "action") {
    await report(context, caller, { run: handle.id, action: standing.action.id, result: { status: "completed", ...request.result } });
    standing = (await next(context, caller, { ...request, run: handle.id })).standing;
  }
  if (
    standing.kind === "question" &&
    standing.decision.kind !== "lost" &&
    standing.decision.step === `${place.behaviour}.${place.action}`
  ) {
    const who = request.person ?? caller;
    await answer(context, who, { run: handle.id, decision: standing.decision.id, answer: "done", relayed: who.holder.kind !== "person" });
  } else if (standing.kind === "question")
    throw refused(
      "ENGINE_NEEDS_ANSWER",
      `A question must be answered first: ${standing.decision.question}`,
      "Answer it, then close the action.",
      {},
    );
  const position = await next(context, caller, { ...request, run: handle.id });
  return { ...after(run, place, position), repeated: false };
}

function after(run: BotRun, place: BotPlace, position: Position): Omit<ClosedAction, "repeated"> {
  const upcoming = actionOf(run, place)?.next ?? undefined;
  const finished = position.state.status === "completed";
  if (upcoming !== undefined) return { completed: place, next: upcoming, finished, position };
  const at = run.definition.behaviours.findIndex((behaviour) => behaviour.name === place.behaviour);
  const following = run.definition.behaviours[at + 1];
  return {
    completed: place,
    completedBehaviour: place.behaviour,
    ...(following === undefined ? {} : { nextBehaviour: { behaviour: following.name, action: following.actions[0]?.name ?? "" } }),
    finished,
    position,
  };
}
