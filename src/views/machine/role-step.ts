import { isList, isObject, textOf, type Json, type JsonObject } from "../../base/index.ts";
import { handOutId, type Action } from "../../kernel/index.ts";
import type { Shown } from "../shown.ts";

/** Facts of a dispatch that are the engine's alone. */
const inner: ReadonlySet<string> = new Set(["step", "leaves", "handles", "correction", "report"]);

/** A role's dispatch: who to be, what to read, the complete input, and how to answer. */
export function roleShown(action: Action): Shown | undefined {
  const { dispatch } = action.args;
  if (!isObject(dispatch)) return undefined;
  const definition: JsonObject = Object.fromEntries(Object.entries(dispatch).filter(([key]) => !inner.has(key)));
  const project = listOf(dispatch["project_instructions"]);
  const deliver = listOf(dispatch["deliver"]);
  const steps = [
    `You are ${textOf(dispatch["role"])}. Read your instructions first: ${textOf(dispatch["instructions"])}.`,
    project.length === 0
      ? ""
      : `Read the project's own: ${project.join(", ")}. In conflicts the higher counts (${textOf(dispatch["precedence"] ?? "")}); note them in artifacts.notes.`,
    "Read every file of input.task.context_files.",
    deliver.length === 0 ? "" : `Write ${deliver.join(", ")}.`,
    "Do the work of input.task and nothing else; change only what may_change names. Waymark writes status.json and task statuses itself.",
    reportLine(dispatch),
  ];
  const instructions = steps.filter((step) => step !== "").join(" ");
  return {
    step: { id: handOutId(action.step, action.id), type: "role", instructions, definition },
    fillIn: { result: "your report, one JSON object" },
  };
}

function reportLine({ answers, report }: JsonObject): string {
  const words = listOf(answers).join(", ");
  return report === undefined
    ? `Report one JSON object as the result: status (${words}), summary, artifacts, gates, next, as your instructions show.`
    : `Report one JSON object as the result, in this form: ${JSON.stringify(report)} (status: ${words}; recommended_agent: a role or null).`;
}

function listOf(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(textOf) : [];
}
