import { readHereDocument, type HereDocument } from "../../../../base/index.ts";

/** A piece of a shell text, from an offset. Commands that are run inside of it are read by themselves, and NUL characters here. */
export interface ShellPiece {
  readonly text: string;
  readonly from: number;
}

export interface ShellSum extends ShellPiece {
  /** The array whose index it is. */
  readonly array?: string;
  /** It is inside of `$(( ))`. */
  readonly plain?: true;
}

export interface ShellText {
  /** The words of each command, those inside of others too. Redirections are left out, but for `<<<`. */
  readonly commands: readonly (readonly ShellPiece[])[];
  /** What bash calculates wherever it is: `(( ))`, `$(( ))`, indices and offsets of `${ }`, and names that are read from a variable. */
  readonly sums: readonly ShellSum[];
}

/** Words that a command can follow. */
export const leading: ReadonlySet<string> = new Set("if elif while until ! then do else { time".split(" "));

/** Takes a text for bash apart. A rough reading: it never fails, and what is not closed reaches to the end. */
export function readShell(text: string): ShellText {
  const reader = new Reader(text);
  reader.read();
  return reader;
}

interface OpenCommand {
  words: ShellPiece[];
  /** Where the open word begins; -1 where none is. */
  start: number;
  /** How many `case` are open. */
  cases: number;
}

function isTest({ words }: OpenCommand): boolean {
  return words.some(({ text }) => text === "[[") && words.at(-1)?.text !== "]]";
}

