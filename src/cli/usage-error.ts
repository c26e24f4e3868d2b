import type { CommanderError } from "commander";
import type { WaymarkError } from "../base/index.ts";
import { failure } from "./codes.ts";

const codes: Readonly<Record<string, string>> = {
  "commander.unknownCommand": "CLI_UNKNOWN_COMMAND",
  "commander.unknownOption": "CLI_UNKNOWN_OPTION",
  "commander.invalidArgument": "CLI_BAD_VALUE",
};

/** What the parser found wrong, as one of our errors: a full sentence with the suggestion in it. */
export function usageError(error: CommanderError, command: string): WaymarkError {
  const code = codes[error.code] ?? "CLI_USAGE";
  const [what = "", suggestion = ""] = error.message.replace(/^error: /, "").split("\n");
  const said = what.replace(/'([^']*)'/g, "`$1`").replace(/\.$/, "");
  const near = /^\((.*)\)$/
    .exec(suggestion.trim())?.[1]
    ?.replace(/(?<=mean )(?:one of )?(.*)\?$/, (_all, names: string) => `${quoted(names)}?`);
  const help = command === "" ? "waymark --help" : `waymark ${command} --help`;
  const sentence = `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`;
  return failure(code, near === undefined ? sentence : `${sentence} ${near}`, `See \`${help}\` for what is possible.`);
}

function quoted(names: string): string {
  return names
    .split(", ")
    .map((name) => `\`${name}\``)
    .join(" or ");
}
