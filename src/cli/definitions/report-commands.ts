import type { CommandSpec, OptionSpec } from "../define-command.ts";

const group = "Runs:";
export const task: OptionSpec = { flags: "--task <id>", description: "A sub-agent task of the run instead of its main line." };
export const wait: OptionSpec = {
  flags: "--wait <time>",
  description:
    "Show where the run is after this long (`30s`, `5m`); without it, when there is something to do. A command that has begun is finished.",
};
const action: OptionSpec = {
  flags: "--action <id>",
  description: "The hand-out that is meant, as `next` names it; makes a repeat harmless.",
};
const step: OptionSpec = { flags: "--step <id>", description: "The step that is meant, when several are open." };
const used: readonly OptionSpec[] = [
  { flags: "--tokens <count>", description: "Tokens that were used for it." },
  { flags: "--money <amount>", description: "Money that was spent on it." },
];
const result: readonly OptionSpec[] = [
  { flags: "-r, --result <value>", description: "The result; JSON where it is JSON, else text." },
  { flags: "--text <text>", description: "The result, taken literally as text." },
  { flags: "--result-file <file>", description: "The result from a file (JSON where it is JSON, else text); `-` reads stdin." },
];
const error: OptionSpec = { flags: "-e, --error <message>", description: "Why it failed." };
const identical: OptionSpec = { flags: "--identical", description: "Also every open instance that reads the same." };
const blockedUntil: OptionSpec = {
  flags: "--blocked-until <time>",
  description: "It is not failed but cannot be done before this time (ISO, or `30m` from now); it is handed out again then.",
};

/** What reports a step, known to `report` so that it can name the command that does it. */
const ofSteps: readonly OptionSpec[] = [
  ...result,
  { flags: "--done", description: "" },
  { flags: "--skip <why>", description: "" },
  identical,
  { flags: "--failed", description: "" },
  error,
  blockedUntil,
  action,
  step,
  ...used,
  task,
  wait,
];

/** Commands that report a step, and the one that writes the report of a run. */
export const reportCommands: readonly CommandSpec[] = [
  {
    usage: "done [run]",
    group,
    summary: "Report a step as done, and show the next one.",
    details: [
      "Without a run id it is the only open run of the workspace. A step that returns something is not done without its result, unless",
      "`waymark state` wrote it since the step was handed out. For a question the result is the answer. For an entry of a checklist it may",
      "carry findings, proposed_changes and topics as lists in one JSON object.",
      "",
      "Without `--action` or `--step` the step that is open now is meant, and the reply says which one that was. Typed twice, such a command",
      "reports two steps: no connection remembers what you were shown, and equal results of two steps are ordinary. The lines that Waymark",
      "prints carry `--action`; run again, they change nothing.",
    ].join("\n"),
    options: [...result, action, step, task, ...used, wait],
    examples: [
      "waymark done wf-hello-2026-01-31-a1b2c3 --action a3",
      "waymark done wf-hello-2026-01-31-a1b2c3 --action a4 --result '{\"applied_count\": 2}'",
    ],
    completes: "run",
    load: async () => (await import("../commands/report-step.ts")).doneCommand,
  },
  {
    usage: "fail [run]",
    group,
    summary: "Report a step as failed, or as blocked for a time, and show what follows.",
    details: "Without a run id it is the only open run of the workspace, and without `--action` or `--step` the step that is open now.",
    options: [error, blockedUntil, action, step, task, ...used, wait],
    examples: [
      'waymark fail wf-hello-2026-01-31-a1b2c3 --action a4 --error "the tests do not compile"',
      'waymark fail wf-hello-2026-01-31-a1b2c3 --action a4 --error "the service is down" --blocked-until 30m',
    ],
    completes: "run",
    load: async () => (await import("../commands/report-step.ts")).failCommand,
  },
  {
    usage: "skip [run]",
    group,
    summary: "Leave an entry of a checklist as it is, for a reason, and show the next one.",
    details: [
      "Without a run id it is the only open run of the workspace, and without `--action` or `--step` the entry that is open now. Steps of",
      "other workflows are done or fail.",
    ].join("\n"),
    options: [{ flags: "--reason <why>", description: "Why it is left as it is." }, identical, action, step, task, wait],
    examples: ['waymark skip wf-code-review-2026-01-31-a1b2c3 --action a9 --reason "generated code"'],
    completes: "run",
    load: async () => (await import("../commands/report-step.ts")).skipCommand,
  },
  {
    usage: "report <run>",
    group,
    summary: "Write the report of a checklist run, or of the checklists that a run calls; an interim one until it has ended.",
    options: [
      {
        flags: "-f, --format <format>",
        description: "The form of the report; default markdown, with `--json` json.",
        choices: ["markdown", "json", "html"],
      },
      { flags: "-o, --out <file>", description: "Write it to a file instead of stdout." },
      ...ofSteps.map((option) => ({ ...option, hidden: true })),
    ],
    examples: [
      "waymark report wf-code-review-2026-01-31-a1b2c3",
      "waymark report wf-code-review-2026-01-31-a1b2c3 --format html --out review.html",
    ],
    completes: "run",
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
];
