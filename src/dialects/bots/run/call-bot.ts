import { defined, isObject, nearest, type JsonObject } from "../../../base/index.ts";
import { currentPlace, idOf, type BotPlace, findAction, isSame } from "../views/index.ts";
import { mainStrand, type Decision } from "../../../kernel/index.ts";
import { checkedArea, saysDone, signalProblems } from "./project-area.ts";
import { latestRun, openBot, positionOf, answerBot, jumpQuestion, type OpenOptions, type Waiting } from "./bot-position.ts";
import type { Closing } from "./closed-action.ts";
import { botOf, decodeBot, requireBot, type BotRun } from "./bot-run.ts";
import { routeSentence } from "./route-sentence.ts";
import {
  type Caller,
  commitOrThrow,
  stampOf,
  refused,
  type EngineContext,
  type Position,
  type RunHandle,
  next,
  report,
} from "../../../engine/index.ts";

export interface BotCall {
  readonly bot: string;
  readonly behaviour?: string;
  readonly action?: string;
  /** What a person said: it leads where trigger words of the bot, or of the named behaviour, match it. */
  readonly sentence?: string;
  /** `project_area` and `scope` count for a run that is begun; the rest is what an independent action is called with. */
  readonly parameters?: JsonObject;
}

/**
 * Goes to the current action; to that of a behaviour; or to one action. Another place than the current one is a question to a
 * person; an independent action runs beside and changes no place. A bot that has come to its end stays there until a place is named.
 */
export async function callBot(context: EngineContext, caller: Caller, asked: BotCall, waiting: Waiting = {}): Promise<Position> {
  const { run } = await latestRun(context, asked.bot);
  const call = await routed(context, run?.id, asked);
  const again = call.behaviour !== undefined || call.action !== undefined;
  if (again && run?.status === "completed") await refuseBeside(context, run.id, call);
  const inputs = inputsOf(context, call.parameters);
  if (run?.status === "running") refuseOtherArea(requireBot(await context.runs.open(run.id)), inputs.project_area);
  const away = run?.status === "running" ? await callElsewhere({ context, caller, run: run.id }, call, waiting) : undefined;
  if (away !== undefined) return away;
  const opened = await openBot(context, caller, call.bot, { ...waiting, ...inputs, again });
  const answers =
    inputs.project_area !== undefined && opened.standing.kind === "question" && opened.standing.decision.step === "project_area";
  const position = answers ? await answerBot(context, caller, { ...waiting, bot: call.bot, answer: inputs.project_area ?? "" }) : opened;
  return (await callElsewhere({ context, caller, run: position.run }, call, waiting)) ?? signalled(context, caller, position, waiting);
}

/** The call with the place that its sentence leads to. An action that is named needs no sentence to be found. */
async function routed(context: EngineContext, run: string | undefined, call: BotCall): Promise<BotCall> {
  const { sentence, bot, behaviour, action } = call;
  if (sentence === undefined || action !== undefined) return call;
  const handle = run === undefined ? undefined : await context.runs.open(run);
  const definition = handle === undefined ? await onDisk(context, bot) : requireBot(handle).definition;
  // A behaviour that does not exist is refused later, with those that do.
  if (behaviour !== undefined && definition.behaviours.every(({ name }) => name !== behaviour)) return call;
  const current = handle === undefined ? undefined : currentPlace(handle);
  const place = await routeSentence(context, definition, sentence, defined({ within: behaviour, current }));
  return { ...call, ...place };
}

/** Of a bot that was not begun: as it is on disk. */
async function onDisk({ catalog }: EngineContext, bot: string): Promise<BotRun["definition"]> {
  const { program } = await catalog.loadValid(bot);
  const part = program.parts[program.main];
  if (part?.dialect !== "bots") throw refused("ENGINE_NOT_A_BOT", `\`${bot}\` is not a bot.`, "Name a bot.");
  return decodeBot(part.config).definition;
}

