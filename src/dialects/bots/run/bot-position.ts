import { isWaymarkError, type JsonObject } from "../../../base/index.ts";
import { mainScope, mainStrand, readyStrands } from "../../../kernel/index.ts";
import { standingOf } from "../../../views/index.ts";
import type { RunRow } from "../../../ports/index.ts";
import {
  actorOf,
  type Caller,
  refused,
  next,
  type NextRequest,
  shownPosition,
  start,
  type EngineContext,
  runId,
  decide,
  type Position,
  type RunHandle,
  waitForChange,
} from "../../../engine/index.ts";
import { placeOf, type BotPlace } from "./bot-run.ts";

export type Waiting = Pick<NextRequest, "waitMs" | "signal" | "onProgress">;

/** The run of a bot that counts: the open one, else the newest. */
export async function latestRun({ store }: EngineContext, bot: string): Promise<{ readonly run?: RunRow; readonly known: number }> {
  const known = await store.listRuns({ workflow: bot });
  const run = known.find((row) => row.status === "running") ?? known[0];
  return { known: known.length, ...(run === undefined ? {} : { run }) };
}

/** The run of a bot that was begun here. */
export async function openRun(context: EngineContext, bot: string): Promise<RunHandle> {
  const { run } = await latestRun(context, bot);
  // A bot that is not there is another mistake than one that was never called.
  if (run === undefined) await context.catalog.loadValid(bot);
  if (run === undefined)
    throw refused("ENGINE_NO_ACTION", `\`${bot}\` was not begun here, so there is nothing to close.`, "Call the bot first.", {});
  return context.runs.open(run.id);
}

/** Where the bot is: the behaviour and action of its main strand, whatever that waits for. */
export function currentPlace(handle: Pick<RunHandle, "state">): BotPlace | undefined {
  const frames = handle.state.strands[mainStrand]?.frames ?? [];
  const frame = frames.findLast((each) => each.kind === "work" && each.item !== undefined && each.item.parent !== undefined);
  return frame?.kind === "work" ? placeOf(frame.item?.data) : undefined;
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
  const inputs = {
    ...(typeof area === "string" && area !== "" ? { project_area: area } : {}),
    ...(project_area === undefined ? {} : { project_area }),
    ...(scope === undefined ? {} : { scope }),
  };
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
 * The next step for somebody who has just answered and need not drive the run: what the engine has to do is done either way. Who does
 * not drive it did not ask for work, and is given none.
 */
export async function settledPosition(context: EngineContext, caller: Caller, handle: RunHandle, waiting: Waiting): Promise<Position> {
  try {
    return await next(context, caller, { ...waiting, run: handle.id, onlyDriver: true });
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    return watchedPosition(context, caller, handle, waiting);
  }
}

/** Where a strand, the main one unless named, comes to without anybody taking hold of it. */
export async function watchedPosition(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  { strand = mainStrand, ...waiting }: Waiting & { readonly strand?: string },
): Promise<Position> {
  const deadline = (await context.store.now()) + (waiting.waitMs ?? context.settings.callWaitMs);
  for (;;) {
    const at = await context.store.now();
    if (readyStrands(handle.state).length > 0)
      await decide(context, handle, [{ input: { type: "advance", strand, at, by: actorOf(caller) } }]);
    context.effects.look(handle);
    const standing = standingOf(handle.state, strand);
    if (standing.kind !== "working" || at > deadline || waiting.signal?.aborted === true) return positionOf(context, handle, strand);
    await waitForChange(context, handle, 200);
  }
}

export function positionOf(context: EngineContext, handle: RunHandle, strand: string): Promise<Position> {
  const { id: run, program, state, head } = handle;
  return shownPosition(context, handle, { run, program, state, head, strand, standing: standingOf(state, strand) });
}
