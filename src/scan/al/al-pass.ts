import { alCharacters, Begins, beginsWide, continuesNumber, isDigit, type AlCharacters, type AlLexRules } from "./al-characters.ts";
import { roomFor, type Room } from "./al-room.ts";
import { Kind, type AlDirective, type AlTokens } from "./al-tokens.ts";

/** Which tokens a pass keeps. `significant`: no comments, and directives in their own list; `gaps`: what is not code. */
type Wanted = "all" | "significant" | "gaps";

/** What a pass read. The arrays are views of memory that the next pass writes to. */
type PassResult = Omit<AlTokens, "text" | "foldCase">;

/** By the lower five bits of the first character and the length: names that may be a word in `AlTokens.marks`. */
const marked: Uint8Array = (() => {
  const table = new Uint8Array(512);
  for (const word of ["var", "begin", "event", "subtype", "trigger", "procedure"])
    table[((word.charCodeAt(0) & 31) << 4) | word.length] = 1;
  return table;
})();

/** Reads one text once. */
export class AlPass {
  readonly #text: string;
  readonly #rules: AlLexRules;
  readonly #characters: AlCharacters;
  readonly #units: Uint16Array;
  readonly #room: Room;
  readonly #directives: AlDirective[] = [];
  #wanted: Wanted = "all";
  #count = 0;
  #marksCount = 0;

  constructor(text: string, rules: AlLexRules) {
    this.#text = text;
    this.#rules = rules;
    this.#characters = alCharacters(rules);
    this.#room = roomFor(text);
    this.#units = this.#room.units;
  }

  read(wanted: Wanted): PassResult {
    this.#wanted = wanted;
    if (wanted === "gaps") this.#readGaps();
    else this.#readTokens();
    const count = this.#count;
    const { kinds, starts, ends, marks } = this.#room;
    return {
      count,
      kinds: kinds.subarray(0, count),
      starts: starts.subarray(0, count),
      ends: ends.subarray(0, count),
      marks: marks.subarray(0, this.#marksCount),
      directives: this.#directives,
    };
  }

  /** Spaces, names and plain symbols are most of a file: they are read here, everything else in `#sign`. */
  #readTokens(): void {
    const length = this.#text.length;
    const units = this.#units;
    const { begins, continues } = this.#characters;
    const { kinds, starts, ends, marks } = this.#room;
    let marksCount = 0;
    let count = 0;
    let at = 0;
    let lineBegins = true;
    while (at < length) {
      let c = units[at] as number;
      while (c === 32) c = units[++at] as number;
      const what = c < 128 ? (begins[c] as number) : this.#wide(at);
      if (what === Begins.SPACE) {
        at += 1;
        continue;
      }
      if (what === Begins.LINE_END) {
        lineBegins = true;
        at += 1;
        continue;
      }
      if (what === Kind.NAME) {
        const start = at;
        let next: number;
        do next = units[++at] as number;
        while (next < 128 && continues[next] === 1);
        if (next >= 128 || c >= 128) at = this.#wideNameEnd(start);
        if (at - start < 10 && marked[((c & 31) << 4) | (at - start)] === 1) marks[marksCount++] = count;
        kinds[count] = Kind.NAME;
        starts[count] = start;
        ends[count] = at;
        count += 1;
      } else if (what === Begins.SYMBOL || (what === Begins.DOT && units[at + 1] !== 46)) {
        if (c === Kind.BRACE_OPEN || c === Kind.BRACE_CLOSE) marks[marksCount++] = count;
        kinds[count] = c;
        starts[count] = at;
        at += 1;
        ends[count] = at;
        count += 1;
      } else {
        this.#count = count;
        at = this.#sign(what, at, lineBegins);
        count = this.#count;
        if (what === Kind.NUMBER && kinds[count - 2] === Kind.NAME) marks[marksCount++] = count - 2;
      }
      // Only spaces may come before a directive, not even a comment.
      lineBegins = false;
    }
    this.#count = count;
    this.#marksCount = marksCount;
  }

