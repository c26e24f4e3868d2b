import type { CompletedCommand } from "../commands/completion.ts";
import { inGroup, type CommandSpec, type OptionSpec } from "../define-command.ts";
import type { TourSpec } from "../dialect-commands.ts";

const group = "Servers and shell:";
const tools: OptionSpec = {
  flags: "--tools <names>",
  description: "Toolsets beside the canonical tools, separated by commas; `all` for everything.",
};

/** Commands for other programs. */
export const serverCommands: readonly CommandSpec[] = inGroup(group, [
  {
    usage: "chat",
    summary: "Talk in the terminal: a request starts the workflow that fits, questions are answered here.",
    details: `A run does not hold the conversation: write on while it works. Without a terminal each line of stdin is a message, which waits
until the one before is done, and questions cannot be answered.`,
    options: [
      { flags: "--conversation <name>", description: "Which conversation to continue; `main` without it." },
      { flags: "--mode <mode>", description: "Show texts as they come, or those of a step together.", choices: ["stream", "batch"] },
      {
        flags: "--test-adapter <port>",
        description:
          "Serve the test adapter instead: messages by HTTP, from this computer only, for trying out with `curl`; 0 takes a free port.",
      },
    ],
    examples: ["waymark chat", "echo 'Build a dark mode feature' | waymark chat", "waymark chat --test-adapter 3000"],
    load: async () => (await import("../commands/chat.ts")).chatCommand,
  },
  {
    usage: "mcp",
    summary: "Serve the tools over MCP on stdin and stdout; coding agents start this themselves.",
    options: [tools],
    examples: ["waymark mcp", "waymark mcp --tools state,debug"],
    load: async () => (await import("../commands/serve.ts")).mcpCommand,
  },
  {
    usage: "serve",
    summary: "Serve MCP over HTTP on this computer only, until SIGTERM or Ctrl-C.",
    details: "The address and the token are written to a file that only you can read; it is removed when the server stops.",
    options: [{ flags: "-p, --port <number>", description: "Port; 0 takes a free one.", default: "0" }, tools],
    examples: ["waymark serve", "waymark serve --port 7007 --json"],
    load: async () => (await import("../commands/serve.ts")).serveCommand,
  },
]);

export function completionSpec(completed: () => readonly CompletedCommand[]): CommandSpec {
  return {
    usage: "completion <shell>",
    group,
    summary: "Print a completion script for bash, zsh or fish.",
    examples: ["waymark completion bash >> ~/.bashrc", "waymark completion fish > ~/.config/fish/completions/waymark.fish"],
    load: async () => (await import("../commands/completion.ts")).completionCommand(completed()),
  };
}

/** The tour that is shown when none is named comes first. */
export function demoSpec(all: readonly TourSpec[]): CommandSpec {
  const tours = all.toSorted((a, b) => Number(b.preset === true) - Number(a.preset === true));
  const names = tours.map(({ name }) => name);
  return {
    usage: "demo",
    group,
    summary: "Run a real workflow to its end in a temporary folder and show what happened.",
    details: `The tour ${tours.map(({ name, about }) => `\`${name}\` ${about}`).join("; ")}.`,
    options: [
      { flags: "--tour <tour>", description: "Which one.", choices: names, default: names[0] ?? "" },
      { flags: "--keep", description: "Keep the folder, to look into it afterwards." },
    ],
    examples: ["waymark demo", `waymark demo --tour ${names[1] ?? ""} --keep`],
    load: async () => (await import("../commands/demo.ts")).demoCommand(tours),
  };
}
