import type { FaultCodes } from "../../../source/index.ts";

/** What is wrong with the text of a checklist. */
export const checklistFaults: FaultCodes = {
  syntax: "CHECKLIST_YAML_SYNTAX",
  unquoted_template: "CHECKLIST_UNQUOTED_TEMPLATE",
  duplicate_key: "CHECKLIST_DUPLICATE_KEY",
  alias: "CHECKLIST_ALIAS",
  several_documents: "CHECKLIST_SEVERAL_DOCUMENTS",
  not_a_map: { code: "CHECKLIST_NOT_A_MAP", fix: "Begin the file with `type:`, `name:`, `file_patterns:` and `phases:`." },
  empty_wrapper: "CHECKLIST_NOT_A_MAP",
  beside_wrapper: "CHECKLIST_UNKNOWN_KEY",
  not_json: "CHECKLIST_NOT_JSON",
  forbidden_key: "CHECKLIST_FORBIDDEN_KEY",
  too_deep: "CHECKLIST_TOO_DEEP",
};
