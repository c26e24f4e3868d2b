import { asSentence, defined } from "../base/index.ts";
import type { AgentEvent, AgentInfo, AgentProvider, Agents, Turn } from "../ports/index.ts";
import { refusedDrive } from "./codes.ts";
import { judgeTurn, silentEnd, type TurnResult, type Verdict } from "./judge-turn.ts";
import { modelNamed } from "./model-named.ts";

export interface TalkRequest {
  readonly agents: Agents;
  readonly agent: string;
  /** Absolute; the agent may read in it and nothing else. */
  readonly folder: string;
  readonly prompt: string;
  /** Continue this conversation; where it is gone, a fresh one is begun. */
  readonly session?: string;
  readonly model?: string;
  readonly idleMs?: number;
  readonly signal: AbortSignal;
}

export type TalkEvent =
  /** A piece of what the agent says. A blank line comes between two messages, so that the pieces together are a readable text. */
  | { readonly type: "text"; readonly text: string }
  /** Once for each call, when it begins or when its input is known. */
  | { readonly type: "tool"; readonly name: string; readonly input?: Extract<AgentEvent, { readonly type: "tool" }>["input"] }
  /** The last event. `answer` is the last whole message, empty where nothing was said. `session` is to be given with the next turn. */
  | { readonly type: "end"; readonly session?: string; readonly answer: string };

/**
 * One turn of an agent outside of any run. It may read and nothing else. Rejects with a `WaymarkError` where the agent cannot be used or did
 * not come to its end, and with the signal's reason where it was aborted.
 */
export async function* talkToAgent(request: TalkRequest): AsyncGenerator<TalkEvent, void, undefined> {
  const { agents, agent, signal } = request;
  signal.throwIfAborted();
  const info = await agents.resolve(agent);
  const provider = await agents.open(agent);
  try {
    const { session, ...fresh } = turnOf(request, info);
    let result = yield* hear(provider, { ...fresh, ...defined({ session }) });
    if (result === "lost") result = yield* hear(provider, fresh);
    signal.throwIfAborted();
    if (result === "lost") throw failed(agent, { kind: "failed", why: "It cannot open a conversation." });
    const verdict = judgeTurn(result);
    if (verdict.kind !== "ended") throw failed(agent, verdict);
    const { sessionId, text: answer } = result;
    yield { type: "end", answer, ...(sessionId === "" ? {} : { session: sessionId }) };
  } finally {
    await provider.close();
  }
}

function turnOf({ prompt, folder: cwd, session, model, idleMs, signal }: TalkRequest, info: AgentInfo): Turn {
  return { prompt, cwd, permission: { level: "read" }, signal, ...defined({ session, model: modelNamed(info, model), idleMs }) };
}

/** Passes on what the agent says and does. A conversation that is lost was asked nothing. */
async function* hear(provider: AgentProvider, turn: Turn): AsyncGenerator<TalkEvent, TurnResult | "lost", undefined> {
  const called = new Set<string>();
  let [streamed, said] = ["", false];
  let result: TurnResult | undefined;
  for await (const event of provider.run(turn)) {
    if (event.type === "text") {
      yield { type: "text", text: streamed === "" && said ? `\n\n${event.text}` : event.text };
      streamed += event.text;
    } else if (event.type === "message") {
      // Some agents give a message only as a whole.
      if (streamed === "") yield { type: "text", text: said ? `\n\n${event.text}` : event.text };
      [streamed, said] = ["", true];
    } else if (event.type === "tool" && !called.has(event.id) && (event.status !== "pending" || event.input !== undefined)) {
      called.add(event.id);
      yield { type: "tool", name: event.name, ...defined({ input: event.input }) };
    } else if (event.type === "result") result = event;
  }
  if (turn.session !== undefined && result?.errorKind === "lost") return "lost";
  return result ?? silentEnd;
}

function failed(agent: string, verdict: Exclude<Verdict, { readonly kind: "ended" }>): Error {
  if (verdict.kind === "interrupted") return refusedDrive("RUNNER_NO_ANSWER", `\`${agent}\` ended its turn before it had answered.`);
  const why = asSentence(verdict.why);
  if (verdict.kind === "limit") {
    const until = verdict.until === undefined ? "" : ` The limit ends at ${new Date(verdict.until).toISOString()}.`;
    return refusedDrive("RUNNER_AGENT_LIMIT", `\`${agent}\` has reached a limit: ${why}${until}`);
  }
  const needs = verdict.kind === "failed" ? verdict.needs : undefined;
  if (needs === "login") return refusedDrive("RUNNER_AGENT_LOGIN", `\`${agent}\` is refused by its provider: ${why}`);
  if (needs === "setup") return refusedDrive("RUNNER_AGENT_SETUP", `\`${agent}\` cannot work as it is set up: ${why}`);
  return refusedDrive("RUNNER_NO_ANSWER", `\`${agent}\` gave no answer: ${why}`);
}
