import { listedChoices } from "../engine/index.ts";
import { failure } from "./codes.ts";
import { optionOf } from "./option-of.ts";
import type { Question } from "./reporting/report-step.ts";
import type { Session } from "./session.ts";

/** Words for the same answer. Those that people say, and those that choices are called. */
const families: readonly ReadonlySet<string>[] = [
  new Set("y yes ok okay lgtm approve approved accept accepted agree agreed allow allowed confirm confirmed".split(" ")),
  new Set("n no reject rejected decline declined deny denied refuse refused disagree".split(" ")),
];

/** The choice that such a word means; undefined where the question takes the text as it is, or the word could mean none or several. */
export function meantChoice(question: Pick<Question, "kind" | "options" | "pattern">, typed: string): string | undefined {
  const said = plain(typed);
  const family = families.find((words) => words.has(said));
  if (family === undefined || optionOf(question, typed) !== undefined) return undefined;
  const choices = listedChoices(question);
  if (choices.includes(typed)) return undefined;
  const labels = new Map(question.options?.map(({ value, label = value }) => [value, label]));
  const meant = choices.filter((choice) => [choice, labels.get(choice) ?? choice].some((text) => family.has(firstWord(text))));
  return meant.length === 1 ? meant[0] : undefined;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim();
}

/** `approve with changes` begins as `approve` does, so neither is certain where both can be chosen. */
function firstWord(text: string): string {
  return plain(text).split(" ")[0] ?? "";
}

/** Shows a person at a terminal which choice their word is taken for: `y` or Enter counts. Answers what was typed where it is another word. */
export async function confirmMeant(session: Session, question: Question, typed: string, signal?: AbortSignal): Promise<string | undefined> {
  const { world, out, prompter } = session;
  const choice = world.isTerminal && !out.json ? meantChoice(question, typed) : undefined;
  if (choice === undefined) return typed;
  const said = await prompter.ask(`\`${typed}\` is taken as \`${choice}\`. Record that? [Y/n] `, { signal });
  return /^(?:y|yes|)$/i.test(said.trim()) ? choice : undefined;
}

export function notConfirmed(): Error {
  return failure("CLI_NO_ANSWER", "The answer was not confirmed. Nothing was recorded.");
}
