import { isList, isObject, textOf, own, type Json, type Place } from "../../../../base/index.ts";
import { child, entriesOf, isText, textsAt, withoutMark, type SourceNode } from "../../../../source/index.ts";
import { checkKeys, instructionsShape } from "../config-keys.ts";
import { instructionFiles, placeholderNames, plainName, runPlaceholders } from "../vocabulary.ts";
import type { ActionPart } from "./read-actions.ts";
import { folderOf, joinPath, type BotReading } from "./bot-reading.ts";

/** What instructions are put together from. */
interface InstructionContext {
  /** Placeholders that have a value. */
  readonly values: Readonly<Record<string, string>>;
  /** Folders in which included files are looked for, after that of the text itself. */
  readonly folders: readonly string[];
}

/** A piece of text and its place. */
interface Piece {
  readonly text: string;
  /** Folder of its file. */
  readonly folder: string;
  readonly placeAt: (offset: number) => Place;
}

/** Instructions of configurations and of the files beside them, in this order, with everything put in that is known by now. */
export function readInstructions(reading: BotReading, parts: readonly ActionPart[], context: InstructionContext): string[] {
  const pieces = parts.flatMap(({ node, folder }) => [
    ...(node === undefined ? [] : piecesOf(reading, node)),
    ...(folder === undefined
      ? []
      : instructionFiles.flatMap((name) => piecesIn(reading, `${folder}/${name}`.replace(/^\//, ""), context.values))),
  ]);
  return pieces.map((piece) => takeIncludes(reading, piece, context)).filter((text) => text.trim() !== "");
}

function piecesOf(reading: BotReading, node: SourceNode): Piece[] {
  const folder = folderOf(reading.pathOf(node));
  return textsAt(node, "instructions").map((text) => ({
    text: text.value,
    folder,
    placeAt: (offset) => text.file.placeInText(text.path, offset, 1),
  }));
}

function piecesIn(reading: BotReading, path: string, values: InstructionContext["values"]): Piece[] {
  const text = reading.files.get(path);
  if (text === undefined) return [];
  if (!path.endsWith(".json")) {
    const plain = withoutMark(text);
    const placeAt = (offset: number): Place => {
      const before = plain.slice(0, offset).split("\n");
      return reading.place(path, before.length, (before.at(-1) ?? "").length + 1);
    };
    return [{ text: plain.trimEnd(), folder: folderOf(path), placeAt }];
  }
  const node = reading.json(path);
  if (node === undefined) return [];
  // A bare text or list of lines says the same with fewer words.
  if (isText(node) || (isList(node.value) && node.value.every((line) => typeof line === "string")))
    return piecesOf(reading, { ...node, value: { instructions: node.value } }).map((piece) => ({
      ...piece,
      placeAt: () => reading.place(path),
    }));
  if (!checkKeys(reading, node, instructionsShape, `\`${path}\``)) return [];
  checkMeant(reading, node, path, values);
  return piecesOf(reading, node);
}

/** Lines count for what is in their folder, so another name in them is a mistake. */
function checkMeant(reading: BotReading, node: SourceNode, path: string, values: InstructionContext["values"]): void {
  const folders = folderOf(path).split("/").map(plainName);
  for (const key of ["actionName", "behaviorName"]) {
    const named = child(node, key);
    const about = values[key === "actionName" ? "action" : "behavior"];
    if (!isText(named) || about === undefined) continue;
    const meant = plainName(named.value);
    if (meant === about || folders.includes(meant)) continue;
    reading.warn(named, {
      code: "BOTS_FOLDER_DIFFERS",
      message: `\`${key}\` is \`${named.value}\`, but the lines are in the folder of \`${about}\` and count for that.`,
      fix: `Write \`${about}\`, or move the file.`,
    });
  }
}

/** A name that only a run, or only a behaviour, can fill stays; any other is reported once. */
function complainOfPlaceholder(reading: BotReading, name: string, place: Place): void {
  if ((runPlaceholders as readonly string[]).includes(name) || Object.hasOwn(placeholderNames, name)) return;
  const message = `Nothing fills the placeholder \`{{${name}}}\`; the agent is shown it as it is.`;
  if (reading.found.some((each) => each.code === "BOTS_UNKNOWN_PLACEHOLDER" && each.message === message)) return;
  reading.warn(place, {
    code: "BOTS_UNKNOWN_PLACEHOLDER",
    message,
    fix: `Use one of ${[...Object.keys(placeholderNames), ...runPlaceholders].map((each) => `\`${each}\``).join(", ")}, or write the text itself.`,
  });
}

/** `Goal: ...` and the like, for values that may be a text, a list or a map. */
export function labelled(label: string, node: SourceNode | undefined): string[] {
  const text = node === undefined ? "" : inLines(node.value);
  if (text === "") return [];
  return [text.includes("\n") ? `${label}:\n${text}` : `${label}: ${text}`];
}

function inLines(value: Json): string {
  if (value === null) return "";
  if (isList(value)) return value.map((each) => `- ${textOf(each)}`).join("\n");
  if (isObject(value))
    return Object.entries(value)
      .map(([key, held]) => `- ${key}: ${textOf(held)}`)
      .join("\n");
  return textOf(value).trim();
}

/** Values of a behaviour that its instructions may name. */
export function behaviourValues(node: SourceNode | undefined): Record<string, string> {
  const found = entriesOf(node).filter(([key]) => ["goal", "inputs", "outputs", "description"].includes(key));
  return Object.fromEntries(found.map(([key, { value }]) => [key, inLines(value)]));
}

/** A line that is nothing but `@` and a path, maybe as a member of a list. */
const alone = /^\s*(?:[-*]\s+)?@([^\s@]*[./][^\s@]*)\s*$/;
/** A path of a text file in the middle of a sentence. */
const mention = /(?<=^|[\s("'`])@([\w./-]+\.(?:md|markdown|txt|json|ya?ml|csv|html))(?!\w)/g;

/**
 * Takes in files: a line `@path` is replaced by the file; a path in a sentence stays, and the file follows below the text. Code in
 * fences is left alone. A file that is not there is an error, since the agent would work without it.
 */
function takeIncludes(reading: BotReading, piece: Piece, { values, folders }: InstructionContext): string {
  const context = { ...piece, folders: [piece.folder, ...folders, ""] };
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
      const start = offset;
      lines.push(fillPlaceholders(line, values, (name, at) => complainOfPlaceholder(reading, name, piece.placeAt(start + at))));
    }
    offset += line.length + 1;
  }
  return [lines.join("\n"), ...[...below].map(([path, text]) => `@${path}:\n${text}`)].join("\n\n");
}

function fileAt(
  reading: BotReading,
  context: Pick<Piece, "placeAt"> & Pick<InstructionContext, "folders">,
  path: string,
  offset: number,
): string | undefined {
  const places = [...new Set(context.folders.map((folder) => joinPath(folder, path)))];
  const found = places.find((each) => reading.files.has(each));
  if (found !== undefined) return withoutMark(reading.files.get(found) ?? "").trimEnd();
  reading.complain(context.placeAt(offset), {
    code: "BOTS_INCLUDE_MISSING",
    message: `The file \`${path}\` that the instructions take in does not exist. Looked for: ${places.map((each) => `\`${each}\``).join(", ")}.`,
    fix: "Add the file, correct the path, or write a blank behind the `@`.",
  });
  return undefined;
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Puts values into `{{placeholders}}`, whichever spelling is used for them. What has no value here stays as it is, and `missing` is
 * called with its name.
 */
export function fillPlaceholders(
  text: string,
  values: Readonly<Record<string, string>>,
  missing?: (name: string, offset: number) => void,
): string {
  return text.replaceAll(placeholder, (written: string, name: string, offset: number) => {
    const value = own(values, own(placeholderNames, name) ?? name);
    if (value === undefined) missing?.(name, offset);
    return value ?? written;
  });
}
