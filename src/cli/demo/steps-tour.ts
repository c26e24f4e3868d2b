import { join } from "node:path";
import { answer, journal, next, progress, readState, start, type Caller, type Position } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { exitCodes } from "../codes.ts";
import { shorten } from "../render-table.ts";
import type { Session } from "../session.ts";
import { valueText } from "../value-text.ts";
import type { EngineFlags, OpenEngine } from "../world.ts";
import { answerAsAgent, defaultTitle } from "./tour.ts";
import { counted } from "../counted.ts";

/** A real run on a real store, played by the demo itself; half-way the engine is closed and opened again. */
export class StepsTour {
  readonly #session: Session;
  readonly #flags: EngineFlags;
  #steps = 0;
  #engine: OpenEngine | undefined;

  constructor(session: Session, folder: string) {
    this.#session = session;
    this.#flags = { ...session.flagsIn(folder), store: join(folder, ".waymark", "store") };
  }

  async show(keep: boolean): Promise<number> {
    const { out } = this.#session;
    out.line("A workflow is a YAML file: steps, conditions, loops, sub-agents. Waymark hands them out one at a time.");
    out.line("Here this demo plays the agent. Everything else is real: the engine, the store, the journal.\n");
    try {
      const started = await this.#with((engine, caller) => start(engine.context, caller, { workflow: "tour" }));
      out.line(`${out.paint("bold", "start")}   run ${started.run}`);
      const last = await this.#drive(started);
      return await this.#sum(last, keep);
    } finally {
      await this.#close();
    }
  }

  async #drive(first: Position): Promise<Position> {
    let position = first;
    for (;;) {
      const { standing, run } = position;
      if (standing.kind === "question") {
        const title = await this.#ask(standing.decision.question);
        await this.#with((engine, caller) =>
          answer(engine.context, caller, { run, decision: standing.decision.id, answer: title, relayed: !this.#session.world.isTerminal }),
        );
        position = await this.#next(run);
      } else if (standing.kind === "action" && standing.action.what === "parallel_tasks") {
        this.#say("agent", `${standing.action.step}: two sub-agents start at once`);
        for (const task of standing.tasks ?? []) await this.#driveTask(run, task.task);
        position = await this.#next(run);
      } else if (standing.kind === "action") {
        position = await this.#perform(position.run, standing);
        if (this.#steps === 2) await this.#crash(run, position);
      } else return position;
    }
  }

  async #driveTask(run: string, task: string): Promise<void> {
    let position = await this.#next(run, task);
    while (position.standing.kind === "action") position = await this.#perform(run, position.standing, task);
  }

  async #perform(
    run: string,
    { action, shown }: Extract<Position["standing"], { readonly kind: "action" }>,
    task?: string,
  ): Promise<Position> {
    const step = { ...shown.step, id: action.step };
    const isMessage = step.type === "user_message";
    const result = isMessage ? null : answerAsAgent(step);
    this.#steps++;
    if (isMessage) this.#say("message", valueText(step.definition["message"]));
    else
      this.#say(
        "agent",
        `${task === undefined ? "" : `[${task}] `}${step.id}: ${shorten(valueText(step.definition["command"]), 40)} gives ${JSON.stringify(result)}`,
      );
    const request = { run, action: action.id, result, ...(task === undefined ? {} : { task }) };
    return (await this.#with((engine, caller) => progress(engine.context, caller, request))).position;
  }

  /** Nothing that was recorded is lost when a process ends: the next one is given the very same step. */
  async #crash(run: string, before: Position): Promise<void> {
    await this.#close();
    this.#say("engine", "closed in the middle of the run; a new one opens the same store");
    const after = await this.#next(run);
    const step = (position: Position): string =>
      position.standing.kind === "action" ? position.standing.action.id : position.standing.kind;
    this.#say("engine", step(before) === step(after) ? "and hands out the same step again" : `which stands at ${step(after)}`);
  }

  #next(run: string, task?: string): Promise<Position> {
    return this.#with((engine, caller) => next(engine.context, caller, { run, ...(task === undefined ? {} : { task }) }));
  }

  async #ask(question: string): Promise<string> {
    const { world, prompter, out } = this.#session;
    if (!world.isTerminal || out.json || out.quiet) {
      this.#say("person", `${question} ${defaultTitle}`);
      return defaultTitle;
    }
    const typed = (await prompter.ask(`${out.paint("bold", "person".padEnd(8))}${question} [${defaultTitle}] `)).trim();
    return typed === "" ? defaultTitle : typed;
  }

  async #sum({ run, state }: Position, keep: boolean): Promise<number> {
    const { out } = this.#session;
    const { records, final } = await this.#with(async ({ context }) => ({
      records: await journal(context, run, 0, 1000),
      final: await readState(context, run, ["total", "longest", "title", "checks"]),
    }));
    const folder = this.#flags.workspace;
    out.document({
      run_id: run,
      status: state.status,
      steps: this.#steps,
      records: records.length,
      state: final.state,
      ...(keep ? { workspace: folder } : {}),
    });
    out.line(
      `\nRun ${run} is ${state.status}: ${counted(this.#steps, "step")} handed out, ${counted(records.length, "record")} in its journal.`,
    );
    out.line(`Its state: ${JSON.stringify(final.state)}`);
    if (keep) out.line(`\nIts folder is ${folder}\n  waymark --workspace ${folder} journal ${run}`);
    out.line("\nNow try it yourself:");
    for (const [command, what] of tries) out.line(`  ${command.padEnd(30)} ${what}`);
    return state.status === "completed" ? exitCodes.done : exitCodes.failed;
  }

  #say(who: string, text: string): void {
    const { out } = this.#session;
    out.line(`${out.paint("bold", who.padEnd(8))}${text}`);
  }

  async #with<T>(work: (engine: OpenEngine, caller: Caller) => Promise<T>): Promise<T> {
    this.#engine ??= await this.#session.world.openEngine(this.#flags);
    return work(this.#engine, cliCaller(this.#session.world, this.#engine.context));
  }

  async #close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }
}

const tries = [
  ["waymark init --example", "writes a small workflow, its test, and the setup for your coding agent"],
  ["waymark run hello", "drives it with you in the place of the agent"],
  ["waymark test", "runs its tests, without any model"],
  ["waymark explain hello", "shows its plan"],
] as const;
