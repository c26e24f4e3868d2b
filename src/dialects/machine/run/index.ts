/**
 * What a run of a machine does: dispatches of roles, judged reports, gates and their seals, checks, and the files of a session. Begin with
 * `runtime.ts`, then `prepare.ts` and `judge-report.ts`.
 */
export { type InspectedSession, inspectSessions, planRepairs, repairSession } from "./inspect-sessions.ts";
export { chosenMode } from "./machine-run.ts";
export { machineRuntime } from "./runtime.ts";
