import { expect } from "vitest";

/** Matches the id under which a step of this name is handed out. */
export function handedOut(step: string): string {
  return expect.stringMatching(new RegExp(`^${step.replaceAll(".", "\\.")}@[ad]\\d+$`)) as string;
}

/** The author's id of a step that was handed out. */
export function authorsId(step: { readonly id: string }): string {
  return step.id.replace(/@[^@]*$/, "");
}
