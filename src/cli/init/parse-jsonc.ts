import { defined } from "../../base/index.ts";

/** A value in a JSON text with comments, and where it is; `end` is the offset behind it. */
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
  try {
    return new Reader(text).document();
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

/** Texts, comments, words, and any other character but white space by itself. */
const tokenForms = /"(?:[^"\\\u0000-\u001f]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[-+.\w]+|[^ \t\r\n]/g;

/** Deeper files are nobody's configuration. */
const deepest = 200;

class Reader {
  readonly #text: string;
  readonly #tokens: readonly RegExpExecArray[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.matchAll(tokenForms)].filter(([token]) => token !== "\ufeff" && !/^\/[/*]/.test(token));
  }

  document(): JsoncNode {
    const node = this.#value();
    if (this.#token() !== "") this.#fail("there is something behind the end");
    return node;
  }

  /** Empty at the end. */
  #token(): string {
    return this.#tokens[this.#next]?.[0] ?? "";
  }

  get #offset(): number {
    return this.#tokens[this.#next]?.index ?? this.#text.length;
  }

  #value(): JsoncNode {
    if (++this.#depth > deepest) this.#fail("it is nested too deeply");
    const start = this.#offset;
    const held = this.#token() === "{" ? this.#members() : { value: this.#token() === "[" ? this.#list() : this.#plain() };
    const end = (this.#tokens[this.#next - 1]?.index ?? 0) + (this.#tokens[this.#next - 1]?.[0].length ?? 0);
    this.#depth--;
    return "members" in held ? { kind: "object", start, end, ...held } : { kind: "other", start, end, ...held };
  }

  #members(): Pick<JsoncObject, "members"> {
    const members: JsoncMember[] = [];
    this.#next++;
    while (this.#token() !== "}") {
      if (members.length > 0 && members.at(-1)?.comma === undefined) this.#fail("a comma is missing");
      const start = this.#offset;
      if (!this.#token().startsWith('"')) this.#fail("a key in double quotes is missing");
      const key = String(this.#plain());
      if (this.#token() !== ":") this.#fail("a colon is missing");
      this.#next++;
      const value = this.#value();
      const comma = this.#token() === "," ? this.#offset : undefined;
      if (comma !== undefined) this.#next++;
      members.push({ key, start, value, ...defined({ comma }) });
    }
    this.#next++;
    return { members };
  }

  #list(): unknown[] {
    const values: unknown[] = [];
    this.#next++;
    for (let comma = true; this.#token() !== "]";) {
      if (!comma) this.#fail("a comma is missing");
      values.push(valueOf(this.#value()));
      comma = this.#token() === ",";
      if (comma) this.#next++;
    }
    this.#next++;
    return values;
  }

  #plain(): unknown {
    const token = this.#token();
    if (token === "") this.#fail("it ends too early");
    if (token === '"') this.#fail("a text is not closed");
    try {
      const value: unknown = JSON.parse(token);
      this.#next++;
      return value;
    } catch {
      return this.#fail(/^[{}[\],:]$/.test(token) ? "a value is missing" : `\`${token.slice(0, 40)}\` is not JSON`);
    }
  }

  #fail(problem: string): never {
    throw new Unreadable(problem, this.#offset);
  }
}
