import { inGroup, type CommandSpec } from "../define-command.ts";

const writes = ["set", "append", "increment", "merge"];

/** Commands that look into a run; `state` can also write. */
export const lookCommands: readonly CommandSpec[] = inGroup("Looking into runs:", [
  {
    usage: "state [run] [paths...]",
    onlyRun: (args, options) => args.length === 0 || !writes.some((option) => option in options),
    ofEnded: true,
    summary: "Read or write the state of a run.",
    details: [
      "Reads all of it, or the paths named. Writes are all made or none. While a step of an included workflow is open, both mean the",
      "state of that workflow, and what is printed says so.",
    ].join("\n"),
    options: [
      { flags: "--set <path=value>", description: "Write a value, JSON where it is JSON. Repeatable.", repeatable: true },
      { flags: "--append <path=value>", description: "Add to the end of a list. Repeatable.", repeatable: true },
      { flags: "--increment <path[=number]>", description: "Add to a number. Repeatable.", repeatable: true },
      { flags: "--merge <path=object>", description: "Put the keys of an object into another. Repeatable.", repeatable: true },
      { flags: "--expect-version <number>", description: "Write only if the state has this version." },
      { flags: "--task <id>", description: "The state a sub-agent task sees." },
      { flags: "--of <whose>", description: "`run` reads the run's own state, also inside an included workflow." },
      { flags: "--deps <field>", description: "What a computed field depends on, and what depends on it." },
    ],
    examples: [
      "waymark state is_well raw.mood",
      "waymark state a1b2c3 --set raw.mood=fine --increment raw.asked",
      "waymark state --deps is_well",
    ],
    load: async () => (await import("../commands/state.ts")).stateCommand,
  },
  {
    usage: "items [run]",
    onlyRun: true,
    ofEnded: true,
    summary: "List the items of a run with the status of each, and why it was skipped or failed.",
    details: "Nodes of a graph, tasks, files: whatever the run works through. With `--jsonl` one item per line.",
    options: [
      { flags: "--status <status>", description: "Only those.", choices: ["pending", "in_progress", "completed", "skipped", "failed"] },
    ],
    examples: ["waymark items --status skipped"],
    load: async () => (await import("../commands/items.ts")).itemsCommand,
  },
  {
    usage: "trace [run]",
    summary: "Show how computed fields of a run come about: inputs, results and times; or try a transformation.",
    details: "Evaluations are kept by the process that made them, so this one evaluates every field once and shows that.",
    options: [
      { flags: "--field <name>", description: "Only this computed field." },
      { flags: "--try <javascript>", description: "Run a transformation in the sandbox without touching any run." },
      { flags: "--with <json>", description: "What `input` is for --try; default null." },
    ],
    examples: ["waymark trace a1b2c3 --field is_well", "waymark trace --try 'input.filter((n) => n > 1)' --with '[1, 2, 3]'"],
    load: async () => (await import("../commands/show-history.ts")).traceCommand,
  },
  {
    usage: "journal [run]",
    onlyRun: true,
    ofEnded: true,
    summary: "Show what happened in a run, record by record.",
    details: "With `--jsonl` one record per line.",
    options: [
      { flags: "--after <position>", description: "Only records after this position.", default: "0" },
      { flags: "--limit <count>", description: "At most this many.", default: "100" },
    ],
    examples: ["waymark journal", "waymark journal a1b2c3 --after 120 --limit 20 --jsonl"],
    load: async () => (await import("../commands/show-history.ts")).journalCommand,
  },
  {
    usage: "transcript [run]",
    onlyRun: true,
    ofEnded: true,
    summary: "Show what agents said and did in a run.",
    details: [
      "Waymark keeps a transcript of the agents that it starts itself. Secrets are masked; large inputs and outputs of tools are cut. With",
      "`--jsonl` one entry per line, with everything that is kept.",
    ].join("\n"),
    options: [
      { flags: "--step <id>", description: "Only what belongs to this step." },
      { flags: "--follow", description: "Wait for more until the run ends. Leave with Ctrl-C." },
    ],
    examples: ["waymark transcript", "waymark transcript a1b2c3 --step review --follow"],
    load: async () => (await import("../commands/transcript.ts")).transcriptCommand,
  },
  {
    usage: "export [run]",
    onlyRun: true,
    ofEnded: true,
    summary: "Print a run as one JSON document: inputs, state, journal. Secrets are masked.",
    options: [
      { flags: "-f, --format <format>", description: "Which form.", choices: ["waymark"], default: "waymark" },
      { flags: "-o, --out <file>", description: "Write it to a file instead of stdout." },
    ],
    examples: ["waymark export --out run.json"],
    load: async () => (await import("../commands/show-history.ts")).exportCommand,
  },
]);
