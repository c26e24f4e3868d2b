import { CommanderError } from "commander";
import type { WaymarkError } from "../base/index.ts";
import { exitCodeOf, exitCodes, failure } from "./codes.ts";
import { createCommandTree } from "./command-tree.ts";
import { commandName, takesRuns, type CommandSpec, type Given, type Perform } from "./define-command.ts";
import { sharesOf, type DialectCommands } from "./dialect-commands.ts";
import { Output } from "./output.ts";
import { asWaymarkError, inCommands, renderError, usageError } from "./render-error.ts";
import { Session } from "./session.ts";
import type { CliWorld } from "./world.ts";

/**
 * Runs one command line (without program and script name) and answers the exit code (`exitCodes`). Never rejects, never ends the process; everything written has left when it resolves.
 */
export async function runCli(world: CliWorld, dialects: readonly DialectCommands[], argv: readonly string[]): Promise<number> {
  // A reader that went away (`waymark journal | head`) is not a failure of ours; the command still finishes what it does.
  const ignore = (): void => undefined;
  for (const stream of [world.stdout, world.stderr]) stream.on("error", ignore);
  const bare = new Output(world, { json: argv.includes("--json"), jsonLines: argv.includes("--jsonl"), quiet: false });
  let code: number = exitCodes.done;
  let chosen = "";
  const shares = sharesOf(dialects);
  const perform: Perform = async (command, spec, args) => {
    chosen = command.name();
    code = await runCommand(new Session(world, command.optsWithGlobals()), spec, { args, options: command.opts(), shares });
  };
  const output = {
    writeOut: (text: string) => bare.raw(text),
    writeErr: ignore,
    getOutHelpWidth: () => Math.min(120, (world.stdout as { columns?: number }).columns ?? 100),
  };
  const program = createCommandTree({ version: world.version, dialects, output, perform });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    const names = program.commands.map((command) => command.name());
    const named = chosen === "" ? (argv.find((word) => names.includes(word)) ?? "") : chosen;
    // What the parser says of `help` for a command that does not exist names nothing.
    const asked =
      error instanceof CommanderError && error.code === "commander.help" && error.exitCode > 0 ? argv[argv.indexOf("help") + 1] : undefined;
    const unknown = asked === undefined ? undefined : new CommanderError(1, "commander.unknownCommand", `unknown command '${asked}'`);
    code = failed(world, bare, unknown ?? error, { named, names });
  }
  await bare.flush();
  return code;
}

async function runCommand(session: Session, spec: CommandSpec, given: Omit<Given, "session">): Promise<number> {
  let { args } = given;
  try {
    refuseDriven(session.world, spec);
    const run = await spec.load();
    // Only what names a run has to look for one.
    const named = takesRuns(spec) ? await (await import("./name-run.ts")).nameRuns(session, spec, args, given.options) : { args };
    ({ args } = named);
    return (await run({ session, ...given, ...named })) ?? exitCodes.done;
  } catch (error) {
    const run = /^\S+ [<[]run/.test(spec.usage) ? args[0] : undefined;
    return fail(session.world, session.out, inCommands(asWaymarkError(error), run, given.options["task"]));
  } finally {
    session.out.endList();
    session.prompter.close();
  }
}

/** Commands that change no run; `mcp` serves what is started below a driven agent by handing it on to that agent's own door. */
const looking: ReadonlySet<string> = new Set(
  "completion config doctor explain info items journal list mcp runs scan schema status trace transcript validate watch".split(" "),
);

/** What a driven agent starts by itself reaches no further than the agent: its own step, by its own tools. */
function refuseDriven({ env }: CliWorld, spec: CommandSpec): void {
  const name = commandName(spec);
  if ((env["WAYMARK_DRIVEN"] ?? "") === "" || looking.has(name)) return;
  throw failure("CLI_DRIVEN", `\`waymark ${name}\` was started by an agent that Waymark drives. Nothing was changed.`);
}

function failed(
  world: CliWorld,
  out: Output,
  error: unknown,
  about: { readonly named: string; readonly names: readonly string[] },
): number {
  if (!(error instanceof CommanderError)) return fail(world, out, asWaymarkError(error));
  if (error.exitCode === 0) return exitCodes.done;
  return fail(world, out, usageError(error, about.named, about.names));
}

function fail(world: CliWorld, out: Output, error: WaymarkError): number {
  renderError(out, error, world.env["WAYMARK_LOG"] === "debug");
  return exitCodeOf(error);
}
