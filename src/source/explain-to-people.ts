import type { Explanation } from "./dialect.ts";

/** A text with the places that are filled in during a run left open: `{{ inputs.name }}` is `<name>`. */
export function withoutHoles(text: string): string {
  return text.replaceAll(/\{\{\s*(?:[^{}]*?[.\s])?(\w+)[^{}.\w]*\}\}/g, "<$1>").replaceAll(/\{\{.*?\}\}/gs, "<...>");
}

/**
 * The text of an explanation with what matters to people first: what happens, who is asked, what is run, what ends it. `runs` are commands and
 * other programs as a person allows them. The plan itself comes below.
 */
export function explainToPeople({ told, text }: Explanation, runs: readonly string[]): string {
  const plan = text().trimEnd();
  if (told === undefined) return plan;
  const { happens, asks, ends, runs: more = [] } = told();
  const [head = "", ...rest] = plan.split("\n\n");
  let step = 0;
  const numbered = happens.map((line) => (line.startsWith(" ") ? `      ${line.trim()}` : `  ${(step += 1)}. ${line}`));
  return [
    head,
    `\nWhat happens:\n${numbered.join("\n")}`,
    `\nWhat you are asked:\n${listed(asks, "Nothing, unless something fails.")}`,
    `\nWhat Waymark runs on your computer:\n${listed([...runs, ...more], "Nothing. An agent works with the tools that you gave it.")}`,
    `\nWhen it ends:\n  ${ends}`,
    ...(rest.length === 0 ? [] : [`\nThe plan:\n\n${rest.join("\n\n")}`]),
  ].join("\n");
}

function listed(lines: readonly string[], none: string): string {
  return lines.length === 0 ? `  ${none}` : lines.map((line) => `  - ${line}`).join("\n");
}
