import type { Json } from "../../../base/index.ts";
import type { Expr, FilledExpr } from "../../../program/index.ts";
import { value } from "../../../source/index.ts";
import type { Comparison, GraphCondition, GraphNode, GraphRef, GraphText } from "./graph-definition.ts";
import { messageInput, mostWords } from "./vocabulary.ts";

/** The keys of nodes in the state, by the ids that texts name them by: those of a group, then those around it. */
export type NodeKeys = Readonly<Record<string, string>>;

/** Where a text is: what it can name, and whose values the variables have that differ from place to place. */
export interface TextScope {
  readonly keys: NodeKeys;
  /** Names of the inputs that commands and scripts get as variables. */
  readonly inputs: readonly string[];
  /** The key of the loop whose last output can be named. */
  readonly loop?: string;
  /** The key of the loop around it in which a person is asked. */
  readonly asking?: string;
  /** Code that reads why a person rejected; without it that of the newest rejection. */
  readonly rejection?: string;
}

/** Where a node's status, output and session are kept. */
export function nodePlace(key: string): string {
  return `raw.nodes[${JSON.stringify(key)}]`;
}

const message = value(`{{ inputs.${messageInput} }}`);
const context = value("{{ inputs.context }}");

/** What texts can name beside nodes and inputs, wherever they are. */
const everywhere: Readonly<Record<string, Expr>> = {
  WORKFLOW_ID: value("{{ run_uuid }}"),
  USER_MESSAGE: message,
  ARGUMENTS: message,
  ARTIFACTS_DIR: value("{{ raw.artifacts_dir }}"),
  STATE_DIR: value("{{ raw.state_dir }}"),
  BASE_BRANCH: value("{{ raw.base_branch }}"),
  DOCS_DIR: value("{{ raw.docs_dir }}"),
  CONTEXT: context,
  EXTERNAL_CONTEXT: context,
  ISSUE_CONTEXT: context,
};

/** The session that the last round of a group ended with, as far as an agent said something in one. */
export function roundPlace(group: string): string {
  return `raw.sessions[${JSON.stringify(group)}]`;
}

/** The last words of a person in a loop. */
export function askedPlace(loop: string): string {
  return `raw.loop_inputs[${JSON.stringify(loop)}]`;
}

/** Why a node is done again. */
export function reopenedPlace(key: string): string {
  return `raw.reopened[${JSON.stringify(key)}]`;
}

function variablesIn({ asking, rejection = "raw.rejection" }: TextScope): Readonly<Record<string, Expr>> {
  const input = asking === undefined ? "raw.loop_input" : askedPlace(asking);
  return { ...everywhere, REJECTION_REASON: value(`{{ ${rejection} }}`), LOOP_USER_INPUT: value(`{{ ${input} }}`) };
}

const words: Readonly<Record<string, Expr>> = Object.fromEntries(
  Array.from({ length: mostWords }, (_, at) => [String(at + 1), value(`{{ raw.words[${at}] }}`)]),
);

/** The code that reads what a reference names; its value is null or missing where there is nothing to read. */
function reading(ref: GraphRef, keys: NodeKeys): string {
  if ("node" in ref) return member(nodePlace(keys[ref.node] ?? ref.node), ref.field);
  if ("previous" in ref) return `(${member(`raw.previous?.[${JSON.stringify(keys[ref.previous] ?? ref.previous)}]`, ref.field)} ?? "")`;
  return "input" in ref ? `inputs[${JSON.stringify(ref.input)}]` : "";
}

function member(place: string, field: string | undefined): string {
  return field === undefined ? `${place}?.output` : `${place}?.fields?.[${JSON.stringify(field)}]`;
}

/** Why a reference has no value. */
function missingText(ref: GraphRef): string {
  if (!("node" in ref)) return `\`$${ref.written}\` has no value.`;
  return ref.field === undefined
    ? `\`$${ref.written}\` cannot be read: \`${ref.node}\` failed.`
    : `\`$${ref.written}\` cannot be read: \`${ref.node}\` did not complete, or its output is not a JSON object with \`${ref.field}\`.`;
}

function isStrict(ref: GraphRef): boolean {
  return "node" in ref || "input" in ref;
}

/** What a text names, by its name, as expressions. */
export function namedBy({ refs }: GraphText, scope: TextScope): Readonly<Record<string, Expr>> {
  const { keys, loop } = scope;
  const variables = variablesIn(scope);
  const named = refs.flatMap((ref): [string, Expr][] => {
    if (!("variable" in ref)) return [[ref.written, value(`{{ ${reading(ref, keys)} }}`)]];
    if (ref.variable === "LOOP_PREV_OUTPUT")
      return [[ref.written, value(loop === undefined ? "" : `{{ ${nodePlace(loop)}?.output ?? "" }}`)]];
    const expr = variables[ref.variable] ?? words[ref.variable];
    return expr === undefined ? [] : [[ref.written, expr]];
  });
  return Object.fromEntries(named);
}