/** The open action, unless its project area says that it is done: then that is its report, and what follows is shown. */
async function signalled(context: EngineContext, caller: Caller, position: Position, waiting: Waiting): Promise<Position> {
  const { run, standing, strand } = position;
  if (standing.kind !== "action" || standing.action.what !== "bot_action" || strand !== mainStrand) return position;
  const bot = botOf(await context.runs.open(run));
  if (bot === undefined || !(await saysDone(context, bot))) return position;
  const result = { status: "completed", summary: "action_is_done.json says that the work is done." };
  await report(context, caller, { run, action: standing.action.id, result });
  return next(context, caller, { ...waiting, run });
}

/** Another place than the current one; nobody has to hold the run for this. undefined: the current place is meant. */
async function callElsewhere(
  { context, caller, run: id }: Pick<CallerInRun, "context" | "caller"> & { readonly run: string },
  call: BotCall,
  waiting: Waiting,
): Promise<Position | undefined> {
  const handle = await context.runs.open(id);
  const run = requireBot(handle);
  const wanted = await wantedPlace({ context, caller, handle }, run, call);
  // Before there is a project area, the only way is to choose it.
  if (wanted === undefined || run.area === "" || handle.state.status !== "running") return undefined;
  if (findAction(run.definition, wanted)?.action.workflow === false)
    return callIndependent({ context, caller, handle }, wanted, call.parameters ?? {}, waiting);
  const current = currentPlace(handle);
  if (current === undefined || isSame(current, wanted)) return undefined;
  return askJump({ context, caller, handle }, { from: current, to: wanted }, waiting);
}

/** What is wrong with the two files in the project area now, and what will happen to them; nothing is written. */
export async function botProblems(context: EngineContext, run: string): Promise<readonly string[]> {
  const handle = await context.runs.open(run);
  const bot = botOf(handle);
  if (bot === undefined || bot.area === "" || handle.state.status !== "running") return [];
  // Loaded with the first question: it needs the dialects' formats.
  const { lookAtFiles } = await import("./bot-files.ts");
  return [...(await lookAtFiles(context, handle)), ...(await signalProblems(context, bot))];
}

/** An action outside of the sequence has nothing to run beside once the bot is complete, and must not begin it again. */
async function refuseBeside(context: EngineContext, run: string, { bot, behaviour, action }: BotCall): Promise<void> {
  if (action === undefined) return;
  const held = requireBot(await context.runs.open(run));
  const first = held.definition.behaviours[0]?.name ?? "";
  if (findAction(held.definition, { behaviour: behaviour ?? "", action })?.action.workflow === false)
    throw refused(
      "ENGINE_NO_ACTION",
      `\`${bot}\` is complete, so \`${action}\` has nothing to run beside. Nothing was changed.`,
      `Begin it again with one of its behaviours (\`waymark bot ${bot} ${behaviour ?? first}\`, or that behaviour's tool), then call \`${action}\`.`,
    );
}

/** The project area is chosen once; another one is refused, not ignored. */
function refuseOtherArea({ area, definition }: BotRun, given: string | undefined): void {
  if (given === undefined || given === area) return;
  const { name, choosesArea } = definition;
  const refuse = (why: string, fix: string): Error =>
    refused("ENGINE_NO_AREA", `The project area of \`${name}\` is ${why}. Nothing was changed.`, fix);
  if (area !== "")
    throw refuse(
      `\`${area}\`, so it cannot be \`${given}\``,
      "Continue without naming one. To begin in another folder, abort the run first.",
    );
  if (choosesArea !== undefined)
    throw refuse(`chosen by its action \`${choosesArea}\`, which is open`, `Close \`${choosesArea}\` with \`project_area\` in its result.`);
}

function inputsOf(context: EngineContext, parameters: JsonObject = {}): Pick<OpenOptions, "project_area" | "scope"> {
  const { project_area: area, scope } = parameters;
  const chosen = typeof area === "string" && area !== "" ? checkedArea(context, area) : undefined;
  return defined({ project_area: chosen, scope: isObject(scope) ? scope : undefined });
}

