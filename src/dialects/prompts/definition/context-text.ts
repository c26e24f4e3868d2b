import type { GraphNode } from "./graph-definition.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";

type Common = Pick<PromptsDefinition, "provider" | "model">;

/** The agent and the model that are named for a step, as far as they are. */
export function agentText(common: Common, own: Common): string {
  const [provider, model] = [own.provider ?? common.provider, own.model ?? common.model];
  const parts = [provider === undefined ? [] : [`by ${provider}`], model === undefined ? [] : [`model ${model}`]];
  return parts.flat().join(", ");
}

/** The conversation in which a node for an agent begins. `others`: nodes beside it by their ids. */
export function contextText(common: Common, node: GraphNode, others: ReadonlyMap<string, GraphNode>): string {
  const { context, does } = node;
  if (does.kind === "loop") return does.freshContext ? "fresh context in each round" : "fresh context, which later rounds continue";
  if (context.kind === "fresh") return "fresh context";
  const last = context.kind === "fork" ? others.get(context.of) : talking(context.of, others);
  if (last !== undefined) return continuedText(common, node, last);
  const said = context.kind === "last" ? talking(context.round?.of ?? [], others) : undefined;
  return said === undefined
    ? "fresh context"
    : `fresh context in the first round, then ${continuedText(common, node, said)} in the round before`;
}

/** Whether it has a session. */
export function talks({ does: { kind } }: GraphNode): boolean {
  return kind === "prompt" || kind === "loop";
}

function talking(ids: readonly string[], others: ReadonlyMap<string, GraphNode>): GraphNode | undefined {
  return ids.map((id) => others.get(id)).find((node) => node !== undefined && talks(node));
}

/** A conversation is one of its agent. Which agent does a node that names none is known only when it is driven. */
function continuedText(common: Common, { context, onLostContext, provider }: GraphNode, last: GraphNode): string {
  const [own, other] = [provider ?? common.provider, last.provider ?? common.provider];
  const isCopy = context.kind === "fork";
  const what = isCopy ? `a copy of the context of ${last.id}` : `continues the context of ${last.id}`;
  if (own === other) return what;
  if (own === undefined || other === undefined) return `${what} if one agent does both`;
  const whose = `${last.id}, which ${other} has`;
  const lost = onLostContext ?? (isCopy ? "fail" : "replay");
  if (lost === "fail") return `fails, because it would continue the context of ${whose}`;
  return lost === "fresh" ? `fresh context instead of that of ${whose}` : `fresh context, ahead of it what was said in that of ${whose}`;
}
