/**
 * The command line: everything the engine can do, for people, and `runCli` as its one way in. Definitions of commands are data in
 * `definitions/` and cost nothing; the code of a command in `commands/` is loaded when it runs. Whatever is outside the engine
 * (files of the host, servers, YAML) comes in through `CliWorld`. Never decides what a run does. Begin with `run-cli.ts`.
 */
export { cliCodes } from "./codes.ts";
export { commandSpecs, createCommandTree, exitCodeHelp } from "./command-tree.ts";
export { runCli } from "./run-cli.ts";
export { fileKeys, replyKeys, stepKeys } from "./testing/test-keys.ts";
export type { CliWorld, HttpRequest, HttpServer, McpRequest } from "./world.ts";
