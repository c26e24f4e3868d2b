import { defined, isWaymarkError, type JsonObject } from "../../base/index.ts";
import { journal, readState, start, type Caller, type EngineContext, type JournalEntry, type LoadedWorkflow } from "../../engine/index.ts";
import { differences } from "./match-value.ts";
import { Script } from "./script.ts";
import { openAgentSteps, type AgentSteps, type RunnerParts } from "../../runner/index.ts";
import { ScriptedDriver, type ScriptedStage } from "./scripted-driver.ts";
import type { TestFolder } from "./test-folder.ts";
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
  /** The folder that the run works on, where it is not the workspace. */
  readonly folder?: TestFolder;
  /** What the turns of the test's agent need. */
  readonly runner?: RunnerParts;
}

const caller: Caller = {
  holder: { kind: "person", name: "waymark test", session: "test" },
  surface: "cli-test",
  leaseOwner: "waymark test",
};
const patienceMs = { scripted: 10_000, executed: 120_000 };

/** Runs one test to its end and answers everything that was not as expected. Never rejects for what the workflow does. */
export async function runTest(stage: TestStage, workflow: string, test: WorkflowTest): Promise<TestResult> {
  const { context, jumpTo, folder, runner } = stage;
  const script = new Script(test);
  const agent = runner && agentOf(runner, script);
  const driver = new ScriptedDriver({
    caller,
    context: () => Promise.resolve(context),
    replyTo: (handed) => Promise.resolve(script.replyTo(handed)),
    jumpTo,
    ...(agent === undefined ? {} : { give: agent.give }),
    patienceMs: test.execute ? patienceMs.executed : patienceMs.scripted,
  });
  try {
    const first = await start(context, caller, {
      workflow,
      inputs: test.inputs,
      serial: test.serial,
      waitMs: 20,
      ...defined({ folder: folder?.path }),
    });
    await driver.drive(first.run);
    const problems = [...driver.problems, ...(agent?.problems ?? []), ...(await checkEnd(stage, test, first.run, script))];
    return { name: test.name, problems, events: await eventsOf(context, first.run), program: first.program };
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    return { name: test.name, problems: [...driver.problems, `${error.message} (${error.code})`], events: [] };
  } finally {
    await agent?.close();
  }
}

interface TestAgent extends Pick<AgentSteps, "close"> {
  readonly give: NonNullable<ScriptedStage["give"]>;
  /** Where it could not continue. */
  readonly problems: readonly string[];
}

/** The agent of a test does the steps that the test has no word about. */
function agentOf(runner: RunnerParts, script: Script): TestAgent {
  const problems: string[] = [];
  const { signal } = new AbortController();
  const steps = openAgentSteps(runner, { run: "", finish: signal, cancel: signal }, caller);
  return {
    problems,
    close: () => steps.close(),
    give: async (position, handed) => {
      if (script.answersTo(handed)) return undefined;
      const end = await steps.give(position);
      if (end === undefined) return true;
      problems.push(`the agent stops at \`${handed.step}\`: ${"why" in end ? end.why : end.kind}`);
      return false;
    },
  };
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
  if (stage.folder !== undefined) problems.push(...(await stage.folder.check(test.files ?? {})));
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
