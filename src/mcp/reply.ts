import type { CallToolResult } from "@modelcontextprotocol/server";
import { isWaymarkError, type Json, type JsonObject, type WaymarkError } from "../base/index.ts";
import { callText } from "../views/index.ts";
import { unexpected } from "./codes.ts";
import { cutText } from "./cut-text.ts";
import { inCharacters, pageReply, partReply } from "./page-reply.ts";
import { pageValue, pathText } from "./page-value.ts";
import { plainText } from "./plain-text.ts";
import type { NextCall, Part, Reply, ToolCall } from "./tool.ts";

export function encodeReply(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: reply.text }],
    structuredContent: { ...reply.data },
    ...(reply.meta === undefined ? {} : { _meta: { ...reply.meta } }),
  };
}

export function nextCallText(call: NextCall): string {
  return `Next: ${callText(call)}`;
}

/** A reply some fields of which may be too large for it; `heavy` are their keys. */
export interface HeavyReply {
  readonly head: string;
  readonly data: JsonObject;
  readonly heavy: readonly string[];
  /** Of lists the end is shown, because the last entries matter most; their rest is read from the beginning. */
  readonly newestLast?: boolean;
  /** Renders the heavy fields for the text; as JSON if not given. */
  readonly render?: (data: JsonObject) => string;
  readonly tail?: string;
  /** The call that brings the rest; this one again if not given. */
  readonly rest?: (part: Part) => NextCall;
  /** Writes the whole to a file, whose path the reply names when something is missing. */
  readonly wholeFile?: () => Promise<string>;
}

/** The reply within its limit, or the part of it that the caller asks for. */
export async function heavyReply(call: Pick<ToolCall, "replyChars" | "part" | "again">, reply: HeavyReply): Promise<Reply> {
  const { head, data, heavy, render, tail, wholeFile, rest = (part: Part) => againFor(call, part) } = reply;
  if (call.part !== undefined) return partReply(call, data, call.part, rest);
  return pageReply(call, {
    data,
    heavy: [heavy],
    rest,
    ...(reply.newestLast === true ? { newestLast: true } : {}),
    ...(wholeFile === undefined ? {} : { beside: { from: 0, fields: async () => ({ whole: await wholeFile() }) } }),
    render: (shown, missing) => {
      const file = missing === "" || wholeFile === undefined ? "" : `The whole is in ${plainText(shown["whole"])}.`;
      const lines = [head, render === undefined ? asJson(heavy, shown) : render(shown), missing, file, tail];
      return lines.filter((line): line is string => line !== undefined && line !== "").join("\n");
    },
  });
}

/** Arguments longer than this are not repeated in a reply, where they would take the room of what was asked for. */
const longestAgain = 500;

/** The same call for a part of what it gives; undefined where a repeat would not give it, or is too long to name. */
export function againFor({ again }: Pick<ToolCall, "again">, part: Part): NextCall | undefined {
  if (again === undefined || JSON.stringify(again.arguments).length > longestAgain) return undefined;
  return { tool: again.tool, arguments: { ...again.arguments, part: { ...part } } };
}

function asJson(keys: readonly string[], data: JsonObject): string {
  const [only] = keys;
  return JSON.stringify(
    keys.length === 1 && only !== undefined ? (data[only] ?? null) : Object.fromEntries(keys.map((key) => [key, data[key] ?? null])),
  );
}

export interface ListReply {
  readonly head: string;
  readonly key: string;
  readonly entries: readonly JsonObject[];
  readonly line: (entry: JsonObject) => string;
  readonly data?: JsonObject;
  readonly more: (last: JsonObject, left: number) => { readonly text: string; readonly data: JsonObject };
  readonly tail?: string;
}

/** As many entries as fit, from the first on; `more` says how to get the rest. */
export function listReply(call: Pick<ToolCall, "replyChars">, list: ListReply): Reply {
  const limit = inCharacters(call);
  for (let shown = list.entries.length; ; shown = Math.floor(shown * 0.8)) {
    const entries = list.entries.slice(0, shown);
    const last = entries.at(-1);
    const more =
      last === undefined || entries.length === list.entries.length ? undefined : list.more(last, list.entries.length - entries.length);
    const lines = [list.head, ...entries.map(list.line), more?.text, list.tail].filter(
      (line): line is string => line !== undefined && line !== "",
    );
    const reply = { text: lines.join("\n"), data: { ...list.data, [list.key]: entries, ...more?.data } };
    if (shown <= 1 || limit.measure(reply) <= limit.most) return reply;
  }
}

