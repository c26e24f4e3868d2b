import type { Diagnostic } from "../../../../base/index.ts";
import { readAcceptance, type ReadAcceptance } from "./acceptance-json.ts";
import {
  criteriaIn,
  findSection,
  hasContent,
  headingKey,
  sectionsOf,
  type HeadingNames,
  type MarkdownSection,
} from "./markdown-sections.ts";
import { reportOnText, sessionReader, type SessionReader } from "./session-reader.ts";
import { sessionFiles, type SessionMode } from "./session-vocabulary.ts";
import { readStatus } from "./status-json.ts";
import { readTasks, type ReadTasks } from "./tasks-yaml.ts";

export type DocumentKind = "spec" | "architecture" | "report";
export type ArtifactKind = DocumentKind | "acceptance" | "tasks" | "status";

/** A required section: the name it should have, and others that are understood. */
export interface RequiredSection {
  readonly name: string;
  readonly also: readonly string[];
}

/** The sections each document must have. */
export const requiredSections: Readonly<Record<DocumentKind, readonly RequiredSection[]>> = {
  spec: [
    { name: "Goals", also: ["Goal"] },
    { name: "Acceptance Criteria", also: ["Acceptance Criterion", "ACs"] },
    { name: "Definition of Done", also: ["DoD"] },
  ],
  architecture: [
    { name: "Overview", also: ["Architecture Overview", "System Overview"] },
    {
      name: "Modules",
      also: ["Components", "Modules/Components", "Components/Modules", "Modules and Components", "Components and Modules"],
    },
  ],
  report: [
    { name: "What was done", also: ["Work done", "Done", "Changes", "What changed"] },
    { name: "How to run", also: ["Running", "Run", "Running it", "How to run it"] },
    { name: "How to test", also: ["Testing", "Test", "Tests", "Testing it", "How to test it"] },
    { name: "Known issues", also: ["Open issues", "Issues", "Known limitations", "Known problems"] },
  ],
};

/**
 * What an artifact lacks before its state may be left, a sentence each; nothing when it passes. A missing file is given as undefined.
 * A file that exists but is invalid counts as missing.
 */
export function contentGate(
  kind: ArtifactKind,
  text: string | undefined,
  mode: SessionMode,
  names: HeadingNames = {},
): readonly Diagnostic[] {
  if (kind === "architecture" && mode === "lean") return [];
  const file = sessionFiles[kind];
  if (text === undefined || text.trim() === "") {
    const what = text === undefined ? "is missing" : "is empty";
    return [
      { code: "MACHINE_FILE_MISSING", severity: "error", message: `\`${file}\` ${what}.`, fix: `Write \`${file}\`.`, place: placeIn(file) },
    ];
  }
  const problems =
    kind === "status"
      ? readStatus(text).problems
      : kind === "acceptance"
        ? acceptanceProblems(readAcceptance(text))
        : kind === "tasks"
          ? taskProblems(readTasks(text), mode)
          : documentProblems(kind, text, mode, names);
  return problems.filter(({ severity }) => severity === "error");
}

/** What is to be reported about criteria: what keeps them from passing, as errors, and what is accepted in another form, as warnings. */
export function acceptanceProblems({ acceptance, problems }: ReadAcceptance): readonly Diagnostic[] {
  return acceptance?.acceptance_criteria.length === 0 ? [...problems, nothingIn("acceptance", "criterion")] : problems;
}

/** In the lean way there is one task, which need not say what it depends on and when it is done. */
export function taskProblems({ file, problems }: ReadTasks, mode: SessionMode): readonly Diagnostic[] {
  const count = file?.tasks.length;
  if (count === 0) return [...problems, nothingIn("tasks", "task")];
  if (mode === "full") return problems;
  const relevant = problems.filter(
    ({ code, path }) => code !== "MACHINE_TASK_INCOMPLETE" || !/\.(?:depends_on|done_when)$/.test(path ?? ""),
  );
  if (count === undefined || count === 1) return relevant;
  const message = `The lean way has one task, but \`tasks.yaml\` has ${count}.`;
  const fix = "Make it one task, or leave the lean way.";
  return [...relevant, { code: "MACHINE_LEAN_TASKS", severity: "error", message, fix, place: placeIn(sessionFiles.tasks) }];
}

