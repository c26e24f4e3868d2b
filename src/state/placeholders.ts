import { own, regexText, remembering, textOf, type Json } from "../base/index.ts";
import { mostRemembered } from "./analyse.ts";
import type { OpenPart } from "./command-could-be.ts";
import { renderCommand, type CommandPart } from "./shell-words.ts";

/** A dollar that is meant as one, or a placeholder: one of the given names that are more than a word, a whole name, or digits. */
const placeholderOf: (dotted: string) => RegExp = remembering(
  (dotted: string) => placeholderBehind(String.raw`\\\$`, dotted),
  mostRemembered,
);

/** The same in a shell, where two dollars are the number of its process. */
const shellPlaceholderOf: (dotted: string) => RegExp = remembering(
  (dotted: string) => placeholderBehind(String.raw`\\\$|\$\$`, dotted),
  mostRemembered,
);

function placeholderBehind(dollars: string, dotted: string): RegExp {
  const names = dotted === "" ? "" : `(?:${dotted})(?![A-Za-z0-9_])|`;
  return new RegExp(String.raw`${dollars}|\$(${names}[A-Za-z_][A-Za-z0-9_]*|[0-9]+)`, "g");
}

/** The names that a plain placeholder cannot have come first, the longest before all, so that `a.output.x` is not taken for `a.output`. */
function pattern(names: readonly string[], of = placeholderOf): RegExp {
  const dotted = names.filter((name) => /[^A-Za-z0-9_]/.test(name)).toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return of(dotted.map(regexText).join("|"));
}

/** Names of the placeholders in a text, each once; `known` are those that are more than a word. */
export function placeholdersIn(text: string, known: readonly string[] = []): readonly string[] {
  return [...new Set([...text.matchAll(pattern(known))].flatMap(([, name]) => name ?? []))];
}

/** The text with its placeholders filled in, in one pass: nothing in a value is read as a placeholder again. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, Json>>): string {
  return text.replace(pattern(Object.keys(values)), (written, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = own(values, name) ?? null;
    return value === null ? written : textOf(value);
  });
}

/** A text and the placeholders in it that may have a value. `plain`: an escaped dollar is written as one. */
export function openPartsOf(text: string, names: readonly string[], plain: boolean): readonly OpenPart[] {
  const parts: OpenPart[] = [];
  let part = "";
  let from = 0;
  for (const { 0: written, 1: name, index } of text.matchAll(pattern(names, plain ? placeholderOf : shellPlaceholderOf))) {
    part += text.slice(from, index);
    from = index + written.length;
    if (name === undefined) part += plain ? "$" : written;
    else if (!names.includes(name)) part += written;
    else {
      parts.push(part, { text: written, stays: true });
      part = "";
    }
  }
  return [...parts, part + text.slice(from)];
}

/** The same for the text of a shell: values are quoted wherever they are, and `\$` and `$$` are the shell's. */
export function fillCommand(text: string, values: Readonly<Record<string, Json>>): ReturnType<typeof renderCommand> {
  const parts: CommandPart[] = [];
  let from = 0;
  for (const { 0: written, 1: name, index } of text.matchAll(pattern(Object.keys(values), shellPlaceholderOf))) {
    const value = name === undefined ? null : (own(values, name) ?? null);
    if (value === null) continue;
    parts.push(text.slice(from, index), { text: written, value: textOf(value), raw: false });
    from = index + written.length;
  }
  return renderCommand([...parts, text.slice(from)]);
}
