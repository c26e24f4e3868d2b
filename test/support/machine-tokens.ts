/** What a dispatch costs beside the task's own texts and the paths it names, in tokens of o200k_base. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { isList, isObject, type Json, type JsonObject } from "../../src/base/index.ts";
import type { Handed } from "./machine-mcp.ts";

interface DispatchCost {
  readonly step: string;
  /** The text and the data of a reply say the same twice; a client shows one of them. */
  readonly text: number;
  readonly data: number;
  readonly whole: number;
}

/** Fields that hold texts of the task, or paths. Everything else is Waymark's own. */
const ownTexts: ReadonlySet<string> = new Set(["title", "goal", "non_goals", "constraints", "acceptance_checks", "findings"]);
const paths: ReadonlySet<string> = new Set([
  "context_files",
  "session_changed_files",
  "artifact_list",
  "deliver",
  "may_change",
  "project_instructions",
  "instructions",
  "session",
]);

export function costOf({ step, dispatch, reply }: Handed): DispatchCost {
  const bare = JSON.stringify(stripped(dispatch));
  const texts = textsIn(dispatch).toSorted((a, b) => b.length - a.length);
  const without = (text: string): string => texts.reduce((held, each) => held.replaceAll(each, ""), text);
  const notes = isList(reply.data.notes) ? (reply.data.notes as readonly string[]) : [];
  const text = notes.reduce(
    (held, note) => held.replaceAll(note, ""),
    reply.text.replace(JSON.stringify(dispatch), () => bare),
  );
  const { step: shown, notes: _notes, ...rest } = reply.data as JsonObject;
  const data = JSON.stringify({ ...rest, step: { ...(isObject(shown) ? shown : {}), definition: stripped(dispatch) } });
  return { step, text: encode(without(text)).length, data: encode(without(data)).length, whole: encode(reply.text).length };
}

function stripped(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, held]): [string, Json] => {
      if (ownTexts.has(key) || paths.has(key)) return [key, isList(held) ? [] : ""];
      return [key, isObject(held) ? stripped(held) : held];
    }),
  );
}

/** Own texts and paths as they may stand in sentences as well; short words would be found everywhere. */
function textsIn(value: Json | undefined, own = false): string[] {
  if (typeof value === "string") return own && value.length > 8 ? [value] : [];
  if (isList(value)) return value.flatMap((entry) => textsIn(entry, own));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, held]) => textsIn(held, own || ownTexts.has(key) || paths.has(key)));
}
