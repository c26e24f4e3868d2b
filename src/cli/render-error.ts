import type { CommanderError } from "commander";
import { isWaymarkError, nearest, WaymarkError } from "../base/index.ts";
import { cliCodes, failure } from "./codes.ts";
import type { Output } from "./output.ts";
import { nextLine, quoted } from "./printed-lines.ts";

/** Any failure as an error with a code; a fault of our own keeps its cause. */
export function asWaymarkError(error: unknown): WaymarkError {
  if (isWaymarkError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new WaymarkError({
    code: "CLI_UNEXPECTED",
    message: `Something failed that should not: ${message}`,
    fix: cliCodes["CLI_UNEXPECTED"]?.fix ?? "",
    cause: error,
  });
}

/** A refusal whose next step names tools, with the commands that do the same instead; `run` and `task`: what the command is about. */
export function inCommands(error: WaymarkError, run: string | undefined, task: string | undefined): WaymarkError {
  const { code, message, details } = error;
  const plain = error.fix
    ?.replace(/Call workflow_\w+ \(or (`waymark[^`]*`)\)/, "Run $1")
    .replace(/workflow_\w+[^(),.]*, or (`waymark[^`]*`)/, "$1");
  const fix =
    run === undefined
      ? plain
      : plain
          ?.replace(/Ask for (?:its|the run's) status/, `Run \`waymark status ${quoted(run)}\``)
          .replace(/Ask for the next step(?: of the run)?(?!:)/, `Run \`${nextLine(run, task)}\``);
  return fix === undefined || fix === error.fix ? error : new WaymarkError({ code, message, fix, details, cause: error });
}

/** What happened and why, then what to do; as JSON when that was asked for. A stack only for `WAYMARK_LOG=debug`. */
export function renderError(out: Output, error: WaymarkError, debug: boolean): void {
  if (out.json) {
    const { code, message, fix, details } = error;
    const shown = {
      code,
      message: out.placed(message),
      ...(fix === undefined ? {} : { fix: out.placed(fix) }),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    };
    out.complain(JSON.stringify({ error: shown }));
  } else {
    out.complain(`${out.paint("red", "✗")} ${out.placed(error.message)} ${out.paint("dim", `(${error.code})`)}`);
    if (error.fix !== undefined) out.complain(`${out.paint("cyan", "→")} ${out.placed(error.fix)}`);
  }
  if (debug) out.complain(stackOf(error));
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}

const codes: Readonly<Record<string, string>> = {
  "commander.unknownCommand": "CLI_UNKNOWN_COMMAND",
  "commander.unknownOption": "CLI_UNKNOWN_OPTION",
  "commander.invalidArgument": "CLI_BAD_VALUE",
};

/** What the parser found wrong, as one of our errors: a full sentence with the suggestion in it. `names`: those of the commands. */
export function usageError(error: CommanderError, command: string, names: readonly string[]): WaymarkError {
  const code = codes[error.code] ?? "CLI_USAGE";
  const [what = "", suggestion = ""] = error.message.replace(/^error: /, "").split("\n");
  const said = what.replace(/'([^']*)'/g, "`$1`").replace(/\.$/, "");
  const [, typed] = /^unknown command '(.*)'$/.exec(what) ?? [];
  const begun = names.filter((name) => typed !== undefined && typed !== "" && name.startsWith(typed));
  const meant = begun.length > 0 || typed === undefined ? begun : nearest(typed, names, 1);
  const near =
    typed === undefined
      ? /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion.trim())?.[1]?.replaceAll(", ", "` or `")
      : meant.join("` or `") || undefined;
  const help = command === "" ? "waymark --help" : `waymark ${command} --help`;
  const sentence = `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`;
  return failure(code, near === undefined ? sentence : `${sentence} Did you mean \`${near}\`?`, `See \`${help}\` for what is possible.`);
}
