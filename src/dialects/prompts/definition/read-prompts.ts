import { defined, isObject, type Json } from "../../../base/index.ts";
import {
  child,
  contextWords,
  flagAt,
  has,
  membersOf,
  numberAt,
  readPermission,
  textAt,
  type SourceFile,
  type SourceNode,
} from "../../../source/index.ts";
import type { PromptStep, PromptsDefinition } from "./prompts-definition.ts";
import { readAgent } from "./read-agent.ts";
import { readGraph, type Reading } from "./read-graph.ts";
import { promptOf } from "./references.ts";
import { messageInput } from "./vocabulary.ts";

/** Prompts by the names of their steps. */
type PromptTexts = Readonly<Record<string, SourceFile>>;

/** A chain without errors, with everything that it leaves open filled in. */
export function readPrompts(root: SourceNode, reading: Reading): PromptsDefinition {
  const { files } = reading;
  const loop = child(root, "loop");
  const texts = files.prompts;
  return {
    name: textAt(root, "name") ?? "",
    description: textAt(root, "description") ?? "",
    version: textAt(root, "version") ?? "1.0.0",
    ...defined({ provider: textAt(root, "provider"), model: textAt(root, "model"), permission: readPermission(child(root, "permission")) }),
    steps:
      loop === undefined
        ? readSteps(root, texts)
        : [{ name: "loop", block: "loop", context: "fresh", prompt: textAt(root, "prompt") ?? "" }],
    ...(has(root, "nodes") ? readGraph(root, reading) : {}),
    ...(loop === undefined
      ? {}
      : {
          loop: {
            until: textAt(loop, "until") ?? "",
            maxIterations: numberAt(loop, "max_iterations") ?? 1,
            freshContext: flagAt(loop, "fresh_context") === true,
          },
        }),
  };
}

function readSteps(root: SourceNode, texts: PromptTexts): readonly PromptStep[] {
  const used = new Map<string, number>();
  const steps: PromptStep[] = [];
  let fresh = true;
  const add = (node: SourceNode, alone: boolean, beside?: string): void => {
    const step = readStep(node, texts, fresh || alone);
    const times = (used.get(step.name) ?? 0) + 1;
    used.set(step.name, times);
    steps.push({ ...step, block: times === 1 ? step.name : `${step.name}$${times}`, ...defined({ beside }) });
  };
  for (const [at, node] of membersOf(child(root, "steps")).entries()) {
    const members = has(node, "parallel") ? membersOf(child(node, "parallel")) : [];
    for (const member of members) add(member, true, members.length > 1 ? `$parallel${at + 1}` : undefined);
    if (members.length === 0) add(node, false);
    // After steps beside each other there is no one session to continue.
    fresh = members.length > 0;
  }
  return steps;
}

function readStep(node: SourceNode, texts: PromptTexts, fresh: boolean): Omit<PromptStep, "block"> {
  const workflow = textAt(node, "workflow");
  if (workflow !== undefined) return { name: workflow, context: "fresh", workflow: { name: workflow, inputs: inputsOf(node) } };
  const name = promptOf(node)?.value ?? "";
  const context = contextWords.find((word) => word === textAt(node, "context"));
  return {
    name,
    context: context ?? (fresh || flagAt(node, "clearContext") === true ? "fresh" : "last"),
    prompt: texts[name]?.text ?? "",
    ...readAgent(node),
  };
}

function inputsOf(node: SourceNode): Readonly<Record<string, Json>> {
  const given = child(node, "with")?.value;
  const message = textAt(node, "input");
  return { ...(message === undefined ? {} : { [messageInput]: message }), ...(isObject(given) ? given : {}) };
}
