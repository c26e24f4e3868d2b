import { defined, isObject, isoTime, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { Event } from "../../../kernel/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { readSignal } from "./read-signal.ts";

/** One line of a run's log, in the fields of the seed. */
export interface LogLine {
  readonly type:
    | "workflow_start"
    | "workflow_complete"
    | "workflow_error"
    | "step_start"
    | "step_complete"
    | "step_error"
    | "assistant"
    | "tool";
  readonly workflow_id: string;
  readonly workflow_name?: string;
  readonly step?: string;
  readonly step_index?: number;
  readonly content?: string;
  readonly tool_name?: string;
  readonly tool_input?: JsonObject;
  readonly error?: string;
  readonly ts: string;
}

/** A record of the journal, as far as the log reads it. */
export interface LoggedRecord {
  readonly at: number;
  readonly events: readonly Event[];
}

/** Something that an agent said or did, as far as the log reads it. */
export interface LoggedSaying {
  readonly at: number;
  readonly action: string;
  readonly event: {
    readonly type: string;
    readonly text?: string;
    readonly id?: string;
    readonly name?: string;
    readonly input?: Json;
    readonly status?: string;
  };
}

/** What of a run its lines are made with. */
export interface LoggedRun {
  readonly uuid: string;
  readonly definition: PromptsDefinition;
  readonly message: string;
}

/** A line without what all of them have, and when it happened. */
type Dated = Omit<LogLine, "workflow_id" | "ts"> & { readonly at: number };

/** The log of a run: what its journal tells and what its agents said and did, in the order in which it happened. */
export function logLines(run: LoggedRun, records: readonly LoggedRecord[], transcript: readonly LoggedSaying[]): readonly LogLine[] {
  const told = stepLines(run, records);
  // What an agent did comes before what the engine made of it in the same millisecond.
  const all = [...agentLines(transcript, run.definition.loop?.until), ...told].toSorted((a, b) => a.at - b.at);
  return all.map(({ at, type, ...rest }) => ({ type, workflow_id: run.uuid, ...rest, ts: isoTime(at) }));
}

function stepLines({ definition, message }: LoggedRun, records: readonly LoggedRecord[]): readonly Dated[] {
  const lines: Dated[] = [];
  const indexes = new Map(definition.steps.map(({ block, name }, at) => [block, { step: name, step_index: at }]));
  type Begun = { readonly block: string; readonly of: { readonly step: string; readonly step_index: number } };
  let [open, last]: [Begun | undefined, Begun | undefined] = [undefined, undefined];
  let rounds = 0;
  const begin = (at: number, block: string): void => {
    const found = indexes.get(block);
    if (found === undefined || open?.block === block) return;
    open = { block, of: definition.loop === undefined ? found : { ...found, step_index: rounds++ } };
    last = open;
    lines.push({ at, type: "step_start", ...open.of });
  };
  const end = (at: number, error?: string): void => {
    if (open !== undefined)
      lines.push({ at, type: error === undefined ? "step_complete" : "step_error", ...open.of, ...defined({ error }) });
    open = undefined;
  };
  for (const { at, events } of records)
    for (const event of events) {
      if (event.type === "started") lines.push({ at, type: "workflow_start", workflow_name: definition.name, content: message });
      else if (event.type === "entered") begin(at, event.frame.block);
      else if (event.type === "action_opened") begin(at, event.action.block);
      else if (event.type === "left" && event.how !== "failed" && indexes.has(event.block)) end(at);
      else if (event.type === "failed") {
        // All rounds are used up: the last one ended well by itself.
        if (event.error.code === "LOOP_LIMIT" && definition.loop !== undefined) open ??= last;
        end(at, event.error.message);
      } else if (event.type === "ended")
        lines.push(
          event.status === "completed"
            ? { at, type: "workflow_complete" }
            : { at, type: "workflow_error", error: event.error?.message ?? `The run was ${event.status}.` },
        );
    }
  return lines;
}

/** What agents say is logged without the signal of the loop. */
function agentLines(transcript: readonly LoggedSaying[], signal: string | undefined): readonly Dated[] {
  const seen = new Set<string>();
  return transcript.flatMap(({ at, action, event }): readonly Dated[] => {
    if (event.type === "message") {
      const { text = "" } = event;
      const content = signal === undefined ? text : readSignal(text, signal).output;
      return content === "" ? [] : [{ at, type: "assistant", content }];
    }
    if (event.type !== "tool") return [];
    const { id = "", name = "", input, status } = event;
    const key = `${action} ${id}`;
    // Agents say what a tool is given when it begins or later; one that never says so is logged when it ends.
    if (seen.has(key) || (input === undefined && status !== "done" && status !== "failed")) return [];
    seen.add(key);
    return [
      { at, type: "tool", tool_name: name, tool_input: isObject(input) ? input : input === undefined ? {} : { input: textOf(input) } },
    ];
  });
}
