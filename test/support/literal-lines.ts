/** A client on the command line that does what each printed line says and nothing else. */
import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import type { CliBench } from "../process/cli-world.ts";
import { ended, mostCalls, type Agent, type Driven, type Step } from "./literal-client.ts";

/** What is done on the command line: each printed line as it is, with what is marked `<...>` filled in. */
export async function driveOnCommandLine(bench: CliBench, workflow: string, agent: Agent): Promise<Omit<Driven, "progress">> {
  const [steps, actions]: [string[], string[]] = [[], []];
  let shown = await lineOf(bench, ["start", workflow]);
  let run = textOf(shown["run_id"]);
  for (let calls = 0; ; calls += 1) {
    if (calls > mostCalls) throw new Error(`More than ${mostCalls} lines; the last one shows ${JSON.stringify(shown)}`);
    run = typeof shown["run_id"] === "string" ? shown["run_id"] : run;
    const { step, status, next_command: printed, later_command: later, action_id: action } = shown;
    if (step === null && status !== "task_done" && ended.has(status)) {
      const { state } = (await lineOf(bench, ["state", run])) as { readonly state: JsonObject };
      return { run, status: textOf(status), state, steps, actions };
    }
    // It works without sub-agents, so behind a task it takes the way back that is marked for that.
    const then = status === "task_done" ? (printed ?? later) : printed;
    const line = typeof then === "string" ? wordsOf(then).slice(1) : ["next", run];
    if (!isObject(step)) {
      shown = await lineOf(bench, line);
      continue;
    }
    if (step["type"] !== "parallel_tasks") {
      steps.push(textOf(step["id"]));
      actions.push(textOf(action));
    }
    const person = shown["command_for_person"] !== undefined;
    shown = await lineOf(bench, await doneLine(line, step as unknown as Step, agent, { run, action: textOf(action) }), person);
  }
}

async function doneLine(
  line: readonly string[],
  step: Step,
  agent: Agent,
  { run, action }: { readonly run: string; readonly action: string },
): Promise<readonly string[]> {
  if (step.type === "user_input") return isAsking(line) ? filledIn(line, agent.answer(step)) : [...line, agent.answer(step)];
  if (!isAsking(line)) return line;
  const done = await agent.work(step);
  if ("result" in done) return filledIn(line, typeof done.result === "string" ? done.result : JSON.stringify(done.result));
  const task = line.indexOf("--task");
  return ["fail", run, "--action", action, ...(task === -1 ? [] : line.slice(task, task + 2)), "--error", done.error];
}

/** `person`: a person types it at a terminal. */
async function lineOf(bench: CliBench, line: readonly string[], person = false): Promise<JsonObject> {
  const { stdout, stderr, code } = await bench.run(["--json", ...line], { terminal: person });
  // The question is asked again, or what follows when its tries are used up.
  if (code !== 0 && stderr.includes('"ANSWER_REFUSED"')) return {};
  const shown = stdout.trim() === "" ? {} : (JSON.parse(stdout) as JsonObject);
  if (shown["error"] !== undefined || (code !== 0 && shown["status"] !== "failed"))
    throw new Error(`waymark ${line.join(" ")}: ${stdout}${stderr}`);
  return shown;
}

/** The words of a line as a shell reads it; quotes are single ones. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s']|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'/g, "$1"));
}

/** A word, or a JSON object with a text, that says what belongs there. */
const mark = /^(?:<.*>|\{.*"<.*>".*\})$/;

/** Whether a printed line leaves something to fill in. */
export function isAsking(words: readonly string[]): boolean {
  return words.some((word) => mark.test(word));
}

export function filledIn(words: readonly string[], value: string): string[] {
  return words.map((word) => (mark.test(word) ? value : word));
}
