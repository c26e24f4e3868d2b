/** One `{{ ... }}` in a text: offsets of its braces, and the code between them. */
export interface Hole {
  readonly start: number;
  readonly end: number;
  readonly code: string;
}

/**
 * Finds the templates of a text. Braces of object literals and everything in quotes belong to the code; a hole that never
 * closes is not a hole. What the code means is the business of the `state` room.
 */
export function findHoles(text: string): Hole[] {
  const holes: Hole[] = [];
  let at = text.indexOf("{{");
  while (at >= 0) {
    const end = closingBraces(text, at + 2);
    if (end === undefined) break;
    holes.push({ start: at, end: end + 2, code: text.slice(at + 2, end) });
    at = text.indexOf("{{", end + 2);
  }
  return holes;
}

/** What may hide braces, a quoted text even when its quote never closes, and the braces themselves. */
const token = /(["'`])(?:\\[^]|(?!\1)[^\\])*\1?|[{}]/g;

/** Offset of the `}}` that closes a hole opened before `from`. */
function closingBraces(text: string, from: number): number | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.slice(from).matchAll(token)) {
    if (found === "{") depth++;
    else if (found === "}" && depth > 0) depth--;
    else if (found === "}" && text[from + index + 1] === "}") return from + index;
  }
  return undefined;
}

export function hasHole(text: string): boolean {
  return findHoles(text).length > 0;
}

/** The code of a text that is one template as a whole, blanks around it aside. */
export function wholeHole(text: string): string | undefined {
  const trimmed = text.trim();
  const [hole, ...more] = findHoles(trimmed);
  return hole !== undefined && more.length === 0 && hole.start === 0 && hole.end === trimmed.length ? hole.code.trim() : undefined;
}

/** The texts between holes, and the holes, in order; empty texts are left out. */
function piecesOf(text: string): (string | Hole)[] {
  const pieces: (string | Hole)[] = [];
  let from = 0;
  for (const hole of findHoles(text)) {
    pieces.push(text.slice(from, hole.start), hole);
    from = hole.end;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== "");
}

/** The text with every hole replaced by something that is one plain key. */
export function fillHoles(text: string, filler: string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : filler))
    .join("");
}

/** Plain words of a piece of code that are not property names and not inside quotes: a rough stand-in for real analysis. */
export function wordsOf(code: string): string[] {
  const bare = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return [...bare.matchAll(/(?<![\w$.]|\?\.)[A-Za-z_$][\w$]*/g)].map(([word]) => word);
}

/** JavaScript that gives a text with templates in it; one that is a template as a whole keeps its type. */
export function textAsCode(text: string): string {
  const whole = wholeHole(text);
  if (whole !== undefined) return `(${whole})`;
  if (!hasHole(text)) return JSON.stringify(text);
  const pieces = piecesOf(text).map((piece) => (typeof piece === "string" ? JSON.stringify(piece) : `(${piece.code.trim()})`));
  return `[${pieces.join(", ")}].map((part) => (typeof part === "string" ? part : JSON.stringify(part ?? null))).join("")`;
}
