import type { Finder, Found, LexedText } from "../finder.ts";

const braces: ReadonlySet<string> = new Set("typescript tsx javascript java kotlin scala csharp php swift dart groovy cpp".split(" "));
const advice = "Handle the error, pass it on with its cause, or say in a comment why it may be ignored.";

/** An error is caught and nothing happens, and no comment says why. */
export const emptyCatch: Finder = {
  id: "empty-catch",
  needles: ["catch", "except"],
  find(source) {
    if (source.language === "python") return inPython(source);
    return braces.has(source.language) ? inBraces(source) : [];
  },
};

function place(type: string, start: number, end: number): Found {
  return { type, auto: false, needs: "manual", start, end, action: advice };
}

function inBraces({ code, text }: LexedText): readonly Found[] {
  const found: Found[] = [];
  for (let at = 0; at < code.length; at += 1) {
    if (code.kind(at) !== "name" || code.word(at) !== "catch") continue;
    // `.catch(() => {})` is written on purpose.
    if (code.word(at - 1) !== "}") continue;
    const behind = code.word(at + 1) === "(" ? (code.closing(at + 1) ?? code.length) + 1 : at + 1;
    if (code.sees(behind, "{", "}") && isBare(text, code.start(behind), code.end(behind + 1)))
      found.push(place("block", code.start(at), code.end(behind + 1)));
  }
  return found;
}

/** No comment with a word is in it: what looks like one in a text that holds no string is one. */
function isBare(text: string, start: number, end: number): boolean {
  return !/\/[/*][^]*?[A-Za-z]{2}/.test(text.slice(start, end));
}

/** A narrow type that is passed over is a way to ask; only what catches everything hides errors. */
const everything = /^(?:|exception|baseexception)$/i;

function inPython({ code, text, lines }: LexedText): readonly Found[] {
  const found: Found[] = [];
  for (let at = 0; at < code.length; at += 1) {
    if (code.kind(at) !== "name" || code.word(at) !== "except") continue;
    let colon = at + 1;
    while (colon < code.length && code.word(colon) !== ":" && colon - at < 12) colon += 1;
    const caught = text.slice(code.end(at), code.start(colon)).replace(/\bas\s+\w+\s*$/, "");
    const named = caught.replace(/[()\s]/g, "").split(",");
    if (code.word(colon) !== ":" || !named.some((name) => everything.test(name)) || code.word(colon + 1) !== "pass") continue;
    const [from, to] = [lines.lineAt(code.start(at)), lines.lineAt(code.start(colon + 1))];
    const written = Array.from({ length: to - from + 1 }, (_, line) => lines.textOf(from + line)).join("\n");
    const next = lines.textOf(to + 1);
    if (!written.includes("#") && !/^\s*#/.test(next)) found.push(place("python", code.start(at), code.end(colon + 1)));
  }
  return found;
}
