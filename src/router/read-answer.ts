import { bareName, findName, namesInRoutingLines, readRoutingLine, type RoutingLine } from "./routing-line.ts";
import type { Routable } from "./routed.ts";

/** What an answer is about: a routing line counts only if it is the model's own. */
export interface Asked {
  /** What the person wrote. It is data: a name in a routing line of it never counts in an answer. */
  readonly message: string;
  readonly workflows: readonly Pick<Routable, "name">[];
}

/**
 * Reads an answer as it comes, in pieces of any size, with the same result for all. Holds back only what may become a routing line; line by line,
 * so that the time is linear.
 */
export class AnswerReader {
  readonly #known: readonly string[];
  readonly #quoted: ReadonlySet<string>;
  /** What may still become a routing line, or, after one, the intent. */
  #held: string[] = [];
  /** How the line begins that is being passed on: whether it opens or ends a block of code is known at its end. */
  #line = "";
  #isLineStart = true;
  /** The answer as long as it may only be the beginning of a block of code; undefined after that. */
  #opening: string | undefined = "";
  #fence: { readonly mark: string; readonly isWholeAnswer: boolean } | undefined;
  #hasText = false;
  #workflow: string | undefined;
  readonly #unknown: string[] = [];
  readonly #repeated: string[] = [];

  constructor({ message, workflows }: Asked) {
    this.#known = workflows.map(({ name }) => name);
    this.#quoted = namesInRoutingLines(message);
  }

  /** The workflow of the first routing line that counts. */
  get workflow(): string | undefined {
    return this.#workflow;
  }

  /** Names in routing lines that are not workflows. */
  get unknown(): readonly string[] {
    return this.#unknown;
  }

  /** Names in routing lines that repeat the message. */
  get repeated(): readonly string[] {
    return this.#repeated;
  }

  /** What follows the routing line, trimmed. */
  get rest(): string {
    const rest = this.#held.join("").trim();
    return this.#fence?.isWholeAnswer === true ? rest.replace(/(?:^|\n)[ ]*(?:`{3,}|~{3,})$/, "").trim() : rest;
  }

  /** Takes a piece; answers what of the answer may be shown now. */
  add(piece: string): string {
    if (this.#workflow !== undefined) {
      this.#held.push(piece);
      return "";
    }
    return this.#begun(this.#read(piece, false));
  }

  /** At the end: what was held back and is not a routing line. */
  end(): string {
    if (this.#workflow !== undefined) return "";
    const last = this.#read("", true);
    return this.#workflow === undefined ? `${this.#opening ?? ""}${last}` : "";
  }

  /** What opens a block of code around a routing line is not shown either. */
  #begun(text: string): string {
    if (this.#opening === undefined) return text;
    this.#opening += text;
    if (this.#opening.length <= longestForm && opensCode.test(this.#opening)) return "";
    const begin = this.#opening;
    this.#opening = undefined;
    return begin;
  }

  #read(piece: string, isWhole: boolean): string {
    const text = this.#held.join("") + piece;
    this.#held = [];
    let at = 0;
    while (at < text.length) {
      if (this.#isLineStart) {
        const found =
          this.#fence?.isWholeAnswer === false
            ? "none"
            : readRoutingLine(text.slice(at, at + longestForm), isWhole || text.length - at > longestForm);
        if (found === "open") {
          this.#held = [text.slice(at)];
          return text.slice(0, at);
        }
        if (found !== "none" && this.#counts(found)) {
          this.#held = [text.slice(at + found.length)];
          return text.slice(0, at);
        }
        this.#isLineStart = false;
      }
      at = this.#passLine(text, at);
    }
    return text;
  }

  #counts({ name }: RoutingLine): boolean {
    const workflow = findName(name, this.#known);
    if (workflow === undefined) this.#unknown.push(bareName(name));
    else if (this.#quoted.has(workflow.toLowerCase())) this.#repeated.push(workflow);
    else this.#workflow = workflow;
    return this.#workflow !== undefined;
  }

  /** Goes to the beginning of the next line, or to the end of the text. */
  #passLine(text: string, from: number): number {
    const end = endOfLine(text, from);
    const isEnded = end < text.length;
    if (this.#line.length < longestFence) this.#line += text.slice(from, Math.min(end, from + longestFence));
    if (!isEnded) return end;
    this.#endLine();
    return end + 1;
  }

  #endLine(): void {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(this.#line) ?? [];
    if (mark !== undefined) {
      if (this.#fence === undefined) this.#fence = { mark, isWholeAnswer: !this.#hasText };
      else if (mark.startsWith(this.#fence.mark)) this.#fence = undefined;
    }
    this.#hasText ||= this.#line.trim() !== "";
    this.#line = "";
    this.#isLineStart = true;
  }
}

/** A form with its name; nobody gives a workflow a longer one. */
const longestForm = 1000;
const longestFence = 200;

/** Blank, or the first line of a block of code as far as it came. */
const opensCode = /^\s*(?:[`~]{1,2}|(?:`{3,}|~{3,})[^\n`]*(?:\n\s*)?)?$/;

function endOfLine(text: string, from: number): number {
  const breaks = /[\n\r\u2028\u2029]/g;
  breaks.lastIndex = from;
  return breaks.exec(text)?.index ?? text.length;
}
