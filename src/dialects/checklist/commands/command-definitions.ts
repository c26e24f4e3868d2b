import { filterOptions, resultFormats } from "./result-options.ts";
import { stepOptions, type DialectCommand, type OptionSpec } from "../../../cli/index.ts";

const group = "Checklists over files:";
const run = "wf-code-review-2026-01-31-a1b2c3";

export const type: OptionSpec = {
  flags: "--type <name>",
  description: "Only this type, by its precise or its older name. Repeatable.",
  repeatable: true,
};
/** Which files, of a scan and of a start. */
export const changed: readonly OptionSpec[] = [
  {
    flags: "--since <ref>",
    description: "Only files that were changed since the work left this branch, tag or commit, also what is not committed yet.",
  },
  {
    flags: "--changed-lines",
    description: "Only what is on changed lines; without `--since`, changed since the default branch.",
  },
];
export const file: OptionSpec = { flags: "--file <glob>", description: "Only files that match. Repeatable.", repeatable: true };

const identical: OptionSpec = { flags: "--identical", description: "Also every open instance that reads the same (`group_identical`)." };
const { result, failed, named, used, task, wait } = stepOptions;

/** What reports a step, known to `report` so that it can name the command that does it. */
const ofSteps: readonly OptionSpec[] = [
  ...result,
  { flags: "--done", description: "" },
  { flags: "--skip <why>", description: "" },
  identical,
  { flags: "--failed", description: "" },
  ...failed,
  ...named,
  ...used,
  ...task,
  ...wait,
];

