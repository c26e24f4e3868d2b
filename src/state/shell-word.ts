import { isList, type Json } from "../base/index.ts";
import { textOf } from "./text-of.ts";

const reserved = new Set("! { } case do done elif else esac fi for if in then until while [[ ]] function select time coproc".split(" "));

/** One POSIX shell word that stands for exactly this text. Words that no shell can read otherwise stay as they are, for people's sake. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%-]+$/.test(text) && !reserved.has(text) ? text : hardWord(text);
}

/** The same, in quotes whatever it is. */
export function hardWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value as words: text is one, a list one per entry, null an empty one. */
export function shellWords(value: Json): string {
  return isList(value) ? value.map((entry) => shellWord(plain(entry))).join(" ") : shellWord(plain(value));
}

/** A value where only one word can stand: the entries of a list with blanks between them. */
export function plainWords(value: Json): string {
  return isList(value) ? value.map(plain).join(" ") : plain(value);
}

function plain(value: Json): string {
  return value === null ? "" : textOf(value);
}
