/** What commands of dialects use of the general ones. It brings the engine, so it is loaded with the first command that needs it. */
export { askUntilValid } from "./ask-until-valid.ts";
export { printItems } from "./commands/items.ts";
export { skipCommand } from "./commands/report-step.ts";
export { waiting } from "./drive.ts";
export { addWord, refuseUnfilled } from "./fill-in.ts";
export { loadValid } from "./load-named.ts";
export { optionLines, showPosition, tasksBesideOf } from "./position-text.ts";
export { refuseLinkOut } from "./refuse-link-out.ts";
export { beforeText, deniedText, nameOf, reportStep } from "./reporting/report-step.ts";
export { taskOf } from "../views/index.ts";
export { TourStage } from "./tour-stage.ts";
export { ScriptedDriver } from "./testing/scripted-driver.ts";
