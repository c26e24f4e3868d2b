import { mainStrand, type Decision, type Effect, type Event, type Input } from "../../../kernel/index.ts";
import { engineActor, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import type { BotPlace } from "./bot-run.ts";

export function jumpQuestion(from: BotPlace, to: BotPlace): string {
  return `Leave ${from.behaviour}.${from.action} and go to ${to.behaviour}.${to.action}?`;
}

/** The place that a jump would leave, as `behaviour.action`. */
function leftPlace(question: string): string {
  return /^Leave (.+?) and go to /.exec(question)?.[1] ?? "";
}

interface Moving {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly scope: string;
  readonly effect: Effect;
}

/**
 * Inputs that close questions about leaving a place where the bot is not any more: their answer would jump from somewhere else than
 * the person was told. `stays`: where the bot is.
 */
export function closePassedJumps({ context, handle, scope, effect }: Moving, bot: string, stays?: BotPlace): readonly Input[] {
  const here = stays === undefined ? undefined : `${stays.behaviour}.${stays.action}`;
  return openJumps(handle, scope)
    .filter(({ strand, question }) => strand !== effect.strand && leftPlace(question) !== here)
    .map(({ strand, question }) => ({
      type: "cancel",
      strand,
      reason: `\`${bot}\` has left ${leftPlace(question)}.`,
      at: effect.openedAt,
      by: engineActor(context.host.processId),
    }));
}

/** Questions about leaving the place that are open. */
export function openJumps({ state }: RunHandle, scope: string): readonly Decision[] {
  return Object.values(state.decisions).filter(({ status, block, strand }) => {
    const held = state.strands[strand];
    return status === "pending" && block === "jump.ask" && strand !== mainStrand && held?.entry === "jump" && held.scope === scope;
  });
}

/** Why a question was closed without an answer; undefined when it was not. */
export async function whyClosed({ store }: EngineContext, run: string, decision: string): Promise<string | undefined> {
  for (let from = 0; ;) {
    const records = await store.readRecords(run, from, 500);
    for (const { events } of records) {
      if (!events.includes(`"${decision}"`)) continue;
      for (const event of JSON.parse(events) as readonly Event[])
        if (event.type === "decision_closed" && event.decision === decision && event.status !== "answered") return event.reason;
    }
    const last = records.at(-1);
    if (last === undefined) return undefined;
    from = last.position;
  }
}
