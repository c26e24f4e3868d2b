import { isList, textOf, type Json } from "../base/index.ts";
import { HereDocuments } from "./here-documents.ts";

export type CommandPart = string | { readonly text: string; readonly value: Json; readonly raw: boolean };

/**
 * Puts values into a shell command so that none of them can become anything but data, wherever the author put the hole. A
 * value marked `raw` is read as the author's own text. Places where no quoting is safe are refused.
 */
export function renderCommand(parts: readonly CommandPart[]): { readonly command: string } | { readonly problem: string } {
  const shell = new ShellText(documentsWithValues(parts));
  let command = "";
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string" || part.raw) {
      command += shell.feed(ownText(part));
      continue;
    }
    if (plainWords(part.value).includes("\0")) return { problem: `\`${part.text}\` holds a NUL character, which no command can carry.` };
    const refusal = shell.refusal();
    if (refusal !== undefined)
      return { problem: `\`${part.text}\` cannot be quoted safely here: ${refusal}. Pass it as an argument or through \`env\`.` };
    const next = parts[index + 1];
    const placed = shell.place(part.value, typeof next === "string" ? next : "");
    if (placed === undefined) return { problem: `\`${part.text}\` is where the shell calculates, and only a number is allowed there.` };
    command += placed;
  }
  return { command: shell.variables + command };
}

/** The author's text, and a value that counts as it. */
function ownText(part: CommandPart): string {
  return typeof part === "string" ? part : plainWords(part.value);
}

/** How the command is read does not depend on its values, so the here-documents that get some are known before. */
function documentsWithValues(parts: readonly CommandPart[]): ReadonlySet<number> {
  const shell = new ShellText();
  for (const part of parts) {
    if (typeof part === "string" || part.raw) shell.feed(ownText(part));
    else shell.place(0, "");
  }
  return shell.documents;
}

/** Where each value of a command is, by the index of its part. How a command is read does not depend on its values. */
export function roomsOf(parts: readonly (string | object)[]): readonly (Room | undefined)[] {
  const shell = new ShellText();
  return parts.map((part, at) => {
    if (typeof part === "string") return void shell.feed(part);
    const next = parts[at + 1];
    const room = shell.room(typeof next === "string" ? next : "");
    shell.place(0, "");
    return room;
  });
}

/** Holes into which no value can be put safely, whatever it is. Behind a raw one nothing is certain before its value is known. */
export function unquotable(
  parts: readonly (string | { readonly raw: boolean; readonly offset: number })[],
): { readonly offset: number; readonly problem: string }[] {
  const shell = new ShellText();
  const found: { offset: number; problem: string }[] = [];
  for (const part of parts) {
    if (typeof part === "string") {
      shell.feed(part);
      continue;
    }
    if (part.raw) break;
    const refusal = shell.refusal();
    if (refusal !== undefined) found.push({ offset: part.offset, problem: `A value cannot be quoted safely here: ${refusal}.` });
    shell.place(0, "");
  }
  return found;
}

const reserved = new Set("! { } case do done elif else esac fi for if in then until while [[ ]] function select time coproc".split(" "));

/** One POSIX shell word that means exactly this text. Words that no shell can read otherwise stay as they are, for people's sake. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%-]+$/.test(text) && !reserved.has(text) ? text : hardWord(text);
}

/** The same, in quotes whatever it is. */
function hardWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value as words: text is one, a list one per entry, null an empty one. */
export function shellWords(value: Json): string {
  return isList(value) ? value.map((entry) => shellWord(plain(entry))).join(" ") : shellWord(plain(value));
}

/** A value where only one word fits: the entries of a list with blanks between them. */
function plainWords(value: Json): string {
  return isList(value) ? value.map(plain).join(" ") : plain(value);
}

function plain(value: Json): string {
  return value === null ? "" : textOf(value);
}

