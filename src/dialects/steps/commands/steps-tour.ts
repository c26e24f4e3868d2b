import { textOf, type Json, counted, shorten } from "../../../base/index.ts";
import { journal, next, readState, start } from "../../../engine/index.ts";
import { cliCaller, exitCodes, loadCommandKit, type HandedOut, type Session, type TourStage as Stage } from "../../../cli/index.ts";

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

/** What the demo does in the place of an agent: it reads the notes and answers. */
function perform(stage: Stage, { step, type, task, definition }: HandedOut): Json {
  if (type === "user_message") {
    stage.say("message", textOf(definition["message"]));
    return null;
  }
  const command = textOf(definition["command"]);
  const [, note = ""] = /(notes\/\w+\.md)/.exec(command) ?? [];
  const result = step.endsWith("count_words") ? (tourFiles[note] ?? "").trim().split(/\s+/).length : "good";
  stage.say("agent", `${task === undefined ? "" : `[${task}] `}${step}: ${shorten(command, 40)} gives ${JSON.stringify(result)}`);
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
  ["waymark run hello --by-hand", "drives it with you in the place of the agent"],
  ["waymark test", "runs its tests, without any model"],
  ["waymark explain hello", "shows its plan"],
] as const;

/** The folder of the demo: a workflow and the notes it is about. */
const tourFiles: Readonly<Record<string, string>> = {
  ".waymark/workflows/tour.yaml": `name: tour
description: Counts the words of some notes, asks a person, and lets two sub-agents check the result
version: 1.0.0

default_state:
  raw:
    counts: {}
    checks: {}
    title: ""

state_schema:
  computed:
    total:
      from: raw.counts
      transform: "Object.values(input).reduce((sum, count) => sum + count, 0)"
    longest:
      from: raw.counts
      transform: "Object.entries(input).sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'none'"

steps:
  - id: welcome
    type: user_message
    message: "Three notes are waiting to be counted."

  - id: each_note
    type: foreach
    items: ["notes/harbour.md", "notes/lighthouse.md", "notes/map.md"]
    variable_name: note
    steps:
      - id: count_words
        type: agent_shell_command
        command: "wc -w < {{ note }}"
        reason: the agent has a shell, this workflow asked for no permission
        output_format: json
        state_update:
          path: "raw.counts.{{ note }}"

  - id: enough
    type: conditional
    condition: "{{ total > 40 }}"
    then:
      - id: say_total
        type: user_message
        message: "{{ total }} words in all, most of them in {{ longest }}."
    else:
      - id: too_short
        type: exit
        status: failed
        message: "There is not enough to read."

  - id: choose_title
    type: user_input
    prompt: "What should the collection be called?"
    state_update:
      path: raw.title

  - id: check_both
    type: parallel_foreach
    items: [{ id: spelling }, { id: tone }]
    sub_agent_task: check

  - id: done
    type: user_message
    message: "'{{ title }}' is ready: {{ total }} words, spelling {{ checks.spelling }}, tone {{ checks.tone }}."

sub_agent_tasks:
  check:
    description: Looks at the collection from one side
    steps:
      - id: look
        type: agent_shell_command
        command: "cat notes/*.md"
        reason: "read them and judge their {{ item.id }}"
        state_update:
          path: "raw.checks.{{ item.id }}"
`,
  "notes/harbour.md":
    "Every voyage begins in a harbour. Ropes are coiled, the ledger is written, and nobody leaves before both are true.\n",
  "notes/lighthouse.md": "A lighthouse does not steer the ship. It stays in one place, so that others know where they are.\n",
  "notes/map.md": "A map is a promise that travellers came back to tell. Mark the way as you go, and you can always take it up again.\n",
};

const defaultTitle = "Notes from the coast";
