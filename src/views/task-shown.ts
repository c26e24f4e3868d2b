import { isList, isObject, type Json, textOf } from "../base/index.ts";
import { type Action, handOutId } from "../kernel/index.ts";
import { taskResultsWanted, updateOf, type Shown } from "./atomic-step.ts";

/** Who should play the role of a step. */
export interface PlayedBy {
  readonly agent?: string;
  readonly model?: string;
  readonly permission?: { readonly level: string };
}

/** Begins the sentence for who drives a run by hand at a step of a role: nobody judges their own work. */
export function freshAgent({ agent, model, permission }: PlayedBy): string {
  const named = [agent ?? [], model === undefined ? [] : `model ${model}`, permission === undefined ? [] : `permission ${permission.level}`]
    .flat()
    .join(", ");
  return `Start a fresh sub-agent${named === "" ? "" : ` (${named})`}`;
}

/** A task for an agent that reads it as a step: the prompt as its author wrote it, what to leave, and how to report. */
export function taskShown(action: Action, problem: string | undefined, by?: PlayedBy): Shown {
  const { id, step, args } = action;
  const { prompt = "", give, files, artifacts, returns, context } = args;
  const sentences = [
    "Do what `prompt` says.",
    by === undefined ? "" : `${freshAgent(by)} for it.`,
    context === "fresh" && by === undefined
      ? "It needs nothing of the steps before: where you can, give it to a sub-agent with an empty context."
      : "",
    listOf(files).length === 0 ? "" : "Read `files` first.",
    isEmpty(give) ? "" : "`give` has the values that it is about.",
    listOf(artifacts).length === 0 ? "" : `It is done only when these files are there: ${listOf(artifacts).join(", ")}.`,
    problem === undefined ? "" : `It was tried before and failed: ${problem}${/[.!?]$/.test(problem) ? "" : "."}`,
    isObject(returns) ? "Then report the result as `returns` describes it." : "Then report what you did.",
  ];
  const definition = Object.entries({ prompt, give, files, artifacts, returns }).filter(([, value]) => !isEmpty(value)) as [string, Json][];
  return {
    step: {
      id: handOutId(step, id),
      type: "agent_task",
      instructions: sentences.filter((sentence) => sentence !== "").join(" "),
      definition: { ...Object.fromEntries(definition), ...updateOf(action) },
    },
    fillIn: { result: isObject(returns) ? taskResultsWanted.json : taskResultsWanted.text },
  };
}

/** The same as one prompt that is complete in itself. */
export function taskPromptText({ args, notes = [] }: Pick<Action, "args" | "notes">, problem: string | undefined): string {
  const { prompt = "", give, files, artifacts, returns } = args;
  const json = (value: Json): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
  const lines = (value: Json | undefined): string =>
    listOf(value)
      .map((each) => `- ${each}`)
      .join("\n");
  const parts = [
    textOf(prompt).trimEnd(),
    isEmpty(give) ? "" : `## Given\n\n${json(give ?? null)}`,
    listOf(files).length === 0 ? "" : `## Files to read first\n\n${lines(files)}`,
    listOf(artifacts).length === 0 ? "" : `## Files to leave\n\nThe task is done only when these files are there:\n\n${lines(artifacts)}`,
    problem === undefined ? "" : `## The last try failed\n\n${problem}`,
    notes.length === 0 ? "" : `## Notes from a person\n\n${lines([...notes])}`,
    isObject(returns) ? `## Answer\n\nEnd with one JSON value and nothing else, as this JSON Schema describes it:\n\n${json(returns)}` : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function listOf(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(textOf) : [];
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (isList(value) && value.length === 0);
}
