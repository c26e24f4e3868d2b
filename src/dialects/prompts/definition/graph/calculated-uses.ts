import { findRefs, type FoundRef } from "./find-refs.ts";
import { leading, readShell, type ShellPiece, type ShellText } from "./shell-commands.ts";

/** A text of a user or an agent where bash takes it for a calculation, or for a name with an index. */
export interface CalculatedUse {
  /** Without the dollar. */
  readonly written: string;
  readonly offset: number;
  readonly length: number;
  /** A variable that was given such a text, and not the text itself. */
  readonly variable: boolean;
}

/** Variables of the environment that hold what users and agents write, beside `INPUTS_<NAME>`. */
export const spokenVariables: readonly string[] =
  "ARGUMENTS USER_MESSAGE CONTEXT EXTERNAL_CONTEXT ISSUE_CONTEXT LOOP_USER_INPUT LOOP_PREV_OUTPUT REJECTION_REASON".split(" ");

/** What bash calculates when it is set. */
const numbers = ["RANDOM", "OPTIND", "HISTCMD"];

/**
 * Uses of such texts in a command by which they could run commands: an index in a calculation can hold a substitution. Values of variables are
 * followed through plain assignments, not through commands. References are left out where the engine puts in nothing but numbers.
 */
export function calculatedUses(text: string): readonly CalculatedUse[] {
  const read = readShell(text);
  const refs = findRefs(text, "shell").filter(({ ref }) => !("variable" in ref));
  const finder = new Finder(read, refs);
  return finder.uses();
}

const declaring: ReadonlySet<string> = new Set(["declare", "typeset", "local", "readonly", "export"]);
const passing: ReadonlySet<string> = new Set(["command", "builtin"]);
const comparing = /^-(?:eq|ne|lt|le|gt|ge)$/;
const assignment = /^([A-Za-z_]\w*)(\[[\s\S]*?\](?=\+?=))?\+?=/;

/** A command behind the words that lead to it, and what is assigned in front of it. */
interface Called {
  readonly before: readonly ShellPiece[];
  readonly name: string;
  readonly words: readonly ShellPiece[];
}

class Finder {
  readonly #calls: readonly Called[];
  readonly #sums: ShellText["sums"];
  readonly #refs: readonly FoundRef[];
  readonly #spoken = new Set(spokenVariables);
  readonly #numbers = new Set(numbers);
  readonly #maps = new Set<string>();
  readonly #found = new Map<number, CalculatedUse>();

