const dots = "...";

/** At most so many characters, cut between characters, never inside a pair of code units. */
export function clipChars(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${whole(text.slice(0, Math.max(0, most - dots.length))).trimEnd()}${dots}`;
}

/** At most so many tokens by a cheap estimate that is rather too high than too low. */
export function clipTokens(text: string, most: number): string {
  const kept = startOf(text, most);
  if (kept === text || kept === "") return kept;
  return shortEnd.test(text.slice(kept.length)) ? text : `${kept}${dots}`;
}

/** The beginning of a text that costs at most so many tokens. */
export function startOf(text: string, most: number): string {
  if (most <= 0) return "";
  let spent = 0;
  for (const match of text.matchAll(pieces)) {
    spent += costOf(match[0]);
    if (spent > most) {
      const room = fits(match[0], most - (spent - costOf(match[0])) - 1);
      return whole(text.slice(0, match.index + room)).trimEnd();
    }
  }
  return text;
}

/** An end that is not longer than the sign for it: leaving it out would save nothing. */
const shortEnd = /^[ -~]{1,3}$/;

/**
 * What a text costs in tokens, rather too much than too little: short words with the sign before them one, longer ones more, digits
 * one for three, signs that stand together in code and JSON about one for two, letters of other scripts one to three each.
 */
export function roughTokens(text: string): number {
  let spent = 0;
  for (const [piece] of text.matchAll(pieces)) spent += costOf(piece);
  return Math.ceil(spent);
}

const pieces = /[ "'(_./]?(?:[A-Z]?[a-z]+|[A-Z]+)|[0-9]{1,3}|\s+|[!-/:-@[-`{-~]+|[\u0080-\u04FF]+|[\u3040-\u9FFF\uAC00-\uD7A3]+|[^]/g;
const knownScripts = /^[\u3040-\u9FFF\uAC00-\uD7A3]/;
const joined = /^[":,{}[\]()';=/._-]+$/;

function costOf(piece: string): number {
  const { length } = piece;
  const last = piece.charCodeAt(length - 1);
  if (last > 0x7f) return last < 0x500 ? length : length * (knownScripts.test(piece) ? 1.3 : last >= 0xd800 && last <= 0xdfff ? 2.4 : 3.4);
  if (/[a-z]$/.test(piece)) return length <= 7 ? 1 : length <= 10 ? 1.4 : length <= 14 ? 2 : length / 2.4;
  if (/[A-Z]$/.test(piece)) return length <= 2 ? 1 : length / 1.8;
  if (/^[0-9]/.test(piece)) return 1;
  if (/^\s/.test(piece)) return piece === " " ? 0 : Math.max(1, length / 8);
  return joined.test(piece) ? Math.max(1, length / 2.2) : Math.max(1, length / 1.3);
}

/** How many characters of one piece can be had for the tokens that are left. */
function fits(piece: string, tokens: number): number {
  if (tokens <= 0) return 0;
  return Math.floor((tokens / costOf(piece)) * piece.length);
}

function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
