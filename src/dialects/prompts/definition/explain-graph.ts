import { counted, defined, shorten, type JsonObject } from "../../../base/index.ts";
import { quoteList, type Explanation } from "../../../source/index.ts";
import { agentText, contextText, talks } from "./context-text.ts";
import { layersOf } from "./graph/order.ts";
import type { GraphNode, LoopEnd, NodeWork } from "./graph-definition.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";

/** A graph as a list in the order in which its nodes can run, and as a diagram of what waits for what. Nodes in one bracket do not wait for each other. */
export function explainGraph(definition: PromptsDefinition): Explanation {
  const { name, description, version, nodes = [], returns } = definition;
  return {
    text: () =>
      [
        `${name} ${version}`,
        description.trim(),
        "",
        ...listed(definition, nodes, ""),
        ...(returns === undefined ? [] : ["", `Its output is that of ${returns}.`]),
      ].join("\n"),
    mermaid: () => ["flowchart TD", ...drawn(nodes, "n", "  ")].join("\n"),
    data: () => ({ workflow: name, description, version, nodes: nodes.map(nodeData), ...defined({ returns }) }),
  };
}

/** By layers, those of one layer as they are written and in one bracket. */
function listed(definition: PromptsDefinition, nodes: readonly GraphNode[], indent: string): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = layersOf(nodes);
  const numbers = new Map(layers.flat().map((id, at) => [id, at + 1]));
  const isWide = layers.some(({ length }) => length > 1);
  return layers.flatMap((ids) =>
    ids.flatMap((id, at) => {
      const node = byId.get(id)!;
      const { first, further } = isWide ? bracket(at, ids.length) : { first: "", further: "" };
      const line = `${indent}${first}${numbers.get(id) ?? ""}. ${id}: ${nodeText(definition, node, byId)}`;
      return node.does.kind === "group" ? [line, ...listed(definition, node.does.nodes, `${indent}${further}   `)] : [line];
    }),
  );
}

/** What a line of a layer begins with, and what is below it. */
export function bracket(at: number, length: number): { readonly first: string; readonly further: string } {
  if (length === 1) return { first: "  ", further: "  " };
  if (at === length - 1) return { first: "└ ", further: "  " };
  return { first: at === 0 ? "┌ " : "├ ", further: "│ " };
}

function nodeText(definition: PromptsDefinition, node: GraphNode, others: ReadonlyMap<string, GraphNode>): string {
  const { does, dependsOn, rule, when, alwaysRun, retry, artifacts = [] } = node;
  const agent = agentText(definition, node);
  return [
    workText(does),
    ...(dependsOn.length === 0 ? [] : [`after ${dependsOn.join(", ")}${rule === "all_success" ? "" : ` (${rule})`}`]),
    ...(when === undefined ? [] : [`when ${oneLine(when.text)}`]),
    ...(talks(node) ? [contextText(definition, node, others)] : []),
    ...(does.kind === "group" && does.freshContext ? ["fresh context in each round"] : []),
    ...(talks(node) && agent !== "" ? [agent] : []),
    ...(artifacts.length === 0 ? [] : [`leaves ${artifacts.join(", ")}`]),
    ...(retry === undefined ? [] : [`tried again up to ${retry.times} times`]),
    ...(alwaysRun ? ["runs again with every retry"] : []),
  ].join("; ");
}

function workText(does: NodeWork): string {
  switch (does.kind) {
    case "prompt":
      return does.command === undefined ? "prompt" : `prompt ${does.command}.md`;
    case "shell":
      return "shell command";
    case "script":
      return `script${does.file === undefined ? "" : ` ${does.file.split("/").at(-1) ?? ""}`} (${does.runtime})`;
    case "loop":
      return `${does.command === undefined ? "prompt" : `prompt ${does.command}.md`}, ${roundsText(does)}`;
    case "group":
      return `${counted(does.nodes.length, "node")}, ${roundsText(does)}`;
    case "approval":
      return approvalText(does);
    case "cancel":
      return "ends the run";
    case "call": {
      const verb = does.include ? "puts in" : "runs";
      const { fanOut } = does;
      const each = fanOut === undefined ? "" : ` for each of ${oneLine(fanOut.items.text)}, ${fanOut.maxParallel} at once`;
      const apart = does.apart !== true ? "" : fanOut === undefined ? " in a worktree of its own" : ", each in a worktree of its own";
      return `${verb} the workflow ${does.workflow}${each}${apart}`;
    }
  }
}

function approvalText({ decisions, onReject }: Extract<NodeWork, { readonly kind: "approval" }>): string {
  if (decisions !== undefined)
    return `asks a person for ${quoteList(
      decisions.map(({ id }) => id),
      "or",
    )}`;
  if (onReject === undefined || onReject.maxAttempts === 1) return "asks a person, a rejection cancels the run";
  const { prompt, reopens, maxAttempts } = onReject;
  const leads = [
    ...(prompt === undefined ? [] : ["gives an agent a prompt"]),
    ...(reopens.length === 0 ? [] : [`runs ${reopens.join(", ")} again`]),
    "asks again",
  ];
  const nth = maxAttempts === 2 ? "2nd" : maxAttempts === 3 ? "3rd" : `${maxAttempts}th`;
  return `asks a person, a rejection ${leads.slice(0, -1).join(", ")} and ${leads.at(-1) ?? ""}, the ${nth} cancels the run`;
}

