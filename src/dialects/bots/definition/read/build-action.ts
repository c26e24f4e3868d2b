import { isObject, type JsonObject } from "../../../../base/index.ts";
import { isText, referenceTo, type SourceNode } from "../../../../source/index.ts";
import type { Arranged } from "../check/check-sequence.ts";
import type { ActionDefinition } from "../bot-definition.ts";
import { nodesOf, pick, type ActionSource } from "./action-source.ts";
import type { BotReading } from "./bot-reading.ts";
import { readInstructions } from "./read-instructions.ts";
import { readTriggers } from "./read-triggers.ts";

export interface ActionContext {
  readonly values: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}

/** A workflow action at its place in the sequence of a behaviour. */
export function buildAction(reading: BotReading, { source, order, next }: Arranged, { values, folders }: ActionContext): ActionDefinition {
  const nodes = nodesOf(source);
  const description = lastText(nodes, "description");
  const own = { ...values, action: source.name, next_action: next ?? "none", ...(description === undefined ? {} : { description }) };
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
  const calls = callOf(reading, nodes);
  if (instructions.length === 0 && calls === undefined) complainOfSilence(reading, source);
  return {
    name: source.name,
    description: lastText(nodes, "description") ?? "",
    instructions,
    setting: "manual",
    triggers: readTriggers(reading, source.parts),
    ...(calls === undefined ? {} : { calls }),
    inputs: inputsOf(reading, nodes, calls),
    file: source.file,
  };
}

function lastText(nodes: readonly SourceNode[], key: string): string | undefined {
  const found = pick(nodes, key)?.value;
  return typeof found === "string" ? found : undefined;
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
    reading.complain(node, {
      code: "BOTS_WITHOUT_EFFECT",
      severity: "warning",
      message: "`inputs` has no effect: the action calls no workflow.",
      fix: 'Add `"calls"` with the name of a workflow, or remove `inputs`.',
      at: "key",
    });
  return {};
}

function complainOfSilence(reading: BotReading, source: ActionSource): void {
  const node = source.placing[0];
  if (node === undefined) return;
  reading.complain(node, {
    code: "BOTS_NO_INSTRUCTIONS",
    severity: "warning",
    message: `The action \`${source.name}\` has no instructions; the agent is given its name and description only.`,
    fix: "Add `instructions.md` beside the configuration, or the key `instructions`.",
  });
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
