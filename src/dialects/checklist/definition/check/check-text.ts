import { isText, quoteList, type Complain, type SourceNode, type TextNode } from "../../../../source/index.ts";

/** Complains of a glob that cannot match a file of a project. */
export function checkGlob(node: SourceNode | undefined, complain: Complain): void {
  if (!isText(node)) return;
  const problem = problemOfGlob(node.value);
  if (problem === undefined) return;
  const [message, fix] = problem;
  complain(node, { code: "CHECKLIST_BAD_GLOB", message: `The glob \`${node.value}\` ${message}.`, fix });
}

function problemOfGlob(glob: string): readonly [string, string] | undefined {
  if (glob.trim() === "") return ["is empty", "Write a glob such as `**/*.al`, or remove the entry."];
  if (glob.includes("\\")) return ["has a backslash", "Write paths with `/`."];
  if (glob.startsWith("!")) return ["begins with `!`", "List what to leave out under `file_exclusions`."];
  if (/^(?:\/|~|[A-Za-z]:)/.test(glob)) return ["is an absolute path", "Write it relative to the project, e.g. `src/**/*.al`."];
  if (glob.split("/").includes("..")) return ["leaves the project", "Remove `..`; only files of the project are worked on."];
  if (!isBalanced(glob, "[", "]") || !isBalanced(glob, "{", "}")) return ["has a bracket that does not close", "Close the bracket."];
  return undefined;
}

function isBalanced(text: string, open: string, close: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === open) depth++;
    else if (char === close && --depth < 0) return false;
  }
  return depth === 0;
}

const flagLetters: readonly string[] = ["d", "g", "i", "m", "s", "u", "v"];

/** Compiles a regular expression for its syntax only. Flags that are wrong are complained of at their own place. */
export function checkRegex(node: SourceNode | undefined, flags: SourceNode | undefined, complain: Complain): void {
  const given = isText(flags) ? checkFlags(flags, complain) : "";
  if (!isText(node)) return;
  const reason = failureOf(node.value, given);
  if (reason === undefined) return;
  complain(node, {
    code: "CHECKLIST_BAD_REGEX",
    message: `\`${node.path.at(-1) ?? "regex"}\` is not a regular expression: ${reason}.`,
    fix: "Correct the expression; in double quotes every backslash is written twice.",
  });
}

/** The flags when they can be used, else none, so that the expression is still looked at. */
function checkFlags(flags: TextNode, complain: Complain): string {
  const strange = flags.value.split("").find((letter) => !flagLetters.includes(letter));
  const message =
    strange === undefined
      ? failureOf("", flags.value) === undefined
        ? undefined
        : `\`${flags.value}\` has a flag twice, or both \`u\` and \`v\`.`
      : `\`${strange}\` is not a flag that a pattern can have.`;
  if (message === undefined) return flags.value;
  complain(flags, { code: "CHECKLIST_BAD_REGEX", message, fix: `Use letters of ${quoteList(flagLetters, "and")}, each once.` });
  return "";
}

function failureOf(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return (
      text
        .slice(text.lastIndexOf(": ") + 1)
        .trim()
        .replace(/\.$/, "") || "it does not compile"
    );
  }
}

/** Complains of an id with characters that ids may not have; answers whether it can be used. */
export function checkId(node: SourceNode | undefined, what: string, complain: Complain): boolean {
  if (!isText(node) || node.value === "") return false;
  if (/^[\w.:-]+$/.test(node.value)) return true;
  complain(node, {
    code: "CHECKLIST_BAD_ID",
    message: `The ${what} \`${node.value}\` has characters that ids may not have.`,
    fix: "Use letters, digits, `_`, `-`, `.` and `:`.",
  });
  return false;
}

/** Complains of every text that was there before, ignoring nothing but empty ones. */
export function checkUnique(nodes: readonly (SourceNode | undefined)[], what: string, complain: Complain): void {
  const first = new Map<string, TextNode>();
  for (const node of nodes) {
    if (!isText(node) || node.value === "") continue;
    const before = first.get(node.value);
    if (before === undefined) {
      first.set(node.value, node);
      continue;
    }
    const { line } = before.file.placeOf(before.path, "value");
    complain(node, {
      code: "CHECKLIST_DUPLICATE_ID",
      message: `The ${what} \`${node.value}\` is already there in line ${line}.`,
      fix: "Rename one of the two, or remove it.",
    });
  }
}
