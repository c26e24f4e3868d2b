import type { Diagnostic } from "../../base/index.ts";
import { parseFile, type ParsedFile, type SourceFile } from "../../source/index.ts";

type Words = { readonly code: string; readonly message?: string; readonly fix?: string };

/** Problems of the text are the same in every dialect; what to do about some of them is not. */
const translations: Readonly<Record<string, Words>> = {
  STEPS_YAML_SYNTAX: { code: "CHECKLIST_YAML_SYNTAX" },
  STEPS_UNQUOTED_TEMPLATE: { code: "CHECKLIST_UNQUOTED_TEMPLATE" },
  STEPS_DUPLICATE_KEY: { code: "CHECKLIST_DUPLICATE_KEY" },
  STEPS_ALIAS: { code: "CHECKLIST_ALIAS" },
  STEPS_SEVERAL_DOCUMENTS: { code: "CHECKLIST_SEVERAL_DOCUMENTS", fix: "Put each document into a file of its own." },
  STEPS_NOT_A_MAP: { code: "CHECKLIST_NOT_A_MAP", fix: "Begin the file with `type:`, `name:`, `file_patterns:` and `phases:`." },
  STEPS_NOT_JSON: { code: "CHECKLIST_NOT_JSON" },
  STEPS_FORBIDDEN_KEY: { code: "CHECKLIST_FORBIDDEN_KEY" },
  STEPS_TOO_DEEP: { code: "CHECKLIST_TOO_DEEP", fix: "Write the definition with fewer levels." },
  STEPS_UNKNOWN_KEY: { code: "CHECKLIST_UNKNOWN_KEY" },
};

/** Text to values with places, with problems in the words of this dialect. */
export function readDocument(file: SourceFile): ParsedFile {
  const parsed = parseFile(file);
  return { ...parsed, diagnostics: parsed.diagnostics.map(translate) };
}

function translate(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, ...translations[diagnostic.code] };
}
