import { basename } from "node:path";
import type { Codebase } from "../../ports/index.ts";
import { belowRoots, isWithin } from "../below-roots.ts";
import { refusal } from "../codes.ts";
import { requireRight, workplaceOf, type Desk } from "../desk.ts";
import type { Command } from "./command.ts";

export const setFolderCommand: Command = {
  name: "setcwd",
  help: ["  /setcwd <folder> - Work in another folder"],
  run: async (desk, { args: [path = "", more] }) => {
    requireRight(desk, "clone");
    if (path === "" || more !== undefined)
      throw refusal(
        "CHAT_USAGE",
        "`/setcwd` takes one folder. Nothing was changed.",
        "Write `/setcwd <folder>`, in quotes where it has spaces.",
      );
    const { codebase, folder } = await workplaceOf(desk);
    const real = await belowRoots(path, folder, desk.parts.roots);
    const { conversations } = desk.parts;
    const { conversation } = desk.place;
    const known = (await conversations.listCodebases()).filter((each) => isWithin(real, each.folder));
    // The one that it is deepest in; the present one before another of the same folder.
    const [within] = known.toSorted(
      (a, b) => b.folder.length - a.folder.length || Number(b.id === codebase.id) - Number(a.id === codebase.id),
    );
    const target = within ?? (await conversations.keepCodebase({ name: basename(real), folder: real }));
    await conversations.moveConversation(conversation, { codebase: target.id, ...(real === target.folder ? {} : { folder: real }) });
    await conversations.endSession(conversation);
    await desk.say(`Working directory set to: ${real}\n\nCodebase: ${target.name}. The conversation with the agent begins again.`);
  },
};

export const cloneCommand: Command = {
  name: "clone",
  help: ["  /clone <address or folder> [name] - Work on a repository"],
  run: async (desk, { args: [from = "", name = nameOf(from), more] }) => {
    requireRight(desk, "clone");
    if (from === "" || more !== undefined)
      throw refusal(
        "CHAT_USAGE",
        "`/clone` takes an address or a folder, and a name. Nothing was cloned.",
        "Write `/clone <address> [name]`.",
      );
    const { parts, place } = desk;
    const codebase = isAddress(from) ? await cloned(desk, from, name) : await localCodebase(desk, from, name);
    await parts.conversations.moveConversation(place.conversation, { codebase: codebase.id });
    await parts.conversations.endSession(place.conversation);
    await desk.say(`Codebase ${codebase.name} is ready.\n\nFolder: ${codebase.folder}\n\nWrite \`/workflow list\` for its workflows.`);
  },
};

export const codebasesCommand: Command = {
  name: "codebases",
  help: ["  /codebases - Show the codebases that are known here"],
  run: async (desk) => {
    const known = await desk.parts.conversations.listCodebases();
    const here = await desk.parts.conversations.readConversation(desk.place.conversation);
    const lines = known.map(({ id, name, folder, repository }) => {
      const from = repository === undefined ? "" : ` (${repository})`;
      return `- **${name}**${id === here?.codebase ? " (this conversation)" : ""}: ${folder}${from}`;
    });
    await desk.say(
      lines.length === 0
        ? "No codebases yet. Use /clone first."
        : `Codebases:\n\n${lines.join("\n")}\n\nWrite \`/setcwd <folder>\` to work on another one.`,
    );
  },
};

async function localCodebase({ parts }: Desk, from: string, name: string): Promise<Codebase> {
  const folder = await belowRoots(from, parts.home.folder, parts.roots);
  return parts.conversations.keepCodebase({ name: name === "" ? basename(folder) : name, folder });
}

async function cloned({ parts }: Desk, from: string, name: string): Promise<Codebase> {
  const folder = await parts.clone(from, name);
  return parts.conversations.keepCodebase({ name, folder, repository: from });
}

/** What git takes for an address: with a scheme, or `user@host:path`. Anything else is a folder. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) || /^[^/\\\s]+@[^/\\\s]+:/.test(text);
}

function nameOf(from: string): string {
  return (
    from
      .replace(/[/\\]+$/, "")
      .replace(/\.git$/, "")
      .split(/[/\\:]/)
      .at(-1) ?? ""
  );
}
