import { fieldOf, isObject } from "../../../base/index.ts";
import type { Instance, PatternSpec } from "../../../ports/index.ts";
import { rulesOf, type InRun } from "./checklist-run.ts";

/** Where an instance is, and its text with the secret masked. */
type Masked = Pick<Instance, "line" | "column" | "endLine" | "endColumn" | "text">;

/**
 * For text of a file that is shown beside its instances (code around them, differences): answers the text without the secrets that the
 * workflow's patterns and tools find in the file. What instances themselves hold is masked by the scanner.
 */
export async function secretsOf(of: InRun, path: string, text: string): Promise<(shown: string) => string> {
  const hidden = new Set([...(await byPatterns(of, path)), ...(await byTools(of, path))].flatMap((found) => maskedParts(text, found)));
  // A longer one first: another may be a part of it.
  const parts = [...hidden].toSorted((a, b) => b.length - a.length);
  return (shown) => parts.reduce((masked, part) => masked.replaceAll(part, "***"), shown);
}

/** Looked for in the file as it is now. */
async function byPatterns({ context: { workspace, host }, run }: InRun, path: string): Promise<readonly Masked[]> {
  const rules = rulesOf(run);
  const patterns = rules.patterns.filter(isSecret);
  const found: Masked[] = [];
  if (patterns.length === 0) return found;
  for await (const scan of workspace.scan({ root: host.workspace, paths: [path], rules: { ...rules, patterns }, hash: false }))
    found.push(...scan.instances, ...(scan.suppressed ?? []));
  return found;
}

/** A tool is not run for it: its rows say where they were seen last. */
async function byTools({ context, handle, run }: InRun, path: string): Promise<readonly Masked[]> {
  if ((run.definition.tools ?? []).length === 0) return [];
  const query = { parent: path, facets: { kind: "instance" } };
  const rows = await context.store.selectItems(handle.id, { list: run.lists.files, query, limit: mostRows });
  return rows.flatMap(({ data }) => {
    if (!isObject(data) || data["secret"] !== true) return [];
    const [line, column, endLine, endColumn] = ["line", "column", "end_line", "end_column"].map((name) => Number(data[name]));
    return [{ line, column, endLine, endColumn, text: fieldOf(data, "text") } as Masked];
  });
}

const mostRows = 10_000;

function isSecret({ secret }: PatternSpec): boolean {
  return secret === true;
}

/** A shorter rest of a secret would be found in every word. */
const fewestCharacters = 4;

/** The text of the file in place of the mask of the instance, line by line. */
function maskedParts(text: string, { line, column, endLine, endColumn, text: masked }: Masked): readonly string[] {
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