function roundsText({ until, untilBash, untilField, maxIterations, gate }: LoopEnd): string {
  const ends = [
    ...(until === undefined ? [] : [`the answer says \`${until}\``]),
    ...(untilBash === undefined ? [] : [`\`${shorten(oneLine(untilBash.text), longestCheck)}\` succeeds`]),
    ...(untilField === undefined ? [] : [`\`${untilField}\` is true`]),
  ];
  return `repeated until ${ends.join(" or ")}, at most ${maxIterations} times${gate === undefined ? "" : ", asking a person in between"}`;
}

const longestCheck = 80;

/** Nodes have names of their own in a diagram, since ids can be words that Mermaid reads as its own. */
function drawn(nodes: readonly GraphNode[], prefix: string, indent: string): readonly string[] {
  const names = new Map(nodes.map(({ id }, at) => [id, `${prefix}${at}`]));
  const lines = nodes.flatMap((node) => {
    const name = names.get(node.id) ?? prefix;
    if (node.does.kind !== "group") return [`${indent}${name}${shape(node)}`];
    return [`${indent}subgraph ${name}["${label(node)}"]`, ...drawn(node.does.nodes, `${name}_`, `${indent}  `), `${indent}end`];
  });
  const edges = nodes.flatMap(({ id, dependsOn }) =>
    dependsOn.map((from) => `${indent}${names.get(from) ?? ""} --> ${names.get(id) ?? ""}`),
  );
  return [...lines, ...edges];
}

function shape(node: GraphNode): string {
  const text = `"${label(node)}"`;
  if (node.does.kind === "approval") return `{${text}}`;
  if (node.does.kind === "call") return `[[${text}]]`;
  return node.does.kind === "cancel" ? `([${text}])` : `[${text}]`;
}

function label({ id, when, rule, does }: GraphNode): string {
  const lines = [id, ...(when === undefined ? [] : [`when ${oneLine(when.text)}`]), ...(rule === "all_success" ? [] : [rule])];
  const rounds = does.kind === "loop" || does.kind === "group" ? [roundsText(does)] : [];
  const more = does.kind === "call" || does.kind === "approval" ? [workText(does)] : rounds;
  return [...lines, ...more].map(escaped).join("<br/>");
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** Signs that would end a label, or be markup in it. */
function escaped(text: string): string {
  return text.replace(/[#"<>&`]/g, (sign) => `#${sign.codePointAt(0) ?? 0};`).replaceAll(/\s+/g, " ");
}

function nodeData(node: GraphNode): JsonObject {
  const { id, dependsOn, rule, when, context, does } = node;
  const round = context.kind === "last" ? context.round : undefined;
  return {
    id,
    kind: does.kind,
    depends_on: [...dependsOn],
    trigger_rule: rule,
    ...defined({ when: when?.text }),
    ...(talks(node) ? { context: { ...context, ...(round === undefined ? {} : { round: round.group }) } as JsonObject } : {}),
    ...("command" in does && typeof does.command === "string" ? { command: does.command } : {}),
    ...(does.kind === "call" ? { workflow: does.workflow, include: does.include } : {}),
    ...(does.kind === "call" && does.apart === true ? { isolation: "worktree" } : {}),
    ...(does.kind === "call" && does.fanOut !== undefined
      ? { fan_out: { items: does.fanOut.items.text, max_parallel: does.fanOut.maxParallel, join: does.fanOut.join } }
      : {}),
    ...(does.kind === "approval" ? approvalData(does) : {}),
    ...(does.kind === "loop" || does.kind === "group" ? roundsData(does) : {}),
    ...(does.kind === "group" ? { nodes: does.nodes.map(nodeData) } : {}),
  };
}

function approvalData({ message, captureResponse, decisions, onReject }: Extract<NodeWork, { readonly kind: "approval" }>): JsonObject {
  return {
    message: message.text,
    capture_response: captureResponse,
    ...defined({
      decisions: decisions?.map(({ id, label }) => ({ id, ...defined({ label }) })),
      on_reject: onReject && {
        ...defined({ prompt: onReject.prompt?.text }),
        reopens: [...onReject.reopens],
        max_attempts: onReject.maxAttempts,
      },
    }),
  };
}

function roundsData({ until, untilBash, untilField, maxIterations, freshContext, gate, signalCompletes }: LoopEnd): JsonObject {
  return {
    max_iterations: maxIterations,
    fresh_context: freshContext,
    ...defined({
      until,
      until_bash: untilBash?.text,
      until_field: untilField,
      gate_message: gate?.text,
      signal_completes: signalCompletes,
    }),
  };
}
