import type { Diagnostic } from "../../base/index.ts";
import { parseFile, type ParsedFile, type SourceFile } from "../../source/index.ts";

type Words = { readonly code: string; readonly message?: string; readonly fix?: string };

/** Problems of the text are the same in every dialect; what to do about some of them is not. */
const translations: Readonly<Record<string, Words>> = {
  STEPS_YAML_SYNTAX: { code: "MACHINE_SYNTAX" },
  STEPS_UNQUOTED_TEMPLATE: { code: "MACHINE_UNQUOTED_TEMPLATE" },
  STEPS_DUPLICATE_KEY: { code: "MACHINE_DUPLICATE_KEY" },
  STEPS_ALIAS: { code: "MACHINE_ALIAS" },
  STEPS_SEVERAL_DOCUMENTS: { code: "MACHINE_SEVERAL_DOCUMENTS", fix: "Put each document into a file of its own." },
  STEPS_NOT_A_MAP: { code: "MACHINE_NOT_A_MAP", fix: "Begin the file with `machine:`, `roles:` and `states:`." },
  STEPS_NOT_JSON: { code: "MACHINE_NOT_JSON" },
  STEPS_FORBIDDEN_KEY: { code: "MACHINE_FORBIDDEN_KEY" },
  STEPS_TOO_DEEP: { code: "MACHINE_TOO_DEEP", fix: "Write the definition with fewer levels." },
  STEPS_UNKNOWN_KEY: { code: "MACHINE_UNKNOWN_KEY" },
};

/** Text to values with places, with problems in the words of this dialect. */
export function readDocument(file: SourceFile): ParsedFile {
  const parsed = parseFile(file);
  return { ...parsed, diagnostics: parsed.diagnostics.map(translate) };
}

function translate(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, ...translations[diagnostic.code] };
}