/** Commands about workflows that go through files. */
export const commandDefinitions: readonly DialectCommand[] = [
  {
    usage: "skip [run]",
    onlyRun: true,
    after: "fail",
    group: "Runs:",
    summary: "Leave an entry of a checklist as it is, for a reason, and show the next one.",
    details: "Without `--action` or `--step` it is the entry that is open now. Steps of other workflows are done or fail.",
    options: [{ flags: "--reason <why>", description: "Why it is left as it is." }, identical, ...named, ...task, ...wait],
    examples: [`waymark skip --reason "generated code"`],
    load: async () => (await (await import("../../../cli/index.ts")).loadCommandKit()).skipCommand,
  },
  {
    usage: "report [run]",
    onlyRun: true,
    ofEnded: true,
    after: "fail",
    group: "Runs:",
    summary: "Write the report of a checklist run, or of the checklists that a run calls; an interim one until it has ended.",
    details: [
      "The forms `markdown`, `json` and `html` are the report of the run. The others list its findings, instances and what agents recorded, as `scan`",
      "prints them, each with its status: `sarif`, `github` and `gitlab` leave out what was fixed, and what was dismissed is suppressed or left out.",
    ].join("\n"),
    options: [
      {
        flags: "-f, --format <format>",
        description: "The form of the report; default markdown, with `--json` json, with `--jsonl` jsonl.",
        choices: ["markdown", "json", "html", "text", "jsonl", "sarif", "github", "gitlab", "junit"],
      },
      ...filterOptions.map((option) => ({ ...option, description: `Of findings: ${lowerFirst(option.description)}` })),
      { flags: "-o, --out <file>", description: "Write it to a file instead of stdout." },
      ...ofSteps.map((option) => ({ ...option, hidden: true })),
    ],
    examples: [
      `waymark report ${run}`,
      `waymark report ${run} --format html --out review.html`,
      `waymark report ${run} --format sarif --fail-on error`,
    ],
    load: async () => (await import("./report-run.ts")).reportCommand,
  },
  {
    usage: "scan <workflow> [paths...]",
    group,
    summary: "Look for a workflow's patterns in folders and files, without a run; for people and for CI.",
    details: [
      "Without paths it looks below the current folder. The workflow's file patterns and exclusions and the paths in rows are relative to the",
      "workspace, whatever folder is named; what git ignores is left out. A file that is named is always scanned. `-` reads a list of paths from",
      "stdin, one in a line or each with a zero byte behind it; of its files those that the workflow does not take are left. A folder outside of the",
      "workspace is scanned as if it were one; its rows begin with `../`. Nothing is written. The summary goes to",
      "stderr. Of a finding `json` and `jsonl` say file, line, column, end_line, end_column (from 1, in UTF-16 units), severity, rule, message, type,",
      "auto_fixable, text, fingerprint, and where there is one seed_type, why, guide, step, help, fixes. Workflows that it calls (`sub_workflows`)",
      "are scanned too; their findings carry the name of their workflow.",
    ].join("\n"),
    options: [
      ...changed,
      {
        flags: "-f, --format <format>",
        description: "The form of the findings; default text, with `--json` json, with `--jsonl` jsonl.",
        choices: resultFormats,
      },
      ...filterOptions,
      {
        flags: "--bc-version <version>",
        description: "Business Central version of AL files that have no app.json above them, such as `BC24`.",
      },
      { flags: "--source <version>", description: "For version upgrades: the version the code comes from." },
      { flags: "--target <version>", description: "For version upgrades: the version it goes to." },
    ],
    examples: [
      "waymark scan error-to-errorinfo-migration ../app --jsonl > calls.jsonl",
      "waymark scan codebase-review src test/setup.ts --fail-on found",
      "waymark scan codebase-review --since HEAD --fail-on found",
      "git diff --name-only -z --diff-filter=d | waymark scan codebase-review -",
      "waymark scan codebase-review --format sarif > review.sarif",
      "waymark scan bc-version-upgrade . --source BC23 --target BC24",
    ],
    load: async () => (await import("./scan.ts")).scanCommand,
  },
  {
    usage: "batch [run] [operation]",
    onlyRun: ({ length }) => length === 1,
    group,
    summary: "Fix, skip or flag many instances at once; a dry run unless it is confirmed.",
    details: [
      "Operations: apply_fixes, skip_instances, flag_for_review, apply_changes (changes that were proposed as safe) and group_by_type, which only",
      "counts. The dry run shows what would be done and a token; `--confirm` does exactly that, once, as long as no file has changed since.",
    ].join("\n"),
    options: [
      type,
      file,
      { flags: "--auto-only", description: "Only those that the engine can fix." },
      {
        flags: "--status <status>",
        description: "Those with this status; default pending.",
        choices: ["pending", "in_progress", "failed"],
      },
      { flags: "--guide <name>", description: "Only those of this conversion guide." },
      { flags: "--step <step>", description: "Only those of this version step, such as `BC23-BC24`." },
      {
        flags: "--workflow <name>",
        description: "Those of this workflow, when the run calls others; without it those of the one at work.",
      },
      { flags: "--reason <text>", description: "Why they are skipped or flagged." },
      { flags: "--diff", description: "Show the whole difference instead of samples." },
      { flags: "--confirm <token>", description: "Do what the dry run with this token showed." },
      { flags: "--wait <time>", description: "Wait at most this long (`30s`, `5m`) for the batch; without it, until it is done." },
    ],
    examples: [
      `waymark batch apply_fixes --auto-only --diff`,
      `waymark batch ${run} apply_fixes --confirm batch-a1b2c3-18-k3j9x0q2m1`,
      `waymark batch ${run} skip_instances --file "legacy/**" --reason "not maintained"`,
    ],
    load: async () => (await import("./batch.ts")).batchCommand,
  },
  {
    usage: "undo [run] [batch]",
    onlyRun: ({ length }) => length <= 1,
    ofEnded: true,
    beforeText: true,
    group,
    summary: "Give files back what they held before a batch; without a batch, the last one.",
    details: "A file that has changed since the batch is left alone and named. Ends with 1 when not all were restored.",
    options: [{ flags: "--wait <time>", description: "Wait at most this long (`30s`, `5m`); without it, until it is done." }],
    examples: ["waymark undo", `waymark undo ${run} b1 --json`],
    load: async () => (await import("./undo.ts")).undoCommand,
  },
];

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
