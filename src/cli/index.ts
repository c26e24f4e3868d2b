/**
 * The command line: everything the engine can do, for people, and `runCli` as its one way in. Definitions of commands are data in
 * `definitions/` and cost nothing; the code of a command in `commands/` is loaded when it runs. What a dialect adds comes in as
 * `DialectCommands`, and what is outside the engine (files of the host, servers, YAML) through `CliWorld`. Never decides what a run
 * does. Begin with `run-cli.ts`.
 */
export { badValue, cliCodes, didYouMean, exitCodes, failure, usage } from "./codes.ts";
export type {
  CommandShare,
  Desk,
  Found,
  Inspection,
  Outcome,
  RetryWish,
  ShowOptions,
  ShownPart,
  StepReport,
  Stepped,
} from "./command-share.ts";
export { commandSpecs, createCommandTree, exitCodeHelp } from "./command-tree.ts";
export type { Given, OptionSpec } from "./define-command.ts";
export { stepOptions } from "./definitions/report-commands.ts";
export { type DialectCommand, type DialectCommands, loadCommandKit, type StatusBarChanges } from "./dialect-commands.ts";
export type { Output } from "./output.ts";
export {
  type Following,
  decideLine,
  doneLine,
  fillIn,
  followingData,
  followingText,
  quoted,
  skipLine,
  whenFixed,
} from "./printed-lines.ts";
export { fitColumns } from "./fit-columns.ts";
export { ProgressLine } from "./progress-line.ts";
export { renderTable } from "./render-table.ts";
export { runCli } from "./run-cli.ts";
export { type Session, atDesk, cliCaller } from "./session.ts";
export type { HandedOut } from "./testing/script.ts";
export { fileKeys, replyKeys, stepKeys } from "./testing/test-keys.ts";
export type { TourStage } from "./tour-stage.ts";
export type {
  ChatRequest,
  CliWorld,
  EngineFlags,
  HttpRequest,
  HttpServer,
  McpRequest,
  OpenChat,
  OpenRunner,
  OpenTestEngine,
  TestParts,
} from "./world.ts";
