import type { Json } from "../base/index.ts";
import type { Decision } from "../kernel/index.ts";

export type Question = Pick<
  Decision,
  "id" | "step" | "question" | "options" | "pattern" | "patternMessage" | "kind" | "reasons" | "reasonsFor" | "revision"
>;

/** The run that asks. */
export interface Asking {
  readonly run: string;
  readonly workflow: string;
}

/** A question as it is shown in a chat: who asks, what, the choices, and `how` to answer, which is by a message where nothing else is said. */
export function questionText({ run, workflow }: Asking, question: Question, how: string = howText(question)): string {
  const head = `**Question** from ${workflow} (run \`${run}\`, \`${question.step}\`)`;
  return [head, question.question.trim(), choicesText(question), how].filter((part) => part !== "").join("\n\n");
}

/** How a question is answered beside others that are open. */
export function namedHow(run: string, { id, options }: Question): string {
  return `Write \`/workflow approve ${run} ${id} ${options === undefined ? "<your answer>" : "<choice>"}\`: other questions are open too.`;
}

/** How a question is answered where nobody may answer. */
export function elsewhereText(line: string): string {
  return `Nobody who writes here may answer it. A person answers it in a terminal on the computer where Waymark runs: ${line}`;
}

function choicesText({ options = [] }: Question): string {
  return options
    .map(({ value, label }, at) => `${at + 1}. ${label === undefined || isSame(label, value) ? value : `${value} - ${label}`}`)
    .join("\n");
}

/** What to write, and nothing that a person did not ask for. */
function howText(question: Question): string {
  const { options = [], kind, patternMessage } = question;
  const reason = takesReason(question) ? " To give a reason, write `/workflow approve <reason>` or `/workflow reject <reason>`." : "";
  if (wantsWords(question))
    return "Your words are wanted: write `/workflow approve <your answer>`, or `/workflow reject <reason>`. One of the choices alone answers without any.";
  if (kind === "budget") return "Write one of the choices, its number, or a new limit as a number.";
  if (options.length > 0) return `Write one of the choices, or its number.${reason}`;
  if (patternMessage === undefined) return "Write your answer as a message.";
  return question.question.includes(patternMessage) ? "" : patternMessage;
}

function takesReason({ reasons, options = [] }: Question): boolean {
  return reasons === true && approving(options) !== undefined && rejecting(options) !== undefined;
}

/** What is said with an approval is used: it is what the question asks for. */
export function wantsWords(question: Question): boolean {
  const { reasonsFor, options = [] } = question;
  return takesReason(question) && (reasonsFor?.includes(approving(options) ?? "") ?? true);
}

type Options = NonNullable<Question["options"]>;

export function approving(options: Options): string | undefined {
  return choiceOf(options, ["approve", "approved", "yes"]);
}

export function rejecting(options: Options): string | undefined {
  return choiceOf(options, ["reject", "rejected", "no"]);
}

const noes = "no|nope|not|never|don['’]?t|stop|wait|hold|cancel|reject(?:ed)?";
const noAtAnEnd = new RegExp(`^\\W*(?:${noes})(?![\\w-])|(?<![\\w-])(?:${noes})\\W*$`, "iu");

/** A reason that begins or ends with a no. */
export function mayMeanNo(reason: string): boolean {
  return noAtAnEnd.test(reason);
}

function choiceOf(options: Options, words: readonly string[]): string | undefined {
  return options.find(({ value, label }) => words.some((word) => isSame(value, word) || (label !== undefined && isSame(label, word))))
    ?.value;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The answer that a text is: exactly one of the choices by its value, its label or its number. Where there are no choices it is the text itself.
 * undefined where it is not an answer.
 */
export function answerIn(question: Question, text: string): Json | undefined {
  const { options = [], kind } = question;
  const said = text.trim();
  if (said === "") return undefined;
  const exact = options.find(({ value }) => value === said);
  const alike = options.find(({ value, label }) => isSame(value, said) || (label !== undefined && isSame(label, said)));
  if (exact !== undefined || alike !== undefined) return (exact ?? alike)?.value;
  const number = /^\d+$/.test(said) ? Number(said) : 0;
  // A budget is answered by a limit, which a number of a choice could be as well: small ones are choices.
  if (number >= 1 && number <= options.length) return options[number - 1]?.value;
  if (kind === "budget") return /^\d+(?:\.\d+)?$/.test(said) ? Number(said) : undefined;
  return options.length > 0 ? undefined : said;
}
