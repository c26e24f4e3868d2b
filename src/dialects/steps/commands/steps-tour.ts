import { textOf, type Json } from "../../../base/index.ts";
import { journal, next, readState, start } from "../../../engine/index.ts";
import {
  cliCaller,
  counted,
  exitCodes,
  loadCommandKit,
  shorten,
  type HandedOut,
  type Session,
  type TourStage as Stage,
} from "../../../cli/index.ts";
import { answerAsAgent, defaultTitle, tourFiles } from "./tour-files.ts";

const { ScriptedDriver, TourStage } = await loadCommandKit();

/** A real run on a real store, played by the demo itself; half-way the engine is closed and opened again. */
export async function stepsTour(session: Session, folder: string, keep: boolean): Promise<number> {
  const { out, world } = session;
  const stage = new TourStage(session, folder, 8);
  await stage.write(tourFiles);
  out.line("A workflow is a YAML file: steps, conditions, loops, sub-agents. Waymark hands them out one at a time.");
  out.line("Here this demo plays the agent. Everything else is real: the engine, the store, the journal.\n");
  try {
    const caller = cliCaller(world, await stage.open());
    const { run } = await start(await stage.open(), caller, { workflow: "tour" });
    out.line(`${out.paint("bold", "start")}   run ${run}`);
    let steps = 0;
    const driver = new ScriptedDriver({
      caller,
      context: () => stage.open(),
      onTasks: (step) => stage.say("agent", `${step}: two sub-agents start at once`),
      replyTo: async (handed) => {
        if (handed.type === "user_input")
          return { result: await askTitle(stage, textOf(handed.definition["prompt"])), relayed: !world.isTerminal };
        if (steps === 2) await crash(stage, handed);
        steps += 1;
        return { result: perform(stage, handed) };
      },
      patienceMs: 10_000,
    });
    await driver.drive(run);
    return await sumUp(stage, run, { steps, keep });
  } finally {
    await stage.close();
  }
}

function perform(stage: Stage, { step, type, task, definition }: HandedOut): Json {
  if (type === "user_message") {
    stage.say("message", textOf(definition["message"]));
    return null;
  }
  const result = answerAsAgent({ id: step, definition });
  const command = shorten(textOf(definition["command"]), 40);
  stage.say("agent", `${task === undefined ? "" : `[${task}] `}${step}: ${command} gives ${JSON.stringify(result)}`);
  return result;
}

/** Nothing that was recorded is lost when a process ends: the next one is given the very same step. */
async function crash(stage: Stage, { run, id }: HandedOut): Promise<void> {
  await stage.close();
  stage.say("engine", "closed in the middle of the run; a new one opens the same store");
  const context = await stage.open();
  const { standing } = await next(context, cliCaller(stage.session.world, context), { run });
  const now = standing.kind === "action" ? standing.action.id : standing.kind;
  stage.say("engine", now === id ? "and hands out the same step again" : `which is at ${now}`);
}

async function askTitle(stage: Stage, question: string): Promise<string> {
  const { world, prompter, out } = stage.session;
  if (!world.isTerminal || out.json || out.quiet) {
    stage.say("person", `${question} ${defaultTitle}`);
    return defaultTitle;
  }
  const typed = (await prompter.ask(`${out.paint("bold", "person".padEnd(8))}${question} [${defaultTitle}] `)).trim();
  return typed === "" ? defaultTitle : typed;
}

async function sumUp(stage: Stage, run: string, { steps, keep }: { readonly steps: number; readonly keep: boolean }): Promise<number> {
  const { out } = stage.session;
  const { workspace } = stage;
  const context = await stage.open();
  const { status } = (await context.runs.open(run)).state;
  const records = (await journal(context, run, 0, 1000)).length;
  const { state } = await readState(context, run, ["total", "longest", "title", "checks"]);
  out.document({ run_id: run, status, steps, records, state, ...(keep ? { workspace } : {}) });
  out.line(`\nRun ${run} is ${status}: ${counted(steps, "step")} handed out, ${counted(records, "record")} in its journal.`);
  out.line(`Its state: ${JSON.stringify(state)}`);
  if (keep) out.line(`\nIts folder is ${workspace}\n  waymark --workspace ${workspace} journal ${run}`);
  stage.showTries(tries, 30);
  return status === "completed" ? exitCodes.done : exitCodes.failed;
}

const tries = [
  ["waymark init --example", "writes a small workflow, its test, and the setup for your coding agent"],
  ["waymark run hello", "drives it with you in the place of the agent"],
  ["waymark test", "runs its tests, without any model"],
  ["waymark explain hello", "shows its plan"],
] as const;
