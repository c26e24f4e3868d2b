import type { CallToolResult } from "@modelcontextprotocol/server";
import { isList, isWaymarkError, own, type Json, type JsonObject, type WaymarkError } from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import { callText } from "../views/index.ts";
import { mcpCodes, unexpected } from "./codes.ts";
import { cutLevels, cutText, cutValue, type CutLevel } from "./cut-value.ts";
import { inCharacters } from "./position-reply.ts";
import type { Reply, ToolCall } from "./tool.ts";

export function encodeReply(reply: Reply): CallToolResult {
  return {
    content: [{ type: "text", text: reply.text }],
    structuredContent: { ...reply.data },
    ...(reply.meta === undefined ? {} : { _meta: { ...reply.meta } }),
  };
}

/** A call that an agent can make next. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export function nextCallText(call: NextCall): string {
  return `Next: ${callText(call)}`;
}

/**
 * A reply some fields of which may be large. When it does not fit, they are cut level by level, and `pointer` says where the whole is:
 * a sentence for both parts.
 */
export interface HeavyReply {
  readonly head: string;
  readonly data: JsonObject;
  readonly heavy: readonly string[];
  /** Lists are cut at their beginning, because the last entries matter most. */
  readonly newestLast?: boolean;
  /** Renders the heavy fields for the text; as JSON if not given. */
  readonly render?: (data: JsonObject) => string;
  readonly tail?: string;
  /** Called only when something is cut. */
  readonly pointer: () => Promise<string>;
}

export async function heavyReply(call: Pick<ToolCall, "replyChars">, reply: HeavyReply): Promise<Reply> {
  const limit = inCharacters(call);
  const whole = composeHeavy(reply, reply.data, undefined);
  if (limit.measure(whole) <= limit.most) return whole;
  const pointer = await reply.pointer();
  let shortened = whole;
  for (const level of cutLevels) {
    const cut = reply.heavy.map((key): [string, Json] => [key, cutHeavy(reply.data[key] ?? null, level, reply.newestLast === true)]);
    shortened = composeHeavy(reply, { ...reply.data, ...Object.fromEntries(cut) }, pointer);
    if (limit.measure(shortened) <= limit.most) return shortened;
  }
  return shortened;
}

function cutHeavy(value: Json, level: CutLevel, newestLast: boolean): Json {
  if (!newestLast || !isList(value)) return cutValue(value, level);
  const cut = cutValue(value.toReversed(), level);
  return isList(cut) ? cut.toReversed() : cut;
}

function composeHeavy(reply: HeavyReply, data: JsonObject, pointer: string | undefined): Reply {
  const shown = reply.render === undefined ? asJson(reply.heavy, data) : reply.render(data);
  const lines = [reply.head, shown, pointer, reply.tail].filter((line): line is string => line !== undefined && line !== "");
  return { text: lines.join("\n"), data: pointer === undefined ? data : { ...data, cut: pointer } };
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
    error: { code: error.code, message, fix, ...(details === undefined ? {} : { details }) },
    ...(about.run === undefined ? {} : { run_id: cutText(about.run, 200) }),
    ...(next === undefined ? {} : { next_call: { tool: next.tool, arguments: { ...next.arguments } } }),
  };
  return { isError: true, content: [{ type: "text", text }], structuredContent };
}

/** Facts a program can read, unless they are long: the message has said what matters. */
function detailsOf(error: WaymarkError, most: number): Json | undefined {
  if (Object.keys(error.details).length === 0) return undefined;
  const plain = JSON.parse(JSON.stringify(error.details)) as Json;
  for (const level of cutLevels) {
    const shorter = cutValue(plain, level);
    if (JSON.stringify(shorter).length <= most) return shorter;
  }
  return undefined;
}

/** The call that the catalogue names for a code; of a code without one, the status of the run. */
function nextCallAfter(error: WaymarkError, { again, run, task, worker, workflow }: FailedCall): NextCall | undefined {
  const next = (own(engineCodes, error.code) ?? own(mcpCodes, error.code))?.next;
  if (next === "again") return again;
  if (next === "nothing") return undefined;
  if (next === "list") return { tool: "workflow_list", arguments: {} };
  if (next === "info") return { tool: "workflow_info", arguments: { workflow: workflow ?? "" } };
  if (run === undefined || run.length > 200 || next === "runs") return { tool: "workflow_status", arguments: {} };
  const here = { run_id: run, ...(task === undefined ? {} : { task_id: task }), ...(worker === undefined ? {} : { worker }) };
  if (next === "next") return { tool: "workflow_next", arguments: here };
  if (next === "batch") return { tool: "workflow_batch", arguments: { ...here, dry_run: true } };
  if (next === "resume") return { tool: "workflow_resume", arguments: here };
  return { tool: "workflow_status", arguments: { run_id: run } };
}
