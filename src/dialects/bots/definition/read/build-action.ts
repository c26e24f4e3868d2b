import { defined, isObject, isList, type JsonObject } from "../../../../base/index.ts";
import { isText, referenceTo, child, entriesOf, has, listedTexts, membersOf, numberAt, type SourceNode } from "../../../../source/index.ts";
import type { Arranged } from "../arrange-actions.ts";
import type { ActionDefinition, TriggerDefinition } from "../bot-definition.ts";
import { nodesOf, pick, type ActionSource, type ActionPart } from "./read-actions.ts";
import type { BotReading } from "./bot-reading.ts";
import { readInstructions } from "./read-instructions.ts";
import { checkKeys, triggerShape } from "../config-keys.ts";
import { triggersFile } from "../vocabulary.ts";

export interface ActionContext {
  readonly values: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}

/** A workflow action at its place in the sequence of a behaviour. */
export function buildAction(reading: BotReading, { source, order, next }: Arranged, { values, folders }: ActionContext): ActionDefinition {
  const nodes = nodesOf(source);
  const described = pick(nodes, "description");
  const own = { ...values, action: source.name, next_action: next ?? "none", ...(isText(described) && { description: described.value }) };
  const parts = partsOf(reading, source, { values: own, folders });
  const call = pick(nodes, "calls");
  if (parts.calls !== undefined && call !== undefined) reading.calls.push(referenceTo(call, parts.calls, Object.keys(parts.inputs)));
  return {
    ...parts,
    workflow: true,
    order: Number.isFinite(order) ? order : null,
    next,
    autoProgress: (flagIn(nodes, "auto_progress") ?? flagIn(nodes, "auto_confirm")) === true,
  };
}

/** What workflow actions and independent ones have in common. */
function partsOf(
  reading: BotReading,
  source: ActionSource,
  { values, folders }: ActionContext,
): Omit<ActionDefinition, "workflow" | "order" | "next" | "autoProgress"> {
  const nodes = nodesOf(source);
  const own = source.parts.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  const instructions = readInstructions(reading, source.parts, { values, folders: [...own.reverse(), ...folders] });
  const described = pick(nodes, "description");
  const calls = callOf(reading, nodes);
  const [node] = source.placing;
  if (instructions.length === 0 && calls === undefined && node !== undefined)
    reading.warn(node, {
      code: "BOTS_NO_INSTRUCTIONS",
      message: `The action \`${source.name}\` has no instructions; the agent is given its name and description only.`,
      fix: "Add `instructions.md` beside the configuration, or the key `instructions`.",
    });
  return {
    name: source.name,
    description: isText(described) ? described.value : "",
    instructions,
    setting: "manual",
    triggers: readTriggers(reading, source.parts),
    ...defined({ calls }),
    inputs: inputsOf(reading, nodes, calls),
    file: source.file,
  };
}

export function flagIn(nodes: readonly SourceNode[], key: string): boolean | undefined {
  const found = pick(nodes, key)?.value;
  return typeof found === "boolean" ? found : undefined;
}

function callOf(reading: BotReading, nodes: readonly SourceNode[]): string | undefined {
  const node = pick(nodes, "calls");
  if (node === undefined || !isText(node)) return undefined;
  if (/^[A-Za-z0-9][\w:-]*$/.test(node.value)) return node.value;
  reading.complain(node, {
    code: "BOTS_BAD_NAME",
    message: `\`${node.value}\` cannot be the name of a workflow.`,
    fix: "Use letters, digits, `-`, `_` and `:`, e.g. `standards:fix`.",
  });
  return undefined;
}

function inputsOf(reading: BotReading, nodes: readonly SourceNode[], calls: string | undefined): JsonObject {
  const node = pick(nodes, "inputs");
  if (node === undefined || !isObject(node.value)) return {};
  if (calls !== undefined) return node.value;
  if (pick(nodes, "calls") === undefined)
    reading.warn(node, {
      code: "BOTS_WITHOUT_EFFECT",
      message: "`inputs` has no effect: the action calls no workflow.",
      fix: 'Add `"calls"` with the name of a workflow, or remove `inputs`.',
      at: "key",
    });
  return {};
}

/** An action outside of the sequence is always done by its caller. */
export function buildIndependent(reading: BotReading, source: ActionSource, context: ActionContext): ActionDefinition {
  const { calls, ...parts } = partsOf(reading, source, context);
  const node = pick(nodesOf(source), "calls");
  if (calls !== undefined && node !== undefined)
    reading.complain(node, {
      code: "BOTS_WITHOUT_EFFECT",
      message: "`calls` has no effect on an independent action: only actions of a sequence run a workflow in their place.",
      fix: 'Remove the key, or make the action part of the sequence with `"workflow": true`.',
      at: "key",
    });
  return { ...parts, workflow: false, order: null, next: null, autoProgress: false };
}

/** Trigger words of configurations and of the files beside them; the highest priority first. */
export function readTriggers(reading: BotReading, parts: readonly ActionPart[]): TriggerDefinition[] {
  const nodes = parts.flatMap(({ node, folder }) => [
    child(node, "trigger_words"),
    folder === undefined ? undefined : reading.json(`${folder}/${triggersFile}`),
  ]);
  return nodes
    .flatMap((node) => (node === undefined ? [] : triggersOf(reading, node)))
    .filter(({ patterns }) => patterns.length > 0)
    .sort((a, b) => b.priority - a.priority);
}

/** `{patterns, priority}`, the bare list of patterns, or several of either by label. */
function triggersOf(reading: BotReading, node: SourceNode, inGroup = false): TriggerDefinition[] {
  if (isList(node.value)) {
    const wrong = { code: "BOTS_WRONG_TYPE", message: "A trigger word must be a text.", fix: "Write a regular expression in quotes." };
    for (const member of membersOf(node)) if (!isText(member)) reading.complain(member, wrong);
    return [{ patterns: usable(reading, membersOf(node)), priority: 0 }];
  }
  const isMap = isObject(node.value);
  if (isMap && !has(node, "patterns") && !inGroup) return entriesOf(node).flatMap(([, each]) => triggersOf(reading, each, true));
  if (!checkKeys(reading, node, triggerShape, isMap || inGroup ? "A group of trigger words" : "The trigger words")) return [];
  return [{ patterns: usable(reading, listedTexts(node, "patterns")), priority: numberAt(node, "priority") ?? 0 }];
}

/** Letter case never counts, so the flag that other engines write for it is dropped. What does not compile is left out. */
function usable(reading: BotReading, nodes: readonly SourceNode[]): string[] {
  return nodes.filter(isText).flatMap((node) => {
    const pattern = node.value.replace(/^\(\?i\)/, "");
    if (pattern.trim() !== "" && compiles(pattern)) return [pattern];
    reading.warn(node, {
      code: "BOTS_BAD_PATTERN",
      message: `The trigger word \`${node.value}\` is not a regular expression and is left out.`,
      fix: "Correct it; in JSON every backslash is written twice.",
    });
    return [];
  });
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "i").source !== "";
  } catch {
    return false;
  }
}
