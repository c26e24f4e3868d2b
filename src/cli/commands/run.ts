import { isWaymarkError, type Json, type JsonObject } from "../../base/index.ts";
import { next, progress, start, type Caller, type EngineContext, type Position, type ReportRequest } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";
import { parseInputs } from "../parse-inputs.ts";
import { jsonOrText } from "../parse-values.ts";
import { positionLines } from "../position-text.ts";
import type { Session } from "../session.ts";
import { valueText } from "../value-text.ts";
import { askUntilValid } from "./decide.ts";
import { driveCheck } from "./run-checklist.ts";

interface Driver {
  readonly session: Session;
  readonly context: EngineContext;
  readonly caller: Caller;
}

export async function runCommand({ session, args: [name = ""], options }: Given): Promise<number> {
  session.requireTerminal("`waymark run` asks as it goes, so it", "Without a terminal, use `waymark start`, `next` and `report`.");
  return session.withEngine(async (context) => {
    const driver: Driver = { session, context, caller: cliCaller(session.world, context) };
    const position = await begin(driver, name, options);
    try {
      return await drive(driver, position);
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
      session.out.line(`\nLeft run ${position.run} where it is; nothing is lost.`);
      session.out.hint(`→ waymark run ${position.run}`);
      return exitCodes.done;
    }
  });
}

async function begin({ session, context, caller }: Driver, name: string, options: Given["options"]): Promise<Position> {
  const wait = waiting(session, {});
  if ((await context.store.readRun(name)) !== undefined) return next(context, caller, { run: name, ...wait });
  const given = await parseInputs(session, context, name, options["input"] === undefined ? {} : { input: options["input"] });
  const inputs = await askInputs(session, context, name, given);
  const position = await start(context, caller, { workflow: name, inputs, ...wait });
  session.out.line(`Started run ${position.run}.`);
  return position;
}

/** Asks for every required input that was not given. */
async function askInputs({ prompter }: Session, context: EngineContext, workflow: string, given: JsonObject): Promise<JsonObject> {
  const { program } = await context.catalog.loadValid(workflow);
  const inputs: Record<string, Json> = { ...given };
  for (const [name, spec] of Object.entries(program.parts[program.main]?.inputs ?? {})) {
    if (Object.hasOwn(inputs, name) || spec.default !== undefined || !spec.required) continue;
    const text = await prompter.ask(`${name} (${spec.type})${spec.description === undefined ? "" : `: ${spec.description}`}\n> `, {
      secret: spec.secret === true,
    });
    inputs[name] = spec.type === "string" ? text : jsonOrText(text);
  }
  return inputs;
}

async function drive(driver: Driver, first: Position): Promise<number> {
  const { session, context, caller } = driver;
  let position = first;
  for (;;) {
    const { standing, run } = position;
    session.out.line();
    const checked = await driveCheck(driver, position);
    if (checked !== undefined) position = checked;
    else if (standing.kind === "question") {
      await askUntilValid(session, context, run, standing.decision);
      position = await again(driver, position);
    } else if (standing.kind === "action" && standing.action.what === "parallel_tasks") {
      const [task] = standing.tasks ?? [];
      if (task === undefined) position = await next(context, caller, { run, ...waiting(session, {}) });
      else {
        session.out.line(`Task ${task.task}`);
        await driveTask(driver, run, task.task);
        position = await again(driver, position);
      }
    } else if (standing.kind === "action") position = (await reportAction(driver, position, standing.action)).position;
    else if (standing.kind === "joining" && standing.tasks[0] !== undefined) {
      await driveTask(driver, run, standing.tasks[0].task);
      position = await again(driver, position);
    } else return showMoved(session, context, caller, position);
  }
}

function again({ session, context, caller }: Driver, { run }: Position): Promise<Position> {
  return next(context, caller, { run, ...waiting(session, {}) });
}

/** A person does the sub-agents' work as well, one task after the other. */
async function driveTask(driver: Driver, run: string, task: string): Promise<void> {
  const { session, context, caller } = driver;
  let position = await next(context, caller, { run, task, ...waiting(session, {}) });
  for (;;) {
    const { standing } = position;
    if (standing.kind === "question") {
      await askUntilValid(session, context, run, standing.decision);
      position = await next(context, caller, { run, task, ...waiting(session, {}) });
    } else if (standing.kind === "action") position = (await reportAction(driver, position, standing.action)).position;
    else return;
  }
}

async function reportAction(
  { session, context, caller }: Driver,
  position: Position,
  action: { readonly id: string; readonly what: string; readonly args: JsonObject },
): ReturnType<typeof progress> {
  const { run, strand, state } = position;
  const task = strand === "main" ? {} : { task: state.strands[strand]?.task ?? strand };
  const base: ReportRequest = { run, action: action.id, ...task, ...waiting(session, {}) };
  if (action.what === "user_message") {
    session.out.line(valueText(action.args["message"]));
    return progress(context, caller, { ...base, result: null });
  }
  for (const line of positionLines(position)) session.out.line(line);
  session.out.line("\nDo this, then type its result (JSON or text), nothing for no result, or `!why` when it failed.");
  const typed = await session.prompter.ask("> ");
  if (typed.startsWith("!")) return progress(context, caller, { ...base, status: "failed", error: typed.slice(1).trim() || "failed" });
  return progress(context, caller, { ...base, result: typed.trim() === "" ? null : jsonOrText(typed) });
}
