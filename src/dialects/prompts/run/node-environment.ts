import { isObject, textOf, type Json } from "../../../base/index.ts";

/** Texts by the names of variables. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The variables of a command or script. Systems limit each of them (Linux to 128 KB) and all together; a program with one that is too long does
 * not start. So a `large` one is empty in the environment, and is set by the command itself, where that names it.
 */
export interface NodeEnvironment {
  readonly env: Variables;
  readonly large: Variables;
}

const longest = 32_000;

/** `text` is what can name them. A NUL character cannot be in a variable: what names one that has it cannot run. */
export function nodeEnvironment(given: Json | undefined, text: string): NodeEnvironment | { readonly problem: string } {
  const all = Object.entries(isObject(given) ? given : {}).map(([name, value]) => [name, value === null ? "" : textOf(value)] as const);
  const fits = (value: string): boolean => value.length <= longest && !value.includes("\0");
  const large = all.filter(([name, value]) => !fits(value) && new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text));
  const nul = large.find(([, value]) => value.includes("\0"))?.[0];
  if (nul !== undefined)
    return { problem: `\`$${nul}\` has a NUL character, which a variable cannot hold. Nothing was run. Give a text without it.` };
  return {
    env: Object.fromEntries(all.map(([name, value]) => [name, fits(value) ? value : ""])),
    large: Object.fromEntries(large),
  };
}

/** Sets them in a shell, for itself alone: nothing that it starts could have them. */
export function shellAssignments(large: Variables): string {
  return Object.entries(large)
    .map(([name, value]) => `unset ${name}; ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
}
