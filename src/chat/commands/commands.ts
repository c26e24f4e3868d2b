import { refusal } from "../codes.ts";
import { fillTemplate, readTemplate } from "../command-template.ts";
import { callerOf, requireRight, workplaceOf, type Desk } from "../desk.ts";
import { justTalk } from "../handle-text.ts";
import type { Command } from "./command.ts";
import { cloneCommand, codebasesCommand, setFolderCommand } from "./folder-commands.ts";
import { runsText } from "./run-commands.ts";
import { workflowCommand } from "./workflow-command.ts";

const helpCommand: Command = {
  name: "help",
  help: ["  /help - Show this text"],
  run: (desk) => desk.say(helpText()),
};

const statusCommand: Command = {
  name: "status",
  help: ["  /status - Show where this conversation works, and its runs"],
  run: async (desk) => desk.say(await statusText(desk)),
};

const resetCommand: Command = {
  name: "reset",
  help: ["  /reset - Begin the conversation with the agent again; runs continue"],
  run: async ({ parts, place, say }) => {
    await parts.conversations.endSession(place.conversation);
    await say("Session cleared. The next message begins a new conversation with the agent; the folder and the runs stay.");
  },
};

const invokeCommand: Command = {
  name: "command-invoke",
  help: ["  /command-invoke <name> [arguments] - Give the agent a template of .archon/commands"],
  inTurn: true,
  run: async (desk, { args: [name = "", ...args], rest }) => {
    requireRight(desk, "start");
    const { agent, conversations } = desk.parts;
    if (name === "") throw refusal("CHAT_USAGE", "Which template is to be used?", "Write `/command-invoke <name> [arguments]`.");
    const { codebase } = await workplaceOf(desk);
    const template = await readTemplate(conversations, codebase.folder, name);
    if (agent === undefined) throw refusal("CHAT_NO_AGENT", "This chat has no agent that could do this. Nothing was done.");
    // As it was typed, behind the name.
    const all = rest.slice(rest.indexOf(name) + name.length).replace(/^["']?\s*/, "");
    await justTalk(desk, agent, fillTemplate(template, args, all));
  },
};

export const commands: readonly Command[] = [
  helpCommand,
  statusCommand,
  resetCommand,
  setFolderCommand,
  cloneCommand,
  codebasesCommand,
  invokeCommand,
  workflowCommand,
];

function helpText(): string {
  const [workflows, others] = [workflowCommand.help, commands.filter((command) => command !== workflowCommand).flatMap(({ help }) => help)];
  return [
    "Commands:",
    ...others,
    "",
    ...workflows,
    "",
    "Anything else is a request: a workflow that fits is started, or the agent answers.",
  ].join("\n");
}

async function statusText(desk: Desk): Promise<string> {
  const { parts, place, person } = desk;
  const { codebase, folder } = await workplaceOf(desk);
  const held = await parts.conversations.activeSession(place.conversation);
  // One with an agent that the chat has no more is not continued.
  const session = held?.agent === parts.agent ? held : undefined;
  const may = [...person.may].join(", ");
  const key = callerOf(desk).holder.session;
  return [
    `Platform: ${place.platform.getPlatformType()}`,
    `Codebase: ${codebase.name}`,
    `Folder: ${folder}`,
    `Agent: ${parts.agent ?? "none; words decide what is started"}${session === undefined ? "" : `, in session ${session.session}`}`,
    `You: ${person.name === key ? "" : `${person.name}, `}\`${key}\`, who may ${may === "" ? "read and talk" : may}`,
    "",
    await runsText(desk),
  ].join("\n");
}
