import { inGroup, type CommandSpec, type OptionSpec } from "../define-command.ts";

/** Options of the commands that report a step, or show where a run is. */
export const stepOptions: Readonly<Record<"result" | "failed" | "named" | "used" | "task" | "wait", readonly OptionSpec[]>> = {
  result: [
    { flags: "-r, --result <value>", description: "The result; JSON where it is JSON, else text." },
    { flags: "--text <text>", description: "The result, taken literally as text." },
    { flags: "--result-file <file>", description: "The result from a file (JSON where it is JSON, else text); `-` reads stdin." },
  ],
  failed: [
    { flags: "-e, --error <message>", description: "Why it failed." },
    {
      flags: "--blocked-until <time>",
      description: "It is not failed but cannot be done before this time (ISO, or `30m` from now); it is handed out again then.",
    },
  ],
  named: [
    { flags: "--action <id>", description: "The hand-out that is meant, as `next` names it; makes a repeat harmless." },
    { flags: "--step <id>", description: "The step that is meant, when several are open." },
  ],
  used: [
    { flags: "--tokens <count>", description: "Tokens that were used for it." },
    { flags: "--money <amount>", description: "Money that was spent on it." },
  ],
  task: [{ flags: "--task <id>", description: "A sub-agent task of the run instead of the run itself." }],
  wait: [
    {
      flags: "--wait <time>",
      description:
        "Show where the run is after this long (`30s`, `5m`); without it, when there is something to do. A command that has begun is finished.",
    },
  ],
};
const { result, failed, named, used, task, wait } = stepOptions;

/** Commands that report a step. */
export const reportCommands: readonly CommandSpec[] = inGroup("Runs:", [
  {
    usage: "done [run]",
    onlyRun: true,
    summary: "Report a step as done, and show the next one.",
    details: [
      "A step that returns something is not done without its result, unless `waymark state` wrote it since the step was handed out. For a",
      "question the result is the answer.",
      "",
      "Without `--action` or `--step` the step that is open now is meant, and the reply says which one that was. Typed twice, such a command",
      "reports two steps: no connection remembers what you were shown, and equal results of two steps are ordinary. The lines that Waymark",
      "prints carry `--action`; run again, they change nothing.",
    ].join("\n"),
    options: [...result, ...named, ...task, ...used, ...wait],
    examples: ["waymark done", "waymark done wf-hello-2026-01-31-a1b2c3 --action a3", "waymark done --result fine"],
    load: async () => (await import("../commands/report-step.ts")).doneCommand,
  },
  {
    usage: "fail [run]",
    onlyRun: true,
    summary: "Report a step as failed, or as blocked for a time, and show what follows.",
    details: "Without `--action` or `--step` it is the step that is open now.",
    options: [...failed, ...named, ...task, ...used, ...wait],
    examples: [
      'waymark fail --error "the tests do not compile"',
      'waymark fail a1b2c3 --action a4 --error "the service is down" --blocked-until 30m',
    ],
    load: async () => (await import("../commands/report-step.ts")).failCommand,
  },
]);
