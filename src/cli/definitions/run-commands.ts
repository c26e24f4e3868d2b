import { inGroup, type CommandSpec, type OptionSpec } from "../define-command.ts";
import { reportCommands, stepOptions } from "./report-commands.ts";

const { task, wait } = stepOptions;

/** How agents are driven. */
const driving: readonly OptionSpec[] = [
  { flags: "--agent <name>", description: "The agent; `waymark agents` lists them. A step's own comes first." },
  { flags: "--model <name>", description: "The model that the agent uses." },
  {
    flags: "--permission <level>",
    description: "What it may do unattended: `read`, `edit` files in the folder, or `all`, which adds commands.",
    choices: ["read", "edit", "all"],
  },
  { flags: "--workers <number>", description: "Agents at the same time, 1 to 64, each on a file or task of its own; see `drive.workers`." },
  {
    flags: "--role <binding>",
    description: "Who plays a role: `Reviewer=codex`, also with `,model=<name>` and `,permission=<level>`. Repeatable.",
    repeatable: true,
  },
  {
    flags: "--context <kind>",
    description: "Of items such as files: `fresh` for each, or `shared` by the entries of one.",
    choices: ["fresh", "shared"],
  },
  {
    flags: "--on-lost <how>",
    description: "Of a step that continues a conversation which is gone: begin a `fresh` one, or `replay` what was said; else it fails.",
    choices: ["fresh", "replay"],
  },
];

/** How much a driven run may use, and whether it waits. */
const limiting = (minutes: string): readonly OptionSpec[] => [
  { flags: "--budget-usd <amount>", description: "What its agents may cost in all, in US dollars; the run asks before it exceeds it." },
  { flags: "--budget-tokens <n>", description: "How many tokens they may use in all." },
  { flags: "--max-minutes <n>", description: minutes },
  { flags: "--no-wait", description: "End (4) where only time helps, instead of waiting until an account's limit is over." },
];

