import { Command, type OutputConfiguration } from "commander";
import { commandName, defineCommand, type CommandSpec, type Perform } from "./define-command.ts";
import { lookCommands } from "./definitions/look-commands.ts";
import { runCommands } from "./definitions/run-commands.ts";
import { completionSpec, demoSpec, serverCommands } from "./definitions/server-commands.ts";
import { schemaSpec, workflowCommands } from "./definitions/workflow-commands.ts";
import { workspaceCommands } from "./definitions/workspace-commands.ts";
import { withAdditions, type DialectCommands } from "./dialect-commands.ts";
import type { CompletedCommand } from "./commands/completion.ts";

type Dialects = readonly DialectCommands[];

/** Every command there is, in the order of the help. */
export function commandSpecs(dialects: Dialects): readonly CommandSpec[] {
  const own = dialects.flatMap(({ commands = [] }) => commands);
  const all = [
    ...workflowCommands,
    schemaSpec(dialects),
    ...runCommands,
    ...own.filter(({ after }) => after === undefined),
    ...lookCommands,
    ...workspaceCommands,
    ...serverCommands,
    completionSpec(() => completedCommands(dialects)),
    demoSpec(dialects.flatMap(({ tours = [] }) => tours)),
  ];
  return all.flatMap((spec) => [withAdditions(spec, dialects), ...own.filter(({ after }) => after === commandName(spec))]);
}

export function exitCodeHelp(dialects: Dialects): readonly (readonly [number, string])[] {
  const failures = [
    "the run failed or was cancelled",
    "`validate` or `doctor` found problems",
    "a test failed",
    ...dialects.flatMap(({ failures: own = [] }) => own),
  ];
  return [
    [0, "done"],
    [1, failures.join("; ")],
    [2, "wrong usage: what was asked for is not possible, and nothing was changed"],
    [3, "`run` or `drive`: the run waits for a person"],
    [4, "the run is parked: a permission is missing, or `run` or `drive` stopped before its end"],
    [5, "the engine failed: store, files or Waymark itself"],
  ];
}

export interface TreeOptions {
  readonly version: string;
  readonly dialects: Dialects;
  /** Where help goes. */
  readonly output?: OutputConfiguration;
  /** Runs a command that was chosen. */
  readonly perform: Perform;
}

/** The whole command line, ready to parse. It never ends the process and writes nothing by itself but help. */
export function createCommandTree({ version, dialects, output = {}, perform }: TreeOptions): Command {
  const program = new Command("waymark");
  program
    .description("Drives AI agents through long jobs, one explicit step at a time, and never loses its place.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print help for the command.")
    .option("-C, --workspace <folder>", "Work in this folder instead of the project around the current one.")
    .option(
      "--store <place>",
      "Keep the runs in this folder instead of `.waymark/store` of the workspace, or in a database: `postgres://...`.",
    )
    .option("--json", "Print one JSON document; errors as JSON on stderr.")
    .option(
      "--jsonl",
      "Print JSON lines: a line for each finding, item, entry or change where a command has many, else the document in one line.",
    )
    .option("--log-file <file>", "Write the log to this file instead of stderr.")
    .option("-q, --quiet", "Print only what was asked for: no hints, no progress.")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput(output)
    .addHelpText("after", ({ command }) => afterHelp(command, dialects))
    .exitOverride();
  for (const spec of commandSpecs(dialects)) defineCommand(program, spec, perform);
  program.helpCommand("help [command]", "Print help for a command.");
  return program;
}

function afterHelp(program: Command, dialects: Dialects): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth: program.configureOutput().getOutHelpWidth?.() ?? 80 });
  const codes = exitCodeHelp(dialects).map(([code, meaning]) => help.formatItem(String(code), 1, meaning, help));
  return [
    "",
    "Exit codes:",
    ...codes,
    "",
    "Runs:",
    "  A run is named by its id, or any part of it that no other run has.",
    "  Where one run is open, most commands mean that one when none is named.",
    "",
    "Example:",
    "  $ waymark demo",
    "",
    "`waymark <command> --help` shows the options and examples of a command.",
  ].join("\n");
}

function completedCommands(dialects: Dialects): readonly CompletedCommand[] {
  const tree = createCommandTree({ version: "", dialects, perform: () => Promise.resolve() });
  const shared = tree.options.flatMap((option) => option.long ?? []);
  const specs = commandSpecs(dialects);
  return tree.commands.map((command) => {
    const options = command.options.filter(({ hidden }) => !hidden).flatMap((option) => option.long ?? []);
    return {
      name: command.name(),
      summary: command.summary(),
      options: [...options, ...shared, "--help"],
      completes: completes(specs.find((spec) => commandName(spec) === command.name())),
    };
  });
}

function completes(spec: CommandSpec | undefined): CompletedCommand["completes"] {
  const [, argument] = /^\S+ [<[](workflow|run)/.exec(spec?.usage ?? "") ?? [];
  return spec?.completes ?? (argument as CompletedCommand["completes"]);
}
