import type { GraphRef, GraphText } from "../graph-definition.ts";
import { mostWords } from "../vocabulary.ts";
import { shellQuoting } from "./shell-quoting.ts";

/** What a text is for: words for people and agents, a command line, or a program. */
export type TextKind = "prose" | "shell" | "code";

export interface FoundRef {
  readonly ref: GraphRef;
  /** From its dollar. */
  readonly offset: number;
  readonly length: number;
}

/** Names that texts of a graph can use, beside `INPUTS.<name>` and nodes. */
export const graphVariables: readonly string[] = [
  ..."WORKFLOW_ID USER_MESSAGE ARGUMENTS ARTIFACTS_DIR STATE_DIR BASE_BRANCH DOCS_DIR CONTEXT EXTERNAL_CONTEXT ISSUE_CONTEXT".split(" "),
  ..."LOOP_USER_INPUT LOOP_PREV_OUTPUT REJECTION_REASON".split(" "),
];

/** What references begin with that are not about a node. */
export const reservedIds: readonly string[] = "INPUTS LOOP_PREV".split(" ");

/** What an id of a node, or the name of an input, looks like: what references can name. */
export const idPattern = "[A-Za-z_][A-Za-z0-9_-]*";
/** In a text a dash behind the name of an input is not part of it. */
const namePattern = `${idPattern}(?<!-)`;
export const fieldPattern = "[A-Za-z_][A-Za-z0-9_]*";

const output = `\\.output(?![A-Za-z0-9_])(?:\\.(${fieldPattern}))?`;
const named = `LOOP_PREV\\.(${idPattern})${output}|INPUTS\\.(${namePattern})|(${idPattern})${output}`;
const words = `[1-${mostWords}]`;
const whole = (names: readonly string[]): string => `(${names.join("|")})(?![A-Za-z0-9_])`;
const patterns: Readonly<Record<TextKind, RegExp>> = {
  prose: new RegExp(`(?<!\\\\)\\$(?:${named}|${whole([...graphVariables, words])})`, "g"),
  // Numbers are the shell's own arguments, and variables can be in braces.
  shell: new RegExp(`(?<!\\\\)\\$(?:${named}|\\{?${whole(graphVariables)})`, "g"),
  code: new RegExp(`(?<!\\\\)\\$(?:${named}|${whole(graphVariables)})`, "g"),
};

/** Every reference in a text, in order. A backslash keeps a dollar. Other names with a dollar are left to the shell, or to the reader. */
export function findRefs(text: string, kind: TextKind): readonly FoundRef[] {
  return [...text.matchAll(patterns[kind])].map((match) => {
    const [found, previous, previousField, input, node, field, variable = ""] = match;
    const written = variable === "" ? found.slice(1) : variable;
    const ref: GraphRef =
      previous !== undefined
        ? { written, previous, ...(previousField === undefined ? {} : { field: previousField }) }
        : input !== undefined
          ? { written, input }
          : node !== undefined
            ? { written, node, ...(field === undefined ? {} : { field }) }
            : { written, variable };
    return { ref, offset: match.index, length: found.length };
  });
}

/** A text with what it names, each once. In comments of a command nothing is named. */
export function readText(text: string, kind: TextKind): GraphText {
  const quoting = kind === "shell" ? shellQuoting(text) : undefined;
  const used = findRefs(text, kind).filter(({ offset }) => quoting?.(offset) !== "comment");
  const refs = new Map(used.map(({ ref }) => [ref.written, ref]));
  return { text, refs: [...refs.values()] };
}
