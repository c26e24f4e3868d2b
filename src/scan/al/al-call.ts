import { firstIndex } from "../first-index.ts";
import { Kind, endAt, isNameAt, isWord, kindAt, startAt, type AlDirective, type AlTokens } from "./al-tokens.ts";

/** Indexes of the tokens of an expression, in order. They need not be neighbours: another branch of an `#if` is left out. */
export type AlExpression = readonly number[];

/** The text of an expression. */
export function sourceOf(tokens: AlTokens, expression: AlExpression): string {
  const [first] = expression;
  return first === undefined ? "" : tokens.text.slice(startAt(tokens, first), endAt(tokens, expression.at(-1) ?? first));
}

export interface AlCall {
  readonly open: number;
  /** Token of the closing bracket; -1 when there is none before the statement ends. */
  readonly close: number;
  /** Last token that belongs to it. */
  readonly last: number;
  readonly args: readonly AlExpression[];
  /** A directive is between its brackets. */
  readonly directives: boolean;
}

/** Reads the arguments of a call to their balanced end. Where a directive splits it, the branch that it begins in is followed. */
export function readCall(tokens: AlTokens, open: number): AlCall {
  const walk = new BranchWalk(tokens, open + 1);
  const args: number[][] = [];
  let arg: number[] = [];
  let depth = 0;
  let last = open;
  for (let at = walk.next(); at < tokens.count; at = walk.next()) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.SEMICOLON || kind === Kind.BRACE_OPEN || kind === Kind.BRACE_CLOSE) break;
    if (kind === Kind.PAREN_CLOSE && depth === 0) {
      if (arg.length > 0 || args.length > 0) args.push(arg);
      return { open, close: at, last: at, args, directives: walk.directives };
    }
    last = at;
    if (kind === Kind.COMMA && depth === 0) {
      args.push(arg);
      arg = [];
      continue;
    }
    if (kind === Kind.PAREN_OPEN || kind === Kind.BRACKET_OPEN) depth += 1;
    else if (kind === Kind.PAREN_CLOSE || kind === Kind.BRACKET_CLOSE) depth -= 1;
    arg.push(at);
  }
  args.push(arg);
  return { open, close: -1, last, args, directives: walk.directives };
}

class BranchWalk {
  readonly #tokens: AlTokens;
  #at: number;
  #directive: number;
  directives = false;

  constructor(tokens: AlTokens, from: number) {
    this.#tokens = tokens;
    this.#at = from;
    this.#directive = firstIndex(tokens.directives.length, (index) => (tokens.directives[index] as AlDirective).before >= from);
  }

  next(): number {
    const { directives } = this.#tokens;
    for (;;) {
      const directive = directives[this.#directive];
      if (directive === undefined || directive.before > this.#at) break;
      this.directives = true;
      this.#directive += 1;
      if (directive.word === "else" || directive.word === "elif") this.#leaveBranches();
    }
    this.#at += 1;
    return this.#at - 1;
  }

  /** Continues after the `#endif` that belongs to the branch just ended. */
  #leaveBranches(): void {
    const { directives, count } = this.#tokens;
    let depth = 1;
    for (; this.#directive < directives.length; this.#directive += 1) {
      const { word, before } = directives[this.#directive] as AlDirective;
      if (word === "if") depth += 1;
      else if (word === "endif") depth -= 1;
      if (depth === 0) {
        this.#directive += 1;
        this.#at = before;
        return;
      }
    }
    this.#at = count;
  }
}

/** A name with what hangs on it: `A`, `this.A`, `A.B(1)[2]`. */
export interface AlChain {
  /** Token of the first name, after `this.` */
  readonly base: number;
  /** Token of the last name. */
  readonly member: number;
  /** One sign for each link: `.`, `:`, `(` and `[`. */
  readonly links: string;
  /** For a link `(` at the end: the token of its bracket. */
  readonly open: number;
  /** It began with `this.` */
  readonly own: boolean;
}

/** The expression as a chain, or undefined when it is anything else. */
export function readChain(tokens: AlTokens, expression: AlExpression): AlChain | undefined {
  const token = (place: number): number => expression[place] ?? -1;
  const own = isWord(tokens, token(0), "this") && kindAt(tokens, token(1)) === Kind.DOT;
  let place = own ? 2 : 0;
  if (!isNameAt(tokens, token(place))) return undefined;
  const base = token(place);
  let member = base;
  let links = "";
  let open = -1;
  place += 1;
  while (place < expression.length) {
    const kind = kindAt(tokens, token(place));
    if (kind === Kind.DOT || kind === Kind.DOUBLE_COLON) {
      member = token(place + 1);
      if (!isNameAt(tokens, member) && kindAt(tokens, member) !== Kind.NUMBER) return undefined;
      links += kind === Kind.DOT ? "." : ":";
      place += 2;
    } else if (kind === Kind.PAREN_OPEN || kind === Kind.BRACKET_OPEN) {
      links += kind === Kind.PAREN_OPEN ? "(" : "[";
      open = token(place);
      place = closeOf(tokens, expression, place) + 1;
    } else return undefined;
  }
  return { base, member, links, open, own };
}

/** Place of the bracket that closes the one at `from`; the end of the expression when there is none. */
function closeOf(tokens: AlTokens, expression: AlExpression, from: number): number {
  let depth = 0;
  for (let place = from; place < expression.length; place += 1) {
    const kind = kindAt(tokens, expression[place] as number);
    if (kind === Kind.PAREN_OPEN || kind === Kind.BRACKET_OPEN) depth += 1;
    else if (kind === Kind.PAREN_CLOSE || kind === Kind.BRACKET_CLOSE) depth -= 1;
    if (depth === 0) return place;
  }
  return expression.length;
}
