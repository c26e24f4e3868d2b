import type { Diagnostic } from "../../../base/index.ts";
import type { PatternSpec, SourceFile } from "../../../ports/index.ts";
import type { ChecklistConfig } from "./checklist-run.ts";

/** What a scan compiles. A condition on content is held to the same limits as a pattern. */
function patternsOf({ definition }: ChecklistConfig): readonly PatternSpec[] {
  const contents = definition.checklist.flatMap(({ id, contentPattern }) =>
    contentPattern === undefined ? [] : [contentCheck(id, contentPattern)],
  );
  return [...(definition.patterns.enabled ? (definition.patterns.patterns as unknown as readonly PatternSpec[]) : []), ...contents];
}

const ofContent = "content_pattern of ";

function contentCheck(entry: string, regex: string): PatternSpec {
  return { id: `${ofContent}${entry}`, name: entry, description: "", regex, contextLines: 0, rules: [], transformations: [] };
}

/** Refuses patterns that cannot be used, all of them at once. */
export async function refusePatterns(config: ChecklistConfig): Promise<void> {
  const patterns = patternsOf(config);
  if (patterns.length > 0) (await import("../../../scan/index.ts")).compileRules({ patterns });
}

/** Why patterns of a workflow would be refused when it is started; its program says nothing about that. */
export async function patternProblems(config: ChecklistConfig, files: readonly SourceFile[]): Promise<readonly Diagnostic[]> {
  const patterns = patternsOf(config);
  if (patterns.length === 0) return [];
  const { checkRules, scanCodes } = await import("../../../scan/index.ts");
  return checkRules({ patterns }).map(({ code, message, pattern }): Diagnostic => {
    const place = pattern === undefined ? undefined : placeOf(files, pattern.replace(ofContent, ""));
    const fix = scanCodes[code]?.fix;
    return { code, severity: "error", message, ...(fix === undefined ? {} : { fix }), ...(place === undefined ? {} : { place }) };
  });
}

/** Where the pattern or entry of this id begins. */
function placeOf(files: readonly SourceFile[], id: string): Diagnostic["place"] {
  for (const { path, text } of files)
    for (const [at, line] of text.split("\n").entries()) {
      const [, before, value] = /^(.*?\bid:\s*["']?)([^"',}\s]+)/.exec(line) ?? [];
      if (value === id) return { file: path, line: at + 1, column: (before?.length ?? 0) + 1 };
    }
  return undefined;
}