class Reader implements ShellText {
  readonly commands: (readonly ShellPiece[])[] = [];
  readonly sums: ShellSum[] = [];
  readonly #text: string;
  #at = 0;
  /** Where commands are that are run inside of a word. */
  readonly #runs: (readonly [from: number, to: number])[] = [];
  readonly #waiting: HereDocument[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    while (this.#at < this.#text.length) this.#commandsTo(")");
  }

  #starts(word: string): boolean {
    return this.#text.startsWith(word, this.#at);
  }

  #piece(from: number, to: number): ShellPiece {
    const inner = this.#runs.filter(([start, end]) => start >= from && end <= to);
    const chars = this.#text.slice(from, to).split("");
    for (const [start, end] of inner) chars.fill("\0", start - from, end - from);
    return { text: chars.join(""), from };
  }

  /** Reads commands, and passes what ends them. */
  #commandsTo(end: string): void {
    const open: OpenCommand = { words: [], start: -1, cases: 0 };
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === end) this.#endWord(open);
      // In an open `case` a parenthesis is behind a pattern.
      if (char === end && !isTest(open) && (end !== ")" || open.cases <= 0)) break;
      if (open.start < 0 && this.#begins(open, char)) continue;
      if (!this.#passes(open, char)) {
        if (open.start < 0) open.start = this.#at;
        this.#step();
      }
    }
    this.#endCommand(open);
    this.#at += 1;
  }

  /** What is only where no word is open: a comment, and a calculation in the place of a command. */
  #begins({ words }: OpenCommand, char: string): boolean {
    if (char === "#") this.#passTo("\n", 0);
    else if (this.#starts("((") && words.every(({ text }) => leading.has(text) || text === "for")) this.#sum("((", "))");
    else return false;
    return true;
  }

  /** What is between words and commands, or makes a word of its own. */
  #passes(open: OpenCommand, char: string): boolean {
    const test = isTest(open);
    if (char === "(" && open.start >= 0 && this.#text[this.#at - 1] === "=") this.#list();
    else if (this.#starts("<(") || this.#starts(">(")) this.#run(2, ")");
    else if (this.#starts("<<<")) {
      this.#endWord(open);
      open.words.push({ text: "<<<", from: this.#at });
      this.#at += 3;
    } else if (this.#starts("<<") && !test) {
      this.#endWord(open);
      this.#takeHereWord();
    } else if (/[ \t\r<>]/.test(char) || (test && /[()&|\s]/.test(char))) {
      this.#endWord(open);
      this.#at += 1;
    } else if (/[\n;&|()]/.test(char)) {
      this.#endCommand(open);
      this.#at += 1;
      if (char === "\n") this.#passDocuments();
      if (char === "(") this.#commandsTo(")");
    } else return false;
    return true;
  }

  #endWord(open: OpenCommand): void {
    if (open.start < 0) return;
    open.words.push(this.#piece(open.start, this.#at));
    open.start = -1;
    const [first, ...others] = open.words.map(({ text }) => text).filter((text) => !leading.has(text));
    if (first === "esac" && others.length === 0) open.cases -= 1;
    if (first === "case" && others.length === 2 && others[1] === "in") open.cases += 1;
  }

  #endCommand(open: OpenCommand): void {
    this.#endWord(open);
    if (open.words.length > 0) this.commands.push(open.words);
    open.words = [];
  }

  /** One character of a word, or all that is quoted or expanded there. */
  #step(): void {
    if (this.#starts("\\")) this.#at += 2;
    else if (this.#starts("'")) this.#passTo("'", 1);
    else if (this.#starts('"')) {
      this.#at += 1;
      this.#expandTo('"');
    } else if (!this.#expansion()) this.#at += 1;
  }

  #expansion(): boolean {
    if (this.#starts("$((")) this.#sum("$((", "))");
    else if (this.#starts("$[")) this.#sum("$[", "]");
    else if (this.#starts("$(")) this.#run(2, ")");
    else if (this.#starts("`")) this.#run(1, "`");
    else if (this.#starts("${")) this.#braces();
    else return false;
    return true;
  }

  /** To what ends it, with the expansions on the way. */
  #expandTo(end: string, most = this.#text.length): void {
    while (this.#at < most && !this.#starts(end)) {
      if (this.#starts("\\")) this.#at += 2;
      else if (!this.#expansion()) this.#at += 1;
    }
    this.#at = Math.min(this.#at + end.length, most);
  }

  #passTo(end: string, opening: number): void {
    const found = this.#text.indexOf(end, this.#at + opening);
    this.#at = found < 0 ? this.#text.length : found + (opening === 0 ? 0 : end.length);
  }

  #run(opening: number, end: string): void {
    const from = this.#at;
    this.#at += opening;
    this.#commandsTo(end);
    this.#runs.push([from, this.#at]);
  }

  #sum(opening: string, end: string): void {
    this.#at += opening.length;
    const from = this.#at;
    for (let depth = 0; this.#at < this.#text.length && !(depth === 0 && this.#starts(end));) {
      if (this.#starts("(")) depth += 1;
      else if (this.#starts(")")) depth -= 1;
      if (!this.#expansion()) this.#at += 1;
    }
    this.sums.push({ ...this.#piece(from, this.#at), ...(opening === "$((" ? { plain: true } : {}) });
    this.#at += end.length;
  }

  /** The elements of an array. */
  #list(): void {
    this.#at += 1;
    while (this.#at < this.#text.length && !this.#starts(")")) this.#step();
    this.#at += 1;
  }

  #braces(): void {
    this.#at += 2;
    const from = this.#at;
    while (this.#at < this.#text.length && !this.#starts("}")) this.#step();
    const { text } = this.#piece(from, this.#at);
    this.#at += 1;
    const [, sign = "", name = "", index = "", rest = ""] = /^([!#]?)(\w+|[@*?#$!-])(\[[\s\S]*?\](?=$|[^\]]))?([\s\S]*)$/.exec(text) ?? [];
    const part = (of: string, at: number): ShellPiece => ({ text: of, from: from + at });
    const behind = sign.length + name.length;
    if (index !== "") this.sums.push({ ...part(index.slice(1, -1), behind + 1), array: name });
    if (/^:(?![-=?+])/.test(rest)) this.sums.push(part(rest.slice(1), behind + index.length + 1));
    if ((sign === "!" && !/^[*@]$/.test(rest)) || rest === "@P") this.sums.push(part(name, sign.length));
  }

  #takeHereWord(): void {
    const found = readHereDocument(this.#text, this.#at, true);
    this.#at += found?.length ?? 2;
    if (found !== undefined) this.#waiting.push(found);
  }

  #passDocuments(): void {
    for (const { word, tabs, quoted } of this.#waiting.splice(0)) {
      const lines = this.#text.slice(this.#at).split("\n");
      const last = lines.findIndex((line) => (tabs ? line.replace(/^\t+/, "") : line) === word);
      const end = this.#at + lines.slice(0, last < 0 ? undefined : last).join("\n").length;
      if (!quoted) this.#expandTo("\0", end);
      this.#at = Math.min(end + word.length + 2, this.#text.length);
    }
  }
}
