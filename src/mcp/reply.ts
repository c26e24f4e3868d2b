import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, isWaymarkError, type Json, type JsonObject, type WaymarkError } from "../base/index.ts";
import { callText, followingData, followingText, type Following } from "../views/index.ts";
import { afterError, type FailedCall } from "./after-error.ts";
import { unexpected } from "./codes.ts";
import { inCharacters, pageReply, type LongReply } from "./page-reply.ts";
import { pageValue, pathText } from "./page-value.ts";
import { cutText, joinLines, plainText } from "./reply-text.ts";
import type { Reply, ToolCall } from "./tool.ts";

export function encodeReply(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: reply.text }],
    structuredContent: { ...reply.data },
    ...(reply.meta === undefined ? {} : { _meta: { ...reply.meta } }),
  };
}

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
    heavy: [heavy],
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
  const limit = inCharacters(call);
  for (let shown = entries.length; ; shown = Math.floor(shown * 0.8)) {
    const reply = compose(entries.slice(0, shown));
    if (shown <= 1 || limit.measure(reply) <= limit.most) return reply;
  }
}

/** A refusal: what happened, what to do, and the call that comes next, in both parts. That call may be among the error's details, with one for later. */
export function encodeError(cause: unknown, about: FailedCall): CallToolResult {
  const error = isWaymarkError(cause) ? cause : unexpected(cause);
  const { next_call: own, later, ...facts } = error.details as JsonObject & Following;
  const following = own === undefined ? afterError(error, about) : { next_call: own, ...(later === undefined ? {} : { later }) };
  const room = Math.floor((about.replyChars - 800) / 4);
  const message = cutText(error.message, room);
  const fix = cutText(error.fix ?? "Ask for the run's status.", Math.floor(room / 2));
  const details = detailsOf(facts, room);
  const text = [`${error.code}: ${message}`, `Do this: ${fix}`, ...nextLines(following)].join("\n");
  const structuredContent = {
    error: { code: error.code, message, fix, ...(details.shown === undefined ? {} : { details: details.shown }) },
    ...(details.missing.length === 0 ? {} : { truncated: details.missing }),
    ...(about.run === undefined ? {} : { run_id: cutText(about.run, 200) }),
    ...followingData(following),
  };
  return { isError: true, content: [{ type: "text", text }], structuredContent };
}

/** Facts a program can read, as far as there is room: the message has said what matters, and no call brings the rest. */
function detailsOf(facts: WaymarkError["details"], most: number): { readonly shown?: Json; readonly missing: readonly JsonObject[] } {
  if (Object.keys(facts).length === 0) return { missing: [] };
  const { shown, cuts } = pageValue(JSON.parse(JSON.stringify(facts)) as Json, Math.max(0, most));
  return { shown, missing: cuts.map(({ keys, total }) => ({ path: pathText(["error", "details", ...keys]), total })) };
}
