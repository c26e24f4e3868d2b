/**
 * A text in a line of an overview: its beginning and its length, never half a character. What an agent must write, show or run is not
 * shortened this way: `pageReply` gives the call that brings the rest.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = /[\uD800-\uDBFF]/.test(text[chars - 1] ?? "") ? chars - 1 : chars;
  return `${text.slice(0, end)}... (${text.length} characters)`;
}
