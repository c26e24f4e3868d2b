import { editDistance } from "../../../../base/index.ts";
import { quoteList, type Complain, type TextNode } from "../../../../source/index.ts";
import { graphVariables, reservedIds, type TextKind } from "../graph/find-refs.ts";
import type { Quoting } from "../graph/shell-quoting.ts";

interface NamedIn {
  readonly text: TextNode;
  readonly kind: TextKind;
  /** How the shell reads each place. */
  readonly quoting: ((offset: number) => Quoting) | undefined;
}

/** Near misses of the variables, and of what references begin with. Names that a command sets itself are its own; code has its own names, too. */
export function checkNearNames({ text, kind, quoting }: NamedIn, complain: Complain): void {
  if (kind === "code") return;
  const { value } = text;
  for (const { 0: found, 1: brace, 2: name = "", 3: rest, index: offset } of value.matchAll(dollarName)) {
    if (brace !== undefined && kind === "prose") continue;
    const how = quoting?.(offset);
    const meant = [...graphVariables, ...(rest === undefined ? [] : reservedIds)].filter((known) => isNear(name, known));
    if (meant.length === 0 || known.has(name) || how === "comment" || how === "single") continue;
    if (kind === "shell" && isSetIn(value, name)) continue;
    const left = kind === "shell" ? "and nothing sets it here" : "so it stays as it is written";
    const names = quoteList(
      meant.map((each) => `$${each}`),
      "or",
    );
    complain(text, {
      code: "PROMPTS_LEFT_TEXT",
      severity: "warning",
      message: `\`$${name}\` is not a variable of a graph, ${left}.`,
      fix: `Did you mean ${names}?`,
      at: { offset, length: found.length - (rest?.length ?? 0) },
    });
  }
}

/** Capitals alone: what else a dollar is before is more often something else. A default says that it may be missing. */
const dollarName = /(?<!\\)\$(\{)?([A-Z][A-Z_]{3,})(?![A-Za-z0-9_]|:?[-=?+])(\.[A-Za-z_])?/g;
const known: ReadonlySet<string> = new Set([...graphVariables, ...reservedIds]);

/** Two letters in long names alone. */
function isNear(name: string, other: string): boolean {
  return editDistance(name, other) <= (other.length < 9 ? 1 : 2);
}

/** Whether a command has the name without a dollar: it assigns, reads or exports it. */
function isSetIn(command: string, name: string): boolean {
  return new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)`).test(command);
}
