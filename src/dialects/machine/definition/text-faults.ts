import type { FaultCodes } from "../../../source/index.ts";

/** What is wrong with the text of a machine or of a file of its sessions. */
export const machineFaults: FaultCodes = {
  syntax: "MACHINE_SYNTAX",
  unquoted_template: "MACHINE_UNQUOTED_TEMPLATE",
  duplicate_key: "MACHINE_DUPLICATE_KEY",
  alias: "MACHINE_ALIAS",
  several_documents: "MACHINE_SEVERAL_DOCUMENTS",
  not_a_map: { code: "MACHINE_NOT_A_MAP", fix: "Begin the file with `machine:`, `roles:` and `states:`." },
  empty_wrapper: "MACHINE_NOT_A_MAP",
  beside_wrapper: "MACHINE_UNKNOWN_KEY",
  not_json: "MACHINE_NOT_JSON",
  forbidden_key: "MACHINE_FORBIDDEN_KEY",
  too_deep: "MACHINE_TOO_DEEP",
};
