import { own, type Diagnostic } from "../../../../../base/index.ts";
import { writeAcceptance } from "../acceptance-json.ts";
import { appendHistory } from "../approve-design-history.ts";
import { isOtherForm, namesOf, requiredSections } from "../content-gate.ts";
import { designDecision } from "../decision-record.ts";
import { findSection, renameHeading, sectionsOf, type HeadingNames } from "../markdown-sections.ts";
import { sessionFiles } from "../session-vocabulary.ts";
import { isCompleteStatus, writeStatus, type SessionStatus } from "../status-json.ts";
import { readTasks, writeTasks } from "../tasks-yaml.ts";
import { plainText } from "../text-form.ts";
import type { SessionView } from "./session-view.ts";

/** Problems after which a reader left something out: writing the file again would lose it. */
const lossy = new Set([
  "MACHINE_SYNTAX",
  "MACHINE_UNQUOTED",
  "MACHINE_DUPLICATE_KEY",
  "MACHINE_FORBIDDEN_KEY",
  "MACHINE_TOO_DEEP",
  "MACHINE_WRONG_TYPE",
  "MACHINE_UNKNOWN_WORD",
]);

/** As much of a defect as a repair depends on. */
interface Found {
  readonly kind: string;
  readonly file: string;
}

/** New texts by file, for those that can be written again without losing anything. */
export function repairsOf(view: SessionView, found: readonly Found[]): Readonly<Record<string, string>> {
  const { files, headings = {} } = view.folder;
  const has = (file: string, kind: string): boolean => found.some((each) => each.file === file && each.kind === kind);
  const candidates: Record<string, string | undefined> = {
    [sessionFiles.status]: status(view, has(sessionFiles.status, "MACHINE_CORRECTION_UNTRACKED")),
    [sessionFiles.tasks]: tasks(view),
    [sessionFiles.acceptance]: acceptance(view),
    [sessionFiles.history]: history(view, has(sessionFiles.history, "MACHINE_HISTORY_MISSING")),
  };
  for (const kind of ["spec", "architecture", "report"] as const) candidates[sessionFiles[kind]] = document(kind, files, headings);
  const changed = Object.entries(candidates).flatMap(([file, text]): [string, string][] =>
    text === undefined || text === own(files, file) ? [] : [[file, text]],
  );
  return Object.fromEntries(changed);
}

function isLossless(problems: readonly Diagnostic[]): boolean {
  return problems.every(({ code }) => !lossy.has(code));
}

function status({ status: read, folder }: SessionView, queue: boolean): string | undefined {
  if (read?.status === undefined || !isLossless(read.problems)) return undefined;
  const { status: held } = read;
  const tracking = held.gate_tracking ?? {
    correction_status: "none",
    last_correction_dispatch: { agent: null, task_id: null, at: null },
    kept: {},
  };
  const repaired: SessionStatus = {
    ...held,
    session: folder.folder ?? held.session,
    last_update: held.last_update ?? folder.now ?? lastTime(held) ?? null,
    ...(queue ? { gate_tracking: { ...tracking, correction_status: "queued" } } : {}),
  };
  return isCompleteStatus(repaired) ? writeStatus(repaired) : undefined;
}

/** The latest time in the decisions. */
function lastTime({ user_decisions }: SessionStatus): string | undefined {
  return user_decisions
    .flatMap(({ asked_at, resolved_at }) => [asked_at, ...(resolved_at === null ? [] : [resolved_at])])
    .sort()
    .at(-1);
}

/** Quotes alone keep the comments of the file; only what is in another form is written again. */
function tasks({ tasks: read }: SessionView): string | undefined {
  const quoted = read?.repair;
  const held = quoted === undefined ? read : readTasks(quoted);
  if (held === undefined) return undefined;
  if (quoted !== undefined && (held.problems.length === 0 || !isLossless(held.problems))) return quoted;
  return held.file === undefined || !isLossless(held.problems) ? undefined : writeTasks(held.file);
}

function acceptance({ acceptance: read }: SessionView): string | undefined {
  return read?.acceptance === undefined || !isLossless(read.problems) ? undefined : writeAcceptance(read.acceptance);
}

/** Lines are only added: those that are there stay as they are, but for the marks around them. */
function history({ folder, status: read }: SessionView, add: boolean): string | undefined {
  const text = own(folder.files, sessionFiles.history);
  const plain = text === undefined ? undefined : plainText(text);
  const record = read?.status?.user_decisions.find(({ decision_id }) => decision_id === designDecision);
  if (!add || record?.answer === undefined || record.answer === null || record.resolved_at === null) return plain;
  const { decision_id, answer, state_context, resolved_at: at } = record;
  return appendHistory(plain ?? "", { at, decision_id, answer, state_context });
}

/** Required headings under their own names; nothing else is touched. */
function document(
  kind: keyof typeof requiredSections,
  files: Readonly<Record<string, string>>,
  headings: HeadingNames,
): string | undefined {
  const text = own(files, sessionFiles[kind]);
  if (text === undefined) return undefined;
  return requiredSections[kind].reduce((held, required) => {
    const section = findSection(sectionsOf(held), namesOf(required, headings));
    return section === undefined || !isOtherForm(section.heading) ? held : renameHeading(held, section, required.name);
  }, plainText(text));
}
