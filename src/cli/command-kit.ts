/** What commands of dialects use of the general ones. It brings the engine, so it is loaded with the first command that needs it. */
export { askUntilValid } from "./commands/decide.ts";
export { skipCommand } from "./commands/report-step.ts";
export { waiting } from "./drive.ts";
export { addWord, refuseUnfilled } from "./fill-in.ts";
export { loadValid } from "./load-named.ts";
export { taskOf } from "./next-command.ts";
export { optionLines, showPosition } from "./position-text.ts";
export { jsonOrText } from "./parse-values.ts";
export { refuseLinkOut } from "./refuse-link-out.ts";
export { reportStep } from "./reporting/report-step.ts";
export { beforeText, deniedText, nameOf } from "./reporting/step-report.ts";
export { besideData, besideLines, tasksBesideOf } from "./tasks-beside.ts";
export { TourStage } from "./tour-stage.ts";
export { ScriptedDriver } from "./testing/scripted-driver.ts";
