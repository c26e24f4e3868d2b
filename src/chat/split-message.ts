import { wholeCharacters } from "../base/index.ts";

/** A block of code that is open at the end of a text: how it was opened, and what closes it. */
interface OpenFence {
  readonly opened: string;
  readonly mark: string;
}

/**
 * A text as messages of at most so many characters, cut at the end of a line or of a word where there is one. A block of code that is cut is
 * closed and opened again. `longest` is at least 2.
 */
export function splitMessage(text: string, longest: number = Number.POSITIVE_INFINITY): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const [part, next] = cutMessage(rest, longest);
    if (part.trim() !== "") parts.push(part);
    rest = next;
  }
  if (rest.trim() !== "" || parts.length === 0) parts.push(rest);
  return parts;
}

/** The first message of a longer text, and the text of those that follow. */
function cutMessage(text: string, longest: number): readonly [string, string] {
  const plain = cutAt(text, longest);
  const fence = openFence(text.slice(0, plain));
  const closing = fence === undefined ? "" : `\n${fence.mark}`;
  const begun = fence === undefined ? 0 : fence.opened.length + 1;
  // Where hardly more than the marks would fit, the text counts more than how it looks.
  if (fence === undefined || longest < 2 * (begun + closing.length)) return [text.slice(0, plain), withoutBreak(text.slice(plain))];
  const end = cutAt(text, longest - closing.length);
  const head = text.slice(0, end);
  const left = openFence(head);
  if (left === undefined || end + left.mark.length >= longest) return [head, withoutBreak(text.slice(end))];
  return [`${head}\n${left.mark}`, `${left.opened}\n${withoutBreak(text.slice(end))}`];
}

function withoutBreak(text: string): string {
  return text.replace(/^\r?\n/, "");
}

/** Where a text is cut so that at most so many characters are before it: behind the last line or word, if that is not too early. 0 where half a character would fit. */
export function cutAt(text: string, most: number): number {
  const whole = wholeCharacters(text, Math.min(most, text.length));
  if (whole >= text.length) return text.length;
  const line = text.lastIndexOf("\n", whole);
  if (line > whole / 2) return line;
  const word = text.lastIndexOf(" ", whole);
  return word > whole / 2 ? word : whole;
}

const longestInfo = 20;

/** The block of code that a text leaves open. */
export function openFence(text: string): OpenFence | undefined {
  let open: OpenFence | undefined;
  for (const line of text.split("\n")) {
    const [, mark, info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (open === undefined) open = { mark, opened: `${mark}${(/^\s*(\S+)/.exec(info)?.[1] ?? "").slice(0, longestInfo)}` };
    else if (mark.startsWith(open.mark) && info.trim() === "") open = undefined;
  }
  return open;
}
