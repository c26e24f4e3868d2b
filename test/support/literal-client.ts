/**
 * Clients that do what replies say and nothing else: over MCP in the calls of either family of tools. Results are filled in only where
 * a step asks for one.
 */
import { runInNewContext } from "node:vm";
import { isList, isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import type { McpServerOptions } from "../../src/mcp/index.ts";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { listOf, wholeData, type Call } from "./whole-data.ts";

export interface Step {
  readonly id: string;
  readonly type: string;
  readonly instructions: string;
  readonly definition: JsonObject;
}

export type Work = { readonly result: Json } | { readonly error: string };

/** Who does the work and answers for the user. */
export interface Agent {
  work(step: Step): Work | Promise<Work>;
  answer(step: Step): string;
  /** What `fill_in` of a reply asks for about the next action of a checklist, as arguments of the next call. */
  fill?(action: JsonObject): JsonObject | Promise<JsonObject>;
  /** A person does what `command_for_person` of a reply says; without it such a question is the end. */
  decide?(reply: ToolReply, step: Step): Promise<void>;
}

/** Where clients come from: each is a conversation of its own with a server on the same runs. */
export interface ClientWorld {
  client(options?: Partial<McpServerOptions>): Promise<TestClient>;
}

/** `seed`: get_next_step, state_update, step_complete. `progress`: next, progress. */
export type Family = "seed" | "progress";
/** A number restarts the client without memory, and loses replies, at points that follow from it. */
export type ClientMode = "plain" | "repeats" | number;

export interface Driven {
  readonly run: string;
  readonly status: string;
  readonly state: JsonObject;
  /** What the run counts; of a checklist files and instances. */
  readonly progress: Json;
  /** What was handed out to be done, in order: the id of each step, and the ids of their actions. */
  readonly steps: readonly string[];
  readonly actions: readonly string[];
}

/** More calls than any workflow of a test needs: an obedient client that makes them is led in a circle. */
export const mostCalls = 300;
export const ended: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled", "task_done"]);
export const everyTool = { toolsets: ["seed", "state"] } as const;

class Restarted extends Error {}

export async function driveLiterally(
  world: ClientWorld,
  workflow: string,
  agent: Agent,
  { family = "progress", mode = "plain", inputs = {} }: Driving = {},
): Promise<Driven> {
  const client = new LiteralClient(world, agent, family, mode);
  return client.drive(workflow, inputs);
}

interface Driving {
  readonly family?: Family;
  readonly mode?: ClientMode;
  readonly inputs?: JsonObject;
}

class LiteralClient {
  readonly #world: ClientWorld;
  readonly #agent: Agent;
  readonly #family: Family;
  readonly #mode: ClientMode;
  readonly #random: () => number;
  readonly #steps: string[] = [];
  readonly #actions: string[] = [];
  #client: TestClient | undefined;
  #run = "";
  #calls = 0;

  constructor(world: ClientWorld, agent: Agent, family: Family, mode: ClientMode) {
    this.#world = world;
    this.#agent = agent;
    this.#family = family;
    this.#mode = mode;
    this.#random = randomFrom(typeof mode === "number" ? mode : 0);
  }

  async drive(workflow: string, inputs: JsonObject): Promise<Driven> {
    this.#client = await this.#world.client(everyTool);
    let reply = await this.#client.call("workflow_start", { workflow, inputs });
    for (;;) {
      try {
        this.#run = sound(reply).data.run_id ?? reply.data.session_id ?? this.#run;
        const status = await this.#walk(this.#family === "seed" ? await this.#next(undefined) : reply, undefined);
        const read = await this.#client.call("workflow_state_read", { workflow_id: this.#run });
        const { progress = null } = (await this.#client.call("workflow_status", { run_id: this.#run })).data;
        await this.#client.close();
        return { run: this.#run, status, state: read.data, progress, steps: this.#steps, actions: this.#actions };
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
      const { step, status, run_id, next_call, next_action, confirmation_token } = sound(reply).data;
      if (task === undefined && typeof run_id === "string") this.#run = run_id;
      if (isObject(step)) reply = await this.#do(reply, await this.#whole(reply), task);
      // Nobody started this client for a task, so it does the tasks itself.
      else if (status === "task_done" && task === undefined && next_call !== undefined) reply = await this.#follow(reply);
      else if (status === "task_done" && task === undefined && reply.data.later !== undefined) reply = await this.#follow(reply, "later");
      else if (ended.has(status)) return String(status);
      else if (isObject(next_action) && this.#agent.fill !== undefined && reply.data.fill_in !== undefined)
        reply = await this.#follow(reply, "now", await this.#agent.fill(next_action));
      // The user has seen the dry run and confirms it.
      else if (confirmation_token !== undefined) reply = await this.#follow(reply, "later");
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
        if (this.#family === "seed") await this.#write(reply, listOf(step.definition["updates"]));
        return this.#follow(reply);
      case "parallel_tasks":
        for (const { task_id } of tasksToStart(step)) await this.#walk(await this.#next(textOf(task_id)), textOf(task_id));
        return this.#follow(reply, "later");
      case "user_input":
        if (reply.data.command_for_person !== undefined) return this.#decided(reply, step);
        if (reply.data.fill_in === undefined) return this.#follow(reply);
        return this.#answered(await this.#report(reply, step, task, { result: this.#agent.answer(step) }));
      default:
        // The reply asks for nothing: what the step brings is stored.
        if (reply.data.fill_in === undefined) return this.#follow(reply);
        return this.#report(reply, step, task, await this.#agent.work(step));
    }
  }

  /** The step of a reply, with what the reply has no room for. */
  async #whole(reply: ToolReply): Promise<Step> {
    const { step } = await wholeData((this.#client as TestClient).call, reply);
    return step as unknown as Step;
  }

  /** An answer that is refused says what to call: the question again, or what follows when its tries are used up. */
  #answered(reply: ToolReply): ToolReply | Promise<ToolReply> {
    const refused = reply.isError && reply.text.startsWith("ANSWER_REFUSED") && reply.data.next_call !== undefined;
    return refused ? this.#follow(reply) : reply;
  }

  async #decided(reply: ToolReply, step: Step): Promise<ToolReply> {
    if (this.#agent.decide === undefined) throw new Error(`A person is needed: ${reply.text}`);
    await this.#agent.decide(reply, step);
    return this.#follow(reply, "later");
  }

  #next(task: string | undefined): Promise<ToolReply> {
    return this.#family === "seed"
      ? this.#call("workflow_get_next_step", { workflow_id: this.#run, ...asContext(task) })
      : this.#call("workflow_next", { run_id: this.#run, ...(task === undefined ? {} : { task_id: task }) });
  }

  async #report(reply: ToolReply, step: Step, task: string | undefined, done: Work): Promise<ToolReply> {
    const named: JsonObject = reply.data.next_call?.arguments ?? {};
    const run = named["run_id"] ?? named["workflow_id"] ?? reply.data.run_id;
    const failed = "error" in done ? { status: "failed", error: done.error } : undefined;
    if (this.#family === "progress") {
      const own = { run_id: run, action_id: reply.data.action_id, ...(task === undefined ? {} : { task_id: task }) };
      return this.#call("workflow_progress", { ...own, ...(failed ?? done) });
    }
    if ("result" in done) await this.#write(reply, writesOf(step, done.result));
    const report = { workflow_id: run, step_id: step.id, ...asContext(task), ...(failed ?? { status: "success" }) };
    return this.#call("workflow_step_complete", report);
  }

  /** Makes the writes that a step asks for by the call that its reply names for them. */
  async #write({ data: { write_call } }: ToolReply, updates: readonly Json[]): Promise<void> {
    if (updates.length === 0) return;
    const { tool, arguments: args } = write_call as Call;
    sound(await this.#call(tool, { ...args, updates }));
  }

  /** `later` holds what to call when something has come about; where there is none, the next call is meant. */
  #follow(reply: ToolReply, when: "now" | "later" = "now", filled: JsonObject = {}): Promise<ToolReply> {
    const { next_call: now, later } = reply.data;
    const { tool, arguments: args } = (when === "later" ? (later ?? now) : now) as Call;
    return this.#call(tool, { ...args, ...filled });
  }

  async #call(tool: string, args: Record<string, unknown>): Promise<ToolReply> {
    this.#calls += 1;
    if (this.#calls > mostCalls) throw new Error(`More than ${mostCalls} calls; the last one is ${tool}(${JSON.stringify(args)})`);
    const { call } = this.#client as TestClient;
    const reply = await call(tool, args);
    if (this.#mode === "repeats") {
      const again = await call(tool, args);
      // What may be done once only refuses its repeat, and says where to look then.
      return again.isError && !reply.isError && again.data.next_call !== undefined ? this.#follow(again) : again;
    }
    if (typeof this.#mode === "number" && this.#random() < 0.3) throw new Restarted();
    return reply;
  }
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
