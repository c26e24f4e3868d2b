import { isList, isObject, type Json } from "../../../../base/index.ts";
import { child, entriesOf, formatDocumentPath, kindOf, membersOf, type SourceNode } from "../../../../source/index.ts";
import type { BotReading } from "../read/bot-reading.ts";
import type { KeyForm, MapShape } from "../shape/config-shapes.ts";

const fits: Readonly<Record<KeyForm, (value: Json) => boolean>> = {
  "a text": (value) => typeof value === "string",
  "a text or null": (value) => typeof value === "string" || value === null,
  "a number": (value) => typeof value === "number",
  "a number or null": (value) => typeof value === "number" || value === null,
  "true or false": (value) => typeof value === "boolean",
  "a text or a list of texts": (value) => typeof value === "string" || isTexts(value),
  "a list of texts": (value) => isTexts(value),
  "a map": (value) => isObject(value),
  "a list of maps": (value) => isList(value) && value.every(isObject),
  anything: () => true,
};

function isTexts(value: Json): boolean {
  return isList(value) && value.every((each) => typeof each === "string");
}

/**
 * Compares a map with what may be in it: reports missing keys and wrong types, and remembers keys that have no meaning here.
 * Answers whether it is a map at all.
 */
export function checkKeys(reading: BotReading, node: SourceNode, shape: MapShape, owner: string): boolean {
  if (!isObject(node.value)) {
    reading.complain(node, {
      code: "BOTS_WRONG_TYPE",
      message: `${owner} must be a map, but is ${kindOf(node.value)}.`,
      fix: "Write a JSON object: `{ ... }`.",
    });
    return false;
  }
  for (const [key, { required }] of Object.entries(shape)) {
    if (required !== true || child(node, key) !== undefined) continue;
    reading.complain(node, { code: "BOTS_MISSING_KEY", message: `${owner} needs \`${key}\`.`, fix: `Add \`"${key}"\`.` });
  }
  for (const [key, value] of entriesOf(node)) {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined || known.foreign === true) {
      reading.keep({ node: value, key, value: value.value, foreign: known !== undefined, known: Object.keys(shape) });
    } else if (!fits[known.form](value.value)) {
      complainOfType(reading, value, known.form);
    } else if (key === "name" || key === "behaviorName") {
      checkNotBlank(reading, value);
    }
  }
  return true;
}

function complainOfType(reading: BotReading, node: SourceNode, form: KeyForm): void {
  const wrong = form.includes("list") && isList(node.value) ? membersOf(node).find(({ value }) => !memberFits(form, value)) : undefined;
  const at = wrong ?? node;
  const expected = wrong === undefined ? form : form === "a list of maps" ? "a map" : "a text";
  reading.complain(at, {
    code: "BOTS_WRONG_TYPE",
    message: `\`${formatDocumentPath(at.path)}\` must be ${expected}, but is ${kindOf(at.value)}.`,
    fix: form === "a number" || form === "a number or null" ? "Write a number without quotes." : `Write ${expected}.`,
  });
}

function memberFits(form: KeyForm, value: Json): boolean {
  return form === "a list of maps" ? isObject(value) : typeof value === "string";
}

function checkNotBlank(reading: BotReading, node: SourceNode): void {
  if (typeof node.value !== "string" || node.value.trim() !== "") return;
  reading.complain(node, { code: "BOTS_BAD_NAME", message: `\`${formatDocumentPath(node.path)}\` is empty.`, fix: "Give it a name." });
}
