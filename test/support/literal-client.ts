/**
 * Clients that do what replies say and nothing else: over MCP in the calls of either family of tools, and on the command line by the
 * lines it prints. Results are filled in only where a step asks for one.
 */
import { runInNewContext } from "node:vm";
import { isList, isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import type { CliBench } from "../process/cli-world.ts";
import type { McpWorld, TestClient, ToolReply } from "../process/mcp-client.ts";

export interface Step {
  readonly id: string;
  readonly type: string;
  readonly instructions: string;
  readonly definition: JsonObject;
}

/** Who does the work and answers for the user. */
export interface Agent {
  work(step: Step): { readonly result: Json } | { readonly error: string };
  answer(step: Step): string;
}

/** `seed`: get_next_step, state_update, step_complete. `progress`: next, progress. */
export type Family = "seed" | "progress";
/** A number restarts the client without memory, and loses replies, at points that follow from it. */
export type ClientMode = "plain" | "repeats" | number;

export interface Driven {
  readonly run: string;
  readonly status: string;
  readonly state: JsonObject;
  /** What was handed out to be done, in order: the id of each step, and the ids of their actions. */
  readonly steps: readonly string[];
  readonly actions: readonly string[];
}

export interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** More calls than any workflow of a test needs: an obedient client that makes them is led in a circle. */
const mostCalls = 300;
const ended: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled", "task_done"]);
export const everyTool = { toolsets: ["seed", "state"] } as const;

class Restarted extends Error {}

export async function driveLiterally(
  world: McpWorld,
  workflow: string,
  agent: Agent,
  { family = "progress", mode = "plain" }: { readonly family?: Family; readonly mode?: ClientMode } = {},
): Promise<Driven> {
  const client = new LiteralClient(world, agent, family, mode);
  return client.drive(workflow);
}

class LiteralClient {
  readonly #world: McpWorld;
  readonly #agent: Agent;
  readonly #family: Family;
  readonly #mode: ClientMode;
  readonly #random: () => number;
  readonly #steps: string[] = [];
  readonly #actions: string[] = [];
  #client: TestClient | undefined;
  #run = "";
  #calls = 0;

  constructor(world: McpWorld, agent: Agent, family: Family, mode: ClientMode) {
    this.#world = world;
    this.#agent = agent;
    this.#family = family;
    this.#mode = mode;
    this.#random = randomFrom(typeof mode === "number" ? mode : 0);
  }

  async drive(workflow: string): Promise<Driven> {
    this.#client = await this.#world.client(everyTool);
    let reply = await this.#client.call("workflow_start", { workflow });
    for (;;) {
      try {
        this.#run = sound(reply).data.run_id ?? this.#run;
        const status = await this.#walk(this.#family === "seed" ? await this.#next(undefined) : reply, undefined);
        const read = await this.#client.call("workflow_state_read", { workflow_id: this.#run });
        return { run: this.#run, status, state: read.data, steps: this.#steps, actions: this.#actions };
      } catch (error) {
        if (!(error instanceof Restarted)) throw error;
        await this.#client.close();
        this.#client = await this.#world.client(everyTool);
        // Taking up a failed run would try it again, which this client is not told to do.
        const { status } = (await this.#client.call("workflow_status", { run_id: this.#run })).data;
        reply = await this.#client.call(status === "running" ? "workflow_resume" : "workflow_next", { run_id: this.#run });
      }
    }
  }

  /** Follows replies until nothing is left for the run, or for the task. */
  async #walk(first: ToolReply, task: string | undefined): Promise<string> {
    for (let reply = first; ;) {
      const { step, status, run_id, next_call } = sound(reply).data;
      if (task === undefined && typeof run_id === "string") this.#run = run_id;
      if (isObject(step)) reply = await this.#do(reply, step as unknown as Step, task);
      else if (ended.has(status)) return String(status);
      else if (next_call === undefined) throw new Error(`A dead end: ${reply.text}`);
      else reply = await this.#follow(reply);
    }
  }

  async #do(reply: ToolReply, step: Step, task: string | undefined): Promise<ToolReply> {
    if (step.type !== "parallel_tasks") {
      this.#steps.push(step.id);
      this.#actions.push(String(reply.data.action_id));
    }
    switch (step.type) {
      case "user_message":
        return this.#follow(reply);
      case "state_update":
        if (this.#family === "seed") await this.#write(step, task, listOf(step.definition["updates"]));
        return this.#follow(reply);
      case "parallel_tasks":
        for (const { task_id } of tasksToStart(step)) await this.#walk(await this.#next(textOf(task_id)), textOf(task_id));
        return this.#follow(reply, "later");
      case "user_input":
        if (reply.data.command_for_person !== undefined) throw new Error(`A person is needed: ${reply.text}`);
        return this.#report(reply, step, task, { result: this.#agent.answer(step) });
      default:
        return this.#report(reply, step, task, this.#agent.work(step));
    }
  }

  #next(task: string | undefined): Promise<ToolReply> {
    return this.#family === "seed"
      ? this.#call("workflow_get_next_step", { workflow_id: this.#run, ...asContext(task) })
      : this.#call("workflow_next", { run_id: this.#run, ...(task === undefined ? {} : { task_id: task }) });
  }

  async #report(
    reply: ToolReply,
    step: Step,
    task: string | undefined,
    done: { readonly result: Json } | { readonly error: string },
  ): Promise<ToolReply> {
    const named: JsonObject = reply.data.next_call?.arguments ?? {};
    const run = named["run_id"] ?? named["workflow_id"] ?? reply.data.run_id;
    const failed = "error" in done ? { status: "failed", error: done.error } : undefined;
    if (this.#family === "progress") {
      const own = { run_id: run, action_id: reply.data.action_id, ...(task === undefined ? {} : { task_id: task }) };
      return this.#call("workflow_progress", { ...own, ...(failed ?? done) });
    }
    if ("result" in done && step.definition["state_update"] !== undefined) await this.#write(step, task, writesOf(step, done.result), run);
    const report = { workflow_id: run, step_id: step.id, ...asContext(task), ...(failed ?? { status: "success" }) };
    return this.#call("workflow_step_complete", report);
  }

  /** A write is told from its repeat by its key, as the tool says. */
  async #write(step: Step, task: string | undefined, updates: readonly Json[], run: unknown = this.#run): Promise<void> {
    const key = this.#mode === "repeats" ? { key: `${step.id} ${this.#steps.length}` } : {};
    const own = task === undefined ? {} : { task_id: task };
    sound(await this.#call("workflow_state_update", { workflow_id: run, updates, ...own, ...key }));
  }

  /** `later` holds what to call when something has come about; where there is none, the next call is meant. */
  #follow(reply: ToolReply, when: "now" | "later" = "now"): Promise<ToolReply> {
    const { next_call: now, later } = reply.data;
    const { tool, arguments: args } = (when === "later" ? (later ?? now) : now) as Call;
    return this.#call(tool, args);
  }

  async #call(tool: string, args: Record<string, unknown>): Promise<ToolReply> {
    this.#calls += 1;
    if (this.#calls > mostCalls) throw new Error(`More than ${mostCalls} calls; the last one is ${tool}(${JSON.stringify(args)})`);
    const { call } = this.#client as TestClient;
    const reply = await call(tool, args);
    if (this.#mode === "repeats") return call(tool, args);
    // A write and the report behind it are one act of the agent.
    if (typeof this.#mode === "number" && tool !== "workflow_state_update" && this.#random() < 0.3) throw new Restarted();
    return reply;
  }
}

/** What is done on the command line: each printed line as it is, with what is marked `<...>` filled in. */
export async function driveOnCommandLine(bench: CliBench, workflow: string, agent: Agent): Promise<Driven> {
  const [steps, actions]: [string[], string[]] = [[], []];
  let shown = await lineOf(bench, ["start", workflow]);
  let run = textOf(shown["run_id"]);
  for (let calls = 0; ; calls += 1) {
    if (calls > mostCalls) throw new Error(`More than ${mostCalls} lines; the last one shows ${JSON.stringify(shown)}`);
    run = typeof shown["run_id"] === "string" ? shown["run_id"] : run;
    const { step, status, next_command: printed, action_id: action } = shown;
    if (step === null && status !== "task_done" && ended.has(status)) {
      const { state } = (await lineOf(bench, ["state", run])) as { readonly state: JsonObject };
      return { run, status: textOf(status), state, steps, actions };
    }
    const line = typeof printed === "string" ? wordsOf(printed).slice(1) : ["next", run];
    if (!isObject(step)) {
      shown = await lineOf(bench, line);
      continue;
    }
    if (step["type"] !== "parallel_tasks") {
      steps.push(textOf(step["id"]));
      actions.push(textOf(action));
    }
    shown = await lineOf(bench, doneLine(line, step as unknown as Step, agent, { run, action: textOf(action) }));
  }
}

function doneLine(
  line: readonly string[],
  step: Step,
  agent: Agent,
  { run, action }: { readonly run: string; readonly action: string },
): readonly string[] {
  if (step.type === "user_input") return isAsking(line) ? filledIn(line, agent.answer(step)) : [...line, agent.answer(step)];
  if (!isAsking(line)) return line;
  const done = agent.work(step);
  if ("result" in done) return filledIn(line, typeof done.result === "string" ? done.result : JSON.stringify(done.result));
  const task = line.indexOf("--task");
  return ["fail", run, "--action", action, ...(task === -1 ? [] : line.slice(task, task + 2)), "--error", done.error];
}

async function lineOf(bench: CliBench, line: readonly string[]): Promise<JsonObject> {
  const { stdout, stderr, code } = await bench.run(["--json", ...line]);
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

const mark = /^<.*>$/;

/** Whether a printed line leaves something to fill in. */
export function isAsking(words: readonly string[]): boolean {
  return words.some((word) => mark.test(word));
}

export function filledIn(words: readonly string[], value: string): string[] {
  return words.map((word) => (mark.test(word) ? value : word));
}

/** Tasks that a reply hands out to be started: those that it does not say are running. */
export function tasksToStart(step: Step): readonly JsonObject[] {
  return listOf(step.definition["tasks"])
    .filter(isObject)
    .filter((task) => task["status"] !== "running" && task["running"] !== true);
}

/** The writes of a step, as it says them, with the result put in. */
export function writesOf(step: Step, result: Json): JsonObject[] {
  return listOf(step.definition["state_update"])
    .filter(isObject)
    .map(({ path = "", operation, value, transform }) => ({
      path,
      ...(operation === undefined ? {} : { operation }),
      value: typeof transform === "string" ? evaluated(transform, result) : value === undefined ? result : putIn(value, result),
    }));
}

function putIn(value: Json, result: Json): Json {
  if (isList(value)) return value.map((entry) => putIn(entry, result));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, putIn(entry, result)]));
  if (typeof value !== "string") return value;
  const alone = /^\s*\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value)?.[1];
  if (alone !== undefined) return evaluated(alone, result);
  return value.replace(/\{\{(.*?)\}\}/gs, (_, expression: string) => textOf(evaluated(expression, result)));
}

function evaluated(expression: string, result: Json): Json {
  const found: unknown = runInNewContext(`(${expression})`, { ...(isObject(result) ? result : {}), result });
  return JSON.parse(JSON.stringify(found ?? null)) as Json;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : isList(value) ? value : [value];
}

function asContext(task: string | undefined): JsonObject {
  return task === undefined ? {} : { sub_agent_context: { task_id: task } };
}

function sound(reply: ToolReply): ToolReply {
  if (reply.isError) throw new Error(reply.text);
  return reply;
}

/** Numbers from 0 to 1 that follow from the seed (a linear congruence). */
function randomFrom(seed: number): () => number {
  let held = seed;
  return () => {
    held = (held * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return held / 4_294_967_296;
  };
}
