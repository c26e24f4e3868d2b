import { counted, shorten } from "../../../base/index.ts";
import { quoteList, type Told } from "../../../source/index.ts";
import { agentText } from "./context-text.ts";
import type { GraphNode, NodeWork } from "./graph-definition.ts";
import { layersOf } from "./graph/order.ts";
import type { PromptsDefinition, PromptStep } from "./prompts-definition.ts";

/** A chain or a graph for people who have not seen one. */
export function tellPrompts(definition: PromptsDefinition): Told {
  const { nodes, steps, loop } = definition;
  if (nodes !== undefined) return tellGraph(nodes);
  const rounds = loop === undefined ? [] : [`This is repeated, at most ${loop.maxIterations} times.`];
  const ends =
    loop === undefined
      ? "After the last step."
      : `When the agent answers \`${loop.until}\`, or after ${counted(loop.maxIterations, "round")}.`;
  return { happens: [...steps.map((step) => stepText(definition, step)), ...rounds], asks: [], ends };
}

function stepText(definition: PromptsDefinition, { name, context, workflow, artifacts = [], provider, model }: PromptStep): string {
  if (workflow !== undefined) return `The workflow \`${workflow.name}\` runs.`;
  const who = agentText(definition, { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) });
  const how = context === "fresh" ? "in a new conversation" : "in the same conversation as before";
  const leaves = artifacts.length === 0 ? "" : `, and leaves ${quoteList(artifacts, "and")}`;
  return `An agent${who === "" ? "" : ` (${who.replace(/^by /, "")})`} does \`${name}\` ${how}${leaves}.`;
}

function tellGraph(nodes: readonly GraphNode[]): Told {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = layersOf(nodes)
    .flat()
    .flatMap((id) => byId.get(id) ?? []);
  return { happens: ordered.flatMap(nodeLines), asks: ordered.flatMap(questionsOf), ends: endOf(ordered) };
}

function nodeLines(node: GraphNode): readonly string[] {
  const { id, does, when, artifacts = [] } = node;
  const only = when === undefined ? "" : ` Only if ${when.text.replaceAll(/\s+/g, " ")}.`;
  const leaves = artifacts.length === 0 ? "" : ` It leaves ${quoteList(artifacts, "and")}.`;
  const inside = does.kind === "group" ? does.nodes.flatMap((inner) => nodeLines(inner).map((line) => ` ${line.trim()}`)) : [];
  return [`${workText(id, does)}${leaves}${only}`, ...inside];
}

function workText(id: string, does: NodeWork): string {
  switch (does.kind) {
    case "prompt":
      return `An agent does \`${id}\`.`;
    case "shell":
    case "script":
      return `Waymark runs the command of \`${id}\`.`;
    case "loop":
      return `An agent does \`${id}\` until it is done, at most ${does.maxIterations} times.`;
    case "group":
      return `These are repeated until the result is right, at most ${does.maxIterations} times:`;
    case "approval":
      return `You are asked at \`${id}\`.`;
    case "cancel":
      return `The run ends at \`${id}\`: ${oneLine(does.reason.text)}.`.replace("..", ".");
    case "include":
    case "call":
      return `The workflow \`${does.workflow}\` runs${does.kind === "call" && does.fanOut !== undefined ? " for each item of a list" : ""}.`;
  }
}

function questionsOf({ id, does }: GraphNode): readonly string[] {
  if (does.kind === "group") return does.nodes.flatMap(questionsOf);
  if (does.kind === "loop" && does.gate !== undefined) return [`\`${id}\`, after each round: ${oneLine(does.gate.text)}`];
  if (does.kind !== "approval") return [];
  const { decisions, onReject } = does;
  const choices = decisions === undefined ? "approve or reject" : decisions.map((each) => each.id).join(" or ");
  const after =
    decisions !== undefined
      ? ""
      : onReject === undefined || onReject.maxAttempts === 1
        ? " If you reject, the run ends."
        : ` If you reject, ${onReject.reopens.length > 0 ? `${quoteList(onReject.reopens, "and")} is done again` : "an agent reworks it"} and you are asked again; rejection ${onReject.maxAttempts} ends the run.`;
  return [`\`${id}\`: ${choices}.${after}`];
}

function endOf(nodes: readonly GraphNode[]): string {
  const early = nodes.some(({ does }) => does.kind === "cancel") ? " It may end earlier, as said above." : "";
  return `After the last of these, or when one fails.${early}`;
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), 160);
}
