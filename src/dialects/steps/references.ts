import { allSteps } from "./generation.ts";
import { parseFile } from "./parse.ts";
import { listedTexts, textAt, type SourceFile } from "./source-node.ts";
import { hasHole } from "./template.ts";

/** References under `imports`, as written, each once. Paths are relative to the file, then to the workflows folder. */
export function importsOf(file: SourceFile): string[] {
  const { root } = parseFile(file);
  return unique(listedTexts(root, "imports").map((node) => node.value));
}

/** Names of the workflows that steps of the file include, wherever they stand in it, each once. */
export function callsOf(file: SourceFile): string[] {
  const { root } = parseFile(file);
  if (root === undefined) return [];
  const names = allSteps(root)
    .filter((step) => textAt(step, "type") === "include_workflow")
    .map((step) => textAt(step, "workflow"));
  return unique(names.filter((name) => name !== undefined && name !== "" && !hasHole(name)) as string[]);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
