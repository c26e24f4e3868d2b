import { isObject, shorten, type Json, type JsonObject } from "../../base/index.ts";
import type { AgentEvent, AgentUsage } from "../../ports/index.ts";
import { classifyFailure } from "../classify-failure.ts";
import { isExcluded, mayDo } from "../decide-permission.ts";
import { rulesFor } from "../rules-for.ts";
import type { RunningTurn } from "../stream-turn.ts";
import { describeRequest, serverOf } from "../tool-request.ts";
import type { Listener } from "./acp-process.ts";
import type { AcpSession } from "./acp-session.ts";
import { at, listOf, readUpdate, reportedFailure, reportedUsage, toolEvent, toolRequest, word } from "./read-update.ts";

interface Hearing {
  readonly textFilters: readonly string[];
  readonly now: () => number;
  /** Answers what the turn used so far. */
  readonly onUsage: (usage: AgentUsage) => AgentUsage;
}

/** Turns what the agent says about a session into the events of its turn. */
export function hearSession(session: AcpSession, running: RunningTurn, { textFilters, now, onUsage }: Hearing): Listener {
  const { turn } = running;
  const servers = (turn.mcp ?? []).map(({ name }) => name);
  return {
    update: (update, params) => {
      running.alive();
      noteFailure(update, running, now());
      noteFailure(params, running, now());
      const kind = update["sessionUpdate"];
      // Kept as it comes: should the driver be killed, it is all that is known of the turn.
      const used = kind === "usage_update" ? onUsage(reportedUsage(update)) : {};
      if (kind !== "tool_call" && kind !== "tool_call_update") {
        const event = readUpdate(update, textFilters);
        if (event?.type === "usage") running.emit({ ...event, usage: { ...event.usage, ...used } });
        else if (event !== undefined) running.emit(event);
        return;
      }
      const call = session.calls.merge(update);
      running.emit(toolEvent(call));
      const request = toolRequest(call);
      // Some agents call a tool running before they ask.
      const hasRun = call["status"] === "completed";
      // Some agents name tools of servers only in the title.
      const isKnown = request.name !== undefined || (request.kind ?? "other") !== "other";
      if (hasRun && isKnown && serverOf(request, servers) === undefined && isExcluded(request, turn.tools)) {
        const text = `The agent used \`${request.name ?? request.kind ?? "a tool"}\` without asking, which this turn does not allow.`;
        running.stop({ kind: "refused", text });
      }
    },
    permission: (params) => answerPermission(session, running, params),
    garbage: (line) => running.emit(garbageNotice(line)),
    raw: (direction, message) => turn.onRaw?.(direction, message),
  };
}

/** Hears the wire while the session of a turn is opened. */
export function hearOpening({ turn, emit }: RunningTurn): Listener {
  return {
    update: () => undefined,
    permission: () => cancelled,
    garbage: (line) => emit(garbageNotice(line)),
    raw: (direction, message) => turn.onRaw?.(direction, message),
  };
}

function garbageNotice(line: string): Extract<AgentEvent, { type: "notice" }> {
  return { type: "notice", level: "warn", text: `The agent wrote a line that is not a message: ${shorten(line.trim(), 200)}` };
}

const cancelled: Json = { outcome: { outcome: "cancelled" } };

function answerPermission(session: AcpSession, running: RunningTurn, params: JsonObject): Json {
  const asked = params["toolCall"];
  const request = toolRequest(session.calls.merge(isObject(asked) ? asked : {}));
  const tool = describeRequest(request);
  if (running.signal.aborted) {
    running.emit({ type: "permission", tool, decision: "cancel" });
    return cancelled;
  }
  const idOf = (kind: string): string | undefined =>
    listOf(params["options"]).flatMap((option) => (at(option, "kind") === kind ? (word(at(option, "optionId")) ?? []) : []))[0];
  // An agent that is allowed for good would not ask about the next file.
  const forGood = running.turn.permission.level === "all" ? idOf("allow_always") : undefined;
  const yes = mayDo(request, rulesFor(request, running.turn)) ? (idOf("allow_once") ?? forGood) : undefined;
  const chosen = yes ?? idOf("reject_once") ?? idOf("reject_always");
  if (yes === undefined) running.record.deny(request.id, tool);
  running.emit({ type: "permission", tool, decision: yes !== undefined ? "allow" : chosen === undefined ? "cancel" : "deny" });
  return chosen === undefined ? cancelled : { outcome: { outcome: "selected", optionId: chosen } };
}

/** Takes a failure that the agent reports beside its text. */
export function noteFailure(holder: Json, running: RunningTurn, now: number): void {
  const failure = reportedFailure(holder);
  if (failure === undefined) return;
  if (failure.isError) running.record.fail(classifyFailure(failure.text, now, failure.category));
  else running.emit({ type: "notice", level: "warn", text: failure.text });
}
