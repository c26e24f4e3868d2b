import { regexText } from "../../../base/index.ts";

/**
 * Whether an answer gives the signal that ends a loop: `<promise>SIGNAL</promise>` anywhere, or the signal alone on the last line. A
 * sentence that merely ends with it does not. `output` is the answer without the signal; an answer that is nothing but the word stays, so that
 * what refers to it has a text.
 */
export function readSignal(answer: string, signal: string): { readonly done: boolean; readonly output: string } {
  const said = signal.trim();
  const tag = new RegExp(`<promise>\\s*${regexText(said)}\\s*</promise>`, "gi");
  const lines = answer.trimEnd().split(/\r?\n/);
  const alone = lines.at(-1)?.trim() === said;
  if (!alone && !tag.test(answer)) return { done: false, output: answer };
  if (alone && answer.trim() === said) return { done: true, output: said };
  const rest = alone ? lines.slice(0, -1).join("\n") : answer;
  return { done: true, output: rest.replace(tag, "").trim() };
}
