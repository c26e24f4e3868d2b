/** How a shell reads a piece of a command. */
export type Quoting = "bare" | "single" | "double" | "here-document" | "comment";

interface Frame {
  /** `command`: words; `double`: between double quotes; `braces`: inside `${ }`; `sum`: inside `$(( ))`. */
  readonly kind: "command" | "double" | "braces" | "sum";
  /** What ends it. */
  readonly end: string;
  readonly quoting: Quoting;
}

interface HereDocument {
  readonly word: string;
  /** Tabs before the last line do not count. */
  readonly tabs: boolean;
}

const hereDocument = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))/y;

/** How each character of a command is quoted. A rough reading: it never fails, and what is not closed reaches to the end. */
export function shellQuoting(text: string): (offset: number) => Quoting {
  const marks: { readonly from: number; readonly quoting: Quoting }[] = [];
  const frames: Frame[] = [{ kind: "command", end: "", quoting: "bare" }];
  const waiting: HereDocument[] = [];
  const top = (): Frame => frames.at(-1)!;
  let at = 0;
  const mark = (quoting: Quoting, from = at): void => void marks.push({ from, quoting });
  const enter = (kind: Frame["kind"], opening: string, end: string): void => {
    const quoting = kind === "double" ? "double" : kind === "command" ? "bare" : top().quoting;
    at += opening.length;
    frames.push({ kind, end, quoting });
    mark(quoting);
  };
  const until = (end: number, quoting: Quoting): void => {
    mark(quoting);
    at = end < 0 ? text.length : end;
    mark(top().quoting);
  };

  mark("bare");
  while (at < text.length) step();
  return (offset) => marks.findLast(({ from }) => from <= offset)?.quoting ?? "bare";

  function step(): void {
    const { kind, end, quoting } = top();
    const starts = (word: string): boolean => text.startsWith(word, at);
    if (starts("\\")) at += 2;
    else if (end !== "" && starts(end)) leave(end);
    else if (starts("$((")) enter("sum", "$((", "))");
    else if (starts("$(")) enter("command", "$(", ")");
    else if (starts("${")) enter("braces", "${", "}");
    else if (starts("`")) enter("command", "`", "`");
    else if (starts('"')) enter("double", '"', '"');
    else if (quoting === "bare" && (starts("'") || starts("$'"))) until(singleEnd(), "single");
    else if (kind === "command") inCommand(starts);
    else at += 1;
  }

  function leave(end: string): void {
    at += end.length;
    frames.pop();
    mark(top().quoting);
  }

  function inCommand(starts: (word: string) => boolean): void {
    if (starts("(")) enter("command", "(", ")");
    else if (starts("#") && /^$|[\s;&|(]/.test(text.slice(Math.max(0, at - 1), at))) until(text.indexOf("\n", at), "comment");
    else if (starts("<<<")) at += 3;
    else if (starts("<<")) hereWord();
    else if (starts("\n") && waiting.length > 0) hereBodies();
    else at += 1;
  }

  function singleEnd(): number {
    if (text[at] === "'") return after(text.indexOf("'", at + 1));
    const found = /^\$'(?:[^\\']|\\[\s\S])*'/.exec(text.slice(at));
    return found === null ? -1 : at + found[0].length;
  }

  function hereWord(): void {
    hereDocument.lastIndex = at;
    const found = hereDocument.exec(text);
    if (found === null) {
      at += 2;
      return;
    }
    at += found[0].length;
    waiting.push({ word: found[2] ?? found[3] ?? found[4] ?? "", tabs: found[1] === "-" });
  }

  function hereBodies(): void {
    const lines = text.slice(at + 1).split("\n");
    let end = at + 1;
    for (const line of lines) {
      const [first] = waiting;
      if (first === undefined) break;
      if ((first.tabs ? line.replace(/^\t+/, "") : line) === first.word) waiting.shift();
      end += line.length + 1;
    }
    waiting.length = 0;
    until(Math.min(end - 1, text.length), "here-document");
  }
}

function after(index: number): number {
  return index < 0 ? -1 : index + 1;
}
