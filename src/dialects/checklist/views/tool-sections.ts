import { counted, grouped, type JsonObject } from "../../../base/index.ts";
import type { ChecklistFacts, ToolFacts } from "../definition/index.ts";
import { table, type TableSection } from "./render-report.ts";

/** For replies: what each tool reported, with what is not among the instances. */
export function toolsData({ tools = [] }: ChecklistFacts): JsonObject {
  return tools.length === 0 ? {} : { tools: tools.map(rowOf) };
}

function rowOf({ tool, found, suppressed, outside, withoutPlace }: ToolFacts): JsonObject {
  return { tool, found, suppressed, outside, without_place: withoutPlace };
}

/** `Tools: oxlint 12, 3 suppressed; tsc 4, 1 without a place`; no line without tools. */
export function toolLines({ tools = [] }: ChecklistFacts): readonly string[] {
  if (tools.length === 0) return [];
  const each = tools
    .map(({ tool, found, suppressed, outside, withoutPlace }) =>
      [
        `${tool} ${grouped(found)}`,
        ...(suppressed > 0 ? [`${grouped(suppressed)} suppressed`] : []),
        ...(outside > 0 ? [`${grouped(outside)} in other files`] : []),
        ...(withoutPlace > 0 ? [`${grouped(withoutPlace)} without a place`] : []),
      ].join(", "),
    )
    .join("; ");
  return [`Tools: ${each}`];
}

/** Absent without tools. */
export function toolTable({ tools = [] }: ChecklistFacts): TableSection[] {
  if (tools.length === 0) return [];
  const note = `${counted(tools.length, "tool")} looked; the numbers are those of the last look. What is in other files or has no place is not part of this run.`;
  const columns = "tool, found: Found, suppressed: Suppressed, outside: In other files, without_place: Without a place";
  return [table("by_tool", "By tool", columns, { note, rows: tools.map(rowOf) })];
}
