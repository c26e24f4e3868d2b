/** A value in a JSON text with comments, and where it is; `end` is the offset behind it. Only objects have members. */
export interface JsoncNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  readonly members?: readonly JsoncMember[];
}

export interface JsoncMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsoncNode;
  /** Offset of the comma behind it. */
  readonly comma: number | undefined;
}

export interface JsoncProblem {
  readonly problem: string;
  readonly line: number;
  readonly column: number;
}

class Unreadable extends Error {}

/**
 * Reads JSON as editors do: comments, a byte order mark and trailing commas are fine. Answers the tree with offsets, so that text can
 * be put in or taken out without touching anything else, or the first problem.
 */
export function parseJsonc(text: string): JsoncNode | JsoncProblem {
  const reader = new Reader(text);
  try {
    const node = reader.value(1);
    if (reader.token !== "") throw new Unreadable("there is something behind the end");
    return node;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const before = text.slice(0, reader.offset).split("\n");
    return { problem: error.message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** Texts, comments, words, and any other character but white space by itself. */
const tokenForms = /"(?:[^"\\\u0000-\u001f]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[-+.\w]+|[^ \t\r\n]/g;

/** Deeper files are nobody's configuration. */
const deepest = 200;

class Reader {
  readonly #text: string;
  readonly #tokens: readonly RegExpExecArray[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.matchAll(tokenForms)].filter(([token]) => token !== "\ufeff" && !/^\/[/*]/.test(token));
  }

  /** Empty at the end. */
  get token(): string {
    return this.#tokens[this.#next]?.[0] ?? "";
  }

  get offset(): number {
    return this.#tokens[this.#next]?.index ?? this.#text.length;
  }

  value(depth: number): JsoncNode {
    if (depth > deepest) throw new Unreadable("it is nested too deeply");
    const start = this.offset;
    if (this.token === "{") {
      const members = this.#entries("}", () => this.#member(depth)).map(([member, comma]) => ({ ...member, comma }));
      const value = Object.fromEntries(members.map((member) => [member.key, member.value.value]));
      return { start, end: this.#end, value, members };
    }
    const value = this.token === "[" ? this.#entries("]", () => this.value(depth + 1).value).map(([entry]) => entry) : this.#plain();
    return { start, end: this.#end, value };
  }

  /** The offset behind what was read. */
  get #end(): number {
    const last = this.#tokens[this.#next - 1];
    return last === undefined ? 0 : last.index + last[0].length;
  }

  /** Entries up to the closing bracket, each with the offset of the comma behind it. */
  #entries<T>(close: "}" | "]", read: () => T): (readonly [entry: T, comma: number | undefined])[] {
    const entries: (readonly [T, number | undefined])[] = [];
    this.#next++;
    while (this.token !== close) {
      if (entries.length > 0 && entries.at(-1)?.[1] === undefined) throw new Unreadable("a comma is missing");
      const entry = read();
      const comma = this.token === "," ? this.offset : undefined;
      if (comma !== undefined) this.#next++;
      entries.push([entry, comma]);
    }
    this.#next++;
    return entries;
  }

  #member(depth: number): Omit<JsoncMember, "comma"> {
    const start = this.offset;
    if (!this.token.startsWith('"')) throw new Unreadable("a key in double quotes is missing");
    const key = String(this.#plain());
    if (this.token !== ":") throw new Unreadable("a colon is missing");
    this.#next++;
    return { key, start, value: this.value(depth + 1) };
  }

  #plain(): unknown {
    const { token } = this;
    if (token === "") throw new Unreadable("it ends too early");
    if (token === '"') throw new Unreadable("a text is not closed");
    try {
      const value: unknown = JSON.parse(token);
      this.#next++;
      return value;
    } catch {
      throw new Unreadable(/^[{}[\],:]$/.test(token) ? "a value is missing" : `\`${token.slice(0, 40)}\` is not JSON`);
    }
  }
}