/** Messages for the names without which the text makes no sense. */
export function neededBy({ refs }: GraphText): Readonly<Record<string, string>> {
  return Object.fromEntries(refs.filter(isStrict).map((ref) => [ref.written, missingText(ref)]));
}

/** A prompt or message, filled in. */
export function filledText(text: GraphText, scope: TextScope): FilledExpr {
  return { as: "filled", of: text.text, with: namedBy(text, scope), needs: neededBy(text) };
}

/** Text for a shell: nodes and inputs are put in as quoted words, everything else reaches it as variables. */
export function filledCommand(text: GraphText, scope: TextScope): FilledExpr {
  const refs = text.refs.filter((ref) => !("variable" in ref));
  const own = { text: text.text, refs };
  return { as: "filled", of: text.text, with: namedBy(own, scope), needs: neededBy(own), quote: "shell" };
}

/** The variables that shells and scripts get: all of them, wherever they are, so that none is the caller's own. */
export function environment(scope: TextScope): Readonly<Record<string, Json>> {
  const { loop, inputs } = scope;
  const given = inputs.map((name): [string, Json] => [inputVariable(name), `{{ inputs[${JSON.stringify(name)}] }}`]);
  const all = Object.entries(variablesIn(scope)).map(([name, expr]): [string, Json] => [name, expr.of]);
  return Object.fromEntries([...given, ...all, ["LOOP_PREV_OUTPUT", loop === undefined ? "" : `{{ ${nodePlace(loop)}?.output ?? "" }}`]]);
}

/** `how-many` is `INPUTS_HOW_MANY` to commands and scripts. */
function inputVariable(name: string): string {
  return `INPUTS_${name.replaceAll("-", "_").toUpperCase()}`;
}

/**
 * Whether a condition holds, as code that gives true, false, or the text that says what cannot be read. Comparisons behind one that decides
 * are not looked at.
 */
export function conditionCode({ anyOf }: GraphCondition, keys: NodeKeys): string {
  const and = (one: string, other: string): string => `((${one}) === true ? (${other}) : (${one}))`;
  const or = (one: string, other: string): string => `((${one}) === false ? (${other}) : (${one}))`;
  return anyOf.map((group) => group.map((each) => comparisonCode(each, keys)).reduce(and)).reduce(or);
}

/** What counts as a number for people: neither a space, nor `0x10` or `Infinity`. */
const numberPattern = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

function comparisonCode({ ref, op, literal }: Comparison, keys: NodeKeys): string {
  const read = reading(ref, keys);
  const text = `String(${read})`;
  const compared =
    op === "==" || op === "!="
      ? `${text} ${op}= ${JSON.stringify(literal)}`
      : numberPattern.test(literal)
        ? `${numberPattern}.test(${text}) && Number(${text}) ${op} ${Number(literal)}`
        : "false";
  return `${read} == null ? ${JSON.stringify(missingText(ref))} : (${compared})`;
}

/** Whether the rule of a node speaks against it, as code over the statuses of the nodes that it depends on. */
export function ruleCode({ rule, dependsOn }: Pick<GraphNode, "rule" | "dependsOn">): string | undefined {
  if (dependsOn.length === 0 || rule === "all_done") return undefined;
  const each = (sign: string, status: string, join: string): string =>
    dependsOn.map((id) => `above[${JSON.stringify(id)}] ${sign} "${status}"`).join(join);
  const none = each("!==", "completed", " && ");
  if (rule === "all_success") return each("!==", "completed", " || ");
  return rule === "one_success" ? none : `${each("===", "failed", " || ")} || (${none})`;
}

/** Code for the reason of a node that its rule speaks against. */
export function ruleReason({ rule, dependsOn }: Pick<GraphNode, "rule" | "dependsOn">): string {
  const names = dependsOn.map((id) => `\`${id}\``).join(", ");
  const none = JSON.stringify(dependsOn.length === 1 ? `${names} did not succeed` : `none of ${names} succeeded`);
  const failed = (id: string, otherwise: string): string =>
    `above[${JSON.stringify(id)}] === "failed" ? ${JSON.stringify(`\`${id}\` failed`)} : ${otherwise}`;
  if (rule === "one_success") return none;
  if (rule === "none_failed_min_one_success") return dependsOn.reduceRight((rest, id) => failed(id, rest), none);
  return dependsOn.reduceRight(
    (rest, id) => failed(id, `above[${JSON.stringify(id)}] === "skipped" ? ${JSON.stringify(`\`${id}\` was skipped`)} : ${rest}`),
    none,
  );
}
