import type { PreparedSource } from "../prepared-source.ts";
import type { Comment } from "./directive.ts";

/** Comments that may hold a directive, in order. A text without the words of one is not divided into tokens. */
export function readComments(source: Pick<PreparedSource, "text" | "tokens" | "lines">): readonly Comment[] {
  const { text, lines } = source;
  if (!anyDirective.test(text)) return [];
  const comments = source.tokens.filter(({ kind }) => kind === "comment");
  const isComment = linesOf(source, comments);
  return comments.flatMap(({ start, end }): Comment[] => {
    const whole = text.slice(start, end);
    if (!anyDirective.test(whole)) return [];
    const from = lines.lineAt(start);
    const to = lines.lineAt(Math.max(start, end - 1));
    const alone = text.slice(lines.startOf(from), start).replace(jsxBrace, "").trim() === "";
    let next = alone ? to + 1 : from;
    while (alone && isComment.has(next)) next += 1;
    return [{ text: whole.replace(opening, "").replace(closing, "").trim(), block: /^(?:\/\*|<!--)/.test(whole), from, to, next, alone }];
  });
}

const anyDirective = /waymark-ignore|(?:eslint|oxlint)-(?:disable|enable)|biome-ignore|noqa|NOLINT|nosec|nosemgrep|pylint:/i;
const opening = /^(?:\/\/+|\/\*+|<!--|#+|--+|;+|'+)/;
const closing = /(?:\*\/|-->)$/;
/** A comment between elements of JSX is in braces. */
const jsxBrace = /\{\s*$/;

/** Lines that hold a comment and no code. */
function linesOf(
  { text, lines }: Pick<PreparedSource, "text" | "lines">,
  comments: readonly { readonly start: number; readonly end: number }[],
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { start, end } of comments) {
    const from = lines.lineAt(start);
    if (text.slice(lines.startOf(from), start).replace(jsxBrace, "").trim() !== "") continue;
    for (let line = from; line <= lines.lineAt(Math.max(start, end - 1)); line += 1) found.add(line);
  }
  return found;
}
