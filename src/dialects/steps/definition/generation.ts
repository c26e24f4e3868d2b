import { isObject } from "../../../base/index.ts";
import {
  child,
  entriesOf,
  has,
  isText,
  membersOf,
  textAt,
  textsAt,
  quoteList,
  type SourceNode,
  type TextNode,
  type Complain,
} from "../../../source/index.ts";

/** A key, step type or path that only one generation of the dialect has. */
export interface Marker {
  readonly node: SourceNode;
  /** As it is in the file, e.g. `then_steps` or `type: while_loop`. */
  readonly word: string;
  /** What the first generation writes instead. */
  readonly instead: string;
}

const laterTypes: Readonly<Record<string, string>> = {
  while_loop: "`type: while`",
  wait_step: "`type: wait`",
  agent_prompt: "an `mcp_call`, `apply_hints` or `agent_shell_command` step",
  agent_response: "`state_update` on the step before it",
};

const laterStepKeys: Readonly<Record<string, string>> = {
  then_steps: "`then`",
  else_steps: "`else`",
  tool: "`mcp: { method, params }`",
  parameters: "`params` inside `mcp`",
  store_result: "`state_update: { path }`",
  execution_context: "`type: agent_shell_command`",
  state_updates: "`state_update`, which also takes a list",
  error_handling: "`on_error`, `retry_count` and `fallback_value`",
  input_type: "`validation` or `options`",
  expected_response: "`validation` on a `user_input` step",
  response_schema: "`state_update` with a `transform`",
  store_response: "`state_update: { path }`",
};

const laterTaskKeys: Readonly<Record<string, string>> = {
  prompt_template: "`sub_agent_prompt_override` on the `parallel_foreach` step",
  default_state: "`default_state` of the workflow",
  state_schema: "`state_schema` of the workflow",
};

const firstTypes: readonly string[] = ["while", "agent_shell_command", "batch_state_update", "apply_hints"];
const firstStepKeys: readonly string[] = [
  "then",
  "else",
  "mcp",
  "on_error",
  "retry_count",
  "retry_delay",
  "error_state_update",
  "reason",
  "sub_agent_prompt_override",
];
const stepListKeys: readonly string[] = [
  "steps",
  "then",
  "else",
  "body",
  "then_steps",
  "else_steps",
  "on_complete",
  "on_failure",
  "cleanup_on_error",
];
const writeListKeys: readonly string[] = ["state_update", "error_state_update", "updates", "state_updates"];

/** What in a file belongs to which generation; both lists are in document order. */
export function findGenerations(root: SourceNode): { first: Marker[]; second: Marker[] } {
  const found: { first: Marker[]; second: Marker[] } = { first: [], second: [] };
  for (const step of allSteps(root)) markStep(step, found);
  for (const [, task] of entriesOf(child(root, "sub_agent_tasks"))) markKeys(task, laterTaskKeys, found.second);
  for (const [, field] of entriesOf(child(child(root, "state_schema"), "computed")))
    for (const path of textsAt(field, "from")) markPath(path, found);
  return found;
}

/** Every map in a list of steps, of either generation, wherever such lists may be. */
export function allSteps(root: SourceNode): SourceNode[] {
  const roots = [root, child(root, "error_handling"), child(root, "on_high_context_usage")];
  for (const [, task] of entriesOf(child(root, "sub_agent_tasks"))) roots.push(task, child(task, "error_handling"));
  return roots.flatMap((each) => stepsBelow(each));
}

/** Steps in the lists that a step, task or section holds, at any depth. */
export function stepsBelow(node: SourceNode | undefined): SourceNode[] {
  return stepListKeys
    .flatMap((key) => membersOf(child(node, key)).filter((step) => isObject(step.value)))
    .flatMap((step) => [step, ...stepsBelow(step)]);
}

function markStep(step: SourceNode, found: { first: Marker[]; second: Marker[] }): void {
  const type = textAt(step, "type");
  const typeNode = child(step, "type");
  if (type !== undefined && typeNode !== undefined) {
    const instead = Object.hasOwn(laterTypes, type) ? laterTypes[type] : undefined;
    if (instead !== undefined) found.second.push({ node: typeNode, word: `type: ${type}`, instead });
    if (firstTypes.includes(type)) found.first.push({ node: typeNode, word: `type: ${type}`, instead: "" });
  }
  markKeys(step, laterStepKeys, found.second);
  if (type === "user_input") markKeys(step, { default: "`fallback_value` with `on_error: continue`" }, found.second);
  for (const key of firstStepKeys) {
    const node = child(step, key);
    if (node !== undefined) found.first.push({ node, word: key, instead: "" });
  }
  for (const path of writePaths(step)) markPath(path, found);
}

function markKeys(node: SourceNode, later: Readonly<Record<string, string>>, into: Marker[]): void {
  for (const [key, instead] of Object.entries(later)) {
    const held = has(node, key) ? child(node, key) : undefined;
    if (held !== undefined) into.push({ node: held, word: key, instead });
  }
}

function writePaths(step: SourceNode): TextNode[] {
  const holders = writeListKeys.flatMap((key) => {
    const held = child(step, key);
    return held === undefined ? [] : [held, ...membersOf(held)];
  });
  return [step, ...holders].flatMap((each) => {
    const path = child(each, "path");
    return isText(path) ? [path] : [];
  });
}

function markPath(path: TextNode, found: { first: Marker[]; second: Marker[] }): void {
  const tier = /^\s*(raw|this|global)\./.exec(path.value)?.[1];
  if (tier === "raw") found.first.push({ node: path, word: "raw.", instead: "" });
  else if (tier !== undefined) found.second.push({ node: path, word: `${tier}.`, instead: "`raw.`" });
}

/**
 * Refuses the second generation as a whole, and a mixture key by key. Answers whether the rest of the file can be checked, and the keys that
 * were complained about, so that no other check calls them unknown.
 */
export function checkGeneration(root: SourceNode, complain: Complain): { usable: boolean; refused: ReadonlySet<string> } {
  const { first, second } = findGenerations(root);
  if (second.length === 0) return { usable: true, refused: new Set() };
  if (first.length === 0) {
    const words = [...new Set(second.map((marker) => marker.word))];
    complain(second[0]!.node, {
      code: "STEPS_SECOND_GENERATION",
      message: `This file is written in the second generation of the steps dialect, which is not supported yet: ${quoteList(words, "and")} gave it away.`,
      fix: `Rewrite it in the first form: ${second.length === 1 ? "" : "for example "}${second[0]!.instead} instead of \`${second[0]!.word}\`.`,
      at: "key",
    });
    return { usable: false, refused: new Set() };
  }
  for (const marker of second) complainOfMixture(marker, first[0]!, complain);
  return { usable: true, refused: new Set(second.map((marker) => refusedKey(marker.node))) };
}

function complainOfMixture(marker: Marker, other: Marker, complain: Complain): void {
  const word = /^(this|global)\.$/.test(marker.word) ? `A path with \`${marker.word}\`` : `\`${marker.word}\``;
  const line = other.node.file.placeOf(other.node.path, "key").line;
  complain(marker.node, {
    code: "STEPS_MIXED_GENERATIONS",
    message: `${word} belongs to the second generation of the steps dialect, but this file is written in the first (see \`${other.word}\` in line ${line}).`,
    fix: `Use ${marker.instead}.`,
    at: marker.word.endsWith(".") ? "value" : "key",
  });
}

/** Identifies a node among those of its file. */
export function refusedKey(node: Pick<SourceNode, "path">): string {
  return JSON.stringify(node.path);
}
