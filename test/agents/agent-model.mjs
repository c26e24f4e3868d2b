// @ts-check
import { join } from "node:path";
import { openModelServer } from "../clients/model-server.mjs";

/**
 * A scripted model that does the tasks of `project/`, whatever agent asks it. It sees the prompts and the calls of one conversation, and
 * keeps all that it was asked.
 *
 * @typedef {import("../clients/scripted-agent.mjs").Conversation} Conversation
 * @typedef {ReturnType<import("../clients/model-server.mjs").Decide>} Move
 * @typedef {{ task: string, conversation: Conversation, closed?: Promise<void> }} Asked `closed`: when the agent gave up a request that hangs
 * @typedef {{ url: string, asked: Asked[], tasks: (task: string) => Asked[], hanging: () => Promise<Asked>, close: () => Promise<void> }} AgentModel
 * @param {import("./real-agents.mjs").RealAgent} agent
 * @param {string} project
 * @returns {Promise<AgentModel>}
 */
export async function openAgentModel(agent, project) {
  /** @type {Asked[]} */
  const asked = [];
  let heard = (/** @type {Asked} */ _one) => {};
  const hanging = () => new Promise((/** @type {(one: Asked) => void} */ resolve) => (heard = resolve));
  const { url, close } = await openModelServer((conversation) => {
    const task = [...conversation.user.matchAll(/\bTASK (\w+)/g)].at(-1)?.[1] ?? "none";
    /** @type {Asked} */
    const one = { task, conversation };
    asked.push(one);
    const write = (/** @type {string} */ file) => ({ call: agent.write(file, `${task}\n`) });
    const hang = (/** @type {Promise<void>} */ closed) => {
      one.closed = closed;
      heard(one);
    };
    return nextMove(one, { project, write, hang, times: asked.filter((other) => other.task === task).length });
  });
  return { url, asked, tasks: (task) => asked.filter((one) => one.task === task), hanging, close };
}

/** No task needs more requests; an agent that asks for ever is refused. */
const mostRequests = 40;

/**
 * @param {Asked} asked
 * @param {{ project: string, write: (file: string) => Move, hang: NonNullable<Move["hang"]>, times: number }} ways
 * @returns {Move}
 */
function nextMove({ task, conversation }, { project, write, hang, times }) {
  const { user, turns } = conversation;
  if (times > mostRequests) return { status: 400, say: "The script has no more answers." };
  const wrote = (/** @type {string} */ file) => turns.some(({ args }) => Object.values(args).includes(file));
  const writeOnce = (/** @type {string} */ file, /** @type {string} */ say) => (wrote(file) ? { say } : write(file));
  switch (task) {
    case "plan": {
      const [, plan = ""] = /Save the plan to `([^`]+)`/.exec(user) ?? [];
      return wrote(plan) ? reportOnce(conversation) : write(plan);
    }
    case "continue":
      return reportOnce(conversation);
    case "implement":
      return writeOnce(join(project, "feature.txt"), "It is implemented.");
    case "denied":
      return writeOnce(join(project, "denied.txt"), "I was not allowed to write it.");
    case "cancel":
      return { hang };
    case "died":
    case "killed":
    case "crashed":
      return times === 1 ? { hang } : writeOnce(join(project, `${task}.txt`), "It is done after all.");
    case "unauthorised":
      return { status: 401, say: "Incorrect API key provided." };
    case "limited":
      return { status: 429, say: "You have hit your rate limit." };
    default:
      return { say: "It is done." };
  }
}

/** What the model reports through the tool, to be found in the journal. */
export const reported = "Reported by the model.";

/** @param {Conversation} conversation @returns {Move} */
function reportOnce({ user, tools, turns }) {
  const [, run] = /of run ([\w-]+)/.exec(user) ?? [];
  const tool = tools.find(({ name }) => name.endsWith("workflow_progress"))?.name;
  if (tool === undefined) return { say: "There is no tool to report with." };
  return turns.some(({ name }) => name === tool)
    ? { say: "It is reported." }
    : { call: { name: tool, args: { run_id: run, result: reported } } };
}
