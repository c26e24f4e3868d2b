import { existsSync } from "node:fs";
import { counted, defined, type JsonObject } from "../../base/index.ts";
import { checkAgents, driveRun, type DriveEvent, type DriveRequest } from "../../runner/index.ts";
import {
  elsewhere,
  maskSecrets,
  neededInputs,
  readTotals,
  requestInput,
  requirePermission,
  runId,
  start,
  type LoadedWorkflow,
  type RunHandle,
  type UseTotal,
} from "../../engine/index.ts";
import { askInPlace } from "../ask-in-place.ts";
import { badValue, failure, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { tellBegun } from "../drive.ts";
import { Denials } from "../denials.ts";
import { drivenBeside } from "../driven-beside.ts";
import { flagsOf, freerLine, otherLine, sameLine, typedFlags } from "../drive-lines.ts";
import { DriveScreen } from "../drive-screen.ts";
import { limitRun } from "../limit-run.ts";
import { budgetOptions, flagOf, parseDriveBudget, parseInputs } from "../parse-values.ts";
import { parseRoles } from "../parse-roles.ts";
import { cliCaller, type Session } from "../session.ts";
import { newRunLine } from "../start-lines.ts";
import type { OpenRunner } from "../world.ts";
import { showDriveEnd } from "../show-drive-end.ts";
import { showTotals } from "../use-lines.ts";
import { showWorktree } from "../show-worktree.ts";
import { worktreeName } from "../worktree-lines.ts";
import { runByHand } from "./run-by-hand.ts";

/** `waymark run`: starts a workflow and drives it, with an agent or by hand. */
export async function runCommand(given: Given): Promise<number> {
  const { session, shares, args, options } = given;
  const [name = "", ...words] = args;
  if (options["byHand"] === true) {
    const agents = [...drivingOptions, ...Object.keys(budgetOptions), "worktree"].filter((option) => options[option] !== undefined);
    const [odd] = [...agents.map(flagOf), ...(options["wait"] === false ? ["--no-wait"] : [])];
    if (odd !== undefined) throw usage(`\`--by-hand\` needs no agent, so \`${odd}\` means nothing.`, "Leave one of them out.");
    return runByHand(given);
  }
  return withRunner(session, async (runner) => {
    const { context } = runner;
    if ((await context.store.readRun(name)) !== undefined)
      throw usage(`\`${name}\` is a run that has begun.`, `Take it up with: waymark drive ${name}`);
    const workflow = await context.catalog.loadValid(name);
    const wish = driveWish(runner, session, options);
    const warnings = [...(await checkAgents(runner.parts, wish, workflow.program, options["worktree"] === true))];
    await requirePermission(context, workflow, { driven: true });
    const inputs = withIntent(
      workflow,
      await parseInputs(session, context, name, options),
      words.length === 0 ? undefined : words.join(" "),
    );
    const id = runId(workflow.name, await context.store.now(), context.host.randomText(6));
    const budget = parseDriveBudget(options);
    if (options["worktree"] !== true) warnings.push(...(await unsavedWarnings(runner, wish)));
    const worktree = options["worktree"] === true ? await runner.makeWorktree(worktreeName(id)) : undefined;
    const position = await start(context, cliCaller(session.world, context), {
      workflow: name,
      inputs,
      id,
      held: false,
      waitMs: 0,
      budget,
      ...defined({ folder: worktree?.folder }),
    }).catch(async (error: unknown) => {
      // A run that was refused leaves nothing behind.
      if (worktree !== undefined && (await context.store.readRun(id)) === undefined)
        await session.world.removeWorktree(context.host.workspace, worktreeName(id));
      throw error;
    });
    for (const warning of warnings) session.out.advice(`${session.out.paint("yellow", "!")} ${warning}`);
    await tellBegun({ session, shares }, position);
    if (worktree?.without === true) session.out.line("What you have not committed is not in its worktree.");
    return drive(given, runner, { ...wish, run: position.run });
  });
}

/** Agents work in the user's own folder: what is in no commit can be lost there. */
async function unsavedWarnings(runner: OpenRunner, { permission }: Wish): Promise<readonly string[]> {
  const count = permission?.level === "read" ? 0 : await runner.uncommitted();
  if (count === 0) return [];
  const files = counted(count, "file here has", "files here have");
  return [`${files} changes that are not committed, and agents may overwrite them. Commit them, or add \`--worktree\`.`];
}

/** `waymark drive`: takes up any open run. */
export async function driveCommand(given: Given): Promise<number> {
  const { session, args, options } = given;
  const [name = ""] = args;
  return withRunner(session, async (runner) => {
    const { id: run, program, state } = await runner.context.runs.open(name);
    const wish = driveWish(runner, session, options);
    // Nothing is left to do in it: how it ended is all there is to say.
    if (state.status !== "running" && !triesAgain(program, state)) return drive(given, runner, { ...wish, run });
    const { folder } = state.options;
    if (folder !== undefined && !existsSync(folder)) {
      const { computer } = runner.context.host;
      if (state.options.computer !== computer) throw elsewhere({ id: run, state }, folder, computer);
      throw failure("CLI_NO_WORKTREE", `The worktree of run ${run}, \`${folder}\`, was removed. Nothing was started.`);
    }
    await checkAgents(runner.parts, wish, program, folder !== undefined);
    const { minutes, ...budget } = parseDriveBudget(options);
    await limitRun(runner, session, run, budget);
    const flags = flagsOf(options, minutes === undefined ? lasting : [...lasting, driveMinutes]);
    return drive(given, runner, { ...wish, run, flags, ...defined({ minutes }) });
  });
}

export async function withRunner<T>(session: Session, work: (runner: OpenRunner) => Promise<T>, patient = false): Promise<T> {
  const runner = await session.world.openRunner({ ...session.flags, patient });
  try {
    return await work(runner);
  } finally {
    await runner.close();
  }
}

export type Wish = Omit<DriveRequest, "run">;

/** How agents are driven, as the options are called in code. */
const lasting = ["agent", "model", "permission", "role", "workers", "context"];
const drivingOptions = [...lasting, "onLost"];
/** Of `run` they limit the run, which keeps them. */
const driveMinutes = "maxMinutes";

export function driveWish({ usual, workers }: OpenRunner, { world }: Session, options: Given["options"]): Wish {
  const { agent, model, permission, role, context, onLost } = options;
  if (context !== undefined && context !== "fresh" && context !== "shared")
    throw badValue(`\`--context ${String(context)}\` is not possible.`, "Write `--context fresh` or `--context shared`.");
  return {
    usual,
    finish: world.stopSignal(),
    cancel: world.cancelSignal(),
    shared: context === "shared",
    workers: options["workers"] === undefined ? workers : parseWorkers(options["workers"] as string),
    waits: options["wait"] !== false,
    ...defined({ agent: agent as string | undefined, model: model as string | undefined, onLost: onLost as Wish["onLost"] }),
    flags: flagsOf(options, lasting),
    ...(role === undefined ? {} : { roles: parseRoles(role as string[]) }),
    ...(permission === undefined ? {} : { permission: { level: permission as "read" | "edit" | "all" } }),
  };
}

const mostWorkers = 64;

function parseWorkers(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= mostWorkers) return number;
  throw badValue(`\`--workers ${text}\` is not possible.`, `Write a whole number from 1 to ${mostWorkers}.`);
}