type CallerInRun = Omit<Closing, "run">;

/** undefined: where the bot is. */
async function wantedPlace(place: CallerInRun, run: BotRun, { behaviour, action }: BotCall): Promise<BotPlace | undefined> {
  if (behaviour === undefined && action === undefined) return undefined;
  const current = currentPlace(place.handle);
  const named = behaviour ?? current?.behaviour ?? run.definition.behaviours[0]?.name ?? "";
  const found = run.definition.behaviours.find((each) => each.name === named);
  if (found === undefined) throw unknown(run, "behaviour", named, run.definition.behaviours);
  if (action === undefined)
    return current?.behaviour === named ? undefined : { behaviour: named, action: await openAction(place, run, named) };
  const wanted = { behaviour: named, action };
  if (findAction(run.definition, wanted) !== undefined) return wanted;
  throw unknown(run, "action", action, [...found.actions, ...run.definition.independent]);
}

/** The action after the last completed one of a behaviour; its first when there is none, or when all are. */
async function openAction({ context, handle }: CallerInRun, run: BotRun, behaviour: string): Promise<string> {
  const rows = await context.store.selectItems(handle.id, { list: run.lists.actions, query: { parent: behaviour }, limit: 100_000 });
  const open = rows.filter((row) => row.reason !== "setting").map((row) => ({ id: row.id, done: row.status === "completed" }));
  const at = open.findLastIndex((row) => row.done) + 1;
  return (open[at] ?? open[0])?.id.slice(behaviour.length + 1) ?? "";
}

function unknown({ definition }: BotRun, what: string, name: string, all: readonly { readonly name: string }[]): Error {
  const known = all.map((each) => each.name);
  const near = nearest(name, known)[0];
  return refused(
    "ENGINE_NO_BOT_PLACE",
    `\`${definition.name}\` has no ${what} \`${name}\`.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`,
    `Use one of: ${known.join(", ")}.`,
  );
}

/** A person confirms that the bot leaves its sequence. The same wish again is the same question. */
async function askJump(
  place: CallerInRun,
  { from, to }: { readonly from: BotPlace; readonly to: BotPlace },
  waiting: Waiting,
): Promise<Position> {
  const { context, caller, handle } = place;
  const question = jumpQuestion(from, to);
  const asked = (): Decision | undefined =>
    Object.values(handle.state.decisions).find((decision) => decision.status === "pending" && decision.question === question);
  if (asked() === undefined) await enter(place, "jump", { to: { ...to, from: from.behaviour }, question });
  const open = asked();
  return open === undefined ? next(context, caller, { ...waiting, run: handle.id }) : positionOf(context, handle, open.strand);
}

/** One strand for each call; the same holder asking again gets the open one. */
async function callIndependent(place: CallerInRun, to: BotPlace, parameters: JsonObject, waiting: Waiting): Promise<Position> {
  const { context, caller, handle } = place;
  const id = idOf(to);
  const open = independentStrand(handle, id);
  if (open === undefined)
    await enter(place, "independent", { item: { id, kind: "independent", ...to, next: null, auto: true, parameters } });
  const strand = open ?? independentStrand(handle, id);
  return next(context, caller, { ...waiting, run: handle.id, strand: strand ?? mainStrand });
}

/** Begins a strand beside the main one. */
async function enter({ context, caller, handle }: CallerInRun, name: "jump" | "independent", args: JsonObject): Promise<void> {
  await commitOrThrow(context, handle, { type: "entry", name, args, ...(await stampOf(context, caller)) });
}

/** The strand of an independent action that is open. */
function independentStrand({ state }: RunHandle, id: string): string | undefined {
  return Object.values(state.strands).findLast(
    (each) => each.entry === "independent" && (each.frames[0]?.locals?.["item"] as { readonly id?: string } | undefined)?.id === id,
  )?.id;
}
