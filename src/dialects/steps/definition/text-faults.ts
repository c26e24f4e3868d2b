import type { FaultCodes } from "../../../source/index.ts";

/** What is wrong with the text of a workflow of steps. */
export const stepsFaults: FaultCodes = {
  syntax: "STEPS_YAML_SYNTAX",
  unquoted_template: "STEPS_UNQUOTED_TEMPLATE",
  duplicate_key: "STEPS_DUPLICATE_KEY",
  alias: "STEPS_ALIAS",
  several_documents: {
    code: "STEPS_SEVERAL_DOCUMENTS",
    fix: "Put each document into a file of its own, and name shared ones under `imports:` of the main file.",
  },
  not_a_map: { code: "STEPS_NOT_A_MAP", fix: "Begin the file with `name:` and `steps:`." },
  empty_wrapper: { code: "STEPS_NOT_A_MAP", fix: "Indent `name:` and `steps:` below `workflow:`." },
  beside_wrapper: "STEPS_UNKNOWN_KEY",
  not_json: "STEPS_NOT_JSON",
  forbidden_key: "STEPS_FORBIDDEN_KEY",
  too_deep: { code: "STEPS_TOO_DEEP", fix: "Move inner steps into a workflow of their own and use `include_workflow`." },
};
