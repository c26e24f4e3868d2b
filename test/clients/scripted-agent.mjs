// @ts-check
import { readReply } from "./read-reply.mjs";

/**
 * An obedient agent without a mind. It sees what a client sends to its model and nothing else: the user's words, the offered tools, and
 * the calls made so far with their results. So a run it completes proves that our replies say enough.
 *
 * @typedef {{ name: string, description: string, parameters: Record<string, unknown> }} OfferedTool
 * @typedef {{ name: string, args: Record<string, unknown>, result: string }} Turn a call and what the client showed of its result
 * @typedef {{ user: string, system: string, tools: OfferedTool[], turns: Turn[] }} Conversation
 * @typedef {{ say?: string, call?: { name: string, args: Record<string, unknown> } }} Move what to tell the user, and what to call
 * @typedef {import("./read-reply.mjs").Reply} Reply
 */

/** No conversation of the tour needs more. */
const mostCalls = 80;
const shellNames = /(?:^|__)(?:bash|shell|shell_command|exec_command|run_shell_command|local_shell)$/i;
const searchNames = /^(?:tool_?search)$/i;

/** @param {Conversation} conversation @returns {Move} */
export function nextMove(conversation) {
  const { turns } = conversation;
  if (turns.length >= mostCalls) return { say: `I stop after ${turns.length} calls.` };
  const wish = parseWish(conversation.user);
  if (wish === undefined) return { say: "I was not asked for a workflow." };
  const memory = recall(turns);
  const move = chooseMove(conversation, wish, memory);
  return move.call === undefined ? move : reachable(conversation, move, move.call);
}

/**
 * The user's request in the words the test uses: workflow, inputs, and how to answer questions.
 *
 * @param {string} user
 */
function parseWish(user) {
  const [, workflow, inputs = ""] = /[Ss]tart the workflow (\S+) with ((?:\w+=\S+ )*)and follow it/.exec(user) ?? [];
  const [, answer = ""] = /answer questions with (\w+)/.exec(user) ?? [];
  if (workflow === undefined) return undefined;
  return { workflow, inputs: Object.fromEntries([...inputs.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value])), answer };
}

/**
 * What has happened so far: the last reply of Waymark, which tasks are still to be driven, and whether a command has run since.
 *
 * @typedef {{ reply?: Reply, tool?: string, tasks: string[], run?: string, output?: string }} Memory
 * @param {Turn[]} turns
 * @returns {Memory}
 */
function recall(turns) {
  /** @type {Memory} */
  const memory = { tasks: [] };
  for (const turn of turns) {
    const tool = plainName(turn.name);
    if (shellNames.test(turn.name)) memory.output = turn.result;
    if (!tool.startsWith("workflow_")) continue;
    const reply = readReply(turn.result);
    memory.reply = reply;
    memory.tool = tool;
    delete memory.output;
    const run = reply.next?.arguments["run_id"];
    if (typeof run === "string") memory.run = run;
    if (reply.type === "parallel_tasks") memory.tasks = tasksOf(reply);
    if (reply.taskDone) memory.tasks = memory.tasks.slice(1);
  }
  return memory;
}

/** @param {Reply} reply @returns {string[]} */
function tasksOf({ definition }) {
  const tasks = Array.isArray(definition["tasks"]) ? definition["tasks"] : [];
  return tasks.flatMap((task) => (typeof task?.task_id === "string" ? [task.task_id] : []));
}

/**
 * @param {Conversation} conversation
 * @param {{ workflow: string, inputs: Record<string, string | undefined>, answer: string }} wish
 * @param {Memory} memory
 * @returns {Move}
 */
function chooseMove({ tools }, wish, { reply, tool, tasks, run, output }) {
  if (reply === undefined) return { call: { name: "workflow_list", args: {} } };
  if (reply.shown === "none") return { say: `I cannot read the reply of ${tool}.` };
  if (tool === "workflow_list") return { call: { name: "workflow_info", args: { workflow: wish.workflow } } };
  // The user has given the inputs, so what the reply names for then is called now.
  const begin = tool === "workflow_info" ? (reply.next ?? reply.later) : undefined;
  if (begin !== undefined) return { call: { name: begin.tool, args: { ...begin.arguments, inputs: wish.inputs } } };
  if (tool === "workflow_complete") return { say: "WORKFLOW DONE" };
  const [task] = tasks;
  if ((reply.type === "parallel_tasks" || reply.taskDone) && run !== undefined)
    return { call: { name: "workflow_next", args: { run_id: run, ...(task === undefined ? {} : { task_id: task }) } } };
  if (reply.next === undefined) return { say: `The reply of ${tool} names no next call.` };
  const call = { name: reply.next.tool, args: reply.next.arguments };
  switch (reply.type) {
    case "user_message":
      return { say: reply.message ?? "", call };
    case "user_input":
      return { say: textAt(reply, "prompt"), call: withResult(call, wish.answer) };
    case "agent_shell_command":
      return output === undefined ? runCommand(tools, textAt(reply, "command")) : { call: withResult(call, output.trim()) };
    case undefined:
      return { call };
    default:
      return { say: `I do not know how to do a step of type ${reply.type}.` };
  }
}

/** @param {Reply} reply @param {string} key */
function textAt({ definition, message = "" }, key) {
  const held = definition[key];
  return typeof held === "string" ? held : message;
}

/** Fills the place that the reply left open for the result. @param {{ name: string, args: Record<string, unknown> }} call @param {string} result */
function withResult(call, result) {
  return { ...call, args: { ...call.args, result } };
}

/** Every client has a shell tool of its own; its schema says how it wants the command. @param {OfferedTool[]} tools @param {string} command @returns {Move} */
function runCommand(tools, command) {
  const shell = tools.find((tool) => shellNames.test(tool.name));
  if (shell === undefined) return { say: "I have no tool to run commands." };
  const properties = /** @type {Record<string, { type?: unknown }>} */ (shell.parameters["properties"] ?? {});
  const required = Array.isArray(shell.parameters["required"]) ? shell.parameters["required"] : [];
  const key = ["command", "cmd"].find((name) => Object.hasOwn(properties, name)) ?? "command";
  const rest = required
    .filter((name) => name !== key && properties[name]?.type === "string")
    .map((name) => [name, "A step of the workflow"]);
  const value = properties[key]?.type === "array" ? ["sh", "-c", command] : command;
  return { call: { name: shell.name, args: { ...Object.fromEntries(rest), [key]: value } } };
}

/**
 * The call under the name that this client gave the tool. Clients that hide tools have a tool to search for them.
 *
 * @param {Conversation} conversation
 * @param {Move} move
 * @param {NonNullable<Move["call"]>} call
 * @returns {Move}
 */
function reachable({ tools, system, user, turns }, move, call) {
  const offered = tools.find((tool) => tool.name === call.name) ?? tools.find((tool) => plainName(tool.name) === call.name);
  if (offered !== undefined) return { ...move, call: { ...call, name: offered.name } };
  const search = tools.find((tool) => searchNames.test(tool.name));
  const [full = call.name] = new RegExp(`\\bmcp__[\\w-]+?__${call.name}\\b`).exec(`${system}\n${user}`) ?? [];
  const query = `select:${full}`;
  if (search === undefined || turns.some((turn) => turn.args["query"] === query)) return { say: `The tool ${call.name} is not offered.` };
  return { call: { name: search.name, args: { query, max_results: 5 } } };
}

/** A tool's own name, without what the client put in front of it. @param {string} name */
export function plainName(name) {
  return /workflow_\w+$/.exec(name)?.[0] ?? name;
}
