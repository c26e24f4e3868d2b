import type { Json, JsonObject } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** Values longer than this are named by their size, so that a resume stays short. */
const valueChars = 160;
const namesShown = 24;

/** The text a person gives to the next conversation. */
export function resumeText(run: string, workflow: string): string {
  return `Resume the Waymark run ${run} (workflow ${workflow}): call workflow_resume with run_id "${run}", then do exactly what each reply says until the status is completed.`;
}

/** What a fresh conversation needs to know: names and short values, never history. */
export function shortState(flat: JsonObject, exclude: readonly string[]): JsonObject {
  const short: Record<string, Json> = {};
  const names = Object.keys(flat).filter((name) => !exclude.includes(name));
  for (const name of names.slice(0, namesShown)) short[name] = shorten(flat[name] ?? null);
  if (names.length > namesShown) short["..."] = `${names.length - namesShown} more fields; read them with workflow_state_read`;
  return short;
}

function shorten(value: Json): Json {
  const text = JSON.stringify(value);
  if (text.length <= valueChars) return value;
  if (Array.isArray(value)) return `list of ${value.length} entries`;
  if (typeof value === "string") return `${value.slice(0, 80)}... (${value.length} characters)`;
  return `object with ${Object.keys(value as JsonObject).length} keys`;
}

export function lastCheckpoint(program: Program, state: RunState): JsonObject {
  const mark = state.mark;
  if (mark !== undefined) return { step_id: mark.step, timestamp: new Date(mark.at).toISOString(), reason: mark.reason };
  return {
    step_id: state.strands["main"]?.frames.at(-1)?.block ?? program.main,
    timestamp: new Date(state.startedAt).toISOString(),
    reason: "every step is a checkpoint",
  };
}
