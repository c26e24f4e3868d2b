import { defined, isWaymarkError, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { next, start, type EngineContext, type Position } from "../../engine/index.ts";
import { atDesk } from "../at-desk.ts";
import { exitCodes } from "../codes.ts";
import type { Desk } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { showMoved, waiting } from "../drive.ts";
import { taskOf } from "../next-command.ts";
import { parseInputs } from "../parse-inputs.ts";
import { jsonOrText } from "../parse-values.ts";
import { positionLines } from "../position-text.ts";
import { reportStep } from "../reporting/report-step.ts";
import type { Outcome } from "../reporting/step-report.ts";
import type { Session } from "../session.ts";
import { askUntilValid } from "./decide.ts";

export async function runCommand({ session, shares, args: [name = ""], options }: Given): Promise<number> {
  session.requireTerminal("`waymark run` asks as it goes, so it", "Without a terminal, use `waymark start`, `next` and `done`.");
  return atDesk({ session, shares }, async (desk) => {
    const position = await begin(desk, name, options);
    try {
      return await drive(desk, position);
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
      session.out.line(`\nLeft run ${position.run} where it is; nothing is lost.`);
      session.out.hint(`→ waymark run ${position.run}`);
      return exitCodes.done;
    }
  });
}

async function begin({ session, context, caller }: Desk, name: string, options: Given["options"]): Promise<Position> {
  const wait = waiting(session);
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

async function drive(desk: Desk, first: Position): Promise<number> {
  const { session, context, caller, shares } = desk;
  let position = first;
  for (;;) {
    const { standing, run } = position;
    session.out.line();
    const own = await shares.of(position.program.dialect);
    const driven = await own.drive?.(desk, position);
    if (driven !== undefined) position = driven;
    else if (standing.kind === "question") {
      await askUntilValid(desk, run, standing.decision);
      position = await again(desk, position);
    } else if (standing.kind === "action" && standing.action.what === "parallel_tasks") {
      const [task] = standing.tasks ?? [];
      if (task === undefined) position = await next(context, caller, { run, ...waiting(session) });
      else {
        session.out.line(`Task ${task.task}`);
        await driveTask(desk, run, task.task);
        position = await again(desk, position);
      }
    } else if (standing.kind === "action") position = await reportAction(desk, position, standing.action);
    else if (standing.kind === "joining" && standing.tasks[0] !== undefined) {
      await driveTask(desk, run, standing.tasks[0].task);
      position = await again(desk, position);
    } else return showMoved(desk, position);
  }
}

function again({ session, context, caller }: Desk, { run }: Position): Promise<Position> {
  return next(context, caller, { run, ...waiting(session) });
}

/** A person does the sub-agents' work as well, one task after the other. */
async function driveTask(desk: Desk, run: string, task: string): Promise<void> {
  const { session, context, caller } = desk;
  let position = await next(context, caller, { run, task, ...waiting(session) });
  for (;;) {
    const { standing } = position;
    if (standing.kind === "question") {
      await askUntilValid(desk, run, standing.decision);
      position = await next(context, caller, { run, task, ...waiting(session) });
    } else if (standing.kind === "action") position = await reportAction(desk, position, standing.action);
    else return;
  }
}

/** Asks what came of a step until it is reported; a result that is missing is asked for again. */
async function reportAction(
  desk: Desk,
  position: Position,
  action: { readonly id: string; readonly what: string; readonly args: JsonObject },
): Promise<Position> {
  const { session } = desk;
  const named = { run: position.run, action: action.id, ...defined({ task: taskOf(position) }), wait: waiting(session) };
  if (action.what === "user_message") {
    session.out.line(textOf(action.args["message"] ?? ""));
    return (await reportStep(desk, { ...named, outcome: { as: "done" } })).position;
  }
  for (const line of positionLines(position)) session.out.line(line);
  session.out.line("\nDo this, then type its result (JSON or text), nothing if it has none, or `!why` when it failed.");
  for (;;) {
    const typed = await session.prompter.ask("> ");
    try {
      return (await reportStep(desk, { ...named, outcome: outcomeOf(typed) })).position;
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "ENGINE_NO_RESULT") throw error;
      session.out.line(`${session.out.paint("yellow", "!")} ${error.message} Type its result, or \`!why\` when it failed.`);
    }
  }
}

function outcomeOf(typed: string): Outcome {
  if (typed.startsWith("!")) return { as: "failed", error: typed.slice(1).trim() || "failed" };
  return { as: "done", ...(typed.trim() === "" ? {} : { result: jsonOrText(typed) }) };
}
