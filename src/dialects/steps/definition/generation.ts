import { defined, isObject } from "../../../base/index.ts";
import {
  child,
  entriesOf,
  isText,
  membersOf,
  textsAt,
  quoteList,
  type SourceNode,
  type TextNode,
  type Complain,
} from "../../../source/index.ts";

/** A key, step type or path that only one generation of the dialect has. */
interface Marker {
  readonly node: SourceNode;
  /** As it is in the file, e.g. `then_steps` or `type: while_loop`. */
  readonly word: string;
  /** What the first generation writes instead; absent for what belongs to it. */
  readonly instead?: string;
}

/** What marks a generation: a word of the second with what the first has instead, or a word of the first. */
type Marking = Readonly<Record<string, string | undefined>>;

const types: Marking = {
  while_loop: "`type: while`",
  wait_step: "`type: wait`",
  agent_prompt: "an `mcp_call`, `apply_hints` or `agent_shell_command` step",
  agent_response: "`state_update` on the step before it",
  ...ofFirst("while agent_shell_command batch_state_update apply_hints"),
};

const stepKeys: Marking = {
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
  ...ofFirst("then else mcp on_error retry_count retry_delay error_state_update reason sub_agent_prompt_override"),
};

const taskKeys: Marking = {
  prompt_template: "`sub_agent_prompt_override` on the `parallel_foreach` step",
  default_state: "`default_state` of the workflow",
  state_schema: "`state_schema` of the workflow",
};

function ofFirst(words: string): Marking {
  return Object.fromEntries(words.split(" ").map((word) => [word, undefined]));
}

const stepListKeys = ["steps", "then", "else", "body", "then_steps", "else_steps", "on_complete", "on_failure", "cleanup_on_error"];
const writeListKeys = ["state_update", "error_state_update", "updates", "state_updates"];

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

function markersOf(step: SourceNode): Marker[] {
  const type = child(step, "type");
  const word = isText(type) ? type.value : "";
  return [
    ...(type !== undefined && Object.hasOwn(types, word)
      ? [{ node: type, word: `type: ${word}`, ...defined({ instead: types[word] }) }]
      : []),
    ...markKeys(step, stepKeys),
    ...(word === "user_input" ? markKeys(step, { default: "`fallback_value` with `on_error: continue`" }) : []),
    ...writePaths(step).flatMap(markPath),
  ];
}

function markKeys(node: SourceNode, marking: Marking): Marker[] {
  return Object.entries(marking).flatMap(([word, instead]) => {
    const held = child(node, word);
    return held === undefined ? [] : [{ node: held, word, ...defined({ instead }) }];
  });
}

function writePaths(step: SourceNode): TextNode[] {
  const holders = writeListKeys.map((key) => child(step, key)).flatMap((held) => [held, ...membersOf(held)]);
  return [step, ...holders].map((each) => child(each, "path")).filter(isText);
}

function markPath(path: TextNode): Marker[] {
  const tier = /^\s*(raw|this|global)\./.exec(path.value)?.[1];
  return tier === undefined ? [] : [{ node: path, word: `${tier}.`, ...(tier !== "raw" && { instead: "`raw.`" }) }];
}

/**
 * Refuses the second generation as a whole, and a mixture key by key. Answers whether the rest of the file can be checked, and the keys that
 * were complained about, so that no other check calls them unknown.
 */
export function checkGeneration(root: SourceNode, complain: Complain): { usable: boolean; refused: ReadonlySet<string> } {
  const markers = [
    ...allSteps(root).flatMap(markersOf),
    ...entriesOf(child(root, "sub_agent_tasks")).flatMap(([, task]) => markKeys(task, taskKeys)),
    ...entriesOf(child(child(root, "state_schema"), "computed")).flatMap(([, field]) => textsAt(field, "from").flatMap(markPath)),
  ];
  const first = markers.find((marker) => marker.instead === undefined);
  const second = markers.filter((marker) => marker.instead !== undefined);
  const [example] = second;
  if (example !== undefined && first === undefined) {
    const words = [...new Set(second.map((marker) => marker.word))];
    complain(example.node, {
      code: "STEPS_SECOND_GENERATION",
      message: `This file is written in the second generation of the steps dialect, which is not supported yet: ${quoteList(words, "and")} gave it away.`,
      fix: `Rewrite it in the first form: ${second.length === 1 ? "" : "for example "}${example.instead} instead of \`${example.word}\`.`,
      at: "key",
    });
    return { usable: false, refused: new Set() };
  }
  if (first !== undefined) for (const marker of second) complainOfMixture(marker, first, complain);
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
