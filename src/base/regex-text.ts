/** A text as a part of a regular expression that matches just it. */
export function regexText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