  /** Names, numbers and symbols are all code here: no sign below can be part of them. */
  #readGaps(): void {
    const length = this.#text.length;
    const units = this.#units;
    const { begins, opens } = this.#characters;
    let at = 0;
    for (;;) {
      let c = units[at] as number;
      while (c >= 128 || opens[c] === 0) c = units[++at] as number;
      if (at >= length) return;
      const what = begins[c] as number;
      if (what === Begins.QUOTE || what === Begins.DOUBLE_QUOTE || what === Begins.SLASH || what === Begins.AT)
        at = this.#sign(what, at, false);
      else if (what === Begins.HASH) at = this.#sign(what, at, this.#beginsLine(at));
      else at += 1;
    }
  }

  #beginsLine(from: number): boolean {
    const units = this.#units;
    const { begins } = this.#characters;
    for (let at = from - 1; at >= 0; at -= 1) {
      const c = units[at] as number;
      const what = c < 128 ? begins[c] : this.#wide(at);
      if (what !== Begins.SPACE) return what === Begins.LINE_END;
    }
    return true;
  }

  #sign(what: number, at: number, lineBegins: boolean): number {
    const c = this.#units[at] as number;
    const next = this.#units[at + 1] as number;
    const rules = this.#rules;
    switch (what) {
      case Begins.QUOTE:
        return this.#push(Kind.STRING, at, this.#quotedEnd(at + 1, c, rules.doubledQuotes, rules.stringsEndAtLine));
      case Begins.DOUBLE_QUOTE:
        return this.#push(Kind.QUOTED, at, this.#quotedEnd(at + 1, c, rules.doubledNameQuotes, rules.quotedNamesEndAtLine));
      case Begins.AT:
        return next === 39 ? this.#push(Kind.STRING, at, this.#quotedEnd(at + 2, 39, true, false)) : this.#symbol(c, at, 1);
      case Begins.SLASH:
        if (next === 47 && rules.lineComments) return this.#comment(at, this.#lineEnd(at));
        return next === 42 && rules.blockComments ? this.#comment(at, this.#blockEnd(at)) : this.#symbol(c, at, 1);
      case Kind.NUMBER:
        return this.#push(Kind.NUMBER, at, this.#numberEnd(at));
      case Begins.HASH:
        return lineBegins || !rules.directivesBeginLines ? this.#directive(at) : this.#symbol(c, at, 1);
      case Begins.COLON:
        if (next === 58 && rules.doubleColons) return this.#symbol(Kind.DOUBLE_COLON, at, 2);
        return next === 61 ? this.#symbol(Kind.ASSIGN, at, 2) : this.#symbol(c, at, 1);
      case Begins.DOT:
        return next === 46 ? this.#symbol(Kind.RANGE, at, 2) : this.#symbol(c, at, 1);
      default:
        return this.#symbol(Kind.OTHER, at, (this.#text.codePointAt(at) as number) > 0xffff ? 2 : 1);
    }
  }

  #symbol(kind: number, at: number, length: number): number {
    return this.#wanted === "gaps" ? at + length : this.#push(kind, at, at + length);
  }

  #push(kind: number, start: number, end: number): number {
    const { kinds, starts, ends } = this.#room;
    const count = this.#count++;
    kinds[count] = kind;
    starts[count] = start;
    ends[count] = end;
    return end;
  }

  #comment(start: number, end: number): number {
    return this.#wanted === "significant" ? end : this.#push(Kind.COMMENT, start, end);
  }

  #directive(start: number): number {
    const end = this.#lineEnd(start);
    if (this.#wanted !== "significant") return this.#push(Kind.DIRECTIVE, start, end);
    this.#directives.push({ word: directiveWord(this.#text, start, end), before: this.#count, start, end });
    return end;
  }

  #wideNameEnd(start: number): number {
    const units = this.#units;
    const { continues } = this.#characters;
    let at = start + ((this.#text.codePointAt(start) as number) > 0xffff ? 2 : 1);
    for (; at < this.#text.length; at += 1) {
      const c = units[at] as number;
      if (c < 128 ? continues[c] !== 1 : this.#wide(at) !== Kind.NAME) break;
    }
    return at;
  }

  #wide(at: number): number {
    return beginsWide(this.#text, at, this.#rules);
  }

  /** Digits, one decimal point before a digit, and the letters that end dates, times and long numbers. */
  #numberEnd(start: number): number {
    const units = this.#units;
    let at = start + 1;
    let pointSeen = false;
    for (;;) {
      const c = units[at] as number;
      if (continuesNumber(c)) at += 1;
      else if (c === 46 && !pointSeen && isDigit(units[at + 1] as number)) {
        pointSeen = true;
        at += 2;
      } else return at;
    }
  }

  #quotedEnd(from: number, quote: number, doubled: boolean, endsAtLine: boolean): number {
    const units = this.#units;
    const length = this.#text.length;
    let at = from;
    while (at < length) {
      let c = units[at] as number;
      while (c > 13 && c !== quote) c = units[++at] as number;
      if (at >= length) break;
      if (c === quote) {
        if (!doubled || units[at + 1] !== quote) return at + 1;
        at += 2;
      } else if (endsAtLine && (c === 10 || c === 13)) return at;
      else at += 1;
    }
    return length;
  }

  #lineEnd(from: number): number {
    const units = this.#units;
    const length = this.#text.length;
    let at = from;
    for (; at < length; at += 1) {
      const c = units[at] as number;
      if (c < 14 && (c === 10 || c === 13)) break;
    }
    return at;
  }

  #blockEnd(from: number): number {
    const text = this.#text;
    if (this.#rules.flatBlockComments) {
      const close = text.indexOf("*/", from + 2);
      return close < 0 ? text.length : close + 2;
    }
    let depth = 1;
    let at = from + 2;
    for (; at < text.length && depth > 0; at += 1) {
      if (text.startsWith("*/", at)) depth -= 1;
      else if (text.startsWith("/*", at)) depth += 1;
      else continue;
      at += 1;
    }
    return at;
  }
}

function directiveWord(text: string, start: number, end: number): AlDirective["word"] {
  // Most are regions and pragmas.
  if (/[prPR]/.test(text.charAt(start + 1))) return "other";
  const word = /^#[ \t]*(if|elif|else|endif)(?![\p{L}\p{Nd}_])/iu.exec(text.slice(start, Math.min(end, start + 32)))?.[1]?.toLowerCase();
  return (word as AlDirective["word"] | undefined) ?? "other";
}
