import type { Json } from "../base/index.ts";
import { ShellText } from "./shell-text.ts";
import { plainWords } from "./shell-word.ts";

export type CommandPart = string | { readonly text: string; readonly value: Json; readonly raw: boolean };

/**
 * Puts values into a shell command so that none of them can become anything but data, wherever the author put the hole. A
 * value marked `raw` is read as the author's own text. Places where no quoting is safe are refused.
 */
export function renderCommand(parts: readonly CommandPart[]): { readonly command: string } | { readonly problem: string } {
  const shell = new ShellText();
  let command = "";
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string" || part.raw) {
      const own = typeof part === "string" ? part : plainWords(part.value);
      shell.feed(own);
      command += own;
      continue;
    }
    if (plainWords(part.value).includes("\0")) return { problem: `\`${part.text}\` holds a NUL character, which no command can carry.` };
    const refusal = shell.refusal();
    if (refusal !== undefined)
      return { problem: `\`${part.text}\` cannot be quoted safely here: ${refusal}. Pass it as an argument or through \`env\`.` };
    const next = parts[index + 1];
    const placed = shell.place(part.value, typeof next === "string" ? next : "");
    if (placed === undefined) return { problem: `\`${part.text}\` stands inside \`$((...))\`, where only a number can stand.` };
    command += placed;
  }
  return { command };
}

/** Holes into which no value can be put safely, whatever it is. Behind a raw one nothing can be told before it is known. */
export function unquotable(
  parts: readonly (string | { readonly raw: boolean; readonly offset: number })[],
): { readonly offset: number; readonly problem: string }[] {
  const shell = new ShellText();
  const found: { offset: number; problem: string }[] = [];
  for (const part of parts) {
    if (typeof part === "string") {
      shell.feed(part);
      continue;
    }
    if (part.raw) break;
    const refusal = shell.refusal();
    if (refusal !== undefined) found.push({ offset: part.offset, problem: `A value cannot be quoted safely here: ${refusal}.` });
    shell.place(0, "");
  }
  return found;
}
