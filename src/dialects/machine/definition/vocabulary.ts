import type { Json } from "../../../base/index.ts";
import type { InputSpec } from "../../../program/index.ts";
import type { FaultCodes } from "../../../source/index.ts";
import { projectTypes, sessionRoles } from "./formats/session-vocabulary.ts";
import type { GateDefinition } from "./machine-definition.ts";

/** The word of a step says what it does; a step has exactly one of them. */
export const stepWords = ["dispatch", "task", "gate", "ask", "checks", "take_tasks", "promote", "workflow", "report", "finish"] as const;
export type StepWord = (typeof stepWords)[number];

/** Where a machine ends, in `next` and `to`. */
export const endWord = "end";

/** Shown by status files while a question is open; never states of a definition. */
export const shownOnly = ["ASK_USER", "BLOCKED"] as const;

/** Whose reports a role's are checked like. */
export const outputKinds: readonly string[] = ["plain", ...sessionRoles.filter((role) => role !== "Orchestrator")];

export const answerWords = ["OK", "BLOCKED", "FAIL", "NEEDS_INFO", "NEEDS_DECISION"] as const;

/** Names that conditions can read beside those of `lower.ts`: `machine.roles` counts reports, `most_files` is the limit of the mode. */
export const engineNames = ["inputs", "machine", "most_files"] as const;

export const machineDefaults = {
  version: "1.0.0",
  sessions: ".agents-work",
  mode: "full",
  reasks: 3,
  tries: 3,
  changesPrefix: "changes-requested:",
  projectInstructions: [".github/copilot-instructions.md", "AGENTS.md"],
  precedence: ["the form of inputs and reports", "the role's instructions", "the rules of the workflow", "instructions of the project"],
} as const;

/** Inputs that every machine has, whatever it declares. */
export function addedInputs(modes: readonly string[], defaultMode: string): Record<string, InputSpec> {
  const inputs: Readonly<Record<string, Omit<InputSpec, "type" | "required"> & { readonly default: Json }>> = {
    mode: { default: defaultMode, description: "The way through the machine.", validation: { enum: modes } },
    slug: {
      default: "",
      description: "Two to four words for the name of the session's folder, e.g. `csv-export`; made from the request when empty.",
      validation: { pattern: "^(?:[a-z0-9]+(?:-[a-z0-9]+){1,3})?$", message: "Use two to four words in small letters, joined by `-`." },
    },
    session: { default: "", description: "Name of an earlier session's folder to go on with; empty begins a new one." },
    confirmed: { default: {}, description: "What the chosen mode asks to be confirmed: each key of its `only_if` with true." },
    project_type: { default: "mixed", description: "Kind of project; trims what roles look at.", validation: { enum: projectTypes } },
    ui: { default: false, description: "Whether people see or use what is made." },
    research: { default: "", description: "A question to look into first; empty: none." },
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => [
      name,
      { type: typeof spec.default as "string" | "boolean" | "object", required: false, ...spec },
    ]),
  );
}

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

/** A word of an answer without what people write it differently in: case, spaces, hyphens, a full stop. */
export function plainWord(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s_.!-]+/)
    .filter((part) => part !== "")
    .join("-");
}

/** The choice that an answer names, in the choice's own word or another one of the gate. */
export function choiceOf({ choices, also = {} }: Pick<GateDefinition, "choices" | "also">, answer: string): string | undefined {
  const said = plainWord(answer);
  if (said === "") return undefined;
  return Object.keys(choices).find((choice) => [choice, ...(also[choice] ?? [])].some((word) => plainWord(word) === said));
}
