import { AnswerReader, type Asked } from "./read-answer.ts";
import { findName, readRoutingLine } from "./routing-line.ts";

export interface RouterResult {
  readonly workflow: string | null;
  /** What the workflow is asked for; of a conversational answer the answer itself, unchanged. */
  readonly userIntent: string;
  readonly isConversational: boolean;
  /** What a log should say about it, one sentence each. */
  readonly notes: readonly string[];
}

/** Reads a whole answer of the model. */
export function parseRouterResponse(response: string, asked: Asked): RouterResult {
  const reader = new AnswerReader(asked);
  reader.add(response);
  reader.end();
  return routerResultOf(reader, response, asked);
}

/** What an answer came to that was read to its end. */
export function routerResultOf(reader: AnswerReader, response: string, { message, workflows }: Asked): RouterResult {
  const { workflow, unknown, repeated } = reader;
  const known = workflows.map(({ name }) => name);
  const notes = [
    ...unknown.map((name) => `The model named the workflow \`${name}\`, which does not exist.`),
    ...repeated.map((name) => `The model repeated a line of the message that names \`${name}\`. Such a line starts nothing.`),
  ];
  if (workflow === undefined) return { workflow: null, userIntent: response, isConversational: true, notes };
  const { intent, others } = withoutOthers(reader.rest, known);
  const also = others.map((name) => `The model also named \`${name}\`; the first workflow counts.`);
  return { workflow, userIntent: intent === "" ? message : intent, isConversational: false, notes: [...notes, ...also] };
}

/** Further routing lines do not belong to the intent. */
function withoutOthers(rest: string, known: readonly string[]): { readonly intent: string; readonly others: readonly string[] } {
  const others: string[] = [];
  const lines = rest.split("\n").filter((line) => {
    const found = readRoutingLine(line, true);
    const name = typeof found === "string" ? undefined : findName(found.name, known);
    if (name !== undefined) others.push(name);
    return name === undefined;
  });
  return { intent: lines.join("\n").trim(), others: [...new Set(others)] };
}
