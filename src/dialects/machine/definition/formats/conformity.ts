import { own, type Diagnostic } from "../../../../base/index.ts";
import { writeAcceptance } from "./acceptance-json.ts";
import { appendHistory } from "./approve-design-history.ts";
import {
  acceptanceProblems,
  documentProblems,
  isOtherForm,
  namesOf,
  requiredSections,
  taskProblems,
  type DocumentKind,
} from "./content-gate.ts";
import { designDecision } from "./decisions.ts";
import { findSection, renameHeading, sectionsOf } from "./markdown-sections.ts";
import { acrossFiles, modeOf, viewOf, type SessionFolder, type SessionView } from "./session-defects.ts";
import { plainText } from "./session-reader.ts";
import { sessionFiles } from "./session-vocabulary.ts";
import { isCompleteStatus, writeStatus, type SessionStatus } from "./status-json.ts";
import { readTasks, writeTasks } from "./tasks-yaml.ts";

/** One way in which a session does not keep to the documented form. */
export interface Defect {
  /** A code of the catalogue. */
  readonly kind: string;
  readonly severity: Diagnostic["severity"];
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The whole new text of the file, where writing it again removes this kind of defect without losing anything. */
  readonly repair?: string;
}

/**
 * Everything in a session folder that does not conform, in the order of the files. Repairs are only proposed: each was read again, removes
 * its kind of defect from the file, and brings no error that was not there.
 */
export function conform(folder: SessionFolder): readonly Defect[] {
  const view = viewOf(folder);
  const found = defectsOf(view);
  const repairs = Object.entries(repairsOf(view, found)).filter(([file, text]) => {
    const before = kindsIn(found, file);
    const after = defectsOf(viewOf({ ...folder, files: { ...folder.files, [file]: text } }));
    return after.every((each) => each.file !== file || each.severity === "warning" || before.has(each.kind));
  });
  if (repairs.length === 0) return found;
  const repaired = new Map(repairs);
  const left = defectsOf(viewOf({ ...folder, files: { ...folder.files, ...Object.fromEntries(repaired) } }));
  return found.map((defect) => {
    const repair = repaired.get(defect.file);
    return repair === undefined || kindsIn(left, defect.file).has(defect.kind) ? defect : { ...defect, repair };
  });
}

function kindsIn(defects: readonly Defect[], file: string): ReadonlySet<string> {
  return new Set(defects.filter((each) => each.file === file).map(({ kind }) => kind));
}

function defectsOf(view: SessionView): readonly Defect[] {
  return [...inFiles(view), ...acrossFiles(view)].map(({ code, severity, message, fix = "", place }) => {
    const { file = "", line = 1 } = place ?? {};
    return { kind: code, severity, file, line, message, fix };
  });
}

function inFiles(view: SessionView): readonly Diagnostic[] {
  const { folder, status, tasks, acceptance, history } = view;
  const mode = modeOf(view);
  const documents = (["spec", "architecture", "report"] as const).flatMap((kind) => {
    const text = own(folder.files, sessionFiles[kind]);
    return text === undefined ? [] : documentProblems(kind, text, mode, folder.headings ?? {});
  });
  return [
    ...(status?.problems ?? []),
    ...(tasks === undefined ? [] : taskProblems(tasks, mode)),
    ...(acceptance === undefined ? [] : acceptanceProblems(acceptance)),
    ...documents,
    ...(history?.problems ?? []),
  ];
}

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

/** New texts by file, for those that can be written again without losing anything. */
function repairsOf(view: SessionView, found: readonly Defect[]): Readonly<Record<string, string>> {
  const { folder } = view;
  const has = (file: string, kind: string): boolean => found.some((each) => each.file === file && each.kind === kind);
  const candidates: Record<string, string | undefined> = {
    [sessionFiles.status]: status(view, has(sessionFiles.status, "MACHINE_CORRECTION_UNTRACKED")),
    [sessionFiles.tasks]: tasks(view),
    [sessionFiles.acceptance]: acceptance(view),
    [sessionFiles.history]: history(view, has(sessionFiles.history, "MACHINE_HISTORY_MISSING")),
  };
  for (const kind of ["spec", "architecture", "report"] as const) candidates[sessionFiles[kind]] = document(kind, folder);
  const changed = Object.entries(candidates).flatMap(([file, text]): [string, string][] =>
    text === undefined || text === own(folder.files, file) ? [] : [[file, text]],
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
function document(kind: DocumentKind, { files, headings = {} }: SessionFolder): string | undefined {
  const text = own(files, sessionFiles[kind]);
  if (text === undefined) return undefined;
  return requiredSections[kind].reduce((held, required) => {
    const section = findSection(sectionsOf(held), namesOf(required, headings));
    return section === undefined || !isOtherForm(section.heading) ? held : renameHeading(held, section, required.name);
  }, plainText(text));
}
