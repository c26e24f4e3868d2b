import { defined, isWaymarkError, jsonOrText, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { next, start, type EngineContext, type Position } from "../../engine/index.ts";
import { taskOf } from "../../views/index.ts";
import { askUntilValid } from "../ask-until-valid.ts";
import { exitCodes } from "../codes.ts";
import type { Desk, Outcome } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { showMoved, tellBegun, waiting } from "../drive.ts";
import { runNamed } from "../name-run.ts";
import { parseInputs } from "../parse-values.ts";
import { positionLines } from "../position-text.ts";
import { reportStep } from "../reporting/report-step.ts";
import { stayingCaller, type Session } from "../session.ts";

type Open = Extract<Position["standing"], { readonly kind: "action" }>;

export async function runByHand({ session, shares, args: [name = ""], options }: Given): Promise<number> {
  session.requireTerminal("`waymark run --by-hand` asks as it goes, so it", "Without a terminal, use `waymark start`, `next` and `done`.");
  return session.withEngine(async (context) => {
    const desk = { session, shares, context, caller: stayingCaller(session.world, context) };
    const position = await begin(desk, name, options);
    try {
      return await showMoved(desk, await drive(desk, position));
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "CLI_NO_ANSWER") throw error;
      session.out.line(`\nLeft run ${position.run} where it is; nothing is lost.`);
      session.out.hint(`→ waymark run ${position.run} --by-hand`);
      return exitCodes.done;
    } finally {
      await context.holding.release(desk.caller.leaseOwner);
    }
  });
}

async function begin({ session, context, caller, shares }: Desk, name: string, options: Given["options"]): Promise<Position> {
  const wait = waiting(session);
  const run = await openRunNamed(session, context, name);
  if (run !== undefined) return next(context, caller, { run, ...wait });
  const given = await parseInputs(session, context, name, options);
  const inputs = await askInputs(session, context, name, given);
  const position = await start(context, caller, { workflow: name, inputs, ...wait });
  await tellBegun({ session, shares }, position);
  return position;
}

/** The run that is meant; a part of an id that is also the name of a workflow means the workflow. */
async function openRunNamed(session: Session, context: EngineContext, name: string): Promise<string | undefined> {
  if ((await context.store.readRun(name)) !== undefined) return name;
  if ((await context.catalog.list()).some((workflow) => workflow.name === name)) return undefined;
  const run = await runNamed(context, "run", name);
  if (run !== undefined) session.out.aside(`Run ${run}`);
  return run;
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

/** Drives a run, or one task of it: a person does the sub-agents' work as well, one task after the other. Answers where it ends. */
async function drive(desk: Desk, first: Position, task?: string): Promise<Position> {
  const { session, context, caller, shares } = desk;
  const { run, program } = first;
  const nextPosition = (of = task): Promise<Position> => next(context, caller, { run, ...defined({ task: of }), ...waiting(session) });
  const own = task === undefined ? (await shares.of(program.dialect)).drive : undefined;
  for (let position = first; ;) {
    const { standing } = position;
    if (task === undefined) session.out.line();
    const driven = await own?.(desk, position);
    const [open] = standing.kind === "action" || standing.kind === "joining" ? (standing.tasks ?? []) : [];
    if (driven !== undefined) position = driven;
    else if (standing.kind === "question") {
      await askUntilValid(desk, run, standing.decision);
      position = await nextPosition();
    } else if (open !== undefined) {
      if (standing.kind === "action") session.out.line(`Task ${open.task}`);
      await drive(desk, await nextPosition(open.task), open.task);
      position = await nextPosition();
    } else if (standing.kind !== "action") return position;
    else position = standing.action.what === "parallel_tasks" ? await nextPosition() : await reportAction(desk, position, standing);
  }
}

/** Asks what came of a step until it is reported; a result that is missing is asked for again. */
async function reportAction(desk: Desk, position: Position, { action: { id, what, args }, shown }: Open): Promise<Position> {
  const { session } = desk;
  const named = { run: position.run, action: id, ...defined({ task: taskOf(position) }), wait: waiting(session) };
  if (what === "user_message") {
    session.out.line(textOf(args["message"] ?? ""));
    return (await reportStep(desk, { ...named, outcome: { as: "done" } })).position;
  }
  for (const line of positionLines(position)) session.out.line(line);
  const none = shown.fillIn?.["result"] === undefined ? ", press Enter if it has none," : "";
  session.out.line(`\nDo this, then type its result (JSON or text)${none} or type \`!why\` when it failed.`);
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
