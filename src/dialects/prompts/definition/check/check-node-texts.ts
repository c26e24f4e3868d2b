import { isObject } from "../../../../base/index.ts";
import {
  child,
  descend,
  didYouMean,
  flagAt,
  has,
  isText,
  quoteList,
  suggest,
  textAt,
  type Complain,
  type Complaint,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import type { GraphRef } from "../graph-definition.ts";
import { calculatedUses } from "../graph/calculated-uses.ts";
import { findRefs } from "../graph/find-refs.ts";
import { nodeTexts } from "../graph/node-texts.ts";
import { conditionGrammar, parseCondition } from "../graph/parse-condition.ts";
import { shellQuoting, type Quoting } from "../graph/shell-quoting.ts";
import { comparedProblem } from "./check-compared.ts";
import { checkLeftTexts } from "./check-left-texts.ts";
import { checkNearNames } from "./check-near-names.ts";
import { unknownNode, type Level, type NodesById } from "./graph-level.ts";

interface Checking {
  readonly level: Level;
  /** Nodes that have run when the texts of this one are used. */
  readonly before: NodesById;
  /** Nodes of the group that it is. */
  readonly inside?: NodesById;
  readonly complain: Complain;
}

/** What the texts and the condition of a node refer to. */
export function checkNodeTexts(node: SourceNode, checking: Checking): void {
  const { level, before, inside, complain } = checking;
  const self = textAt(node, "id") ?? "";
  for (const { node: text, kind, afterRound } of nodeTexts(node, level.files)) {
    const known = afterRound && inside !== undefined ? new Map([...before, ...inside]) : before;
    const quoting = kind === "shell" ? shellQuoting(text.value) : undefined;
    const quoted: QuotedRef[] = [];
    for (const { ref, offset, length } of findRefs(text.value, kind)) {
      const how = quoting?.(offset) ?? "bare";
      // A comment is for people.
      if (how === "comment") continue;
      const at = { offset, length };
      const problem = refProblem(ref, { self, known, level, ...(afterRound && inside !== undefined ? { group: inside } : {}) });
      if (problem !== undefined) complain(text, { ...problem, at });
      else if ("node" in ref || "previous" in ref) quoted.push({ written: ref.written, how, at });
    }
    checkLeftTexts({ text, kind, quoting, known }, complain);
    checkNearNames({ text, kind, quoting }, complain);
    if (kind === "shell") refuseCalculated(text, complain);
    warnOfQuotes(text, quoted, complain);
  }
  const when = child(node, "when");
  if (isText(when) && when.value !== "") checkCondition(when, { ...checking, self });
}

function checkCondition(when: TextNode, { level, before, self, complain }: Checking & { readonly self: string }): void {
  const read = parseCondition(when.value);
  if ("expected" in read) {
    const { offset, expected } = read;
    const rest = when.value.slice(offset).trim();
    const message = `The condition cannot be read ${rest === "" ? "to its end" : `from \`${rest}\` on`}: expected ${expected}.`;
    const at = { offset: Math.min(offset, when.value.length - 1), length: Math.max(1, rest.length) };
    return complain(when, { code: "PROMPTS_BAD_CONDITION", message, fix: conditionGrammar, at });
  }
  const seen = new Set<string>();
  for (const comparison of read.anyOf.flat()) {
    const { ref } = comparison;
    const unknown = seen.has(ref.written) ? undefined : refProblem(ref, { self, known: before, level });
    seen.add(ref.written);
    const problem = unknown ?? ("node" in ref ? comparedProblem(comparison, before.get(ref.node)) : undefined);
    if (problem !== undefined)
      complain(when, { ...problem, at: { offset: when.value.indexOf(`$${ref.written}`), length: ref.written.length + 1 } });
  }
}

interface RefContext {
  readonly self: string;
  readonly known: NodesById;
  readonly level: Level;
  /** Nodes of the group whose round has ended. */
  readonly group?: NodesById;
}

function refProblem(ref: GraphRef, { self, known, level, group }: RefContext): Complaint | undefined {
  if ("variable" in ref) return undefined;
  if ("input" in ref) {
    if (level.inputs === undefined || level.inputs.includes(ref.input)) return undefined;
    const fix = suggest(ref.input, level.inputs) ?? "Declare it under `inputs`.";
    return { code: "PROMPTS_UNKNOWN_INPUT", message: `\`inputs\` does not declare \`${ref.input}\`.`, fix };
  }
  if ("previous" in ref) {
    const nodes = group ?? (level.inGroup ? level.here : undefined);
    const producer = nodes?.get(ref.previous);
    if (producer !== undefined) return fieldProblem(ref, ref.previous, producer);
    if (nodes !== undefined) return unknownNode(ref.previous, nodes.keys());
    const fix = "Use it inside of `loop_group`, or `$LOOP_PREV_OUTPUT` in a `loop`.";
    return { code: "PROMPTS_UNKNOWN_NODE", message: "There is no round before this one: the node is not in a group.", fix };
  }
  const producer = known.get(ref.node);
  if (producer !== undefined) return fieldProblem(ref, ref.node, producer);
  return notBefore(ref.node, { self, known, level });
}

