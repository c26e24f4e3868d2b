const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Joiners and variants of letters and pictures: what they do there is seen. */
const shapes = /(?<=[^\0-\x7f])(?:[\u200c\u200d](?=[^\0-\x7f])|\ufe0f)/u;
const hidden = new RegExp(`(?!${shapes.source})${unseen.source}`, "gu");

/** Text as a person can judge it: characters that a terminal would obey or hide are spelled out (`\u001b`). Line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(hidden, (mark) => (mark === "\n" || mark === "\t" ? mark : spelledOut(mark)));
}

/** One word as a shell would read it. What cannot be seen is spelled out, so that what is read is what runs. */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(word)) return word;
  if (!unseen.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/['\\]/g, "\\$&").replace(new RegExp(unseen, "gu"), spelledOut)}'`;
}

function spelledOut(mark: string): string {
  return `\\u${mark.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}
