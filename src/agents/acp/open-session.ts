import type { Json } from "../../base/index.ts";
import type { AgentEvent, Turn } from "../../ports/index.ts";
import type { AgentSpec } from "../agent-spec.ts";
import { TurnFailed } from "../classify-failure.ts";
import { isSessionId, notASession } from "../is-session-id.ts";
import type { AgentTime } from "../stream-turn.ts";
import type { AcpProcess } from "./acp-process.ts";
import { readChoices, serversOf, type AcpSession } from "./acp-session.ts";
import { at, ToolCalls, word } from "./read-update.ts";
import { UsageMeter } from "./usage-meter.ts";

export type Resumed = Extract<AgentEvent, { type: "session" }>["resumed"];
export interface Opened {
  /** undefined when the session is lost. */
  readonly session?: AcpSession;
  readonly resumed: Resumed;
  readonly why?: string;
}

/** Silence after which a replay is over, and the longest that one is waited for. */
const silenceMs = 250;
const replayMs = 10_000;

/**
 * The session of a turn. One that is to be continued is taken as it is where it is live, else resumed, else loaded with its replay
 * dropped, else lost: it never becomes a new one.
 */
export async function openSession(process: AcpProcess, turn: Turn, { spec, time }: { spec: AgentSpec; time: AgentTime }): Promise<Opened> {
  const servers = serversOf(turn.mcp);
  const keep = (id: string, answer: Json, resumed: Resumed): Opened => {
    const session: AcpSession = {
      id,
      servers: JSON.stringify(servers),
      calls: new ToolCalls(),
      meter: new UsageMeter(spec.usage, resumed === "new"),
      choices: readChoices(answer),
    };
    process.sessions.set(id, session);
    process.opened += 1;
    return { session, resumed };
  };
  const { session: id, cwd } = turn;
  if (id === undefined) {
    const answer = await process.request("session/new", { cwd, mcpServers: servers });
    const made = word(at(answer, "sessionId"));
    if (made === undefined) throw new TurnFailed({ kind: "unknown", text: "The agent opened a session without an id." });
    return keep(made, answer, "new");
  }
  const live = process.sessions.get(id);
  if (live === undefined && !isSessionId(id)) return { resumed: "lost", why: notASession };
  const can = at(process.about, "agentCapabilities");
  if (turn.fork === true && at(can, "sessionCapabilities", "fork") !== undefined) {
    const answer = await process.request("session/fork", { sessionId: id, cwd, mcpServers: servers });
    const forked = word(at(answer, "sessionId"));
    if (forked === undefined) throw new TurnFailed({ kind: "unknown", text: "The agent forked a session without an id." });
    return keep(forked, answer, "forked");
  }
  if (live !== undefined && live.servers === JSON.stringify(servers)) return { session: live, resumed: "live" };
  const params = { sessionId: id, cwd, mcpServers: servers };
  const reasons: string[] = [];
  if (spec.resume === "resume" && at(can, "sessionCapabilities", "resume") !== undefined) {
    const answer = await tried(process.request("session/resume", params), reasons);
    if (answer !== undefined) return keep(id, answer, "resumed");
  }
  if (spec.resume !== "none" && at(can, "loadSession") === true) {
    const replay = hearReplay(process, id, time);
    const answer = await tried(process.request("session/load", params), reasons);
    const count = await replay.over(answer === undefined);
    if (answer !== undefined && count > 0) return keep(id, answer, "loaded");
    if (answer !== undefined) reasons.push("its history is empty");
  }
  return { resumed: "lost", why: reasons.length === 0 ? "the agent cannot continue sessions of an earlier process" : reasons.join("; ") };
}

/** Whether a session can be continued by another process of the agent. */
export function canContinue({ about }: Pick<AcpProcess, "about">, { resume }: Pick<AgentSpec, "resume">): boolean {
  const can = at(about, "agentCapabilities");
  if (resume === "resume" && at(can, "sessionCapabilities", "resume") !== undefined) return true;
  return resume !== "none" && at(can, "loadSession") === true;
}

/** Only what the agent itself refuses leads to the next way; a process that is gone ends the turn. */
async function tried(answer: Promise<Json>, reasons: string[]): Promise<Json | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof TurnFailed) || cause.failure.kind === "crash" || cause.failure.kind === "timeout") throw cause;
    reasons.push(cause.failure.text);
    return undefined;
  }
}

/** Counts the messages of a replay, which some agents send only after they answered. */
function hearReplay(process: AcpProcess, id: string, { alarms }: AgentTime): { over(now: boolean): Promise<number> } {
  let count = 0;
  let heard = (): void => undefined;
  const ignore = (): void => undefined;
  process.listeners.set(id, {
    update: (update) => {
      if (word(update["sessionUpdate"])?.endsWith("_message_chunk") === true) count += 1;
      heard();
    },
    permission: () => ({ outcome: { outcome: "cancelled" } }),
    garbage: ignore,
    raw: ignore,
  });
  return {
    over: async (now) => {
      if (!now)
        await new Promise<void>((done) => {
          const offCap = alarms.after(replayMs, done);
          let off = alarms.after(silenceMs, () => (offCap(), done()));
          heard = () => {
            off();
            off = alarms.after(silenceMs, () => (offCap(), done()));
          };
        });
      process.listeners.delete(id);
      return count;
    },
  };
}
