import type { RunHandle } from "../engine/index.ts";
import { decideLine, fillIn } from "./printed-lines.ts";

type Question = RunHandle["state"]["decisions"][string];

const fewest = { choices: 5, chars: 60 };

/** `approve | reject`; undefined where there is nothing to choose, another answer is possible too, or the list is long. */
export function choicesText({ options = [], kind }: Pick<Question, "options" | "kind">): string | undefined {
  const text = options.map(({ value }) => value).join(" | ");
  const isFew = options.length > 0 && options.length <= fewest.choices && text.length <= fewest.chars;
  return isFew && kind !== "budget" ? text : undefined;
}

/** A question with its choices behind it, where they are few. */
export function askedLine(question: Question, shown: string = question.question): string {
  const choices = choicesText(question);
  return `? ${shown}${choices === undefined ? "" : ` (${choices})`}`;
}

/** The place in a printed line that is left for the answer. */
export function answerPlace(question: Question): string {
  return fillIn(choicesText(question) ?? "answer");
}

/** The line that answers a question, with its choices where the answer belongs. */
export function answerLine(run: string, question: Question): string {
  return decideLine(run, question, answerPlace(question));
}
