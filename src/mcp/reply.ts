import { defined, type JsonObject } from "../base/index.ts";
import type { RunHandle, StrandStatus } from "../engine/index.ts";
import { callText, followingText, retryLater, type Following, type LaterCall } from "../views/index.ts";
import { firstThatFits, inCharacters, pageReply, sizesBelow, type LongReply } from "./page-reply.ts";
import { joinLines, plainText } from "./reply-text.ts";
import type { Reply, ToolCall } from "./tool.ts";

/** What follows, for the end of a reply that asks for nothing itself. */
export function nextLines(following: Following): readonly string[] {
  const { next_call: next } = following;
  return next === undefined ? followingText(following) : [`Next: ${callText(next)}`];
}

/** A reply some fields of which may be too large for it; `heavy` are their keys. */
export interface HeavyReply extends Pick<LongReply, "data" | "newestLast" | "rest"> {
  readonly head: string;
  readonly heavy: readonly string[];
  /** Renders the heavy fields for the text; as JSON if not given. */
  readonly render?: (data: JsonObject) => string;
  readonly tail?: string;
  /** Writes the whole to a file, whose path the reply names when something is missing. */
  readonly wholeFile?: () => Promise<string>;
}

/** The reply within its limit, or the part of it that the caller asks for. */
export function heavyReply(call: Pick<ToolCall, "replyChars" | "part" | "again">, reply: HeavyReply): Promise<Reply> {
  const { head, data, heavy, render = (shown: JsonObject) => asJson(heavy, shown), tail, wholeFile, rest, newestLast } = reply;
  return pageReply(call, {
    data,
    heavy: [heavy.map((key) => (key === "" ? [] : [key]))],
    ...defined({ rest, newestLast }),
    ...(wholeFile === undefined ? {} : { beside: { from: 0, fields: async () => ({ whole: await wholeFile() }) } }),
    render: (shown, missing) => {
      const file = missing === "" || wholeFile === undefined ? "" : `The whole is in ${plainText(shown["whole"])}.`;
      return joinLines([head, render(shown), missing, file, tail]);
    },
  });
}

function asJson(keys: readonly string[], data: JsonObject): string {
  const [only = ""] = keys;
  return JSON.stringify(keys.length === 1 ? (data[only] ?? null) : Object.fromEntries(keys.map((key) => [key, data[key] ?? null])));
}

export interface ListReply {
  readonly head: string;
  readonly key: string;
  readonly entries: readonly JsonObject[];
  readonly line: (entry: JsonObject) => string;
  readonly data?: JsonObject;
  readonly more: (last: JsonObject, left: number) => Reply;
  readonly tail?: string;
}

/** As many entries as fit, from the first on; `more` says how to get the rest. */
export function listReply(call: Pick<ToolCall, "replyChars">, list: ListReply): Reply {
  return asManyAsFit(call, list.entries, (entries) => {
    const [last, left] = [entries.at(-1), list.entries.length - entries.length];
    const more = last === undefined || left === 0 ? undefined : list.more(last, left);
    const text = joinLines([list.head, ...entries.map(list.line), more?.text, list.tail]);
    return { text, data: { ...list.data, [list.key]: entries, ...more?.data } };
  });
}

/** The reply about the first entries, as many as have room; about one at least. */
export function asManyAsFit<Entry, Made extends Reply>(
  call: Pick<ToolCall, "replyChars">,
  entries: readonly Entry[],
  compose: (shown: readonly Entry[]) => Made,
): Made {
  const counts = [...sizesBelow(entries.length, 0.8, 1), Math.min(entries.length, 1)];
  return firstThatFits(inCharacters(call), counts, (count) => compose(entries.slice(0, count)));
}

/** What follows for a caller that only looked. `elsewhere`: another agent drives the run, and the caller is not needed in it now. */
export function followingRun(run: string, status: string, elsewhere: boolean): Following {
  const place = { run_id: run };
  switch (status) {
    case "blocked":
    case "failed":
      return { later: retryLater(run) };
    case "completed":
      return { next_call: { tool: "workflow_complete", arguments: place } };
    case "cancelled":
      return {};
    default:
      return elsewhere ? { later: whenFree(place) } : { next_call: { tool: "workflow_next", arguments: place } };
  }
}

/** Whether another connection drives the run and its process is alive, or was until shortly: the caller would be refused. */
export function isDrivenElsewhere(
  { caller }: Pick<ToolCall, "caller">,
  { state }: Pick<RunHandle, "state">,
  strands: readonly StrandStatus[],
): boolean {
  const alive = strands.some(({ strand, alive: lives }) => strand === "main" && lives);
  return alive && state.strands["main"]?.holder?.session !== caller.holder.session;
}

/** Asks for a run, or a task of it, that another agent works on. Nothing leads an agent to take it away. */
export function whenFree(place: JsonObject): LaterCall {
  return { when: "when its holder is done or gone", tool: "workflow_next", arguments: place };
}
