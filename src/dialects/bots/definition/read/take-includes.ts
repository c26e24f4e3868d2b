import type { Place } from "../../../../base/index.ts";
import { joinPath } from "./bot-paths.ts";
import type { BotReading } from "./bot-reading.ts";
import { withoutMark } from "../../../../source/index.ts";

export interface IncludeContext {
  readonly text: string;
  /** Where files are looked for, in this order. */
  readonly folders: readonly string[];
  readonly placeAt: (offset: number) => Place;
  /** What is done to the text itself, piece by piece; included files are taken as they are. */
  readonly fill: (text: string, start: number) => string;
}

/** A line that is nothing but `@` and a path, maybe as a member of a list. */
const alone = /^\s*(?:[-*]\s+)?@([^\s@]*[./][^\s@]*)\s*$/;
/** A path of a text file in the middle of a sentence. */
const mention = /(?<=^|[\s("'`])@([\w./-]+\.(?:md|markdown|txt|json|ya?ml|csv|html))(?!\w)/g;

/**
 * Takes in files: a line `@path` is replaced by the file; a path in a sentence stays, and the file follows below the text. Code in
 * fences is left alone. A file that is not there is an error, since the agent would work without it.
 */
export function takeIncludes(reading: BotReading, context: IncludeContext): string {
  const lines: string[] = [];
  const below = new Map<string, string>();
  let offset = 0;
  let fenced = false;
  for (const line of context.text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const whole = fenced ? null : alone.exec(line);
    const included = whole === null ? undefined : fileAt(reading, context, whole[1] ?? "", offset + line.indexOf("@"));
    if (included !== undefined) {
      lines.push(included);
    } else {
      for (const found of fenced || whole !== null ? [] : line.matchAll(mention)) {
        const path = found[1] ?? "";
        const text = fileAt(reading, context, path, offset + found.index);
        if (text !== undefined) below.set(path, text);
      }
      lines.push(context.fill(line, offset));
    }
    offset += line.length + 1;
  }
  return [lines.join("\n"), ...[...below].map(([path, text]) => `@${path}:\n${text}`)].join("\n\n");
}

function fileAt(reading: BotReading, context: IncludeContext, path: string, offset: number): string | undefined {
  const places = [...new Set(context.folders.map((folder) => joinPath(folder, path)))];
  const found = places.find((each) => reading.files.has(each));
  if (found !== undefined) return withoutMark(reading.files.get(found) ?? "").trimEnd();
  reading.complainOf(context.placeAt(offset), {
    code: "BOTS_INCLUDE_MISSING",
    message: `The file \`${path}\` that the instructions take in does not exist. Looked for: ${places.map((each) => `\`${each}\``).join(", ")}.`,
    fix: "Add the file, correct the path, or write a blank behind the `@`.",
  });
  return undefined;
}
