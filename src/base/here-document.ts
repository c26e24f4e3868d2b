/** The beginning of a here-document in the text of a shell. */
export interface HereDocument {
  /** Of the operator and the word. */
  readonly length: number;
  readonly word: string;
  /** Tabs before a line do not count. */
  readonly tabs: boolean;
  /** Nothing in it is expanded. */
  readonly quoted: boolean;
  /** Why no value may be put into it; absent where one may. */
  readonly refusal?: string;
}

const operator = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n$`\\]+)"|(\\?)([A-Za-z_][\w.-]*))(?=[\s;&|()<>])/y;

/** Commands that take a text as what it is. Others may run it: a value in it would become code of theirs. */
const readers: ReadonlySet<string> = new Set("cat tee read mapfile readarray gh glab git jq grep wc mail".split(" "));
/** What runs a text, and files that are written in order to be run; not a folder or another file with such a name. */
const runs =
  /(?<![\w-])(?:eval|exec|source|xargs|ssh|env|sudo|(?:ba|da|z|k|fi|tc|c)?sh|python[\d.]*|node|bun|deno|perl|ruby|php|psql|mysql|sqlite3|awk|sed)(?:\.exe)?(?![\w/-]|\.\w)|\.(?:[a-z]*sh|py|[cm]?[jt]s|rb|pl|php|sql|ps1|lua)(?!\w)|[<>]\(|(?<!\|)\|(?!\|)/i;

/** What `<<` at this place begins; undefined where that is not certain. `isWhole`: nothing of the command is before the text. */
export function readHereDocument(text: string, at: number, isWhole: boolean): HereDocument | undefined {
  operator.lastIndex = at;
  const found = operator.exec(text);
  if (found === null) return undefined;
  const [{ length }, dash, single, double, backslash = "", plain] = found;
  const word = single ?? double ?? plain ?? "";
  const isText = isReadAsText(text, { from: at, to: at + length, isWhole });
  const refusal = /^[A-Za-z_][\w.-]*$/.test(word)
    ? isText
      ? undefined
      : maybeRun
    : "it is in a here-document whose word is not a plain name";
  return {
    length,
    word,
    tabs: dash === "-",
    quoted: plain === undefined || backslash !== "",
    ...(refusal === undefined ? {} : { refusal }),
  };
}

const maybeRun =
  "it is in a here-document that may be run as a program; a value can be put into one that `cat`, `tee`, `read`, `git` or `gh` reads, without a pipe";

/** Whether the command that reads it is known, and nothing in its line runs what it reads. */
function isReadAsText(
  text: string,
  { from, to, isWhole }: { readonly from: number; readonly to: number; readonly isWhole: boolean },
): boolean {
  const start = text.lastIndexOf("\n", from) + 1;
  const end = text.indexOf("\n", to);
  const before = text.slice(start, from);
  const own = /(?:[^;&|(){}`]|[<>]&)*$/.exec(before)?.[0] ?? "";
  // What is before the first value of a command is not known here.
  if (end < 0 || (start === 0 && own === before && !isWhole)) return false;
  const words = own.trim().split(/\s+/);
  const reader = words.find((each) => !/^(?:[A-Za-z_]\w*=|(?:if|while|until|then|do|else|!)$)/.test(each)) ?? "";
  return readers.has(reader) && !runs.test(before) && !runs.test(text.slice(to, end));
}
