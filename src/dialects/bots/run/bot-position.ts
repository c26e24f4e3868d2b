import { defined, isWaymarkError, type JsonObject, type Json } from "../../../base/index.ts";
import { idOf, type BotPlace } from "../views/index.ts";
import { mainScope, mainStrand, type Decision, type Input } from "../../../kernel/index.ts";
import { askUserText, standingOf, decideCommand, type Standing } from "../../../views/index.ts";
import type { RunRow } from "../../../ports/index.ts";
import {
  refused,
  findEvent,
  next,
  shownPosition,
  start,
  runId,
  watchStrand,
  answer,
  keepRefusal,
  engineActor,
  type Caller,
  type NextRequest,
  type EngineContext,
  type Position,
  type RunHandle,
} from "../../../engine/index.ts";
import { requireBot, type BotJob } from "./bot-run.ts";
import { checkedArea } from "./project-area.ts";
import type { BotDefinition, BotTools } from "../definition/index.ts";

export type Waiting = Pick<NextRequest, "waitMs" | "signal" | "onProgress">;

/** The run of a bot that counts: the open one, else the newest. */
export async function latestRun({ store }: EngineContext, bot: string): Promise<{ readonly run?: RunRow; readonly known: number }> {
  const known = await store.listRuns({ workflow: bot });
  const run = known.find((row) => row.status === "running") ?? known[0];
  return { known: known.length, ...defined({ run }) };
}

/** The run of a bot that was begun here. */
export async function openRun(context: EngineContext, bot: string): Promise<RunHandle> {
  const { run } = await latestRun(context, bot);
  // A bot that is not there is another mistake than one that was never called.
  if (run === undefined) await context.catalog.loadValid(bot);
  if (run === undefined)
    throw refused("ENGINE_NO_ACTION", `\`${bot}\` was not begun here, so there is nothing to close.`, "Call the bot first.");
  return context.runs.open(run.id);
}

export interface OpenOptions extends Waiting {
  /** Of a run that is begun. */
  readonly project_area?: string;
  readonly scope?: JsonObject;
  /** A bot that has come to its end begins again. */
  readonly again?: boolean;
}

/**
 * The one run of a bot in this workspace: the open one, else the newest if it ended by itself, else a new one in the same project
 * area. The id of a new one follows from what is there, so that two windows that ask at the same time come to the same run.
 */
export async function openBot(context: EngineContext, caller: Caller, bot: string, options: OpenOptions = {}): Promise<Position> {
  const { again = false, project_area, scope, ...wait } = options;
  const { run, known } = await latestRun(context, bot);
  if (run !== undefined && (run.status === "running" || run.status === "failed" || (run.status === "completed" && !again)))
    return next(context, caller, { ...wait, run: run.id });
  const area = run === undefined ? undefined : (await context.runs.open(run.id)).state.scopes[mainScope]?.raw["project_area"];
  const inputs = { ...(typeof area === "string" && area !== "" && { project_area: area }), ...defined({ project_area, scope }) };
  const id = runId(bot, await context.store.now(), context.host.sha256(`${context.host.workspace}\0${bot}\0${known}`).slice(0, 6));
  try {
    const { run: begun } = await start(context, caller, { ...wait, workflow: bot, inputs, id });
    return await next(context, caller, { ...wait, run: begun });
  } catch (error) {
    // Another window has begun the same run meanwhile.
    const taken = isWaymarkError(error) && error.code === "ENGINE_AREA_TAKEN" && error.details["run_id"] === id;
    if (!taken && (!isWaymarkError(error) || error.code !== "STORE_RUN_EXISTS")) throw error;
    return next(context, caller, { ...wait, run: id });
  }
}

/**
 * The next step for a caller who has just answered and need not hold the run: what the engine has to do is done either way. A
 * caller that does not hold it did not ask for work, and gets none.
 */
export async function settledPosition(context: EngineContext, caller: Caller, handle: RunHandle, waiting: Waiting): Promise<Position> {
  try {
    return await next(context, caller, { ...waiting, run: handle.id, onlyDriver: true });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    return watchedPosition(context, caller, handle, waiting);
  }
}

/** Where a strand, the main one unless named, comes to without a caller taking hold of it. */
export async function watchedPosition(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  waiting: Waiting & { readonly strand?: string },
): Promise<Position> {
  await watchStrand(context, caller, handle, waiting);
  return positionOf(context, handle, waiting.strand ?? mainStrand);
}

export function positionOf(context: EngineContext, handle: RunHandle, strand: string): Promise<Position> {
  const { id: run, program, state, head } = handle;
  return shownPosition(context, handle, { run, program, state, head, strand, standing: standingOf(state, strand, program) });
}

