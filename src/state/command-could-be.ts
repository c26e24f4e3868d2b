import { roomsOf, type Room } from "./shell-words.ts";

/** The author's text, or the place of a value. `stays`: without a value the place is as it was written. */
export type OpenPart = string | { readonly text: string; readonly stays: boolean };

const quoted = String.raw`'[^']*'|\\'`;

/**
 * One piece of what a value is written as, by where it is: pieces in a row are data there, whatever they are, and leave no quote open. A text may
 * follow that begins like a piece, so each is as short as it can be.
 */
const pieces: Readonly<Record<Room, RegExp | undefined>> = {
  word: new RegExp(`[A-Za-z0-9_./:@% -]|${quoted}`, "y"),
  single: /[^']|'\\''/y,
  double: new RegExp(`[^$\`"\\\\!]|"(?:${quoted})+"`, "y"),
  comment: /[^\r\n]/y,
  arithmetic: /[\d.]|\(-[\d.]+\)/y,
  number: /[\d-]|'-?\d*'|"'-?\d+'"|\(-\d+\)/y,
  // Nothing may be put in there.
  backtick: undefined,
  ansi: undefined,
  document: undefined,
};

/** Whether a command can have come to this text, whatever its values are: each must be quoted for the place where it is. */
export function commandCouldBe(parts: readonly OpenPart[], text: string): boolean {
  const rooms = roomsOf(parts);
  let ends: ReadonlySet<number> = new Set([0]);
  for (const [at, part] of parts.entries()) {
    if (typeof part === "string") ends = behind(part, ends, text);
    else {
      const room = rooms[at];
      const piece = room === undefined ? undefined : pieces[room];
      ends = new Set([...(piece === undefined ? [] : reached(piece, ends, text)), ...(part.stays ? behind(part.text, ends, text) : [])]);
    }
    if (ends.size === 0) return false;
  }
  return ends.has(text.length);
}

function behind(part: string, starts: ReadonlySet<number>, text: string): ReadonlySet<number> {
  return new Set([...starts].flatMap((start) => (text.startsWith(part, start) ? [start + part.length] : [])));
}

/** Wherever so many pieces may end. Each place is looked at once, wherever the pieces before it began. */
function reached(piece: RegExp, starts: ReadonlySet<number>, text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const start of starts) {
    for (let at = start; !found.has(at); at = piece.lastIndex) {
      found.add(at);
      piece.lastIndex = at;
      if (!piece.test(text)) break;
    }
  }
  return found;
}