async function drive({ session, shares, options }: Given, runner: OpenRunner, request: DriveRequest): Promise<number> {
  const handle = await runner.context.runs.open(request.run);
  const screen = new DriveScreen(session, runner.context, handle);
  const caller = cliCaller(session.world, runner.context);
  // Who lets an agent drive gives it what they hold themselves.
  await runner.context.holding.release(caller.leaseOwner, request.run);
  const desk = { session, shares, context: runner.context, caller };
  const asks = session.world.isTerminal && !session.out.json;
  screen.start();
  screen.tellStops(request);
  const beside = await drivenBeside(runner.context, handle);
  if (beside.length > 0) screen.show({ type: "notice", text: besideText(beside) });
  try {
    const denials = new Denials();
    const watch = (event: DriveEvent): void => {
      denials.take(event);
      screen.show(event);
    };
    const end = await driveRun(runner.parts, { ...request, watch, ...(asks ? { ask: askInPlace(desk, screen) } : {}) });
    await screen.stop();
    const { undone, outcome } = await shares.of(handle.program.dialect);
    const left = end.kind === "completed" ? await undone?.(runner.context, end.run) : undefined;
    const shown = maskSecrets([...denials.tools], handle.program, handle.state);
    const totals = await readTotals(runner.context, end.run);
    const lines = linesAfter(await runner.context.runs.open(end.run), { request, options, totals, denials });
    const code = showDriveEnd(session, end, { ...lines, left, outcome, denied: shown, totals });
    showTotals(session.out, totals);
    const { folder } = handle.state.options;
    if (folder !== undefined && existsSync(folder))
      await showWorktree(session, runner, { folder, isOver: end.kind === "completed" || end.kind === "cancelled" });
    return code;
  } finally {
    await screen.stop();
  }
}

interface Driven {
  readonly request: DriveRequest;
  readonly options: Given["options"];
  readonly totals: readonly UseTotal[];
  readonly denials: Denials;
}

/** What may be typed next. */
function linesAfter(handle: RunHandle, { request, options, totals, denials }: Driven) {
  const kept = request.minutes === undefined ? drivingOptions : [...drivingOptions, driveMinutes];
  return {
    again: sameLine(handle.id, options, kept),
    other: (role?: string) => otherLine(handle.id, options, kept, role),
    freer: freerLine(handle.id, options, kept, denials.deciders),
    anew: newRunLine(handle, typedFlags(options, [...drivingOptions, ...Object.keys(budgetOptions)])),
    look: lookLine(handle, totals),
  };
}

function besideText(runs: readonly string[]): string {
  const named = runs.length === 1 ? `Run ${runs[0]} is` : `Runs ${runs.join(", ")} are`;
  return `! ${named} driven in this folder too, and their agents may change the same files. \`waymark run --worktree\` gives a run a folder of its own.`;
}

/** Where it is seen why a run failed: without turns of agents there is no transcript. */
function lookLine({ id, program }: RunHandle, totals: readonly UseTotal[]): string {
  const hasItems = Object.values(program.blocks).some(({ kind }) => kind === "work");
  return `waymark ${totals.length > 0 ? "transcript" : hasItems ? "items" : "journal"} ${id}`;
}

/** A failed run whose workflow asks for another attempt. */
function triesAgain({ parts, main }: RunHandle["program"], { status }: RunHandle["state"]): boolean {
  return status === "failed" && parts[main]?.onFailure?.then === "retry_run";
}

/** Words after the name are what is wanted. */
function withIntent({ name, program }: LoadedWorkflow, given: JsonObject, intent: string | undefined): JsonObject {
  if (intent === undefined) return given;
  const specs = program?.parts[program.main]?.inputs ?? {};
  const target = requestInput(specs, given);
  if (target === undefined) {
    const open = neededInputs(specs, given).filter((key) => specs[key]?.type === "string");
    const which = open.length === 0 ? "has no such input" : `has several: ${open.join(", ")}`;
    throw usage(`\`${name}\` does not say which of its inputs the text is: it ${which}.`, "Give it with `--input name=value`.");
  }
  return { ...given, [target]: intent };
}
