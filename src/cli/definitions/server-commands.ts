import type { CommandSpec, OptionSpec } from "../define-command.ts";

const group = "Servers and shell:";
const tools: OptionSpec = {
  flags: "--tools <names>",
  description: "Toolsets beside the canonical tools, separated by commas; `all` for everything.",
};

/** Commands for other programs, and the tour. */
export const serverCommands: readonly CommandSpec[] = [
  {
    usage: "mcp",
    group,
    summary: "Serve the tools over MCP on stdin and stdout; coding agents start this themselves.",
    options: [tools],
    examples: ["waymark mcp", "waymark mcp --tools state,debug"],
    load: async () => (await import("../commands/mcp.ts")).mcpCommand,
  },
  {
    usage: "serve",
    group,
    summary: "Serve MCP over HTTP on this computer only, until SIGTERM or Ctrl-C.",
    details: "The address and the token are written to a file that only you can read; it is removed when the server stops.",
    options: [{ flags: "-p, --port <number>", description: "Port; 0 takes a free one.", default: "0" }, tools],
    examples: ["waymark serve", "waymark serve --port 7007 --json"],
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
  {
    usage: "completion <shell>",
    group,
    summary: "Print a completion script for bash, zsh or fish.",
    examples: ["waymark completion bash >> ~/.bashrc", "waymark completion fish > ~/.config/fish/completions/waymark.fish"],
    load: async () => (await import("../commands/completion.ts")).completionCommand,
  },
  {
    usage: "demo",
    group,
    summary: "Run a real workflow to its end in a temporary folder and show what happened.",
    details:
      "The tour `migration` takes a sample application through a whole migration and back; `steps` shows a workflow of steps; `bot` leaves a bot in the middle of an action and comes back.",
    options: [
      { flags: "--tour <tour>", description: "Which one.", choices: ["migration", "steps", "bot"], default: "migration" },
      { flags: "--keep", description: "Keep the folder, to look into it afterwards." },
    ],
    examples: ["waymark demo", "waymark demo --tour steps --keep"],
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
];
