import { own, type Diagnostic } from "../../../../base/index.ts";
import { acrossFiles } from "./conformity/across-files.ts";
import { repairsOf } from "./conformity/repairs.ts";
import { modeOf, viewOf, type SessionFolder, type SessionView } from "./conformity/session-view.ts";
import { acceptanceProblems, documentProblems, taskProblems } from "./content-gate.ts";
import { sessionFiles } from "./session-vocabulary.ts";

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
  return [...inFiles(view), ...acrossFiles(view)].map(asDefect);
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

function asDefect({ code, severity, message, fix, place }: Diagnostic): Defect {
  return { kind: code, severity, file: place?.file ?? "", line: place?.line ?? 1, message, fix: fix ?? "" };
}
