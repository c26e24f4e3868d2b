/** A value in a JSON text with comments, and where it stands; `end` is the offset behind it. */
export type JsoncNode = JsoncObject | { readonly kind: "other"; readonly start: number; readonly end: number; readonly value: unknown };

export interface JsoncObject {
  readonly kind: "object";
  readonly start: number;
  readonly end: number;
  readonly members: readonly JsoncMember[];
}

export interface JsoncMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsoncNode;
  /** Offset of the comma behind it. */
  readonly comma?: number;
}

export interface JsoncProblem {
  readonly problem: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Reads JSON as editors do: comments, a byte order mark and trailing commas are fine. Answers the tree with offsets, so that text can
 * be put in or taken out without touching anything else, or the first problem.
 */
export function parseJsonc(text: string): JsoncNode | JsoncProblem {
  const scanner = new Scanner(text);
  try {
    return scanner.document();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const before = text.slice(0, error.at).split("\n");
    return { problem: error.message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** The plain value of a node. */
export function valueOf(node: JsoncNode): unknown {
  if (node.kind === "other") return node.value;
  return Object.fromEntries(node.members.map((member) => [member.key, valueOf(member.value)]));
}

class Unreadable extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Deeper files are nobody's configuration. */
const deepest = 200;

class Scanner {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
  }

  document(): JsoncNode {
    this.#skip();
    const node = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw new Unreadable("there is something behind the end", this.#at);
    return node;
  }

  #value(): JsoncNode {
    const start = this.#at;
    const mark = this.#text[start];
    if (++this.#depth > deepest) throw new Unreadable("it is nested too deeply", start);
    try {
      if (mark === "{") return this.#object();
      const value = mark === "[" ? this.#list() : mark === '"' ? this.#string() : this.#word();
      return { kind: "other", start, end: this.#at, value };
    } finally {
      this.#depth--;
    }
  }

  #object(): JsoncObject {
    const start = this.#at++;
    const members: JsoncMember[] = [];
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === "}") return { kind: "object", start, end: ++this.#at, members };
      const last = members.at(-1);
      if (last !== undefined && last.comma === undefined) throw new Unreadable("a comma is missing", this.#at);
      const at = this.#at;
      const key = this.#text[at] === '"' ? this.#string() : this.#fail("a key in double quotes is missing");
      this.#skip();
      if (this.#text[this.#at] !== ":") this.#fail("a colon is missing");
      this.#at++;
      this.#skip();
      const value = this.#value();
      this.#skip();
      members.push({ key, start: at, value, ...(this.#text[this.#at] === "," ? { comma: this.#at++ } : {}) });
    }
  }

  #list(): unknown[] {
    this.#at++;
    const values: unknown[] = [];
    let comma = true;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === "]") {
        this.#at++;
        return values;
      }
      if (!comma) this.#fail("a comma is missing");
      values.push(valueOf(this.#value()));
      this.#skip();
      comma = this.#text[this.#at] === ",";
      if (comma) this.#at++;
    }
  }

  #string(): string {
    const found = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
    found.lastIndex = this.#at;
    const [text] = found.exec(this.#text) ?? [];
    if (text === undefined) this.#fail("a text is not closed");
    const value = this.#json(text);
    this.#at += text.length;
    return String(value);
  }

  #word(): unknown {
    const found = /[-+.\w]+/y;
    found.lastIndex = this.#at;
    const [text] = found.exec(this.#text) ?? [];
    if (text === undefined) this.#fail(this.#at >= this.#text.length ? "it ends too early" : "a value is missing");
    const value = this.#json(text);
    this.#at += text.length;
    return value;
  }

  #json(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return this.#fail(`\`${text.slice(0, 40)}\` is not JSON`);
    }
  }

  #skip(): void {
    const trivia = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
    trivia.lastIndex = this.#at;
    this.#at += trivia.exec(this.#text)?.[0].length ?? 0;
  }

  #fail(problem: string): never {
    throw new Unreadable(problem, this.#at);
  }
}
