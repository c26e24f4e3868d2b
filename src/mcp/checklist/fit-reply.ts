import { isObject, type JsonObject } from "../../base/index.ts";
import type { PositionView } from "../../views/index.ts";
import { cutLevels, cutText, cutValue, type CutLevel } from "../cut-value.ts";
import { inCharacters } from "../position-reply.ts";
import type { Reply, ToolCall } from "../tool.ts";

/** Keys that an agent cannot go on without, however little room there is. */
const kept: ReadonlySet<string> = new Set([
  "session_id",
  "run_id",
  "status",
  "next_call",
  "fill_in",
  "later",
  "confirmation_token",
  "confirmation_required",
  "batch_id",
]);

/** Views keep to their own budgets; this is for servers with a smaller limit, and for paths and names that nobody foresaw. */
export async function fitReply(call: ToolCall, run: string, view: PositionView): Promise<Reply> {
  const limit = inCharacters(call);
  if (limit.measure(view) <= limit.most) return view;
  const path = await call.engine.host.views.write(`replies/${run}.json`, `${JSON.stringify(view.data, null, 2)}\n`);
  let shorter: Reply = view;
  for (const level of cutLevels) {
    shorter = cutView(view, level, path);
    if (limit.measure(shorter) <= limit.most) return shorter;
  }
  return shorter;
}

function cutView({ text, data }: PositionView, level: CutLevel, path: string): Reply {
  const entries = Object.entries(data).map(([key, value]): [string, JsonObject[string]] => {
    if (kept.has(key)) return [key, value];
    return [key, key === "next_action" && isObject(value) ? cutAction(value, level) : cutValue(value, level)];
  });
  const lines = text.split("\n");
  const shown = lines.slice(0, Math.max(6, level.entries)).map((line) => cutText(line, Math.max(level.chars, 120)));
  const last = lines.length > shown.length ? [cutText(lines.at(-1) ?? "", 600)] : [];
  return {
    text: [...shown, ...last, `Cut; the whole is in ${path}.`].join("\n"),
    data: { ...Object.fromEntries(entries), cut: `The whole is in ${path}.` },
  };
}

/** Names and places stay whole; only texts are cut. */
function cutAction(action: JsonObject, level: CutLevel): JsonObject {
  const whole = new Set([
    "type",
    "action",
    "action_id",
    "file",
    "line",
    "column",
    "checklist_item_id",
    "topic_id",
    "instance_type",
    "tool_call",
  ]);
  return Object.fromEntries(Object.entries(action).map(([key, value]) => [key, whole.has(key) ? value : cutValue(value, level)]));
}
