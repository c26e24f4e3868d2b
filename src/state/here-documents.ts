import { readHereDocument, type HereDocument } from "../base/index.ts";

interface Opened<F> extends HereDocument {
  /** Which one it is of the command, from 0. */
  readonly place: number;
  /** The part of the command that it is begun in. */
  readonly frame: F;
}

/**
 * The here-documents of a command that is read piece by piece. A value in one becomes an expansion, which no shell reads again; a document
 * in which nothing is expanded is changed to one whose own text is escaped. `filled` are those with values, as a reading before found them.
 */
export class HereDocuments<F> {
  /** Those that a value was put into. */
  readonly seen: Set<number> = new Set();
  readonly #filled: ReadonlySet<number> | undefined;
  readonly #waiting: Opened<F>[] = [];
  #line = "";
  #count = 0;
  #escaped = false;
  #dollar = false;
  /** Inside of `${ }`. */
  #braces = false;

  constructor(filled: ReadonlySet<number> | undefined) {
    this.#filled = filled;
  }

  /** Whether the next line of the command begins one. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Reads `<<` and its word: how long they are, and what is written for them. Undefined where it cannot be followed. */
  begin(
    text: string,
    at: number,
    { frame, isWhole }: { readonly frame: F; readonly isWhole: boolean },
  ): { readonly length: number; readonly written: string } | undefined {
    const found = readHereDocument(text, at, isWhole);
    if (found === undefined) return undefined;
    const opened = { ...found, place: this.#count++, frame };
    this.#waiting.push(opened);
    const { length, tabs, word } = opened;
    return { length, written: this.#isChanged(opened) ? `<<${tabs ? "-" : ""}${word}` : text.slice(at, at + length) };
  }

  /** Whether those that wait were begun where the line ends. */
  isOpenIn(frame: F): boolean {
    return this.#waiting.every((each) => each.frame === frame);
  }

  /** Why no value may be put in here; undefined where one may. */
  refusal(): string | undefined {
    const [open] = this.#waiting;
    if (open?.refusal !== undefined) return open.refusal;
    if (this.#escaped) return "it follows a backslash";
    if (this.#braces) return "it is inside `${ }`";
    if (this.#dollar) return "it follows `$`, so the shell would expand it";
    return open === undefined || this.#filled === undefined || this.#filled.has(open.place) ? undefined : notFollowed;
  }

  /** A value is put in here. */
  fill(): void {
    this.seen.add(this.#waiting[0]?.place ?? -1);
    this.#line += "\0";
  }

  /** Reads a character: what is written for it, and whether the last document is over; a text where it cannot be followed. */
  step(char: string): { readonly written: string; readonly over: boolean } | string {
    const [open] = this.#waiting;
    if (open === undefined) return notFollowed;
    const { quoted, word, tabs, place } = open;
    const fails = (): string => {
      this.seen.delete(place);
      return notFollowed;
    };
    const [escaped, dollar, line] = [this.#escaped, this.#dollar, tabs ? this.#line.replace(/^\t+/, "") : this.#line];
    this.#escaped = this.#dollar = false;
    if (this.#braces && !/[\w}]/.test(char)) return fails();
    if (char === "\n") {
      // The shell would join this line and the next one.
      if (escaped) return fails();
      this.#line = "";
      if (line === word) this.#waiting.shift();
      return { written: char, over: line === word && this.#waiting.length === 0 };
    }
    this.#line += char;
    // Inside of `$(...)` some shells take such a line for the end.
    if (line === word) return fails();
    const written = this.#isChanged(open) && /[\\$`]/.test(char) ? `\\${char}` : char;
    return quoted || this.#expands(char, escaped, dollar) ? { written, over: false } : fails();
  }

  /** Follows what is expanded. False where it is calculated or run, which has quoting of its own. */
  #expands(char: string, escaped: boolean, dollar: boolean): boolean {
    this.#escaped = char === "\\" && !escaped;
    this.#dollar = char === "$" && !escaped;
    this.#braces = this.#braces ? char !== "}" : dollar && char === "{";
    return escaped || !(char === "`" || (dollar && /[([]/.test(char)));
  }

  #isChanged({ quoted, place }: Opened<F>): boolean {
    return quoted && this.#filled?.has(place) === true;
  }
}

const notFollowed = "it is in or behind a here-document that cannot be followed";
