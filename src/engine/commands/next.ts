import { isWaymarkError } from "../../base/index.ts";
import { type Decision, isOpen, isPaused, mainStrand, readyStrands, sameHolder, type TakenItem } from "../../kernel/index.ts";
import { leftWrites } from "../../state/index.ts";
import {
  coreShown,
  type PositionFacts,
  type Standing,
  standingOf,
  strandAt,
  taskAround,
  tasksBeside,
  withWritesLeft,
} from "../../views/index.ts";
import { withFolder } from "../apart/with-folder.ts";
import type { EngineContext } from "../context.ts";
import { commitInputs, evaluationIn, startOpenWork, wakeDue } from "../commit-inputs.ts";
import { stampOf, type Caller } from "../caller.ts";
import { handsOutWork, listsOnRequest } from "../hands-out.ts";
import { readLife } from "../holding.ts";
import { strandLease } from "../lease-keys.ts";
import { isAlive } from "../lease-life.ts";
import { findEvent } from "../journal-records.ts";
import { continueAllowed } from "../permission.ts";
import {
  freeTask,
  isHeldElsewhere,
  isSharedOut,
  pickStrand,
  resolveStrand,
  sharesOut,
  strandTarget,
  targetOfRow,
  type Target,
} from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import { waitForChange } from "../wait-for-change.ts";
import { settleOvertaken } from "./settle-overtaken.ts";