/** Commands that drive a run. */
export const runCommands: readonly CommandSpec[] = inGroup("Runs:", [
  {
    usage: "start <workflow> [paths...]",
    summary: "Start a run and show its first step.",
    options: [
      { flags: "-i, --input <key=value>", description: "An input; values may be JSON. Repeatable.", repeatable: true },
      { flags: "--inputs <file>", description: "A JSON file with inputs by name; `-` reads stdin." },
      { flags: "--serial", description: "Sub-agent tasks one after another in this line instead of in parallel." },
      {
        flags: "--budget <limits>",
        description: "Limits such as `steps=10,minutes=5,tokens=20000,money=2`; the run asks before it exceeds one.",
      },
      ...wait,
    ],
    examples: ["waymark start codebase-review", "waymark start hello --input name=Ada --budget steps=50,minutes=30"],
    load: async () => (await import("../commands/drive-run.ts")).startCommand,
  },
  {
    usage: "run <workflow> [wanted...]",
    summary: "Start a run and let a coding agent drive it to its end, without anybody at the keyboard.",
    details: [
      "Ctrl-C once lets the open turn or command come to its end, twice cancels it, as SIGTERM does, three times ends Waymark at once; all leave the",
      "run where it is. Exit codes: 0 complete,",
      "1 failed or cancelled, 3 it waits for a person, 4 parked. With `--by-hand` you do the steps yourself, of a workflow or of an open run.",
    ].join("\n"),
    options: [
      { flags: "-i, --input <key=value>", description: "An input; values may be JSON. Repeatable.", repeatable: true },
      { flags: "--inputs <file>", description: "A JSON file with inputs by name; `-` reads stdin." },
      ...driving,
      ...limiting("How long the run may take, from now on."),
      { flags: "--worktree", description: "Work in a git worktree of its own; nothing is merged by itself." },
      { flags: "--by-hand", description: "No agent: it asks, you answer and do its steps. Missing inputs are asked for." },
    ],
    examples: [
      'waymark run feature-development "Add a dark theme" --agent claude --worktree',
      "waymark run hello --by-hand",
      "waymark run a1b2c3 --by-hand",
    ],
    load: async () => (await import("../commands/drive-agent.ts")).runCommand,
  },
  {
    usage: "drive [run]",
    onlyRun: true,
    summary: "Let a coding agent take up an open run of any workflow and drive it to its end.",
    details: "Exit codes: 0 complete, 1 failed or cancelled, 3 it waits for a person, 4 parked.",
    options: [...driving, ...limiting("How long this drive may take; the run keeps a limit of its own.")],
    examples: ["waymark drive --agent claude --permission edit", "waymark drive a1b2c3 --budget-usd 5 --max-minutes 480"],
    load: async () => (await import("../commands/drive-agent.ts")).driveCommand,
  },
  {
    usage: "work",
    summary: "Let coding agents take up open parts of any run of the project that you have allowed, until it is stopped.",
    details: [
      "Any number of computers can do this on one database; see docs/scale.md. Runs whose workflow you have not allowed here, whose agent is missing, or whose",
      "worktree is on another computer are left to others, with the reason. SIGTERM and Ctrl-C let the open turns come to their ends and give everything",
      "back; the second one cancels them.",
    ].join("\n"),
    options: driving,
    examples: ["waymark work --agent claude --permission edit --workers 4", "waymark work --jsonl"],
    load: async () => (await import("../commands/work.ts")).workCommand,
  },
  {
    usage: "next [run]",
    onlyRun: true,
    summary: "Show the open step of a run; it stays the same until it is reported.",
    options: [...task, ...wait],
    examples: ["waymark next", "waymark next a1b2c3"],
    load: async () => (await import("../commands/drive-run.ts")).nextCommand,
  },
  ...reportCommands,
  {
    usage: "status [run]",
    summary: "Show where a run is and who works on it; without an id, all open runs.",
    examples: ["waymark status", "waymark status a1b2c3"],
    load: async () => (await import("../commands/status.ts")).statusCommand,
  },
  {
    usage: "watch [run]",
    summary: "Watch a run until it ends; without an id, the newest open one.",
    details: [
      "Shows where the run is, what its agents do and what waits for you, also when another process works on it. Changes nothing. Leave with",
      "Ctrl-C. Without a terminal it prints what changes; with `--jsonl` a line of JSON for each. Ends with 1 when the run fails.",
    ].join("\n"),
    examples: ["waymark watch", "waymark watch a1b2c3"],
    load: async () => (await import("../commands/watch.ts")).watchCommand,
  },
  {
    usage: "runs",
    summary: "List runs, newest first.",
    options: [
      { flags: "--status <status>", description: "Only those with this status.", choices: ["running", "completed", "failed", "cancelled"] },
      { flags: "--workflow <name>", description: "Only those of this workflow." },
      { flags: "--limit <count>", description: "At most this many.", default: "20" },
      { flags: "--ids", description: "Ids only, one per line." },
    ],
    examples: ["waymark runs", "waymark runs --status failed --json"],
    load: async () => (await import("../commands/status.ts")).runsCommand,
  },
  {
    usage: "decide [run] [question] [answer...]",
    onlyRun: () => true,
    beforeText: true,
    summary: "Answer a question of a run.",
    details: [
      "Asks on the terminal when no answer is given. While one question is open, one of its choices alone answers it, also without the run where one run is open. There",
      "`yes`, `ok`, `lgtm`, `no` and their like are understood where one choice alone can be meant, and asked back. Only on a terminal does the answer count as a",
      "person's own: without one, questions that an agent may relay are recorded as relayed, and questions for a person are refused. An answer that does not count because",
      "another one was first, or because the question has changed since, changes nothing and ends with exit code 2.",
    ].join("\n"),
    options: [
      {
        flags: "--reason <text>",
        description:
          "Why the answer is what it is; of questions that take a reason, such as approvals. On a terminal you are asked for it.",
      },
      { flags: "--decline <reason>", description: "Say that there will be no answer now, and why." },
      { flags: "--revision <number>", description: "Which asking of the question is meant; the first without it." },
    ],
    examples: [
      "waymark decide",
      "waymark decide approve",
      "waymark decide a1b2c3 approve",
      "waymark decide wf-hello-2026-01-31-a1b2c3 d4 approve",
    ],
    load: async () => (await import("../commands/decide.ts")).decideCommand,
  },
  {
    usage: "tell [run] [text...]",
    onlyRun: ({ length }) => length === 1,
    beforeText: true,
    summary: "Leave a note that is delivered with the run's next step.",
    options: [{ flags: "--for <step>", description: "Deliver it with this step, task, node or role instead of the next step." }],
    examples: ['waymark tell "use the staging database"', 'waymark tell a1b2c3 "use the staging database"'],
    load: async () => (await import("../commands/steer-run.ts")).tellCommand,
  },
  {
    usage: "resume [run]",
    onlyRun: true,
    summary: "Resume a run; in a terminal also from a holder that is still alive.",
    options: [...task, ...wait],
    details: "`waymark checkpoint` gives back what you took over.",
    examples: ["waymark resume"],
    load: async () => (await import("../commands/drive-run.ts")).resumeCommand,
  },
  {
    usage: "retry [run]",
    onlyRun: true,
    alsoFailed: true,
    summary: "Retry a failed or blocked run from where it stopped.",
    options: [{ flags: "--reset-counts", description: "Count tries from the beginning again." }, ...wait],
    examples: ["waymark retry"],
    load: async () => (await import("../commands/drive-run.ts")).retryCommand,
  },
  {
    usage: "abort <run>",
    summary: "End a run as cancelled.",
    options: [
      { flags: "--reason <text>", description: "Why, for the journal." },
      { flags: "--as-failed", description: "End it as failed instead, so that it can be retried." },
    ],
    examples: ['waymark abort a1b2c3 --reason "started by mistake"'],
    load: async () => (await import("../commands/steer-run.ts")).abortCommand,
  },
  {
    usage: "checkpoint [run]",
    onlyRun: true,
    summary:
      "Name the place a run is at, write its state to a file, print the text for the next conversation, and give back what you hold.",
    options: [
      { flags: "--reason <text>", description: "Why.", default: "asked for at the command line" },
      { flags: "--step <id>", description: "The step it belongs to; default the open one." },
    ],
    examples: ['waymark checkpoint --reason "end of the day"'],
    load: async () => (await import("../commands/steer-run.ts")).checkpointCommand,
  },
]);
