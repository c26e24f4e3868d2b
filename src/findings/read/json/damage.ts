/** A place in a document: `offset` in characters from 0, `line` and `column` from 1. `path` leads to the value: `.runs[0].results`. */
export interface Spot {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly path: string;
}

/** A document that is not what it should be. Never leaves the room: `readFindings` makes an error for people of it. */
export class Damage extends Error {
  /** What should be there, for people. */
  readonly expected: string;
  readonly at: Spot;
  /** What is there instead, from that place on; undefined where only who has the text knows it. */
  readonly found: string | undefined;

  constructor(expected: string, at: Spot, found?: string) {
    super(`expected ${expected}`);
    this.expected = expected;
    this.at = at;
    this.found = found;
  }
}

/** Found where a key should be that is nowhere. */
export const absent = "(absent)";
/** Found in a text that has nothing but blanks. */
export const nothing = "(nothing)";

/** The place so many characters behind another, in a text that begins there. */
export function spotIn(text: string, begin: Spot, offset: number, path: string = begin.path): Spot {
  const before = text.slice(0, offset);
  const lines = before.split("\n");
  const last = lines.at(-1)!.length;
  return {
    offset: begin.offset + offset,
    line: begin.line + lines.length - 1,
    column: lines.length === 1 ? begin.column + last : last + 1,
    path,
  };
}