  constructor({ commands, sums }: ShellText, refs: readonly FoundRef[]) {
    this.#calls = commands.map(calledIn);
    this.#sums = sums;
    this.#refs = refs;
    for (const { name, words } of this.#calls) this.#declare(name, words);
    for (let known = -1; known < this.#spoken.size;) {
      known = this.#spoken.size;
      for (const call of this.#calls) this.#follow(call);
    }
  }

  uses(): readonly CalculatedUse[] {
    for (const { array = "", plain, ...piece } of this.#sums)
      if (!this.#maps.has(array)) this.#keep(piece, { bare: true, numbers: plain === true });
    for (const call of this.#calls) this.#look(call);
    return [...this.#found.values()].toSorted((a, b) => a.offset - b.offset);
  }

  #declare(name: string, words: readonly ShellPiece[]): void {
    if (!declaring.has(name)) return;
    const names = words.flatMap(({ text }) => /^[A-Za-z_]\w*/.exec(text)?.[0] ?? []);
    if (hasFlag(words, "i") || hasFlag(words, "n")) for (const each of names) this.#numbers.add(each);
    if (hasFlag(words, "A")) for (const each of names) this.#maps.add(each);
  }

  /** Variables that are given such a text. */
  #follow({ before, name, words }: Called): void {
    for (const word of [...before, ...(declaring.has(name) ? words : [])]) {
      const [written = "", to = ""] = assignment.exec(word.text) ?? [];
      if (to !== "" && this.#usesIn(behind(word, written.length), false).length > 0) this.#spoken.add(to);
    }
    const [to, sign, ...from] = words;
    if (name === "for" && sign?.text === "in" && from.some((word) => this.#usesIn(word, false).length > 0))
      this.#spoken.add(to?.text ?? "");
    const given = words.findIndex(({ text }) => text === "<<<");
    const isRead = ["read", "mapfile", "readarray"].includes(name) && given >= 0;
    if (isRead && words.slice(given).some((word) => this.#usesIn(word, false).length > 0))
      for (const { text } of words.slice(0, given)) if (/^[A-Za-z_]\w*$/.test(text)) this.#spoken.add(text);
  }

  #look({ before, name, words }: Called): void {
    for (const word of [...before, ...(declaring.has(name) ? words : [])]) this.#lookAtAssignment(word);
    // The engine puts in nothing but numbers there.
    const number = { bare: true, numbers: true };
    for (const [at, word] of words.entries()) {
      const previous = words[at - 1]?.text ?? "";
      const compares = comparing.test(previous) || comparing.test(words[at + 1]?.text ?? "");
      if (name === "let" || (name === "[[" && compares)) this.#keep(word, number);
      if (["[[", "[", "test"].includes(name) && previous === "-v") this.#keep(word, { bare: false, numbers: true });
      const isName = name === "printf" ? previous === "-v" : ["read", "unset"].includes(name) && !words.slice(0, at).some(isGiven);
      if (isName || (declaring.has(name) && /^["']?\$/.test(word.text) && word.text.includes("=")))
        this.#keep(word, { bare: false, numbers: false });
    }
  }

  #lookAtAssignment(word: ShellPiece): void {
    const [written = "", to = "", index = ""] = assignment.exec(word.text) ?? [];
    if (to === "") return;
    const value = behind(word, written.length);
    const isMap = this.#maps.has(to);
    if (index !== "" && !isMap)
      this.#keep({ text: index, from: word.from + to.length }, { bare: true, numbers: /^\[\$[\w.-]+\]$/.test(index) });
    if (this.#numbers.has(to)) this.#keep(value, { bare: true, numbers: false });
    if (value.text.startsWith("(") && !isMap)
      for (const { 0: found, index: at } of value.text.matchAll(/(?<=[\s(])\[[^\]]*\]+=/g))
        this.#keep({ text: found, from: value.from + at }, { bare: true, numbers: false });
  }

  /** `bare`: a name by itself is a variable there. `numbers`: the engine puts in no reference that is not a number. */
  #keep(piece: ShellPiece, { bare, numbers: guarded }: { readonly bare: boolean; readonly numbers: boolean }): void {
    for (const use of this.#usesIn(piece, bare)) if (use.variable || !guarded) this.#found.set(use.offset, use);
  }

  #usesIn({ text, from }: ShellPiece, bare: boolean): readonly CalculatedUse[] {
    const isHere = (offset: number): boolean => offset >= from && offset < from + text.length && text[offset - from] !== "\0";
    const refs = this.#refs.filter(({ offset }) => isHere(offset));
    const uses = refs.map(({ ref, offset, length }): CalculatedUse => ({ written: ref.written, offset, length, variable: false }));
    const known = new Set(refs.map(({ offset }) => offset));
    const named = bare ? /(?<![\w.])(?:\$\{?[!#]?)?([A-Za-z_]\w*)/g : /\$\{?[!#]?([A-Za-z_]\w*)/g;
    for (const { 0: found, 1: written = "", index } of text.matchAll(named))
      if ((this.#spoken.has(written) || written.startsWith("INPUTS_")) && !known.has(from + index))
        uses.push({ written, offset: from + index, length: found.length, variable: true });
    return uses;
  }
}

function calledIn(words: readonly ShellPiece[]): Called {
  const isBefore = ({ text }: ShellPiece): boolean => leading.has(text) || passing.has(text) || assignment.test(text);
  const at = words.findIndex((word) => !isBefore(word));
  const before = at < 0 ? words : words.slice(0, at);
  return { before, name: at < 0 ? "" : (words[at]?.text ?? ""), words: at < 0 ? [] : words.slice(at + 1) };
}

function behind({ text, from }: ShellPiece, length: number): ShellPiece {
  return { text: text.slice(length), from: from + length };
}

function hasFlag(words: readonly ShellPiece[], flag: string): boolean {
  return words.some(({ text }) => /^-[A-Za-z]+$/.test(text) && text.includes(flag));
}

function isGiven({ text }: ShellPiece): boolean {
  return text === "<<<";
}
