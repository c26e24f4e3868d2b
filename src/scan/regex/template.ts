import { type Call, type Span, shapeOf } from "./call-at.ts";
import type { PreparedSource } from "../prepared-source.ts";

/** Literal text, or the name of what goes in its place. */
type ReplacementPart = string | { readonly placeholder: string };

export interface Template {
  readonly parts: readonly ReplacementPart[];
  /** Needs the arguments or the name of a call. */
  readonly needsCall: boolean;
  /** Needs a named group of the expression. */
  readonly needsGroups: boolean;
}

/** The text of a match with everything a placeholder can mean. */
export interface TemplateMatch {
  readonly span: Span;
  readonly call: Call | undefined;
  readonly groups: Readonly<Record<string, Span | undefined>>;
}

export interface FilledTemplate {
  readonly text: string;
  /** Stretches of the original that were taken over as they are. */
  readonly kept: readonly Span[];
}

const ofCall = /^(?:original_string|params|constant_name|name|arg\d+)$/;

/** `unknown` lists the placeholders that nothing can fill. */
export function parseTemplate(
  template: string,
  groups: readonly string[],
): { readonly template: Template; readonly unknown: readonly string[] } {
  const parts: ReplacementPart[] = [];
  const unknown: string[] = [];
  let done = 0;
  for (const match of template.matchAll(/\{\{([\w\s.-]{1,60})\}\}/g)) {
    const placeholder = (match[1] ?? "").trim();
    if (!groups.includes(placeholder) && placeholder !== "match" && !ofCall.test(placeholder)) unknown.push(placeholder);
    if (match.index > done) parts.push(template.slice(done, match.index));
    parts.push({ placeholder });
    done = match.index + match[0].length;
  }
  if (done < template.length) parts.push(template.slice(done));
  const named = parts.flatMap((part) => (typeof part === "string" ? [] : [part.placeholder]));
  const needsGroups = named.some((name) => groups.includes(name));
  return { template: { parts, needsCall: named.some((name) => !groups.includes(name) && ofCall.test(name)), needsGroups }, unknown };
}

/** undefined when the match has nothing for one of the placeholders. Line ends of the template become those of the file. */
export function fillTemplate(template: Template, source: PreparedSource, match: TemplateMatch): FilledTemplate | undefined {
  const kept: Span[] = [];
  let text = "";
  for (const part of template.parts) {
    if (typeof part === "string") {
      text += part.replace(/\r\n|\n|\r/g, source.lineEnd);
      continue;
    }
    const span = spanOf(part.placeholder, source, match);
    if (span === undefined) return undefined;
    kept.push(span);
    text += source.text.slice(span.start, span.end);
  }
  return { text, kept };
}

function spanOf(placeholder: string, source: PreparedSource, { span, call, groups }: TemplateMatch): Span | undefined {
  if (Object.hasOwn(groups, placeholder)) return groups[placeholder];
  if (placeholder === "match") return span;
  if (call === undefined) return undefined;
  const [first, second] = call.arguments;
  const shape = (): string | undefined => first && shapeOf(source.text, source.tokens, first);
  switch (placeholder) {
    case "name":
      return call.name.end > call.name.start ? call.name : undefined;
    case "original_string":
      return shape() === "string" ? first : undefined;
    case "constant_name":
      return shape() === "name" || shape() === "member" ? first : undefined;
    case "params":
      return second && { start: second.start, end: call.arguments.at(-1)?.end ?? second.end };
    default:
      return call.arguments[Number(placeholder.slice(3))];
  }
}
