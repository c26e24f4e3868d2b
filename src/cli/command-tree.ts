import { Command, type OutputConfiguration } from "commander";
import { defineCommand, type CommandSpec } from "./define-command.ts";
import { botCommands } from "./definitions/bot-commands.ts";
import { checklistCommands } from "./definitions/checklist-commands.ts";
import { lookCommands } from "./definitions/look-commands.ts";
import { runCommands } from "./definitions/run-commands.ts";
import { serverCommands } from "./definitions/server-commands.ts";
import { workflowCommands } from "./definitions/workflow-commands.ts";
import { workspaceCommands } from "./definitions/workspace-commands.ts";

/** Every command there is, in the order of the help. */
export const commandSpecs: readonly CommandSpec[] = [
  ...workflowCommands,
  ...runCommands,
  ...checklistCommands,
  ...botCommands,
  ...lookCommands,
  ...workspaceCommands,
  ...serverCommands,
];

export const exitCodeHelp: readonly (readonly [number, string])[] = [
  [0, "done"],
  [
    1,
    "the run failed or was cancelled; `validate` or `doctor` found problems; a test failed; `scan --fail-on` found something; a batch, its undoing or the report of a bot's action left files out",
  ],
  [2, "wrong usage: what was asked for is not possible so, and nothing was changed"],
  [3, "the engine failed: store, files or Waymark itself"],
];

export interface TreeOptions {
  readonly version: string;
  /** Where help goes. */
  readonly output?: OutputConfiguration;
  /** Runs a command that was chosen. */
  readonly perform: (command: Command, spec: CommandSpec, args: readonly string[]) => Promise<void>;
}

/** The whole command line, ready to parse. It never ends the process and writes nothing by itself but help. */
export function createCommandTree({ version, output = {}, perform }: TreeOptions): Command {
  const program = new Command("waymark");
  program
    .description("Drives AI agents through long jobs, one explicit step at a time, and never loses its place.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print help for the command.")
    .option("-C, --workspace <folder>", "Work in this folder instead of the project around the current one.")
    .option("--store <folder>", "Keep the runs here instead of `.waymark/store` of the workspace.")
    .option("--json", "Print one JSON document (JSON lines where a command says so); errors as JSON on stderr.")
    .option("--log-file <file>", "Write the log to this file instead of stderr.")
    .option("-q, --quiet", "Print only what was asked for: no hints, no progress.")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput(output)
    .addHelpText("after", afterHelp())
    .exitOverride();
  for (const spec of commandSpecs) defineCommand(program, spec, perform);
  program.helpCommand("help [command]", "Print help for a command.");
  return program;
}

function afterHelp(): string {
  const codes = exitCodeHelp.map(([code, meaning]) => `  ${code}  ${meaning}`);
  return [
    "",
    "Exit codes:",
    ...codes,
    "",
    "Example:",
    "  $ waymark start hello --input name=Ada",
    "",
    "`waymark <command> --help` shows the options and examples of a command.",
  ].join("\n");
}
