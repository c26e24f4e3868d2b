import { defined, isList, isObject, type Json, textOf } from "../base/index.ts";
import type { AgentEvent, TranscriptEntry } from "../ports/index.ts";
import { addUse, type AgentActivity, type AgentAt, type AgentUse } from "../views/index.ts";

const unused: AgentUse = {};

export const noActivity: AgentActivity = { strands: {}, used: unused };

/** What agents do after one more entry of a transcript. A turn's usage is what it has used so far: a later one replaces an earlier one. */
export function activityAfter(activity: AgentActivity, { strand, agent, action, at, event }: TranscriptEntry): AgentActivity {
  const before = activity.strands[strand];
  const begins = before === undefined || before.action !== action || event.type === "prompt";
  // A turn that was killed has no result: what it used counts when the next one begins.
  const used = begins ? addUse(activity.used, before?.turn ?? unused) : activity.used;
  const now: AgentAt = begins ? { agent, action, since: at, turn: unused } : before;
  if (event.type !== "result") return { strands: { ...activity.strands, [strand]: stepOf(now, event, at) }, used };
  const { [strand]: _, ...others } = activity.strands;
  return { strands: others, used: addUse(used, useOf(event.usage, now.turn)) };
}

function stepOf(now: AgentAt, event: TranscriptEntry["event"], at: number): AgentAt {
  const { doing: _, tool: __, ...idle } = now;
  switch (event.type) {
    case "tool": {
      const isOpen = event.status === "pending" || event.status === "running";
      if (!isOpen) return event.id === now.tool ? { ...idle, since: at } : now;
      // What a tool works on may be known only when it runs.
      return { ...now, doing: toolText(event), tool: event.id, since: event.id === now.tool ? now.since : at };
    }
    case "thinking":
      return now.doing === "thinking" ? now : { ...idle, doing: "thinking", since: at };
    case "message":
      return { ...idle, since: at };
    case "usage":
      return { ...now, turn: useOf(event.usage, now.turn) };
    default:
      return now;
  }
}

function useOf({ inputTokens, outputTokens, costUsd }: Extract<AgentEvent, { type: "usage" }>["usage"], before: AgentUse): AgentUse {
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  const tokens = isCounted ? (inputTokens ?? 0) + (outputTokens ?? 0) : before.tokens;
  return defined({ tokens, costUsd: costUsd ?? before.costUsd });
}

/** Keys under which tools of known agents name what they work on, the most telling first. */
const subjects = ["command", "cmd", "file_path", "filePath", "path", "notebook_path", "url", "pattern", "query", "description"];

/** A tool call in one line: its name, and the path or command that it is about. */
export function toolText({ name, input }: Pick<Extract<AgentEvent, { type: "tool" }>, "name" | "input">): string {
  const subject = subjectOf(input).replaceAll(/\s+/g, " ").trim();
  // Some agents name a call by what it does.
  return subject === "" || name.includes(subject) ? name : `${name} ${subject}`;
}

function subjectOf(input: Json | undefined): string {
  if (typeof input === "string") return input;
  if (!isObject(input)) return "";
  const key = subjects.find((each) => input[each] !== undefined && input[each] !== null);
  const value = key === undefined ? "" : input[key];
  return isList(value) ? value.map(textOf).join(" ") : textOf(value);
}
