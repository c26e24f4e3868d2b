/**
 * Coding agents: starts them, prompts them, decides what they may do, and tells what they did as events. Implements the port `Agents`
 * (`create-agents.ts`); a protocol is a folder (`acp`, `claude-cli`, `script`), and what differs between agents is data
 * (`known-agents.ts`). Never knows a run or a workflow, never gives an agent this process' environment, never takes silence or the end
 * of a turn for success.
 */
export { agentCodes } from "./codes.ts";
export { createAgents } from "./create-agents.ts";
export { knownAgents } from "./known-agents.ts";
export { scriptedAgents } from "./script/scripted-agents.ts";
