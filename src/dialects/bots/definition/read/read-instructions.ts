import { isList, isObject, textOf, type Json, type Place } from "../../../../base/index.ts";
import { child, isText, textsAt, withoutMark, type SourceNode } from "../../../../source/index.ts";
import { checkKeys } from "../check/check-keys.ts";
import { fillPlaceholders } from "../fill-placeholders.ts";
import { instructionsShape } from "../shape/config-shapes.ts";
import { instructionFiles, placeholderNames, plainName, runPlaceholders } from "../vocabulary.ts";
import type { ActionPart } from "./action-source.ts";
import { folderOf } from "./bot-paths.ts";
import type { BotReading } from "./bot-reading.ts";
import { takeIncludes } from "./take-includes.ts";

/** What instructions are put together from. */
export interface InstructionContext {
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
  return pieces.map((piece) => complete(reading, piece, context)).filter((text) => text.trim() !== "");
}

function complete(reading: BotReading, piece: Piece, { values, folders }: InstructionContext): string {
  const fill = (text: string, start: number): string =>
    fillPlaceholders(text, values, (name, offset) => complainOfPlaceholder(reading, name, piece.placeAt(start + offset)));
  return takeIncludes(reading, { text: piece.text, folders: [piece.folder, ...folders, ""], placeAt: piece.placeAt, fill });
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
  if (!path.endsWith(".json")) return [plainPiece(reading, path, withoutMark(text))];
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
  for (const [key, about] of [
    ["actionName", values["action"]],
    ["behaviorName", values["behavior"]],
  ] as const) {
    const named = child(node, key);
    if (named === undefined || !isText(named) || about === undefined) continue;
    const meant = plainName(named.value);
    if (meant === about || folders.includes(meant)) continue;
    reading.complain(named, {
      code: "BOTS_FOLDER_DIFFERS",
      severity: "warning",
      message: `\`${key}\` is \`${named.value}\`, but the lines are in the folder of \`${about}\` and count for that.`,
      fix: `Write \`${about}\`, or move the file.`,
    });
  }
}

function plainPiece(reading: BotReading, path: string, text: string): Piece {
  const placeAt = (offset: number): Place => {
    const before = text.slice(0, offset).split("\n");
    return reading.place(path, before.length, (before.at(-1) ?? "").length + 1);
  };
  return { text: text.trimEnd(), folder: folderOf(path), placeAt };
}

/** A name that only a run, or only a behaviour, can fill stays; any other is reported once. */
function complainOfPlaceholder(reading: BotReading, name: string, place: Place): void {
  if ((runPlaceholders as readonly string[]).includes(name) || Object.hasOwn(placeholderNames, name)) return;
  const message = `Nothing fills the placeholder \`{{${name}}}\`; the agent is shown it as it is.`;
  if (reading.found.some((each) => each.code === "BOTS_UNKNOWN_PLACEHOLDER" && each.message === message)) return;
  reading.complainOf(place, {
    code: "BOTS_UNKNOWN_PLACEHOLDER",
    severity: "warning",
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

export function inLines(value: Json): string {
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
  const values: Record<string, string> = {};
  for (const key of ["goal", "inputs", "outputs", "description"]) {
    const found = child(node, key);
    if (found !== undefined) values[key] = inLines(found.value);
  }
  return values;
}
