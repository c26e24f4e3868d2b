import { isList, schemaTypes, unknownSchemaTypes, unknownSchemaWords, type Json } from "../../../../base/index.ts";
import {
  child,
  descend,
  entriesOf,
  flagAt,
  has,
  isText,
  listedTexts,
  membersOf,
  quoteList,
  textAt,
  textLeaves,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { findRefs } from "../graph/find-refs.ts";
import { wordsOf } from "../graph/graph-nodes.ts";
import { graphSteeringKeys, messageInput, nodeWords, type NodeWord } from "../vocabulary.ts";
import { isNearMiss } from "./check-prompts-shape.ts";

const agentWords: readonly NodeWord[] = ["command", "prompt", "loop"];
const processWords: readonly NodeWord[] = ["bash", "script"];
const withAgent: readonly NodeWord[] = [...agentWords, "approval"];

/** The words that a key has a meaning beside; a key that is not here has one beside each. */
const meantFor: Readonly<Record<string, readonly NodeWord[]>> = {
  runtime: ["script"],
  deps: ["script"],
  on_lost: processWords,
  timeout: nodeWords.filter((word) => word !== "cancel"),
  input: ["workflow"],
  isolation: ["workflow"],
  fan_out: ["workflow"],
  with: ["include", "workflow"],
  context: ["command", "prompt"],
  on_lost_context: agentWords,
  artifacts: agentWords,
  output_format: [...agentWords, "workflow"],
  retry: [...agentWords, ...processWords],
  permission: withAgent,
  allowed_tools: withAgent,
  denied_tools: withAgent,
  idle_timeout: withAgent,
  provider: [...withAgent, "loop_group"],
  model: [...withAgent, "loop_group"],
};

/** Keys that would change what runs if they counted. */
const neverLeftOut: readonly string[] = ["with", "input", "fan_out", "isolation", "on_lost"];

/** What the shape of a node cannot say: that it is one thing, and keys that do not go together. */
export function checkNode(node: SourceNode, complain: Complain): void {
  checkWords(node, complain);
  checkLoop(node, complain);
  checkApproval(child(node, "approval"), complain);
  checkCall(node, complain);
  const script = child(node, "script");
  if (script !== undefined && !has(node, "runtime"))
    complain(script, {
      code: "PROMPTS_MISSING_KEY",
      message: "A `script` needs `runtime`.",
      fix: "Add `runtime: bun`, or `runtime: uv` for Python.",
      at: "key",
    });
  checkSchema(child(node, "output_format"), complain);
}

function checkSchema(format: SourceNode | undefined, complain: Complain): void {
  if (format === undefined) return;
  const code = "PROMPTS_BAD_VALUE";
  const words = unknownSchemaWords(format.value);
  if (words.length > 0)
    complain(format, {
      code,
      message: `\`output_format\` uses ${quoteList(words, "and")}, which Waymark does not check.`,
      fix: "Describe the output with types, properties, items, enum, const, sizes and `required` alone.",
    });
  const types = unknownSchemaTypes(format.value);
  if (types.length > 0)
    complain(format, {
      code,
      message: `\`output_format\` has the type ${quoteList(types, "and")}, which is none of JSON Schema.`,
      fix: `The types are ${quoteList(schemaTypes, "and")}.`,
    });
}

function checkWords(node: SourceNode, complain: Complain): void {
  const words = wordsOf(node);
  const [word] = words;
  const keys = entriesOf(node).map(([key]) => key);
  if (words.length > 1) {
    const message = `A node has only one of ${quoteList(words, "and")}.`;
    return complain(node, { code: "PROMPTS_ONE_FORM", message, fix: "Make each of them a node of its own." });
  }
  if (word === undefined) {
    // A misspelt word is complained about where it is.
    if (keys.some((key) => !graphSteeringKeys.includes(key) && nodeWords.some((each) => isNearMiss(key, each)))) return;
    const message = `A node needs one of ${quoteList(nodeWords, "and")}.`;
    return complain(node, { code: "PROMPTS_MISSING_KEY", message, fix: "Add the key that says what it does." });
  }
  for (const key of keys.filter((each) => meantFor[each]?.includes(word) === false)) {
    const severity = neverLeftOut.includes(key) ? "error" : "warning";
    const message = `\`${key}\` has no meaning beside \`${word}\`.`;
    complain(child(node, key) ?? node, { code: "PROMPTS_ONE_FORM", severity, message, fix: "Remove it.", at: "key" });
  }
}

function checkLoop(node: SourceNode, complain: Complain): void {
  for (const word of ["loop", "loop_group"] as const) {
    const loop = child(node, word);
    if (loop === undefined || entriesOf(loop).length === 0) continue;
    const lacks = (message: string, fix: string): void => complain(loop, { code: "PROMPTS_MISSING_KEY", message, fix, at: "key" });
    const [prompt, command] = [child(loop, "prompt"), child(loop, "command")];
    if (word === "loop" && prompt === undefined && command === undefined)
      lacks("A `loop` needs a `prompt`, or a `command` with the name of its file.", "Add `prompt:` with what each round is asked.");
    if (prompt !== undefined && command !== undefined)
      complain(command, {
        code: "PROMPTS_ONE_FORM",
        message: "A `loop` has either a `prompt` or a `command`.",
        fix: "Remove one of them.",
        at: "key",
      });
    const ends = word === "loop" ? ["until", "until_bash", "until_field"] : ["until", "until_bash"];
    if (!ends.some((key) => has(loop, key)))
      lacks(`A \`${word}\` needs one of ${quoteList(ends, "and")}.`, "Add what ends it, such as `until: DONE`.");
    const gate = child(loop, "gate_message");
    if (flagAt(loop, "interactive") === true && gate === undefined)
      lacks(`An interactive \`${word}\` needs \`gate_message\`.`, "Add `gate_message:` with what the person is asked.");
    if (gate !== undefined && flagAt(loop, "interactive") !== true)
      complain(gate, {
        code: "PROMPTS_ONE_FORM",
        severity: "warning",
        message: "`gate_message` is shown only by an interactive loop.",
        fix: "Add `interactive: true`, or remove it.",
        at: "key",
      });
    checkUntilField(node, child(loop, "until_field"), complain);
  }
}

function checkUntilField(node: SourceNode, field: SourceNode | undefined, complain: Complain): void {
  if (!isText(field)) return;
  const property = descend(node, ["output_format", "properties", field.value]);
  const required = listedTexts(child(node, "output_format"), "required").some(({ value }) => value === field.value);
  if (textAt(property, "type") === "boolean" && required) return;
  const lacks = property === undefined ? "does not have it" : required ? "does not make it a boolean" : "does not require it";
  const message = `\`until_field\` names \`${field.value}\`, and \`output_format\` ${lacks}.`;
  const fix = `Add \`${field.value}: { type: boolean }\` to the properties of \`output_format\`, and its name to \`required\`.`;
  complain(field, { code: "PROMPTS_NO_FIELD", message, fix });
}

function checkApproval(approval: SourceNode | undefined, complain: Complain): void {
  const [decisions, reject] = [child(approval, "decisions"), child(approval, "on_reject")];
  if (decisions !== undefined && reject !== undefined)
    complain(reject, {
      code: "PROMPTS_ONE_FORM",
      message: "`decisions` and `on_reject` do not go together: with decisions nothing is rejected.",
      fix: "Remove one of them, or let a node act on the decision with `when`.",
      at: "key",
    });
  if (reject !== undefined && !has(reject, "prompt") && !has(reject, "reopens"))
    complain(reject, {
      code: "PROMPTS_MISSING_KEY",
      message: "`on_reject` needs `prompt` or `reopens`.",
      fix: "Add `prompt:` with what an agent does about the rejection, or `reopens:` with the nodes that run again.",
      at: "key",
    });
  const ids = membersOf(decisions)
    .map((each) => child(each, "id"))
    .filter(isText);
  for (const [at, id] of ids.entries())
    if (ids.findIndex(({ value }) => value === id.value) < at)
      complain(id, {
        code: "PROMPTS_BAD_VALUE",
        message: `The decision \`${id.value}\` is there twice.`,
        fix: "Give each decision an id of its own.",
      });
}

function checkCall(node: SourceNode, complain: Complain): void {
  const given = child(node, "with");
  const twice = has(node, "input") ? child(given, messageInput) : undefined;
  if (twice !== undefined)
    complain(twice, {
      code: "PROMPTS_ONE_FORM",
      message: `\`input\` and \`${messageInput}\` of \`with\` say the same thing.`,
      fix: "Remove one of them.",
      at: "key",
    });
  for (const [, value] of entriesOf(given))
    for (const leaf of isText(value) ? [] : textLeaves(value))
      if (findRefs(leaf.value, "prose").length > 0)
        complain(leaf, {
          code: "PROMPTS_NOT_SUPPORTED",
          message: "References are filled in only in texts, not inside of lists and maps.",
          fix: "Give the text as an input of its own.",
        });
  checkFanOut(node, complain);
}

function checkFanOut(node: SourceNode, complain: Complain): void {
  const fan = child(node, "fan_out");
  const [items, as, input] = [child(fan, "items"), child(fan, "as"), child(node, "input")];
  if (fan !== undefined && input !== undefined)
    complain(input, {
      code: "PROMPTS_ONE_FORM",
      severity: "warning",
      message: "`input` has no meaning beside `fan_out`: each item is what the workflow is asked for.",
      fix: "Remove it.",
      at: "key",
    });
  if (isText(items) && !isReference(items.value) && !isList(parsed(items.value)))
    complain(items, {
      code: "PROMPTS_BAD_VALUE",
      message: "`items` is neither a reference to a list nor a list as JSON.",
      fix: 'Write a reference such as `$id.output`, or a text such as `\'["a", "b"]\'`.',
    });
  if (isText(as) && has(child(node, "with"), as.value))
    complain(as, { code: "PROMPTS_ONE_FORM", message: `\`with\` has an input \`${as.value}\` too.`, fix: "Rename one of them." });
}

function isReference(text: string): boolean {
  const [only, ...others] = findRefs(text.trim(), "prose");
  return only !== undefined && others.length === 0 && only.length === text.trim().length;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