function nothingIn(kind: ArtifactKind & keyof typeof sessionFiles, what: string): Diagnostic {
  const file = sessionFiles[kind];
  return {
    code: "MACHINE_NOTHING_LISTED",
    severity: "error",
    message: `\`${file}\` has no ${what}.`,
    fix: `Add at least one ${what}.`,
    place: placeIn(file),
  };
}

/** Sections that are missing or empty, headings in other forms, criteria without ids. */
export function documentProblems(kind: DocumentKind, text: string, mode: SessionMode, names: HeadingNames): readonly Diagnostic[] {
  const file = sessionFiles[kind];
  const reader = sessionReader(file, ([line]) => ({ file, line: Number(line ?? 1), column: 1 }));
  reportOnText(reader, text);
  const sections = sectionsOf(text);
  const needed = requiredSections[kind].filter(({ name }) => mode === "full" || name !== "Definition of Done");
  const found = needed.map((required) => ({ required, section: findSection(sections, namesOf(required, names)) }));
  if (sections.length > 1 && found.every(({ section }) => section === undefined)) {
    const fix = `Use the headings ${needed.map(({ name }) => `\`${name}\``).join(", ")}, or say once what these are called here.`;
    reader.error([1], "MACHINE_HEADINGS_UNKNOWN", `No heading of \`${file}\` is known; it may be written in another language.`, fix);
  }
  for (const { required, section } of found) reportOnSection(reader, required, section);
  const criteria = kind === "spec" ? found.find(({ required }) => required.name === "Acceptance Criteria")?.section : undefined;
  if (criteria !== undefined) reportOnCriteria(reader, criteria);
  // A document has lines and no paths.
  return reader.problems.map(({ path: _line, ...problem }) => problem);
}

export function namesOf({ name, also }: RequiredSection, names: HeadingNames): readonly string[] {
  return [name, ...also, ...(Object.hasOwn(names, name) ? (names[name] ?? []) : [])];
}

function reportOnSection(reader: SessionReader, { name }: RequiredSection, section: MarkdownSection | undefined): void {
  const fix = `Add a heading \`${name}\` with its text.`;
  if (section === undefined) {
    reader.error([1], "MACHINE_SECTION_MISSING", `\`${reader.file}\` has no section \`${name}\`.`, fix);
    return;
  }
  if (!hasContent(section.body))
    reader.error(
      [section.line],
      "MACHINE_SECTION_EMPTY",
      `The section \`${section.heading}\` of \`${reader.file}\` says nothing.`,
      "Write its text.",
    );
  if (isOtherForm(section.heading))
    reader.warn([section.line], "MACHINE_HEADING_FORM", `The heading \`${section.heading}\` is read as \`${name}\`.`, `Write \`${name}\`.`);
}

/** Whether a required heading is numbered, marked, or in another language. */
export function isOtherForm(heading: string): boolean {
  const key = headingKey(heading);
  if (heading.toLowerCase().replace(/\s*[&/+]\s*/g, "/") !== key) return true;
  const known = Object.values(requiredSections).flatMap((list) => list.flatMap((each) => namesOf(each, {})));
  return !known.some((name) => key.startsWith(headingKey(name)));
}

function reportOnCriteria(reader: SessionReader, section: MarkdownSection): void {
  const { criteria, faults } = criteriaIn(section);
  const fix = "Write each criterion as `- AC-001: <what can be observed>`.";
  if (criteria.length === 0 && faults.length === 0 && hasContent(section.body))
    reader.error([section.line], "MACHINE_CRITERION_UNTESTABLE", "No acceptance criterion has an id such as `AC-001`.", fix);
  for (const { line, message } of faults) reader.error([line], "MACHINE_CRITERION_UNTESTABLE", message, fix);
}

function placeIn(file: string): { file: string; line: number; column: number } {
  return { file, line: 1, column: 1 };
}

/** Headings that a document of any kind must have, each with text below it; what it lacks, a sentence each. */
export function documentSections(file: string, text: string, names: readonly string[]): readonly Diagnostic[] {
  const reader = sessionReader(file, ([line]) => ({ file, line: Number(line ?? 1), column: 1 }));
  const sections = sectionsOf(text);
  if (text.trim() === "") reader.error([1], "MACHINE_FILE_MISSING", `\`${file}\` is empty.`, `Write \`${file}\`.`);
  else for (const name of names) reportOnSection(reader, { name, also: [] }, findSection(sections, [name]));
  return reader.problems.filter(({ severity }) => severity === "error").map(({ path: _line, ...problem }) => problem);
}