type Mode = "word" | "double" | "single" | "comment" | "arithmetic" | "backtick" | "ansi" | "document";
/** Where a value is; `number`: where a shell may calculate. */
export type Room = Mode | "number";
interface Frame {
  readonly mode: Mode;
  /** Open parentheses inside this frame. */
  depth: number;
  /** The frame is a `$( ... )`, which a parenthesis closes. */
  readonly substitution?: boolean;
}

const simpleExpansion = /\$\{[#!]?[A-Za-z_][A-Za-z0-9_]*(?:(?::?[-=?+]|[#%]{1,2})[^{}"'`\\$()]*)?\}/y;

const wholeNumber = /^-?\d+$/;
/** Between numbers of a `[[ ... ]]`. */
const comparing = /^-(?:eq|ne|lt|le|gt|ge)$/;
const comparingNext = /^\S*\s+-(?:eq|ne|lt|le|gt|ge)\b/;
/** Commands in which an index is calculated, with the word that ends them. */
const closings: Readonly<Record<string, string>> = Object.assign(Object.create(null), { "[[": "]]", "[": "]", test: "\n", let: "\n" });
/** Words that a command can follow. */
const leads: ReadonlySet<string> = new Set(["", ...reserved]);

/**
 * Follows a POSIX shell's quoting through a command that is put together piece by piece, so that a value is put in as data
 * wherever it is. Where it cannot tell, or no quoting is safe, it refuses.
 */
class ShellText {
  #frames: Frame[] = [{ mode: "word", depth: 0 }];
  #escaped = false;
  #dollar = false;
  /** What is behind `$` so far is the name of a variable, which more letters would make longer. */
  #variable = false;
  #wordStart = true;
  /** Why nothing may be put in from here on. */
  #unsure: string | undefined;
  /** Letters of the current bare word. */
  #word = "";
  /** The bare word before it. */
  #before = "";
  /** The command that is open: `[[`, `[`, `test` or `let`. */
  #test = "";

  /** Assignments of the values of here-documents, which come before the command. */
  variables = "";
  #values = 0;
  /** Something of the command is before the text that is read. */
  #isBehind = false;
  readonly #documents: HereDocuments<Frame>;
  /** What is written for the text that was read last, where that is another one. */
  #written: string | undefined;

  /** `filled`: the here-documents that get values; absent while that is found out. */
  constructor(filled?: ReadonlySet<number>) {
    this.#documents = new HereDocuments(filled);
  }

  /** The here-documents that values were put into. */
  get documents(): ReadonlySet<number> {
    return this.#documents.seen;
  }

  /** Reads text of the author, and answers what is written for it. */
  feed(text: string): string {
    let written = "";
    for (let at = 0; at < text.length; at++) {
      if (this.#unsure !== undefined) return written + text.slice(at);
      const from = at;
      this.#written = undefined;
      at += this.#step(text, at);
      written += this.#written ?? text.slice(from, at + 1);
    }
    this.#isBehind ||= text !== "";
    return written;
  }

  /** Why a value may not be put in here; undefined when it may. */
  refusal(): string | undefined {
    if (this.#unsure !== undefined) return this.#unsure;
    if (this.#escaped) return "it follows a backslash";
    if (this.#dollar) return "it follows `$`, so the shell would expand it";
    if (this.#frame.mode === "backtick") return "it is inside backticks; use `$(...)`";
    if (this.#frame.mode === "ansi") return "it is inside `$'...'`; use plain quotes";
    if (this.#frame.mode === "document") return this.#documents.refusal();
    return undefined;
  }

  room(next: string): Room {
    return this.#frame.mode !== "document" && this.#calculates(next) ? "number" : this.#frame.mode;
  }

  /** The value as data for this place. `next` is the author's text behind it. Undefined if it is not a number where only one fits. */
  place(value: Json, next: string): string | undefined {
    this.#isBehind = true;
    if (this.#frame.mode === "document") return this.#placeInDocument(value);
    if (this.#calculates(next) && !wholeNumber.test(plainWords(value))) return undefined;
    this.#wordStart = false;
    this.#word = "-";
    const apart = this.#variable;
    this.#variable = false;
    const flat = plainWords(value);
    switch (this.#frame.mode) {
      case "single":
        return flat.replaceAll("'", "'\\''");
      case "double":
        return apart || /[$`"\\!]/.test(flat) ? `"${hardWord(flat)}"` : flat;
      case "comment":
        return shellWord(flat.replaceAll(/[\r\n]/g, " "));
      case "arithmetic":
        if (!/^-?\d+(?:\.\d+)?$/.test(flat)) return undefined;
        return flat.startsWith("-") ? `(${flat})` : flat;
      default: {
        // A bare number in front of `<` or `>` would name a file descriptor.
        if (apart && !isList(value)) return hardWord(flat);
        const words = apart ? `''${shellWords(value)}` : shellWords(value);
        return /^[<>]/.test(next) ? words.replace(/(?<=^| )\d+$/, "'$&'") : words;
      }
    }
  }

  /** No shell reads again what an expansion of a here-document gives. */
  #placeInDocument(value: Json): string {
    this.#documents.fill();
    this.#values += 1;
    const name = `_waymark_value_${this.#values}`;
    this.variables += `${name}=${hardWord(plainWords(value))}\n`;
    return `\${${name}}`;
  }

  /** Whether some shell would take what is put in here for a calculation, in which an index can run commands. */
  #calculates(next: string): boolean {
    if (this.#test === "let" || /^[A-Za-z_][A-Za-z0-9_]*\[$/.test(this.#word)) return true;
    if (this.#test === "") return false;
    return this.#before === "-v" || (this.#test === "[[" && (comparing.test(this.#before) || comparingNext.test(next)));
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!;
  }

  #push(mode: Mode, substitution = false): number {
    this.#frames.push(substitution ? { mode, depth: 0, substitution } : { mode, depth: 0 });
    this.#wordStart = true;
    this.#word = "";
    return 0;
  }

  #pop(): number {
    this.#frames.pop();
    this.#wordStart = false;
    return 0;
  }

  /** Reads one character; answers how many more it took. */
  #step(text: string, at: number): number {
    const char = text[at]!;
    if (this.#frame.mode === "document") return this.#stepDocument(char);
    if (
      char === "\n" &&
      this.#documents.isWaiting &&
      !this.#escaped &&
      !(this.#frame.mode === "word" && this.#documents.isOpenIn(this.#frame))
    )
      this.#unsure = "it is behind a here-document that cannot be followed";
    const dollar = this.#dollar;
    this.#dollar = false;
    this.#variable = dollar ? /[A-Za-z_]/.test(char) : this.#variable && /[A-Za-z0-9_]/.test(char);
    if (this.#escaped) {
      this.#escaped = false;
      // A line that continues: a word begins or does not as if the two characters were not there.
      if (char !== "\n") this.#wordStart = false;
      return 0;
    }
    switch (this.#frame.mode) {
      case "single":
        return char === "'" ? this.#pop() : 0;
      case "ansi":
        if (char === "\\") this.#unsure = "it is behind a `$'...'` that shells read differently";
        return char === "'" ? this.#pop() : 0;
      case "backtick":
        this.#escaped = char === "\\";
        return char === "`" ? this.#pop() : 0;
      case "comment":
        if (char !== "\n") return 0;
        this.#pop();
        // A value in the comment does not belong to the word that begins here.
        this.#word = "";
        this.#endWord(char, false);
        return 0;
      case "arithmetic":
        return this.#stepArithmetic(text, at);
      case "double":
        return char === '"' ? this.#pop() : this.#stepSpecial(text, at, dollar);
      case "word":
        return this.#stepWord(text, at, dollar);
    }
  }

  /** What means the same in double quotes and outside of them. */
  #stepSpecial(text: string, at: number, dollar: boolean): number {
    const char = text[at]!;
    if (char === "\\") this.#escaped = true;
    else if (char === "`") return this.#push("backtick");
    else if (char === "$") return this.#stepDollar(text, at);
    else if (dollar && char === "[") this.#unsure = "it is behind `$[`, in which the shell calculates";
    else if (dollar && char === "(") return text[at + 1] === "(" ? this.#push("arithmetic") + 1 : this.#push("word", true);
    return 0;
  }

  #stepDollar(text: string, at: number): number {
    this.#dollar = true;
    if (text[at + 1] !== "{") return 0;
    simpleExpansion.lastIndex = at;
    const simple = simpleExpansion.exec(text)?.[0];
    if (simple === undefined) this.#unsure = "it is in or after a `${...}` that cannot be followed";
    this.#dollar = false;
    this.#wordStart = false;
    return (simple?.length ?? 1) - 1;
  }

  #stepWord(text: string, at: number, dollar: boolean): number {
    const char = text[at]!;
    if (char === "'") return this.#push(dollar ? "ansi" : "single");
    if (char === '"') return this.#push("double");
    if (char === "#" && this.#wordStart) return this.#push("comment");
    if (char === "<" && text[at + 1] === "<") {
      if (text[at + 2] === "<") {
        this.#wordStart = true;
        return 2;
      }
      return this.#beginDocument(text, at);
    }
    if (char === "(" && text[at + 1] === "(" && !dollar) this.#unsure = "it is behind `((`, which some shells take for arithmetic";
    if (char === "\\") this.#escaped = true;
    else if (/[\s;&|()<>]/.test(char)) {
      this.#endWord(char, dollar);
      if (char === "\n" && this.#documents.isWaiting) this.#push("document");
    } else {
      this.#word += char;
      this.#wordStart = false;
    }
    return char === "\\" ? 0 : this.#stepSpecial(text, at, dollar);
  }

  #beginDocument(text: string, at: number): number {
    const begun = this.#documents.begin(text, at, { frame: this.#frame, isWhole: !this.#isBehind });
    if (begun === undefined) {
      this.#unsure = "it is behind a here-document that cannot be followed";
      return 0;
    }
    this.#endWord("<", false);
    [this.#wordStart, this.#word, this.#written] = [false, "-", begun.written];
    return begun.length - 1;
  }

  #stepDocument(char: string): number {
    const read = this.#documents.step(char);
    if (typeof read === "string") this.#unsure = read;
    else {
      this.#written = read.written;
      if (read.over) this.#frames.pop();
      this.#wordStart = true;
    }
    return 0;
  }

  #endWord(char: string, dollar: boolean): void {
    this.#followTest(char);
    this.#wordStart = true;
    if (this.#word === "case" && this.#frames.some((frame) => frame.substitution))
      this.#unsure = "it is behind a `case` inside `$(...)`, which cannot be followed";
    this.#word = "";
    if (dollar) return;
    if (char === "(") this.#frame.depth++;
    else if (char === ")" && this.#frame.depth > 0) this.#frame.depth--;
    else if (char === ")" && this.#frame.substitution) this.#pop();
  }

  /** A word is over: a test begins or ends with it, or at the end of its command. */
  #followTest(char: string): void {
    const word = this.#word;
    if (word === closings[this.#test]) this.#test = "";
    else if (this.#test === "" && word in closings && leads.has(this.#before)) this.#test = word;
    if (word !== "" || !this.#wordStart) this.#before = word === "" ? "-" : word;
    if (!/[;&|()\n]/.test(char)) return;
    this.#before = "";
    if (this.#test !== "[[") this.#test = "";
  }

  #stepArithmetic(text: string, at: number): number {
    const char = text[at]!;
    const { depth } = this.#frame;
    if (/["'`\\$]/.test(char)) this.#unsure = "it is behind quotes inside `$((...))`, which cannot be followed";
    else if (char === "(") this.#frame.depth++;
    else if (char === ")" && depth > 0) this.#frame.depth--;
    else if (char === ")" && text[at + 1] === ")") return this.#pop() + 1;
    else if (char === ")") this.#unsure = "it is behind a `$((` that is not closed by `))`";
    return 0;
  }
}
