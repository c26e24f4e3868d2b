import { isWaymarkError, type JsonObject } from "../../base/index.ts";
import {
  answer,
  journal,
  next,
  readState,
  report,
  start,
  type Caller,
  type EngineContext,
  type JournalEntry,
  type LoadedWorkflow,
  type Position,
} from "../../engine/index.ts";
import { questionStep } from "../../views/index.ts";
import { differences } from "./match-value.ts";
import { Script, type HandedOut, type Reply } from "./script.ts";
import type { WorkflowTest } from "./workflow-test.ts";

export interface TestResult {
  readonly name: string;
  readonly problems: readonly string[];
  readonly events: readonly JournalEntry["events"][number][];
  readonly program?: LoadedWorkflow["program"];
}

export interface TestStage {
  readonly context: EngineContext;
  readonly jumpTo: (time: number) => Promise<void>;
  readonly ran: readonly string[];
  readonly unscripted: readonly string[];
}

/** How often a look at the run is taken while the engine works, and how long it may make no progress. */
const lookMs = 20;
const patienceMs = { scripted: 10_000, executed: 120_000 };

/** Runs one test to its end and answers everything that was not as expected. Never rejects for what the workflow does. */
export async function runTest(stage: TestStage, workflow: string, test: WorkflowTest): Promise<TestResult> {
  const driver = new Driver(stage, test);
  try {
    const first = await start(stage.context, caller, { workflow, inputs: test.inputs, serial: test.serial, waitMs: lookMs });
    await driver.drive(first.run);
    const problems = [...driver.problems, ...(await checkEnd(stage, test, first.run, driver.script))];
    return { name: test.name, problems, events: await eventsOf(stage.context, first.run), program: first.program };
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    return { name: test.name, problems: [...driver.problems, `${error.message} (${error.code})`], events: [] };
  }
}

const caller: Caller = {
  holder: { kind: "person", name: "waymark test", session: "test" },
  surface: "cli-test",
  leaseOwner: "waymark test",
};

class Driver {
  readonly problems: string[] = [];
  readonly script: Script;
  readonly #stage: TestStage;
  readonly #patience: number;
  #head = -1;
  #seenAt = 0;

  constructor(stage: TestStage, test: WorkflowTest) {
    this.#stage = stage;
    this.script = new Script(test);
    this.#patience = test.execute ? patienceMs.executed : patienceMs.scripted;
  }

  /** Drives the run, or one task of it, until it ends or the script has no reply. False: the test stops here. */
  async drive(run: string, task?: string): Promise<boolean> {
    for (;;) {
      const position = await this.#next(run, task);
      if (position === undefined) return true;
      const { standing } = position;
      if (standing.kind === "ended" || standing.kind === "task_ended") return true;
      const tasks = standing.kind === "action" || standing.kind === "joining" ? (standing.tasks ?? []) : [];
      if (tasks.length > 0) {
        for (const open of tasks) if (!(await this.drive(run, open.task))) return false;
        continue;
      }
      if (standing.kind === "action" && standing.action.what !== "parallel_tasks") {
        const shown = standing.shown.step;
        if (!(await this.#reply(position, shown, standing.action))) return false;
      } else if (standing.kind === "question") {
        if (!(await this.#reply(position, questionStep(standing.decision), standing.decision))) return false;
      } else if (!(await this.#wait(position))) return false;
    }
  }

  /** undefined when a task has ended, or is tried again later. */
  async #next(run: string, task: string | undefined): Promise<Position | undefined> {
    try {
      return await next(this.#stage.context, caller, { run, waitMs: lookMs, ...(task === undefined ? {} : { task }) });
    } catch (error) {
      if (task !== undefined && isWaymarkError(error) && error.code === "ENGINE_NO_TASK") return undefined;
      throw error;
    }
  }

  async #reply(
    { run, strand, state, standing }: Position,
    step: Pick<HandedOut, "type" | "definition" | "instructions">,
    open: { readonly id: string; readonly step: string },
  ): Promise<boolean> {
    const task = state.strands[strand]?.task;
    const reply = this.script.replyTo({
      step: open.step,
      type: step.type,
      definition: step.definition,
      instructions: step.instructions,
      ...(task === undefined ? {} : { task }),
    });
    if (reply === undefined) return false;
    try {
      await this.#send(run, open.id, standing.kind === "question", reply);
      return true;
    } catch (error) {
      // A wrong answer is part of the play: the question stays open and is asked again.
      if (isWaymarkError(error) && error.code === "ANSWER_REFUSED") return true;
      throw error;
    }
  }

  async #send(run: string, id: string, isQuestion: boolean, reply: Reply): Promise<void> {
    const { context } = this.#stage;
    if (isQuestion) {
      if ("error" in reply) this.problems.push(`a question cannot fail, but the script says: ${reply.error}`);
      await answer(context, caller, { run, decision: id, answer: "error" in reply ? reply.error : reply.result, relayed: false });
      return;
    }
    await report(context, caller, {
      run,
      action: id,
      ...("error" in reply ? { status: "failed", error: reply.error } : { status: "success", result: reply.result }),
    });
  }

  /** The engine works: its timers are brought forward, its commands are waited for. */
  async #wait({ standing, head, run }: Position): Promise<boolean> {
    const until = standing.kind === "working" || standing.kind === "blocked" ? standing.until : undefined;
    if (standing.kind === "blocked" && until === undefined) {
      this.problems.push(`the run is blocked: ${standing.reason}`);
      return false;
    }
    if (until !== undefined) await this.#stage.jumpTo(until);
    const now = performance.now();
    if (head !== this.#head) [this.#head, this.#seenAt] = [head, now];
    if (now - this.#seenAt < this.#patience) return true;
    this.problems.push(`run \`${run}\` makes no progress${standing.kind === "working" ? ` at \`${standing.on}\`` : ""}`);
    return false;
  }
}

async function checkEnd(stage: TestStage, test: WorkflowTest, run: string, script: Script): Promise<string[]> {
  const { context, ran, unscripted } = stage;
  const handle = await context.runs.open(run);
  const { status, error } = handle.state;
  const problems = unscripted.map((command) => `no reply is scripted for the command: ${command}`);
  if (script.problems.length === 0) script.finish();
  problems.push(...script.problems);
  if (status !== test.status)
    problems.push(`the run should be ${test.status}, but is ${status}${error === undefined ? "" : `: ${error.message} (${error.code})`}`);
  if (test.error !== undefined) problems.push(...checkError(test.error, error));
  const paths = Object.keys(test.state);
  const state: JsonObject = paths.length === 0 ? {} : (await readState(context, run, paths)).state;
  for (const path of paths) problems.push(...differences(test.state[path] ?? null, state[path], path));
  if (test.messages !== undefined) problems.push(...differences(test.messages, script.messages, "messages"));
  if (test.ran !== undefined) problems.push(...differences(test.ran, ran, "ran"));
  return problems;
}

function checkError(expected: string, error: { readonly code: string; readonly message: string } | undefined): string[] {
  if (error === undefined) return [`the run should have failed with ${expected}, but has no error`];
  if (error.code === expected || error.message.includes(expected)) return [];
  return differences(expected, `${error.message} (${error.code})`, "error");
}

async function eventsOf(context: EngineContext, run: string): Promise<JournalEntry["events"][number][]> {
  const events: JournalEntry["events"][number][] = [];
  for (let after = 0; ;) {
    const page = await journal(context, run, after, 500);
    events.push(...page.flatMap((entry) => entry.events));
    if (page.length < 500) return events;
    after = page.at(-1)?.position ?? after;
  }
}
