/** A regular expression as a tree. It is parsed only after the engine has accepted it, so faults need no care here. */
export type RegexNode = RegexPart & {
  /** Of the named groups that it is the whole of, the outermost first. */
  readonly names?: readonly string[];
};

type RegexPart =
  /** One character: `source` as written; `literal` when it can be only this one, apart from its case. */
  | { readonly kind: "set"; readonly source: string; readonly literal?: string }
  | { readonly kind: "sequence" | "choice"; readonly items: readonly RegexNode[] }
  | { readonly kind: "repeat"; readonly body: RegexNode; readonly min: number; readonly max: number; readonly lazy: boolean }
  | { readonly kind: "look"; readonly negative: boolean; readonly behind: boolean; readonly body: RegexNode }
  /** `^`, `$`, `\b`, `\B`. */
  | { readonly kind: "edge"; readonly sign: "^" | "$" | "b" | "B" }
  | { readonly kind: "reference" };

export interface ParsedRegex {
  readonly root: RegexNode;
  readonly groups: readonly string[];
}

export function parseRegex(source: string, flags: string): ParsedRegex {
  const parser = new Parser(source, flags);
  const root = parser.choice();
  return { root, groups: parser.groups };
}

const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", v: "\v", f: "\f", "0": "\0" };

class Parser {
  readonly groups: string[] = [];
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #nestedClasses: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#unicode = /[uv]/.test(flags);
    this.#nestedClasses = flags.includes("v");
  }

  choice(): RegexNode {
    const items: RegexNode[] = [];
    do items.push(this.#sequence());
    while (this.#take("|"));
    return joined("choice", items);
  }

  #take(word: string): boolean {
    if (!this.#source.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.#at < this.#source.length && !this.#source.startsWith("|", this.#at) && !this.#source.startsWith(")", this.#at)) {
      items.push(this.#quantified(this.#atom()));
    }
    return joined("sequence", items);
  }

  #quantified(body: RegexNode): RegexNode {
    const match = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(this.#source.slice(this.#at, this.#at + 24));
    if (match === null) return body;
    this.#at += match[0].length;
    const [sign] = match[0];
    const lazy = match[0].length > 1 && match[0].endsWith("?");
    if (sign !== "{") return { kind: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity, lazy };
    const min = Number(match[1]);
    return { kind: "repeat", body, min, max: match[2] === undefined ? min : match[3] === "" ? Infinity : Number(match[3]), lazy };
  }

  #atom(): RegexNode {
    if (this.#take("(")) return this.#group();
    for (const sign of ["^", "$"] as const) if (this.#take(sign)) return { kind: "edge", sign };
    const start = this.#at;
    const first = this.#source.charAt(start);
    if (first === "[") return this.#class();
    if (first === "\\") return this.#escape();
    this.#at += this.#unicode ? String.fromCodePoint(this.#source.codePointAt(start) ?? 0).length : 1;
    const source = this.#source.slice(start, this.#at);
    return source === "." ? { kind: "set", source } : { kind: "set", source: escapeLiteral(source), literal: source };
  }

  #group(): RegexNode {
    const look = /^\?(<?)([=!])/.exec(this.#source.slice(this.#at, this.#at + 3));
    if (look !== null) {
      this.#at += look[0].length;
      const body = this.#closed();
      return { kind: "look", negative: look[2] === "!", behind: look[1] === "<", body };
    }
    const named = /^\?<([^>]+)>/.exec(this.#source.slice(this.#at));
    if (named !== null) {
      this.#at += named[0].length;
      const name = named[1] ?? "";
      this.groups.push(name);
      const body = this.#closed();
      return { ...body, names: [name, ...(body.names ?? [])] };
    }
    if (this.#source.startsWith("?", this.#at)) this.#at = this.#source.indexOf(":", this.#at) + 1;
    return this.#closed();
  }

  #closed(): RegexNode {
    const body = this.choice();
    this.#take(")");
    return body;
  }

  #class(): RegexNode {
    const start = this.#at;
    let depth = 0;
    do {
      const character = this.#source.charAt(this.#at);
      if (character === "\\") this.#at++;
      else if (character === "[" && (depth === 0 || this.#nestedClasses)) depth++;
      else if (character === "]") depth--;
      this.#at++;
    } while (depth > 0 && this.#at < this.#source.length);
    const source = this.#source.slice(start, this.#at);
    const [, one, two] = /^\[([A-Za-z])([A-Za-z])?\]$/.exec(source) ?? [];
    const same = one !== undefined && (two === undefined || one.toLowerCase() === two.toLowerCase());
    return same ? { kind: "set", source, literal: one } : { kind: "set", source };
  }

  #escape(): RegexNode {
    const rest = this.#source.slice(this.#at, this.#at + 80);
    const [source = rest.slice(0, 2)] =
      /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*)/.exec(rest) ?? [];
    this.#at += source.length;
    const letter = source.charAt(1);
    if (letter === "b" || letter === "B") return { kind: "edge", sign: letter };
    if (/[1-9k]/.test(letter)) return { kind: "reference" };
    if (/[dDwWsSpPc]/.test(letter)) return { kind: "set", source };
    if (letter === "x" || letter === "u") {
      const code = Number.parseInt(source.replace(/[^0-9a-fA-F]/g, ""), 16);
      return source.length > 2 && code <= 0x10ffff ? { kind: "set", source, literal: String.fromCodePoint(code) } : { kind: "set", source };
    }
    return { kind: "set", source, literal: controls[letter] ?? source.slice(1) };
  }
}

function joined(kind: "sequence" | "choice", items: readonly RegexNode[]): RegexNode {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind, items };
}

function escapeLiteral(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
