import type { Question } from "./reporting/report-step.ts";

/** The option that was typed: its value, else its label, whatever the case. */
export function optionOf({ options = [] }: Pick<Question, "options">, typed: string): NonNullable<Question["options"]>[number] | undefined {
  const exact = options.find((option) => option.value === typed);
  const labelled = options.find((option) => option.label !== undefined && option.label.toLowerCase() === typed.toLowerCase());
  return exact ?? labelled ?? options.find((option) => option.value.toLowerCase() === typed.toLowerCase());
}
