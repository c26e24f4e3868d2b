export type Runtime = "bun" | "uv";

/** What a piece of a program is; in a `raw` string nothing can be escaped. */
export type ScriptPlace = "code" | "comment" | "string" | "template" | "raw";

interface Mark {
  readonly from: number;
  readonly place: ScriptPlace;
}

/** What each character of a program is part of. A rough reading: it never fails, and what is not closed reaches to the end. */
export function scriptPlaces(code: string, runtime: Runtime): (offset: number) => ScriptPlace {
  const marks = runtime === "uv" ? pythonMarks(code) : scriptMarks(code);
  return (offset) => marks.findLast(({ from }) => from <= offset)?.place ?? "code";
}

const scriptToken = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<string>'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?)`,
    String.raw`(?<mark>[${"`"}{}/])`,
    String.raw`(?<word>[\p{L}\p{N}_$]+)`,
    String.raw`(?<sign>[^\s])`,
  ].join("|"),
  "uy",
);
/** Text of a template up to its end or the next interpolation. */
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
/** Before a slash they mean that a regular expression begins. */
const beforeRegex = /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|instanceof)$/;

function scriptMarks(code: string): readonly Mark[] {
  const marks: Mark[] = [];
  /** What is open: templates whose interpolation is being read, and blocks. */
  const open: ("template" | "block")[] = [];
  let at = 0;
  let before = "";
  const template = (from: number): void => {
    templateText.lastIndex = from;
    marks.push({ from, place: "template" });
    at = from + (templateText.exec(code)?.[0].length ?? 0);
    if (code.startsWith("${", at)) {
      open.push("template");
      at += 2;
      before = "{";
    } else {
      at += 1;
      before = ")";
    }
    marks.push({ from: at, place: "code" });
  };
  while (at < code.length) {
    scriptToken.lastIndex = at;
    const found = scriptToken.exec(code);
    if (found === null) {
      at += 1;
      continue;
    }
    const { comment, string, mark, word } = found.groups ?? {};
    const text = found[0];
    const whole = (place: ScriptPlace, length = text.length): void => {
      marks.push({ from: at, place }, { from: at + length, place: "code" });
      at += length;
    };
    if (comment !== undefined) whole("comment");
    else if (string !== undefined) {
      whole("string");
      before = ")";
    } else if (mark === "`") template(at + 1);
    else if (mark === "}" && open.pop() === "template") template(at + 1);
    else if (mark === "/" && !/[\p{L}\p{N}_$)\]]$/u.test(before.replace(beforeRegex, "")) && isRegex(code, at)) {
      whole("string", regex.lastIndex - at);
      before = ")";
    } else {
      if (mark === "{") open.push("block");
      at += text.length;
      before = word ?? text;
    }
  }
  return marks;
}

function isRegex(code: string, at: number): boolean {
  regex.lastIndex = at;
  return regex.test(code);
}

const pythonToken = /(?<comment>#[^\n]*)|(?<![\p{L}\p{N}_])(?<prefix>[rbfu]{0,2})(?<quote>"""|'''|"|')/giu;

function pythonMarks(code: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (let at = 0; at < code.length;) {
    pythonToken.lastIndex = at;
    const found = pythonToken.exec(code);
    if (found === null) break;
    const { comment, prefix = "", quote = "" } = found.groups ?? {};
    const from = found.index;
    const inner = from + found[0].length;
    const end = comment === undefined ? endOfString(code, inner, quote) : inner;
    const place = comment !== undefined ? "comment" : /r/i.test(prefix) ? "raw" : "string";
    marks.push({ from, place }, { from: end, place: "code" });
    at = end;
  }
  return marks;
}

function endOfString(code: string, from: number, quote: string): number {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === "\\") at += 1;
    else if (code.startsWith(quote, at)) return at + quote.length;
    else if (code[at] === "\n" && quote.length === 1) return at;
  }
  return code.length;
}
