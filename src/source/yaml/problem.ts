import type { Diagnostic, Place } from "../../base/index.ts";
import { formatDocumentPath, type DocumentPath } from "../source-node.ts";

/** What is wrong, and what to do about it. */
export type Finding = readonly [code: string, message: string, fix: string];

/** An error of the text itself, before there are nodes to complain about. */
export function problem([code, message, fix]: Finding, place: Place, path: DocumentPath = []): Diagnostic {
  return { code, severity: "error", message, fix, place, ...(path.length > 0 ? { path: formatDocumentPath(path) } : {}) };
}

export const deepest = 60;

export const tooDeep: Finding = [
  "STEPS_TOO_DEEP",
  `The file is nested deeper than ${deepest} levels.`,
  "Move inner steps into a workflow of their own and use `include_workflow`.",
];

export const unquotedTemplate: Finding = [
  "STEPS_UNQUOTED_TEMPLATE",
  "A template stands without quotes, and YAML reads its braces as maps.",
  "Put quotes around the whole value.",
];
