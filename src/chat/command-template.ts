import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { nearest } from "../base/index.ts";
import type { Conversations } from "../ports/index.ts";
import { isWithin } from "./below-roots.ts";
import { refusal } from "./codes.ts";

/** Where a codebase keeps templates, a file each. */
const folderOfTemplates = ".archon/commands";
const ending = ".md";

/**
 * What a template says for these arguments: `$1` to `$9`, `$ARGUMENTS`, and `\$` for a dollar, replaced in one pass. Whole names count, so `$10` and
 * `$ARGUMENTS_LIST` stay; what is put in is not read again.
 */
export function fillTemplate(content: string, args: readonly string[], all: string = args.join(" ")): string {
  return content.replaceAll(/\\\$|\$([1-9]|ARGUMENTS)(?![A-Za-z0-9_])/g, (found: string, name: string | undefined) => {
    if (name === undefined) return "$";
    return name === "ARGUMENTS" ? all : (args[Number(name) - 1] ?? "");
  });
}

/** The text of a template: of the codebase, else of the store. */
export async function readTemplate(
  conversations: Pick<Conversations, "readTemplate" | "listTemplates">,
  codebase: string,
  name: string,
): Promise<string> {
  const known = await namesIn(codebase);
  if (known.includes(name)) return readInside(codebase, name);
  const kept = await conversations.readTemplate(name);
  if (kept !== undefined) return kept.content;
  const all = [...known, ...(await conversations.listTemplates()).map((each) => each.name)];
  const [near] = nearest(name, all, 1);
  const hint =
    near !== undefined
      ? `Did you mean \`${near}\`?`
      : all.length > 0
        ? `There are: ${all.join(", ")}.`
        : `Templates are files such as ${folderOfTemplates}/plan${ending} in the codebase.`;
  throw refusal("CHAT_NO_TEMPLATE", `There is no command template \`${name}\`. Nothing was done.`, hint);
}

/** Only names that are listed are opened, so a name leads nowhere else. */
async function namesIn(codebase: string): Promise<readonly string[]> {
  try {
    const files = await readdir(join(codebase, folderOfTemplates));
    return files.flatMap((file) => (file.endsWith(ending) && !file.startsWith(".") ? [file.slice(0, -ending.length)] : []));
  } catch {
    return [];
  }
}

async function readInside(codebase: string, name: string): Promise<string> {
  const file = await realpath(join(codebase, folderOfTemplates, `${name}${ending}`));
  if (isWithin(file, await realpath(codebase))) return readFile(file, "utf8");
  throw refusal(
    "CHAT_NO_TEMPLATE",
    `The command template \`${name}\` is a link out of the codebase, which is not followed.`,
    "Replace the link by the file.",
  );
}
