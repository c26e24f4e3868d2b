import type { GateDefinition } from "./machine-definition.ts";

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
