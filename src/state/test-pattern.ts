import type { Runner } from "./runner.ts";

export type PatternResult = { readonly ok: true; readonly matches: boolean } | { readonly ok: false; readonly message: string };

/** Tries an author's regular expression in the sandbox, so that a catastrophic one is cut off. */
export async function testPattern(runner: Runner, pattern: string, text: string): Promise<PatternResult> {
  const result = await runner.evaluate({ space: "pattern", code: "return new RegExp(pattern).test(text);", bindings: { pattern, text } });
  return result.ok
    ? { ok: true, matches: result.value === true }
    : { ok: false, message: `The pattern \`${pattern}\` cannot be used: ${result.message}` };
}
