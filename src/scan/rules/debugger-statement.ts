import type { Finder, Found, LexedText } from "../finder.ts";

const scripts: ReadonlySet<string> = new Set(["typescript", "tsx", "javascript"]);

/** A stop for a debugger that was left behind. */
export const debuggerStatement: Finder = {
  id: "debugger",
  needles: ["debugger", "breakpoint", "set_trace"],
  find({ code, text, language }) {
    const found: Found[] = [];
    const add = (from: number, to: number): void =>
      void found.push({ type: "stop", auto: false, needs: "manual", start: code.start(from), end: code.end(to), action: "Remove it." });
    for (let at = 0; at < code.length; at += 1) {
      if (code.kind(at) !== "name") continue;
      if (scripts.has(language) && code.word(at) === "debugger" && isStatement({ code, text }, at)) add(at, at);
      if (language !== "python" || code.word(at - 1) === "." || code.word(at - 1) === "def") continue;
      if (code.sees(at, "breakpoint", "(", ")")) add(at, at + 2);
      if (/^i?pdb$/.test(code.word(at)) && code.sees(at + 1, ".", "set_trace", "(")) add(at, at + 3);
    }
    return found;
  },
};

/** A statement of its own: the word begins one and ends it. */
function isStatement({ code, text }: Pick<LexedText, "code" | "text">, at: number): boolean {
  const before = text.slice(code.end(at - 1), code.start(at));
  const begins = at === 0 || [";", "{", "}", ")"].includes(code.word(at - 1)) || /[\r\n]/.test(before);
  const behind = code.word(at + 1);
  const ends = at + 1 >= code.length || behind === ";" || behind === "}" || /[\r\n]/.test(text.slice(code.end(at), code.start(at + 1)));
  return begins && ends && ![":", "=", ".", "(", ","].includes(behind) && ![".", ",", "=", ":"].includes(code.word(at - 1));
}
