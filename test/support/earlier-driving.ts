/** Runs of an earlier store, driven to their end by what the replies of this version say: printed lines, or calls over MCP. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { openCliBench } from "../process/cli-world.ts";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import type { EarlierStore } from "./earlier-store.ts";
import { tasksToStart } from "./literal-client.ts";
import { filledIn, isAsking, wordsOf } from "./literal-lines.ts";
import type { MachineWorld } from "./machine-world.ts";
import { goodTeam, reported } from "./scripted-team.ts";
import { listOf } from "./whole-data.ts";

const mostTurns = 200;
const ended = new Set(["completed", "failed", "cancelled"]);
const slug = 'export const slug = (title) => title.toLowerCase().replaceAll(" ", "-");\n';

/** What a person says to a question, by what is asked. */
export function answerTo(question: string): string {
  const said: readonly (readonly [RegExp, string])[] = [
    [/was interrupted before/, "retry"],
    [/Leave \S+ and go to/, "go"],
    [/UD-APPROVE-DESIGN/, "approved"],
    [/UD-REVIEW-STRATEGY/, "per-batch"],
    [/May Waymark run/, "allow"],
    [/budget of/, "double"],
    [/Which colour/, "red"],
    [/project area|kept\?/i, "four"],
    [/\bdone\b/, "done"],
  ];
  return said.find(([pattern]) => pattern.test(question))?.[1] ?? "yes";
}

/** The result of a step: that of a role with its files written, else the words that the author's id gives. */
async function workOn(folder: string, step: JsonObject): Promise<unknown> {
  const { type, definition, id } = step;
  if (type === "role" && isObject(definition)) return playRole(folder, definition);
  return type === "bot_action" ? { summary: "Did it." } : `did ${textOf(id ?? "").replace(/@.*/, "")}`;
}

async function playRole(folder: string, dispatch: JsonObject): Promise<unknown> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const role = textOf(dispatch["role"] ?? "");
  if (role === "Coder") {
    await write("src/slug.mjs", slug);
    return reported("OK", "Coded.", { artifacts: { patch_summary: ["made it"], files_changed: ["src/slug.mjs"] } });
  }
  return goodTeam[role]?.(dispatch, { write } as MachineWorld);
}

/** Follows the lines that the command line prints, from the run's open step on; answers what it shows at the end. */
export async function followLines(store: EarlierStore, workspace: string, first: readonly string[]): Promise<JsonObject> {
  let shown = await store.json(workspace, first);
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const { status, step, next_command: printed, run_id: run = first[1] ?? "" } = shown;
    if (ended.has(textOf(status ?? "")) && !isObject(step)) return shown;
    const line = typeof printed === "string" ? wordsOf(printed).slice(1) : ["next", textOf(run)];
    shown = await lineFor(store, workspace, shown, line);
  }
  throw new Error(`The run does not end: ${JSON.stringify(shown)}`);
}

async function lineFor(store: EarlierStore, workspace: string, shown: JsonObject, line: readonly string[]): Promise<JsonObject> {
  const { step, action, command_for_person: person } = shown;
  if (person !== undefined) {
    await runAtTerminal(store, workspace, [...wordsOf(textOf(person)).slice(1), answerTo(JSON.stringify(step))]);
    return store.json(workspace, ["next", textOf(shown["run_id"] ?? "")]);
  }
  if (isQuestion(step)) return store.json(workspace, filledIn(line, answerTo(JSON.stringify(step))));
  if (action === "convert_instance") return store.json(workspace, ["skip", ...line.slice(1), "--reason", "It is kept."]);
  if (!isAsking(line)) return store.json(workspace, line);
  const result = await workOn(store.folder(workspace), isObject(step) ? step : {});
  return store.json(workspace, filledIn(line, typeof result === "string" ? result : JSON.stringify(result)));
}

const isQuestion = (step: Json | undefined): boolean => isObject(step) && step["type"] === "user_input";

/** The step, with the rest of its definition when the reply had no room for it. */
async function wholeStep({ call }: TestClient, { data }: ToolReply): Promise<JsonObject> {
  const cut = listOf(data.truncated).filter(isObject);
  const rest = cut.find(({ path }) => path === "step.definition")?.["next"];
  if (!isObject(rest)) return data.step;
  const reply = await call(textOf(rest["tool"] ?? ""), rest["arguments"] as JsonObject);
  if (reply.isError || reply.data.truncated !== undefined) throw new Error(`The definition is not brought whole: ${reply.text}`);
  return { ...data.step, definition: reply.data.value };
}

/** A command with a person at a terminal, which a child process does not have: the command line of the sources on the store. */
export async function runAtTerminal(
  store: EarlierStore,
  workspace: string,
  argv: readonly string[],
  typed: readonly string[] = [],
): Promise<void> {
  const bench = await openCliBench();
  try {
    const { code, stdout, stderr } = await bench.run(argv, { cwd: store.folder(workspace), terminal: true, env: store.env(), typed });
    if (code !== 0) throw new Error(`waymark ${argv.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  } finally {
    await bench.close();
  }
}

/** Follows replies over MCP until the run, or the task, has nothing left. */
export async function followCalls(conversation: Conversation, first: ToolReply, task?: string): Promise<ToolReply> {
  let reply = first;
  for (let turn = 0; turn < mostTurns; turn += 1) {
    if (reply.isError) throw new Error(reply.text);
    const { status, step } = reply.data;
    if (!isObject(step) && (ended.has(status) || status === "task_done")) return reply;
    reply = await callFor(conversation, reply, task);
  }
  throw new Error(`The run does not end: ${reply.text}`);
}

interface Conversation {
  readonly client: TestClient;
  readonly folder: string;
  readonly run: string;
}

async function callFor(conversation: Conversation, reply: ToolReply, task: string | undefined): Promise<ToolReply> {
  const { client, folder, run } = conversation;
  const { step, action_id, next_call, later, fill_in, next_action, command_for_person } = reply.data;
  const named = { run_id: next_call?.arguments.run_id ?? run, ...(task === undefined ? {} : { task_id: task }) };
  if (command_for_person !== undefined) return client.call("workflow_decide", { run_id: run, decision_id: action_id });
  if (isQuestion(step)) return client.call("workflow_progress", { ...named, action_id, result: answerTo(JSON.stringify(step)) });
  if (step?.type === "parallel_tasks") {
    for (const { task_id } of tasksToStart(step)) {
      const id = textOf(task_id);
      await followCalls(conversation, await client.call("workflow_next", { run_id: run, task_id: id }), id);
    }
    return client.call(later.tool, later.arguments);
  }
  if (fill_in?.result !== undefined)
    return client.call("workflow_progress", { ...named, action_id, result: await workOn(folder, await wholeStep(client, reply)) });
  const follows = next_call ?? later;
  if (follows === undefined) throw new Error(`Nothing is said to follow: ${reply.text}`);
  const kept =
    next_action?.action === "convert_instance"
      ? { status: "skipped", skip_reason: "It is kept." }
      : { status: "completed", result: "read" };
  return client.call(follows.tool, { ...follows.arguments, ...(fill_in?.status === undefined ? {} : kept) });
}
