import type { Random } from "../soak/random.ts";

/** Files of a small code base in two languages, by path. The same dice give the same files. */
export function growTree(random: Random, most: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  const count = Math.min(most, 20 + random.below(41));
  const folders = ["", "src/", "src/core/", "lib/deep/er/", "Ext Ünï/"];
  for (let index = 0; index < count; index += 1) {
    const language = random.chance(0.7) ? "js" : "al";
    files[`${random.pick(folders)}f${index}.${language}`] = fileText(random, language);
  }
  return files;
}

/** A file with some calls that are certain to convert, some that are not, and some that only look like calls. */
export function fileText(random: Random, language: string): string {
  const end = random.pick(["\n", "\r\n"]);
  const lines = random.times(6, (at) => (language === "js" ? scriptLine(random, at) : alLine(random, at)));
  const body = language === "js" ? lines : ["codeunit 50100 T", "{", "procedure p()", "begin", ...lines, "end;", "}"];
  return `${random.chance(0.1) ? "\ufeff" : ""}${body.join(end)}${random.chance(0.8) ? end : ""}`;
}

function scriptLine(random: Random, at: number): string {
  return random.pick([
    `old('t${at}');`,
    `old('same');`,
    `old(x${at});`,
    `old(y, old('in'));`,
    `const s = "old('no')"; // old('no')`,
    `gold('not it');`,
    `done(${at});`,
    "",
  ]);
}

function alLine(random: Random, at: number): string {
  return random.pick([`old('t${at}');`, `old(X${at});`, `// old('no')`, `s := 'old(no)';`, `Done(${at});`]);
}

/** The text with the call at a place converted as an honest agent would; undefined when the call is not there. */
export function converted(text: string, { line, column, call }: { line: number; column: number; call: string }): string | undefined {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  const lines = plain.split(/(?<=\r\n|\n)/);
  const before = lines.slice(0, line - 1).join("").length + column - 1;
  const at = plain.startsWith(call, before) ? before : -1;
  if (at < 0 || !call.startsWith("old(")) return undefined;
  return `${text.length > plain.length ? "\ufeff" : ""}${plain.slice(0, at)}fresh(${plain.slice(at + "old(".length)}`;
}
