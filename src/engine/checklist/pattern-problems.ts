import type { Diagnostic } from "../../base/index.ts";
import type { PatternSpec } from "../../ports/index.ts";
import type { Program } from "../../program/index.ts";
import type { LoadedWorkflow } from "../catalog.ts";
import { decodeChecklist } from "./checklist-run.ts";

/** What a scan compiles, by part. A condition on content is held to the same limits as a pattern. */
export function patternsOf(program: Program): readonly (readonly PatternSpec[])[] {
  return Object.values(program.parts).flatMap((part) => {
    if (part.dialect !== "checklist") return [];
    const { definition } = decodeChecklist(part.config);
    const contents = definition.checklist.flatMap(({ id, contentPattern }) =>
      contentPattern === undefined ? [] : [contentCheck(id, contentPattern)],
    );
    const patterns = definition.patterns.enabled ? (definition.patterns.patterns as unknown as readonly PatternSpec[]) : [];
    return [[...patterns, ...contents]];
  });
}

const ofContent = "content_pattern of ";

function contentCheck(entry: string, regex: string): PatternSpec {
  return { id: `${ofContent}${entry}`, name: entry, description: "", regex, contextLines: 0, rules: [], transformations: [] };
}

/** Why patterns of a workflow would be refused when it is started; its program says nothing about that. */
export async function patternProblems({ program, files }: LoadedWorkflow): Promise<readonly Diagnostic[]> {
  if (program === undefined || patternsOf(program).length === 0) return [];
  const { checkRules, scanCodes } = await import("../../scan/index.ts");
  return patternsOf(program).flatMap((patterns) =>
    checkRules({ patterns }).map(({ code, message, pattern }): Diagnostic => {
      const place = pattern === undefined ? undefined : placeOf(files, pattern.replace(ofContent, ""));
      const fix = scanCodes[code]?.fix;
      return { code, severity: "error", message, ...(fix === undefined ? {} : { fix }), ...(place === undefined ? {} : { place }) };
    }),
  );
}

/** Where the pattern or entry of this id begins. */
function placeOf(files: LoadedWorkflow["files"], id: string): Diagnostic["place"] {
  for (const { path, text } of files)
    for (const [at, line] of text.split("\n").entries()) {
      const [, before, value] = /^(.*?\bid:\s*["']?)([^"',}\s]+)/.exec(line) ?? [];
      if (value === id) return { file: path, line: at + 1, column: (before?.length ?? 0) + 1 };
    }
  return undefined;
}