export interface NextRequest {
  readonly run: string;
  /** A task by a name that it has from outside. */
  readonly task?: string;
  /** The strand itself, where it is known. */
  readonly strand?: string;
  /** Take the strand from a holder that is still alive. */
  readonly takeOver?: boolean;
  /** The caller only looks and takes nothing: what it is shown is for who asks or reports first. */
  readonly looks?: boolean;
  /** False: a caller that finds all that is left held by others gets that answer at once. */
  readonly waitForOthers?: boolean;
  /** Work that is otherwise handed out to everyone who asks goes to the driver of the run alone: anybody else learns that the run is held. */
  readonly onlyDriver?: boolean;
  /**
   * Part of the reply to a report or an answer, not a question of its own. Made before, its first reply may have been lost, with the tasks
   * that it handed out.
   */
  readonly follows?: "now" | "before";
  /** Id of an action that was handed out: tasks beside the caller's own work are shown again when they are meant. */
  readonly about?: string;
  /** How long to wait for engine work, and for what others work on; default the setting. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (standing: Standing, run: Pick<RunHandle, "program" | "state">) => void;
}

/** How often a part may be lost to others who ask at the same moment. */
const mostLost = 100;
/** How long a change that another process makes may go unnoticed, in milliseconds. */
const longestLook = 500;
const taken: ReadonlySet<string> = new Set(["STRAND_HELD", "STRAND_NOT_HELD", "STRAND_ENDED"]);

/** The open action of the caller's strand; asked twice it is the same one. Waits for engine work up to the limit. */
export async function next(context: EngineContext, caller: Caller, asked: NextRequest): Promise<Position> {
  // What follows the report of a driven agent is for its driver: its turn does not wait for it.
  const request = caller.stays === true && asked.follows !== undefined ? { ...asked, waitMs: 0 } : asked;
  const handle = await context.runs.open(request.run);
  await wakeDue(context, handle);
  if (Object.values(handle.state.strands).some(({ blocked }) => blocked?.denied === true)) await continueAllowed(context, handle);
  let found = await findPosition(context, caller, handle, request);
  while (request.looks !== true && (await settleOvertaken(context, caller, handle, found.standing)))
    found = await findPosition(context, caller, handle, request);
  const bare = await withWrites(context, await withLiveTasks(context, tasksFirst(context, caller, found, request)));
  const position = await shownPosition(context, handle, bare, caller);
  if (request.follows === undefined) context.handOuts.asked(caller, handle.id);
  context.handOuts.show(caller, position);
  return position;
}

/**
 * Tasks that run beside the caller's own work are handed out to it before that work: a person finds them where they wait. Who asks again
 * gets them again, as every step, until it says that it has them (`tasksTaken`), reports something, or one of them is begun.
 */
function tasksFirst(context: EngineContext, caller: Caller, position: BarePosition, request: HandingOut): BarePosition {
  const { kind } = position.standing;
  if (kind !== "action" && kind !== "question" && kind !== "working") return position;
  return { ...position, standing: groupFirst(context, caller, position, request) ?? position.standing };
}

type HandingOut = Pick<NextRequest, "about" | "follows">;

function groupFirst(
  { handOuts }: EngineContext,
  caller: Caller,
  { run, state, strand }: BarePosition,
  { about, follows }: HandingOut,
): Standing | undefined {
  if (caller.holder.kind === "person" || state.status !== "running") return undefined;
  const beside = tasksBeside(state, strand);
  const meant = beside.find(({ action }) => action.id === about);
  const isFirst = ({ action: { id }, tasks = [] }: (typeof beside)[number]): boolean => {
    if (!handOuts.isShown(caller, run, id)) return true;
    return follows !== "now" && handOuts.isTasksAgain(caller, run, id) && tasks.every(({ holder }) => holder === undefined);
  };
  return meant ?? beside.find(isFirst);
}

/** A task whose holder is gone is not running: it is there to be started again. */
async function withLiveTasks(context: EngineContext, position: BarePosition): Promise<BarePosition> {
  const { run, standing } = position;
  if (standing.kind !== "action" || standing.tasks?.some(({ holder }) => holder !== undefined) !== true) return position;
  const now = await context.store.now();
  const leases = await context.store.readLeases(strandLease(run, ""));
  const alive = new Set(leases.filter((lease) => isAlive(context, lease, now)).map(({ key }) => key));
  const tasks = standing.tasks.map(({ holder, ...task }) =>
    holder !== undefined && alive.has(strandLease(run, task.strand)) ? { ...task, holder } : task,
  );
  return { ...position, standing: { ...standing, tasks } };
}

async function withWrites(context: EngineContext, position: BarePosition): Promise<BarePosition> {
  const { standing } = position;
  const open = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : undefined;
  if (open === undefined || open.paths.length === 0) return position;
  const left = await leftWrites(evaluationIn(context), { ...position, id: position.run }, open);
  if (left === undefined) return position;
  return standing.kind === "action"
    ? { ...position, standing: { ...standing, action: { ...standing.action, ...left } } }
    : { ...position, standing: { kind: "question", decision: { ...(open as Decision), ...left } } };
}

async function findPosition(context: EngineContext, caller: Caller, handle: RunHandle, request: NextRequest): Promise<BarePosition> {
  const target = request.strand === undefined ? await resolveStrand(context, handle, request.task) : strandTarget(request.strand);
  if (target.kind === "strand") return findUnpaused(context, caller, handle, { ...request, strand: target.strand });
  if (!listsOnRequest(handle.program).has(target.list)) return endedTask(context, handle, target);
  const { task: _over, ...others } = request;
  return findPosition(context, caller, handle, others);
}

type InStrand = NextRequest & { readonly strand: string };

/** Nobody takes what is paused: the caller waits until it continues. */
async function findUnpaused(context: EngineContext, caller: Caller, handle: RunHandle, request: InStrand): Promise<BarePosition> {
  const { strand, takeOver, waitMs = context.settings.callWaitMs } = request;
  if (takeOver === true || !isPaused(handle.state, strand)) return findFree(context, caller, handle, request);
  const deadline = (await context.store.now()) + waitMs;
  const position = await waitForPosition(context, caller, { handle, strand }, request);
  if (isPaused(handle.state, strand)) return position;
  return findFree(context, caller, handle, { ...request, waitMs: Math.max(0, deadline - (await context.store.now())) });
}

/** Who is not needed in the main strand gets a free task instead. */
async function findFree(context: EngineContext, caller: Caller, handle: RunHandle, request: InStrand): Promise<BarePosition> {
  const free = request.strand === mainStrand ? await besideHolder(context, caller, handle, request) : undefined;
  return findIn(context, caller, handle, { ...request, strand: free ?? request.strand });
}

async function findIn(context: EngineContext, caller: Caller, handle: RunHandle, request: InStrand): Promise<BarePosition> {
  const whole = request.strand === mainStrand;
  const deadline = (await context.store.now()) + (request.waitMs ?? context.settings.callWaitMs);
  for (let lost = 0; ;) {
    const strand = whole ? await pickStrand(context, handle, caller, request.onlyDriver) : request.strand;
    if (strand === undefined) {
      const standing = standingOf(handle.state, mainStrand, handle.program);
      if (await mayChange(context, caller, handle, { ...request, deadline, standing })) continue;
      return { ...base(handle), strand: mainStrand, standing };
    }
    const mayLose = whole && strand !== mainStrand && lost < mostLost;
    if (!(await isTaken(context, caller, { handle, strand, mayLose }, request))) {
      lost += 1;
      continue;
    }
    const waitMs = Math.max(0, deadline - (await context.store.now()));
    const item = handle.state.strands[strand]?.item;
    const position = await waitForPosition(context, caller, { handle, strand }, { ...request, waitMs });
    // A part that ended by itself had nothing for its holder: the next one follows.
    const over = position.standing.kind === "ended" && handle.state.status === "running";
    if (over && whole) continue;
    const then = whole ? openBeside(position, caller) : over ? await endOrAgain(context, handle, item) : undefined;
    if (then?.kind === "ended_task") return endedTask(context, handle, then);
    if (then !== undefined) return findIn(context, caller, handle, { ...request, strand: then.strand, waitMs });
    if (!isGivenBack(position, request) || lost >= mostLost) return position;
    lost += 1;
  }
}

/** A free task for a caller that finds the main strand held by another one alive. */
async function besideHolder(context: EngineContext, caller: Caller, handle: RunHandle, request: NextRequest): Promise<string | undefined> {
  const main = handle.state.strands[mainStrand];
  const mayTake = request.takeOver !== true && request.looks !== true && request.onlyDriver !== true && request.follows === undefined;
  if (
    !mayTake ||
    handsOutWork(handle) ||
    main?.holder === undefined ||
    handle.state.status !== "running" ||
    sameHolder(main.holder, caller.holder)
  )
    return undefined;
  const { alive } = await readLife(context, handle.id, main);
  return alive === undefined ? undefined : freeTask(context, handle, caller);
}

/** A task ended while its holder waited: it has another try, or an end of its own. */
async function endOrAgain(context: EngineContext, handle: RunHandle, item: TakenItem | undefined): Promise<Target | undefined> {
  const row = item === undefined ? undefined : await context.store.readItem(handle.id, item.list, item.id);
  return row === undefined ? undefined : targetOfRow(handle, row);
}

async function endedTask(
  context: EngineContext,
  handle: RunHandle,
  { task, status, list }: Extract<Target, { readonly kind: "ended_task" }>,
): Promise<BarePosition> {
  return taskEnded(handle, { task, status, list }, strandAt(handle.state, list) ?? (await openerOf(context, handle, list)));
}

/** The end of a task that was opened in this strand. */
export function taskEnded(
  handle: RunHandle,
  { task, status, list }: { readonly task: string; readonly status: string; readonly list: string | undefined },
  parent: string | undefined,
): Position {
  // Where the run shares out its tasks, the next free one is found from the run itself.
  const within = sharesOut(handle) ? undefined : taskAround(handle.state, parent);
  const shared = isSharedOut(handle.program, list) ? { shared: true as const } : {};
  return { ...base(handle), strand: task, standing: { kind: "task_ended", task, status, within, ...shared } };
}

/** The strand whose work opened tasks for the items of a list that it has left by now. */
async function openerOf(context: EngineContext, handle: RunHandle, list: string): Promise<string | undefined> {
  return findEvent(context, handle.id, list, (event) =>
    event.type === "strand_opened" && event.item?.list === list ? event.parent : undefined,
  );
}

type Idle = NextRequest & { readonly deadline: number; readonly standing: Standing };

/**
 * All that is left is held by others: waits a moment for it, so that nobody asks again and again. False when the time is up, or when
 * nobody works on it but sub-agents of the caller's own connection, which may be waiting for this very answer.
 */
async function mayChange(context: EngineContext, caller: Caller, handle: RunHandle, idle: Idle): Promise<boolean> {
  const left = idle.deadline - (await context.store.now());
  const waits = idle.takeOver !== true && idle.waitForOthers !== false && idle.signal?.aborted !== true;
  if (!waits || left <= 0 || !(await isHeldElsewhere(context, handle, caller))) return false;
  idle.onProgress?.(idle.standing, handle);
  await waitForChange(context, handle, Math.min(left, longestLook));
  return true;
}

function base(handle: RunHandle): Pick<BarePosition, "run" | "program" | "state" | "head"> {
  return { run: handle.id, program: handle.program, state: handle.state, head: handle.head };
}

/** Makes the caller the holder of a strand that is open. False: another caller at the same moment was quicker, and there may be another part. */
async function isTaken(
  context: EngineContext,
  caller: Caller,
  { handle, strand, mayLose }: { readonly handle: RunHandle; readonly strand: string; readonly mayLose: boolean },
  request: Pick<NextRequest, "takeOver" | "looks">,
): Promise<boolean> {
  const held = handle.state.strands[strand];
  if (request.looks === true || handle.state.status !== "running" || held === undefined || !isOpen(held.status)) return true;
  try {
    await context.holding.take(handle, strand, caller, request.takeOver === true);
    return true;
  } catch (error) {
    // Another process may have ended the run since it was opened: that is what the caller learns.
    const ended = isWaymarkError(error) && error.code === "RUN_ENDED";
    if (!ended && (!mayLose || !isWaymarkError(error) || !taken.has(error.code))) throw error;
    await context.runs.refresh(handle);
    return ended;
  }
}

/** Nothing is left of the main part but to wait for what was called beside it: an action there that the caller holds, or nobody. */
function openBeside({ state, strand, standing }: BarePosition, caller: Caller): Target | undefined {
  if (strand !== mainStrand || standing.kind !== "joining" || standing.tasks.length > 0) return undefined;
  const open = Object.values(state.strands).filter(({ id, entry }) => entry !== undefined && standingOf(state, id).kind === "action");
  const found = open.find(({ holder }) => sameHolder(holder, caller.holder)) ?? open.find(({ holder }) => holder === undefined);
  return found === undefined ? undefined : strandTarget(found.id);
}

/** An action whose holder is gone came back without a holder: the next holder is asked first what to do about it. */
function isGivenBack({ state, strand, standing }: BarePosition, { looks }: Pick<NextRequest, "looks">): boolean {
  return looks !== true && standing.kind === "action" && state.status === "running" && state.strands[strand]?.holder === undefined;
}

/** Waits until the strand wants something from its holder, or the time is up. */
async function waitForPosition(
  context: EngineContext,
  caller: Caller,
  { handle, strand }: { readonly handle: RunHandle; readonly strand: string },
  request: Pick<NextRequest, "waitMs" | "signal" | "onProgress" | "onlyDriver"> & HandingOut,
): Promise<BarePosition> {
  const deadline = (await context.store.now()) + (request.waitMs ?? context.settings.callWaitMs);
  for (;;) {
    if (readyStrands(handle.state).length > 0)
      await commitInputs(context, handle, [{ input: { type: "advance", strand, ...(await stampOf(context, caller)) } }]);
    startOpenWork(context, handle);
    const standing = context.leaves.isMoving(handle)
      ? ({ kind: "working" } as const)
      : markFar(standingOf(handle.state, strand, handle.program), deadline + worthAsking);
    const position = { ...base(handle), strand, standing };
    const joins = strand === mainStrand && (standing.kind === "joining" || sharesOut(handle));
    if (joins && (await pickStrand(context, handle, caller, request.onlyDriver)) !== strand)
      return { ...position, standing: { kind: "ended" } };
    const left = deadline - (await context.store.now());
    if (left <= 0 || request.signal?.aborted === true || !isWaiting(context, caller, position, request)) return position;
    request.onProgress?.(standing, handle);
    await waitForChange(context, handle, Math.min(left, longestLook));
  }
}

/** Whether there is nothing for the holder to do before something else happens soon. Tasks beside the engine's work do not wait for it. */
function isWaiting(context: EngineContext, caller: Caller, position: BarePosition, request: HandingOut): boolean {
  const { standing } = position;
  if (standing.kind === "joining")
    return sharesOut(position) || (standing.tasks.length === 0 && openBeside(position, caller) === undefined);
  return standing.kind === "working" && standing.far !== true && groupFirst(context, caller, position, request) === undefined;
}

/** How far beyond this call a time may be for it to be worth asking again and again. */
const worthAsking = 5 * 60_000;

/** Who waits for a time further away gets that answer at once. */
function markFar(standing: Standing, within: number): Standing {
  return standing.kind === "working" && standing.until !== undefined && standing.until > within ? { ...standing, far: true } : standing;
}

/** Where the caller's strand of a run is, with what is open as its leaf shows it. */
export interface Position extends PositionFacts {
  readonly head: number;
}

/** A position before its leaf has shown what is open. */
export interface BarePosition extends Omit<Position, "standing"> {
  readonly standing: Standing;
}

/** What is open, as its leaf shows it to a caller. */
export async function shownPosition(
  context: EngineContext,
  handle: RunHandle,
  bare: BarePosition,
  caller?: Pick<Caller, "stays">,
): Promise<Position> {
  const { standing, ...position } = bare;
  if (standing.kind !== "action") return { ...position, standing };
  const { at, leaf } = context.leaves.ofAction(context, handle, standing.action);
  const open = caller?.stays === true ? { ...standing, driven: true as const } : standing;
  const bareShown = leaf.show === undefined ? coreShown(handle, standing.action) : await leaf.show(at, open);
  // A driven agent is there already.
  const shown = caller?.stays === true ? bareShown : withFolder(bareShown, handle.state, standing.action.strand);
  return { ...position, standing: { ...standing, shown: withWritesLeft(shown, standing.action) } };
}
