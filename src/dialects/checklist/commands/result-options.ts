import type { OptionSpec } from "../../../cli/index.ts";
import type { Severity } from "../../../ports/index.ts";

const severities: readonly Severity[] = ["info", "warning", "error", "critical"];

/** Forms of findings. */
export const resultFormats: readonly string[] = ["text", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown", "html"];

/** Which findings are printed, and when the command ends with 1. */
export const filterOptions: readonly OptionSpec[] = [
  { flags: "--min-severity <severity>", description: "Leave out what is less grave.", choices: severities },
  { flags: "--baseline <file>", description: "Report only what is not in this file." },
  { flags: "--update-baseline", description: "Write what is found to the file of `--baseline`, and end with 0." },
  {
    flags: "--fail-on <what>",
    description: "End with 1 when anything is left, anything that can be fixed automatically, or anything of this severity or graver.",
    choices: ["found", "auto-fixable", ...severities],
  },
];
