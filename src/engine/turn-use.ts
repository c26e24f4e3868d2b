import type { Counted } from "../kernel/index.ts";
import type { AgentErrorKind, AgentUsage, TranscriptEntry } from "../ports/index.ts";

/** One turn of an agent, as far as its events tell. */
export interface SeenTurn {
  readonly usage: AgentUsage;
  /** The conversation was there, so the agent may have been asked. */
  readonly asked: boolean;
  /** It used a tool. */
  readonly worked: boolean;
  readonly errorKind?: AgentErrorKind;
}

/** What the provider itself refuses is not counted by it. */
const refusals: ReadonlySet<AgentErrorKind | undefined> = new Set<AgentErrorKind>(["limit", "auth", "overloaded"]);

/** What a turn says that it used. */
export function saidBy({ usage: { inputTokens, outputTokens, costUsd } }: Pick<SeenTurn, "usage">, what: Counted): number | undefined {
  if (what === "money") return costUsd;
  return inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** What a turn takes from a budget; undefined when nobody knows. A turn that asked nothing, or that the provider refused at once, takes nothing. */
export function usedBy(turn: SeenTurn, what: Counted): number | undefined {
  const { worked, errorKind } = turn;
  return saidBy(turn, what) ?? (!reachedAgent(turn) || (!worked && refusals.has(errorKind)) ? 0 : undefined);
}

/** Whether the agent was given the prompt, as far as the turn's events tell. */
export function reachedAgent({ asked, errorKind }: SeenTurn): boolean {
  return asked && errorKind !== "setup" && errorKind !== "lost";
}

export interface KeptTurn extends SeenTurn, Pick<TranscriptEntry, "at" | "action" | "step" | "agent"> {
  readonly model?: string;
}

/** The turns in a transcript, in the order in which they began. A turn begins with its prompt. */
export async function turnsIn(entries: AsyncIterable<TranscriptEntry>): Promise<readonly KeptTurn[]> {
  const turns: KeptTurn[] = [];
  const last = new Map<string, number>();
  for await (const { at, action, step, agent, event } of entries) {
    if (event.type === "prompt") {
      last.set(action, turns.length);
      const model = event.model === undefined ? {} : { model: event.model };
      turns.push({ at, action, step, agent, usage: {}, asked: false, worked: false, ...model });
      continue;
    }
    const index = last.get(action);
    const turn = index === undefined ? undefined : turns[index];
    if (index !== undefined && turn !== undefined) turns[index] = { ...turn, ...seenIn(turn, event) };
  }
  return turns;
}

function seenIn(turn: SeenTurn, event: Exclude<TranscriptEntry["event"], { readonly type: "prompt" }>): Partial<SeenTurn> {
  switch (event.type) {
    case "session":
      return { asked: event.resumed !== "lost" };
    case "tool":
      return { worked: true };
    case "usage":
      return { usage: { ...turn.usage, ...event.usage } };
    case "result":
      return { usage: { ...turn.usage, ...event.usage }, ...(event.errorKind === undefined ? {} : { errorKind: event.errorKind }) };
    default:
      return {};
  }
}
