import { isList, isObject, textOf, type JsonObject } from "../../../base/index.ts";
import { handOutId, type Action } from "../../../kernel/index.ts";
import { freshAgent, type PlayedBy, type Shown } from "../../../views/index.ts";

/** Facts of a dispatch that are the engine's alone. */
const inner: ReadonlySet<string> = new Set(["step", "leaves", "handles", "correction"]);

/** What the report of a role is asked for. */
export const roleResultWanted = "your report, one JSON object";

interface RoleReader {
  /** The instructions themselves, for the agent that plays the role and cannot read their file. */
  readonly text?: string;
  /** Who should play it: for a reader that starts a sub-agent for it. A reader that was started for this dispatch alone starts none. */
  readonly by?: PlayedBy;
}

/**
 * A role's dispatch: who to be, what to read, the complete input, and how to answer. Instructions are named by their file, or given as `text`
 * to who cannot read that file.
 */
export function roleShown(action: Action, { text = "", by }: RoleReader): Shown | undefined {
  const { dispatch } = action.args;
  if (!isObject(dispatch)) return undefined;
  const given = text.trim();
  const isKept = (key: string): boolean => !inner.has(key) && ((key !== "instructions" && key !== "folder") || given === "");
  const definition: JsonObject = Object.fromEntries(Object.entries(dispatch).filter(([key]) => isKept(key)));
  // What the definition names is not repeated: a resume has little room, and shows these sentences before the definition.
  const steps = [
    by === undefined ? "" : `${freshAgent(by)} with what follows and definition; report its answer.`,
    given === ""
      ? `You are ${textOf(dispatch["role"])}. Read the file of instructions, then those of input.task.context_files.`
      : `You are ${textOf(dispatch["role"])}. Your instructions:\n\n${given}\n\nFirst read every file of input.task.context_files.`,
    dispatch["project_instructions"] === undefined
      ? ""
      : "Read project_instructions too; precedence says what counts in conflicts, note them in artifacts.notes.",
    dispatch["folder"] === undefined || given !== "" ? "" : "Work in folder and nowhere else: paths are relative to it.",
    dispatch["deliver"] === undefined ? "" : "Write what deliver names.",
    "Do input.task and nothing else; change only what may_change names, never status.json or task statuses.",
    reportLine(dispatch),
  ];
  const instructions = steps.filter((step) => step !== "").join(" ");
  return { step: { id: handOutId(action.step, action.id), type: "role", instructions, definition }, fillIn: { result: roleResultWanted } };
}

function reportLine({ answers, report }: JsonObject): string {
  if (report !== undefined) return "Report one JSON object like report, its status one of answers.";
  const words = isList(answers) ? answers.map(textOf).join(", ") : "";
  return `Report one JSON object as the result: status (${words}), summary, artifacts, gates, next, as your instructions show.`;
}
