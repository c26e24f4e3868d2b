import { inGroup, type CommandSpec, type OptionSpec } from "../define-command.ts";

const yes: OptionSpec = { flags: "-y, --yes", description: "Do not ask." };

/** Commands that set up, check and clean a workspace. */
export const workspaceCommands: readonly CommandSpec[] = inGroup("Workspace:", [
  {
    usage: "init",
    summary: "Write the MCP configuration for your coding agents; shows the difference first.",
    details: [
      "Clients: claude-code (.mcp.json, and its tools are allowed in .claude/settings.json), codex (.codex/config.toml), vscode (.vscode/mcp.json), cursor",
      "(.cursor/mcp.json), gemini (.gemini/settings.json), opencode (opencode.json), zed (.zed/settings.json), goose (config.yaml of your own configuration).",
      "Without `--client`, those that the workspace already uses. Files of the workspace start `waymark` by its name, for everybody who works here.",
      "What others wrote in these files stays as it is; `--remove` takes out exactly what was written.",
    ].join("\n"),
    options: [
      { flags: "--client <names>", description: "Clients, separated by commas, or `all`." },
      { flags: "--example", description: "Also write a small workflow with its test, and a commented configuration." },
      { flags: "--command <line>", description: "How clients start Waymark, instead of `waymark mcp`." },
      { flags: "--remove", description: "Take out what was written before." },
      { flags: "--dry-run", description: "Show the difference and change nothing." },
      yes,
    ],
    examples: ["waymark init", "waymark init --client claude-code,codex --example --yes", "waymark init --remove"],
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  {
    usage: "allow [workflows...]",
    summary: "Allow workflows of this project to run commands; shows what that would be first.",
    details: [
      "A permission counts for exactly the content shown, in this workspace, and is kept outside of it. After a change it shows what is different",
      "from what was allowed. Long prompts are cut unless you add `--show`. Without a terminal, `--yes` works only when",
      "WAYMARK_ALLOW_UNATTENDED=1 is set, and is recorded as unattended.",
    ].join("\n"),
    options: [
      { flags: "--all", description: "Every workflow of the project that runs something." },
      {
        flags: "--command <line>",
        description: "Allow one command, word for word, in every workflow of this workspace, but not in nodes of graphs. Repeatable.",
        repeatable: true,
      },
      { flags: "--agent <name>", description: "Allow a coding agent that the project's configuration names to be started." },
      { flags: "--show", description: "Show all of it, prompts whole, and allow nothing; needs no terminal." },
      { flags: "--list", description: "Show what is allowed." },
      {
        flags: "--revoke",
        description: "Take the permission back; with --command that of a command, with --all every one of this workspace.",
      },
      yes,
    ],
    examples: [
      "waymark allow hello",
      'waymark allow --command "npm test"',
      "waymark allow hello --show",
      "waymark allow --list",
      'waymark allow --command "npm test" --revoke',
    ],
    load: async () => (await import("../commands/allow.ts")).allowCommand,
  },
  {
    usage: "adopt",
    summary: "Work with a store that came with the project or a copy; shows its open runs and what they would run first.",
    details: [
      "Until you adopt it, a store that you did not make is only looked into: nothing of it is changed, handed out or run. Stores of earlier",
      "versions need this once. The mark is kept outside of the workspace. Without a terminal, `--yes` works only when",
      "WAYMARK_ALLOW_UNATTENDED=1 is set.",
    ].join("\n"),
    options: [yes],
    examples: ["waymark adopt"],
    load: async () => (await import("../commands/adopt.ts")).adoptCommand,
  },
  {
    usage: "agents [action] [agent]",
    summary: "List the coding agents: which are installed, answer, and what they offer; or try one.",
    details: [
      "Every agent that is found is started for a moment. `waymark agents try <agent>` gives it one small turn in an empty folder, in which it",
      "may only read; that uses your account. An agent that the project configures is started only after `waymark allow --agent`.",
    ].join("\n"),
    examples: ["waymark agents", "waymark agents --json", "waymark agents try claude"],
    load: async () => (await import("../commands/agents.ts")).agentsCommand,
  },
  {
    usage: "config [key]",
    summary: "Show every effective setting and where it comes from.",
    examples: ["waymark config", "waymark config limits.call_wait_ms"],
    load: async () => (await import("../commands/config.ts")).configCommand,
  },
  {
    usage: "doctor [run]",
    summary: "Check the store, by replaying journals, and the files of knowledge folders.",
    options: [{ flags: "--rebuild", description: "Rebuild what can be derived (items, snapshots) from the journals first." }],
    examples: ["waymark doctor", "waymark doctor a1b2c3 --rebuild"],
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  {
    usage: "prune",
    summary: "Remove ended runs that are older than a time, large values nobody refers to, and messages of chats that are done.",
    details:
      "Messages are kept for 30 days at least, whatever the time: until then one that a platform delivers again is not done again. In a database those of all its chats are removed.",
    options: [
      { flags: "--older-than <time>", description: "Last touched before this: `30d`, `12h`, `2w`. Required." },
      { flags: "--dry-run", description: "Show what would go and change nothing." },
    ],
    examples: ["waymark prune --older-than 30d --dry-run", "waymark prune --older-than 30d"],
    load: async () => (await import("../commands/remove-runs.ts")).pruneCommand,
  },
  {
    usage: "rm <runs...>",
    summary: "Remove runs and what Waymark keeps of them; asks first.",
    details:
      "Files that they left in the workspace are yours and stay; artifacts and logs of runs are named, and a folder for artifacts that is empty is removed. A worktree is removed with its run when everything in it is in this folder's commit too. Else it is kept, and the command that removes it is printed. A run that is being driven is refused unless you force it.",
    options: [yes, { flags: "--force", description: "Also runs that are driven at the moment; turns of their agents come to nothing." }],
    examples: ["waymark rm a1b2c3"],
    load: async () => (await import("../commands/remove-runs.ts")).rmCommand,
  },
]);
