import { expect } from "vitest";
import { stringify } from "yaml";
import { parseChecklist, type ChecklistDefinition, type ParsedChecklist } from "../../src/dialects/checklist/definition/index.ts";

/** Small checklist workflows, and what is wrong with them, for tests of the dialect. */
export const pattern = { id: "p", regex: "Foo\\(" };
export const scanning = {
  phases: [
    { id: "inventory", name: "I" },
    { id: "scan", name: "S" },
    { id: "review", name: "R" },
    { id: "summary", name: "Z" },
  ],
  pattern_discovery: { patterns: [pattern] },
};
export const base = {
  type: "w",
  name: "W",
  description: "D",
  file_patterns: ["**/*.al"],
  phases: [
    { id: "inventory", name: "I" },
    { id: "analysis", name: "A" },
    { id: "summary", name: "Z" },
  ],
  per_file_checklist: [{ id: "analyze", type: "analysis" }],
  topic_discovery: { enabled: false },
};

export function parse(more: object): ParsedChecklist {
  return parseChecklist(
    { path: "w.workflow.yaml", text: stringify({ ...base, ...more }) },
    { source: "project", finders: ["al-error-call"] },
  );
}

export function made(more: object): ChecklistDefinition {
  const { definition, diagnostics } = parse(more);
  expect(diagnostics).toEqual([]);
  return definition!;
}

/** `severity CODE line:column`, and the text at that place. */
export function problems(more: object): string[] {
  const text = stringify({ ...base, ...more });
  const lines = text.split("\n");
  return parse(more).diagnostics.map(({ severity, code, place, message, fix }) => {
    expect(message).toMatch(/[.]$/);
    expect(fix).toMatch(/[.?]$/);
    const line = lines[place!.line - 1] ?? "";
    const end = place!.endLine === place!.line ? place!.endColumn! - 1 : line.length;
    return `${severity} ${code.replace("CHECKLIST_", "")} <${line.slice(place!.column - 1, end)}>`;
  });
}

export function messages(more: object): string[] {
  return parse(more).diagnostics.map(({ message, fix }) => `${message} ${fix}`);
}

export const withPattern = (more: object): object => ({ ...scanning, pattern_discovery: { patterns: [{ ...pattern, ...more }] } });
export const withPhase = (more: object): object => ({ phases: [base.phases[0], { ...base.phases[1], ...more }, base.phases[2]] });
export const withEntry = (more: object): object => ({ per_file_checklist: [{ ...base.per_file_checklist[0], ...more }] });
