import { own, textOf, type Json } from "../base/index.ts";

/** A dollar that is meant as one, or a placeholder: a whole name, or digits. */
const placeholder = /\\\$|\$([A-Za-z_][A-Za-z0-9_]*|[0-9]+)/g;

/** Names of the placeholders in a text, each once. */
export function placeholdersIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].flatMap(([, name]) => name ?? []))];
}

/** The text with its placeholders filled in, in one pass: nothing in a value is read as a placeholder again. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, Json>>): string {
  return text.replace(placeholder, (written, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = own(values, name) ?? null;
    return value === null ? written : textOf(value);
  });
}
