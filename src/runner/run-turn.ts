import { defined, own } from "../base/index.ts";
import { sameHolder } from "../kernel/index.ts";
import { type Caller, type EngineContext, isClosedByHolder, type RunHandle, type SeenTurn } from "../engine/index.ts";
import type { AgentEvent, AgentProvider, AgentUsage, Turn } from "../ports/index.ts";
import type { DriveEvent } from "./drive-request.ts";
import { silentEnd, type TurnResult } from "./judge-turn.ts";
import type { TranscriptKeeper } from "./keep-transcript.ts";

export interface TurnParts {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly strand: string;
  readonly action: string;
  readonly caller: Caller;
  readonly provider: AgentProvider;
  readonly transcript: TranscriptKeeper;
  readonly watch: (event: DriveEvent) => void;
  /** What people see once, whichever turn it is in. */
  readonly told: Set<string>;
  /** The conversation, as soon as it is known. */
  readonly onSession: (id: string) => void;
  /** The turn broke off with an error: what was seen of it until then. */
  readonly onBroken: (seen: SeenTurn) => void;
}

export interface RanTurn {
  readonly result: TurnResult;
  /** The conversation that was to be continued is gone; nothing was asked. */
  readonly lost: boolean;
  /** The agent neither said anything nor used a tool. */
  readonly isEmpty: boolean;
  readonly seen: SeenTurn;
}

/**
 * One turn. It is cancelled when the run ends, or when the strand gets another holder, wherever that is decided. A conversation that is lost
 * is not begun again by itself: nothing is asked then.
 */
export async function runTurn(parts: TurnParts, turn: Omit<Turn, "signal">, cancel: AbortSignal): Promise<RanTurn> {
  const { provider, transcript, watch, onSession, onBroken } = parts;
  const over = new AbortController();
  const stop = AbortSignal.any([cancel, over.signal]);
  const watched = cancelWhenOver(parts, over);
  watch({ type: "agent", entry: await transcript.add({ type: "prompt", text: turn.prompt, ...defined({ model: turn.model }) }) });
  let result: TurnResult | undefined;
  let [lost, isEmpty, asked, worked] = [false, true, false, false];
  let said: AgentUsage = {};
  try {
    for await (const event of provider.run({ ...turn, signal: stop })) {
      watch({ type: "agent", entry: await transcript.add(event) });
      if (event.type === "session") {
        lost = event.resumed === "lost" && turn.session !== undefined;
        if (!lost) onSession(event.sessionId);
        asked = event.resumed !== "lost";
      }
      if (event.type === "tool") worked = true;
      if (event.type === "notice" && event.once === true) tellOnce(parts, event.text);
      if (event.type === "usage") said = { ...said, ...event.usage };
      if (event.type === "result") result = event;
      if (isWork(event)) isEmpty = false;
    }
  } catch (error) {
    onBroken({ usage: said, asked, worked });
    throw error;
  } finally {
    watched();
    await transcript.flush();
  }
  const { usage, errorKind } = result ?? silentEnd;
  const seen = { usage, asked, worked, ...defined({ errorKind }) };
  return { result: result ?? silentEnd, lost: lost || errorKind === "lost", isEmpty, seen };
}

/** Lets time pass between two turns of a step: less where the signal says so, or the run or its holder changes in a way that ends a turn. */
export async function pauseTurns(parts: TurnParts, ms: number, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const watched = cancelWhenOver(parts, over);
  try {
    await parts.context.host.alarms.wait(ms, AbortSignal.any([stop, over.signal]));
  } finally {
    watched();
  }
}

function tellOnce({ told, watch }: TurnParts, text: string): void {
  if (!told.has(text)) watch({ type: "notice", text: `! ${text}` });
  told.add(text);
}

function isWork(event: AgentEvent): boolean {
  return event.type === "tool" || ((event.type === "message" || event.type === "result") && event.text.trim() !== "");
}

/** Whether the step was closed by something else than its agent: a limit of time, a jump, a task beside it that failed. What closed it is looked up once. */
function givenUp({ context, handle, action }: TurnParts): () => Promise<boolean> {
  let byOther: Promise<boolean> | undefined;
  return async () => {
    if (own(handle.state.actions, action) !== undefined) return false;
    return (byOther ??= isClosedByHolder(context, handle.id, action).then((isOwn) => !isOwn));
  };
}

/**
 * Looks at the run now and after every change. What this process changes is in the handle: with several workers most changes are those of
 * others, and each of them is looked at by every turn, so a look asks the store for nothing.
 */
function cancelWhenOver(parts: TurnParts, over: AbortController): () => void {
  const { context, handle, strand, caller } = parts;
  const isGivenUp = givenUp(parts);
  let watching = true;
  const look = async (): Promise<void> => {
    for (let seen = Number.NaN; watching;) {
      if (handle.head === seen) await handle.changed;
      seen = handle.head;
      const { status, strands } = handle.state;
      const holder = strands[strand]?.holder;
      // What the agent reported itself may have completed the run, or ended its strand: then it comes to its own end.
      const taken = holder !== undefined && !sameHolder(holder, caller.holder);
      if (watching && (status === "cancelled" || status === "failed" || taken || (await isGivenUp()))) over.abort("over");
    }
  };
  const failed = (error: unknown): void => {
    // The turn is over, and its engine may be closed by now.
    if (watching)
      context.host.log("warn", `Run ${handle.id} could not be watched: ${error instanceof Error ? error.message : String(error)}`);
    stop();
  };
  let asking = false;
  // A store that is away answers late: it is not asked again before it has answered.
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    await context.runs.refresh(handle).catch(failed);
    asking = false;
  };
  const noLongerLooks = context.host.alarms.every(context.settings.turnLookMs, () => void ask());
  const stop = (): void => {
    watching = false;
    noLongerLooks();
  };
  look().catch(failed);
  return stop;
}
