import type { Diagnostic } from "../base/index.ts";
import type { StartableWorkflow } from "../engine/index.ts";
import { findCollisions } from "../router/index.ts";
import { cliCodes } from "./codes.ts";

/** As many as a line has room for. */
const mostWords = 6;

type Described = StartableWorkflow & { readonly shown: string };

/** A warning, by the file that it is shown at. */
export interface CollisionWarning {
  readonly file: string;
  readonly problem: Diagnostic;
}

/**
 * What the router cannot tell apart among these workflows. Each pair is named once: at the first of its files, or at the one that is checked.
 * `textOf`: a file that is checked; undefined for others.
 */
export function collisionWarnings(
  workflows: readonly Described[],
  textOf: (path: string) => string | undefined,
): readonly CollisionWarning[] {
  const found = new Map(workflows.map((workflow) => [workflow.name, workflow]));
  return findCollisions(workflows).flatMap(({ names, phrases, words }): readonly CollisionWarning[] => {
    const [first, second] = names.map((name) => found.get(name));
    if (first === undefined || second === undefined) return [];
    const [at, other] = textOf(first.path) === undefined ? [second, first] : [first, second];
    const text = textOf(at.path);
    if (text === undefined) return [];
    const isSame = phrases.length > 0;
    const both = `\`${at.name}\` and \`${other.name}\` (${other.shown})`;
    const what = isSame
      ? `have the same trigger: ${listed(phrases)}`
      : `have descriptions that are hard to tell apart. Both say: ${words.slice(0, mostWords).join(", ")}`;
    const code = isSame ? "CLI_SAME_TRIGGER" : "CLI_DESCRIPTIONS_COLLIDE";
    const problem: Diagnostic = {
      code,
      severity: "warning",
      message: `${both} ${what}.`,
      fix: isSame
        ? (cliCodes[code]?.fix ?? "")
        : `Describe what only each of them does, or add to one of them what it leaves to the other: \`not_for: ["...: that is ${other.name}"]\`.`,
      place: placeOf(at.path, text, isSame ? ["triggers", "examples", "description"] : ["description"]),
    };
    return [{ file: at.path, problem }];
  });
}

function listed(phrases: readonly string[]): string {
  return phrases
    .slice(0, mostWords)
    .map((phrase) => JSON.stringify(phrase))
    .join(", ");
}

/** The line of the first of these keys that the file has. */
function placeOf(file: string, text: string, keys: readonly string[]): NonNullable<Diagnostic["place"]> {
  const lines = text.split("\n");
  for (const key of keys) {
    const at = lines.findIndex((line) => new RegExp(`^\\s*"?${key}"?\\s*:`).test(line));
    if (at >= 0) return { file, line: at + 1, column: (lines[at]?.search(/\S/) ?? 0) + 1 };
  }
  return { file, line: 1, column: 1 };
}
