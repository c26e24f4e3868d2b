/**
 * Drives runs without anybody at the keyboard: hands each open action to a coding agent, one turn at a time, and reports what came of it. A
 * holder like any other; knows no protocol of agents, no dialect and no terminal. Begin with `drive-run.ts`, then `step-turns.ts`. Outside of
 * any run, an agent answers one prompt in `talk-to-agent.ts`.
 */
export { checkAgents } from "./check-agents.ts";
export type { Decided } from "./choose-agent.ts";
export { runnerCodes } from "./codes.ts";
export { driveRun } from "./drive-run.ts";
export { type WorkEvent, workOnRuns } from "./work-on-runs.ts";
export { type AgentSteps, openAgentSteps } from "./agent-steps.ts";
export type { DriveEnd, DriveEvent, DriveRequest, RunnerParts } from "./drive-request.ts";
export { talkToAgent } from "./talk-to-agent.ts";