export interface FailedCall {
  /** The call as it should have been made. */
  readonly again: NextCall;
  readonly run?: string;
  readonly task?: string;
  readonly worker?: string;
  readonly workflow?: string;
  readonly replyChars: number;
}

/** A refusal: what happened, what to do, and the call that comes next, in both parts. */
export function encodeError(cause: unknown, about: FailedCall): CallToolResult {
  const error = isWaymarkError(cause) ? cause : unexpected(cause);
  const next = nextCallAfter(error, about);
  const room = Math.floor((about.replyChars - 800) / 4);
  const message = cutText(error.message, room);
  const fix = cutText(error.fix ?? "Ask for the run's status.", Math.floor(room / 2));
  const details = detailsOf(error, room);
  const text = [`${error.code}: ${message}`, `Do this: ${fix}`, next === undefined ? "" : nextCallText(next)]
    .filter((line) => line !== "")
    .join("\n");
  const structuredContent = {
    error: { code: error.code, message, fix, ...(details.shown === undefined ? {} : { details: details.shown }) },
    ...(details.missing.length === 0 ? {} : { truncated: details.missing }),
    ...(about.run === undefined ? {} : { run_id: cutText(about.run, 200) }),
    ...(next === undefined ? {} : { next_call: { tool: next.tool, arguments: { ...next.arguments } } }),
  };
  return { isError: true, content: [{ type: "text", text }], structuredContent };
}

/** Facts a program can read, as far as there is room: the message has said what matters, and no call brings the rest. */
function detailsOf(error: WaymarkError, most: number): { readonly shown?: Json; readonly missing: readonly JsonObject[] } {
  if (Object.keys(error.details).length === 0) return { missing: [] };
  const { shown, cuts } = pageValue(JSON.parse(JSON.stringify(error.details)) as Json, Math.max(0, most));
  return { shown, missing: cuts.map(({ keys, total }) => ({ path: pathText(["error", "details", ...keys]), total })) };
}

const toNext = [
  "ENGINE_WRONG_STEP",
  "ENGINE_NO_ACTION",
  "ACTION_NOT_OPEN",
  "TASKS_OPEN",
  "RUN_NOT_DONE",
  "ANSWER_REFUSED",
  "DECISION_FOR_PERSON",
  "DECISION_CLOSED",
  "DECISION_REVISED",
  "STRAND_NOT_HELD",
  "MCP_NO_ANSWER",
  "EFFECT_NOT_OPEN",
  "ENGINE_OFF_COURSE",
  "MACHINE_REPORT_REFUSED",
  "MACHINE_STATE_FIXED",
  "MCP_NO_PART",
];
const toBatch = ["ENGINE_TOKEN_UNKNOWN", "ENGINE_TOKEN_DEAD"];
const toResume = ["STRAND_HELD", "HOLDER_LOST"];

function nextCallAfter(error: WaymarkError, { again, run, task, worker, workflow }: FailedCall): NextCall | undefined {
  switch (error.code) {
    case "MCP_BAD_ARGUMENT":
    case "MCP_UNKNOWN_ARGUMENT":
      return again;
    case "ENGINE_NO_WORKFLOW":
    case "ENGINE_INVALID_WORKFLOW":
    case "ENGINE_AMBIGUOUS_WORKFLOW":
      return { tool: "workflow_list", arguments: {} };
    case "ENGINE_WRONG_INPUTS":
      return { tool: "workflow_info", arguments: { workflow: workflow ?? "" } };
    case "ENGINE_NOT_ALLOWED":
    case "MCP_OTHER_TOOLSET":
    case "MCP_READ_ONLY":
      return undefined;
    default:
  }
  if (run === undefined || run.length > 200 || error.code === "ENGINE_NO_RUN") return { tool: "workflow_status", arguments: {} };
  const here = { run_id: run, ...(task === undefined ? {} : { task_id: task }), ...(worker === undefined ? {} : { worker }) };
  if (toNext.includes(error.code)) return { tool: "workflow_next", arguments: here };
  if (toBatch.includes(error.code)) return { tool: "workflow_batch", arguments: { ...here, dry_run: true } };
  if (toResume.includes(error.code)) return { tool: "workflow_resume", arguments: here };
  return { tool: "workflow_status", arguments: { run_id: run } };
}