function notBefore(name: string, { self, known, level: { here, outside, inGroups } }: RefContext): Complaint {
  const code = "PROMPTS_NOT_BEFORE";
  const group = inGroups.get(name);
  if (name === self)
    return { code, message: `\`${name}\` refers to its own output.`, fix: "Use `$LOOP_PREV_OUTPUT` for what a round before it said." };
  if (here.has(name) || outside.has(name)) {
    const fix = here.has(name)
      ? `Add \`${name}\` to the \`depends_on\` of \`${self}\`, or of a node that it waits for.`
      : `Add \`${name}\` to the \`depends_on\` of the group.`;
    return { code, message: `\`${self}\` refers to \`${name}\`, which need not have run before it.`, fix };
  }
  if (group !== undefined)
    return {
      code,
      message: `\`${name}\` is inside of the group \`${group}\`.`,
      fix: `Refer to \`$${group}.output\`: the output of its last node.`,
    };
  const names = [...new Set([...known.keys(), ...here.keys()])].filter((each) => each !== self);
  const unknown = unknownNode(name, names);
  const shell = /^[A-Z_0-9]+$/.test(name) ? ` If it is a shell variable, write \`\${${name}}.output\`.` : "";
  return { ...unknown, fix: `${didYouMean(name, names) ?? unknown.fix}${shell}` };
}

function fieldProblem(
  { field, written }: { readonly field?: string; readonly written: string },
  id: string,
  node: SourceNode,
): Complaint | undefined {
  if (field === undefined) return undefined;
  const code = "PROMPTS_NO_FIELD";
  if (has(node, "fan_out"))
    return {
      code,
      message: `\`$${written}\` names a field, but the output of \`${id}\` is a list.`,
      fix: `Use \`$${id}.output\`, the whole list.`,
    };
  const approval = child(node, "approval");
  if (approval !== undefined && !has(approval, "decisions")) {
    if (flagAt(approval, "capture_response") === true) return undefined;
    const fix = "Add `capture_response: true`, or `decisions` for the field `decision`.";
    return { code, message: `\`$${written}\` names a field, but the approval \`${id}\` keeps no answer.`, fix };
  }
  const properties = descend(node, ["output_format", "properties"])?.value;
  const fields = approval !== undefined ? ["decision", "text"] : isObject(properties) ? Object.keys(properties) : undefined;
  if (fields === undefined || fields.includes(field)) return undefined;
  const message = `The output of \`${id}\` has no field \`${field}\`.`;
  const has_ = fields.length === 0 ? "Add it to `output_format`." : `It has ${quoteList(fields, "and")}.`;
  // A slip of the pen is certain; any other field fails the node that names it, which may be what is wanted.
  const meant = didYouMean(field, fields);
  return { code, message, fix: meant ?? has_, ...(meant === undefined ? { severity: "warning" as const } : {}) };
}

/** Bash takes such a value for an expression, in which an index can run commands. */
function refuseCalculated(text: TextNode, complain: Complain): void {
  const seen = new Set<string>();
  for (const { written, offset, length, variable } of calculatedUses(text.value)) {
    if (seen.has(written)) continue;
    seen.add(written);
    const message = `\`$${written}\` holds text of a user or an agent, and bash would calculate with it here: such text can run commands.`;
    const value = variable ? `"$${written}"` : `$${written}`;
    const fix = `Make it a number first, such as \`number=$(printf %d ${value})\`, or compare it with \`[ ${value} -gt 3 ]\`, which takes whole numbers only.`;
    complain(text, { code: "PROMPTS_CALCULATED", message, fix, at: { offset, length } });
  }
}

interface QuotedRef {
  readonly written: string;
  readonly how: Quoting;
  readonly at: { readonly offset: number; readonly length: number };
}

const quotedPlaces = {
  double: "inside double quotes. Waymark puts in the value alone, but Archon adds quotes of its own to it.",
  single: "inside single quotes. Waymark puts in the value alone, but Archon adds quotes of its own to it.",
  "here-document":
    "in a here-document that may be run as a program, or that has an unusual word. No value is put there: the node fails when it runs.",
} as const;

/** The engine puts outputs into commands as whole words. In quotes they mean the same here, and something else to Archon; named once a text. */
function warnOfQuotes(text: TextNode, quoted: readonly QuotedRef[], complain: Complain): void {
  for (const [how, place] of Object.entries(quotedPlaces)) {
    const [first, ...others] = quoted.filter((each) => each.how === how);
    if (first === undefined) continue;
    const names = quoteList([...new Set([first, ...others].map(({ written }) => `$${written}`))], "and");
    const message = `${names} ${names.includes("` and `") ? "are" : "is"} ${place}`;
    const above = how === "here-document" ? " above the here-document" : "";
    const fix = `Write it bare${above}, such as \`value=$${first.written}\`, and use \`"$value"\` here.`;
    complain(text, { code: "PROMPTS_QUOTED_REF", severity: "warning", message, fix, at: first.at });
  }
}