/** Answers the question that a bot waits with, and continues. A project area is checked before it is taken. */
export async function answerBot(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly bot: string; readonly answer: Json; readonly person?: Caller; readonly decision?: string },
): Promise<Position> {
  const handle = await openRun(context, request.bot);
  requireBot(handle);
  const standing = standingOf(handle.state, mainStrand);
  const jumps = openJumps(handle, mainScope);
  if (request.decision === undefined && isAboutJump(standing, jumps, request.answer)) throw await forPerson(context, caller, handle, jumps);
  if (standing.kind !== "question" || (request.decision !== undefined && request.decision !== standing.decision.id))
    throw refused("ENGINE_NO_DECISION", `\`${request.bot}\` has no such open question.`, "Ask the bot where it is.");
  const { decision } = standing;
  const given = decision.step === "project_area" ? checkedArea(context, request.answer) : request.answer;
  const who = request.person ?? caller;
  await answer(context, who, { run: handle.id, decision: decision.id, answer: given, relayed: who.holder.kind !== "person" });
  return settledPosition(context, caller, handle, request);
}

/** Whether an answer is about a jump: nothing else is asked, or it is one of its options and none of those that are asked for. */
function isAboutJump(standing: Standing, jumps: readonly Decision[], given: Json): boolean {
  const isOption = ({ options = [] }: Decision): boolean => options.some((option) => option.value === given);
  if (jumps.length === 0 || standing.kind !== "question") return jumps.length > 0;
  return standing.decision.options !== undefined && !isOption(standing.decision) && jumps.some(isOption);
}

/** Whether the bot leaves its place is never passed on. The attempt is kept. */
async function forPerson(context: EngineContext, caller: Caller, handle: RunHandle, jumps: readonly Decision[]): Promise<Error> {
  const message = `Only a person can answer this: ${jumps.map(({ question }) => question).join(" ")} Nothing was changed.`;
  const commands = jumps.map((jump) => decideCommand(handle.id, jump));
  const [first] = jumps;
  await keepRefusal(context, caller, handle, { what: `answer ${first?.id ?? ""}`, code: "DECISION_FOR_PERSON", message });
  return refused("DECISION_FOR_PERSON", message, `${askUserText(commands.join("`, or `"))} Until then, continue where the bot is.`, {
    decision: first?.id ?? "",
    command_for_person: commands[0] ?? "",
    options: (first?.options ?? []).map((option) => option.value),
  });
}

export function jumpQuestion(from: BotPlace, to: BotPlace): string {
  return `Leave ${idOf(from)} and go to ${idOf(to)}?`;
}

/** The place that a jump would leave, as `behaviour.action`. */
function leftPlace(question: string): string {
  return /^Leave (.+?) and go to /.exec(question)?.[1] ?? "";
}

/**
 * Inputs that close questions about leaving a place where the bot is not any more: their answer would jump from somewhere else than
 * the person was shown. `stays`: where the bot is.
 */
export function closePassedJumps({ context, handle, scope, effect }: BotJob, bot: string, stays?: BotPlace): readonly Input[] {
  const here = stays && idOf(stays);
  return openJumps(handle, scope)
    .filter(({ strand, question }) => strand !== effect.strand && leftPlace(question) !== here)
    .map(({ strand, question }) => ({
      type: "cancel",
      strand,
      reason: `\`${bot}\` has left ${leftPlace(question)}.`,
      at: effect.openedAt,
      by: engineActor(context.host.processId),
    }));
}

/** Questions about leaving the place that are open. */
export function openJumps({ state }: RunHandle, scope: string): readonly Decision[] {
  return Object.values(state.decisions).filter(({ status, block, strand }) => {
    const held = state.strands[strand];
    return status === "pending" && block === "jump.ask" && strand !== mainStrand && held?.entry === "jump" && held.scope === scope;
  });
}

/** Why a question was closed without an answer; undefined when it was not. */
export function whyClosed(context: EngineContext, run: string, decision: string): Promise<string | undefined> {
  return findEvent(context, run, decision, (event) =>
    event.type === "decision_closed" && event.decision === decision && event.status !== "answered" ? event.reason : undefined,
  );
}

/** A bot as it is on disk now. */
export interface ListedBot {
  readonly name: string;
  readonly path: string;
  readonly source: string;
  /** Absent when there are errors. */
  readonly definition?: BotDefinition;
  readonly tools?: BotTools;
  readonly problems: number;
}

/** All bots that can be called, by name; one that is shadowed by another of its name is left out. */
export async function listBots({ catalog }: EngineContext): Promise<readonly ListedBot[]> {
  const { botToolNames, recogniseBot } = await import("../definition/index.ts");
  const listed = (await catalog.list()).filter((entry) => !entry.shadowed && recogniseBot(entry.path) !== undefined);
  const bots: ListedBot[] = [];
  for (const { name, path, source } of listed) {
    const { program, diagnostics } = await catalog.load(name);
    const definition = program?.parts[program.main]?.config["bot"] as unknown as BotDefinition | undefined;
    const problems = diagnostics.filter((problem) => problem.severity === "error").length;
    bots.push({ name, path, source, problems, ...(definition !== undefined && { definition, tools: botToolNames(definition) }) });
  }
  return bots;
}
