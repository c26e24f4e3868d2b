/** What could move the cursor, hide or reorder text. Escape sequences that `Output` itself writes are matched first, as a whole. */
const marks =
  /(\u001b\[(?:1|2|22|31|32|33|36|39)m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that is safe to show: control characters and marks that change the direction of text are spelled out (`\u001b`). Line breaks
 * and tabs stay, and where colours are used so do the six styles of our own, none of which can hide anything.
 */
export function plainText(text: string, colours: boolean): string {
  return text.replaceAll("\r\n", "\n").replace(marks, (mark: string, style: string | undefined) => {
    return colours && style !== undefined ? style : spellOut(mark);
  });
}

function spellOut(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}${mark.slice(1)}`;
}
