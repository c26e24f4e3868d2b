import type { Instance, PatternSpec } from "../../../ports/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { rulesOf, type ChecklistRun } from "./checklist-run.ts";

/**
 * For text of a file that is shown beside its instances (code around them, differences): answers the text without the secrets that the
 * workflow's patterns find in the file. What instances themselves hold is masked by the scanner.
 */
export async function secretsOf(
  { workspace, host }: EngineContext,
  run: ChecklistRun,
  path: string,
  text: string,
): Promise<(shown: string) => string> {
  const rules = rulesOf(run);
  const patterns = rules.patterns.filter(isSecret);
  if (patterns.length === 0) return (shown) => shown;
  const hidden = new Set<string>();
  for await (const { instances, suppressed = [] } of workspace.scan({
    root: host.workspace,
    paths: [path],
    rules: { ...rules, patterns },
    hash: false,
  }))
    for (const instance of [...instances, ...suppressed]) for (const part of maskedParts(text, instance)) hidden.add(part);
  // A longer one first: another may be a part of it.
  const parts = [...hidden].toSorted((a, b) => b.length - a.length);
  return (shown) => parts.reduce((masked, part) => masked.replaceAll(part, "***"), shown);
}

function isSecret({ secret }: PatternSpec): boolean {
  return secret === true;
}

/** A shorter rest of a secret would be found in every word. */
const fewestCharacters = 4;

/** The text of the file in place of the mask of the instance, line by line. */
function maskedParts(text: string, { line, column, endLine, endColumn, text: masked }: Instance): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/).slice(line - 1, endLine);
  const last = lines.length - 1;
  const match = lines.map((each, at) => each.slice(at === 0 ? column - 1 : 0, at === last ? endColumn - 1 : undefined)).join("\n");
  const shown = masked.replaceAll(/\r\n?/g, "\n");
  let [head, tail] = [0, 0];
  while (head < match.length && match.charAt(head) === shown.charAt(head)) head += 1;
  while (tail < match.length - head && match.at(-1 - tail) === shown.at(-1 - tail)) tail += 1;
  return match
    .slice(head, match.length - tail)
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part.length >= fewestCharacters);
}
