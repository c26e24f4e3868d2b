import { defined, isObject, isoTime, textOf } from "../../../base/index.ts";
import type { EventOf } from "../../../kernel/index.ts";
import type { Dated, LoggedRecord, LoggedRun, LoggedSaying, LogLine } from "./log-line.ts";
import { nodeLines, type ActionNode } from "./node-lines.ts";
import { readSignal } from "./read-signal.ts";

/** The log of a run: what its journal tells and what its agents said and did, in the order in which it happened. */
export function logLines(run: LoggedRun, records: readonly LoggedRecord[], transcript: readonly LoggedSaying[]): readonly LogLine[] {
  const { lines, said } = run.definition.nodes === undefined ? chainLines(run, records) : graphLines(run, records);
  // What an agent did comes before what the engine made of it in the same millisecond.
  const all = [...agentLines(transcript, said), ...lines].toSorted((a, b) => a.at - b.at);
  return all.map(({ at, type, ...rest }) => ({ type, workflow_id: run.uuid, ...rest, ts: isoTime(at) }));
}

/** What the journal tells, and what is said of the lines of an action's agent. */
interface Told {
  readonly lines: readonly Dated[];
  readonly said: (action: string) => Said;
}

interface Said {
  readonly step?: string;
  readonly step_index?: number;
  /** The signal of a loop, which is not shown. */
  readonly signal?: string;
}

/** Members of `parallel` are at work beside each other, so what their agents say names the step. */
function chainLines(run: LoggedRun, records: readonly LoggedRecord[]): Told {
  const { steps, loop } = run.definition;
  const said = defined({ signal: loop?.until });
  const beside = new Map(
    steps.flatMap(({ block, name, beside: entry }, at) => (entry === undefined ? [] : [[block, { step: name, step_index: at }]])),
  );
  const actions = new Map<string, string>();
  for (const { events } of records)
    for (const event of events) if (event.type === "action_opened" && beside.size > 0) actions.set(event.action.id, event.action.block);
  return { lines: stepLines(run, records), said: (action) => ({ ...said, ...beside.get(actions.get(action) ?? "") }) };
}

/** Nodes are at work beside each other, so what agents say names its node. */
function graphLines(run: LoggedRun, records: readonly LoggedRecord[]): Told {
  const { lines, actions } = nodeLines(run, records);
  return { lines, said: (action) => saidOf(actions.get(action)) };
}

function saidOf(of: ActionNode | undefined): Said {
  if (of === undefined) return {};
  const { does, block } = of.node;
  return { step: block, ...defined({ signal: does.kind === "loop" ? does.until : undefined }) };
}

interface Begun {
  readonly block: string;
  readonly of: { readonly step: string; readonly step_index: number };
}

/** Steps by the strands that they run in. */
class StepLines {
  readonly lines: Dated[] = [];
  readonly #definition: LoggedRun["definition"];
  readonly #indexes: ReadonlyMap<string, Begun["of"]>;
  readonly #open = new Map<string, Begun>();
  #last: Begun | undefined;
  #rounds = 0;

  constructor(definition: LoggedRun["definition"]) {
    this.#definition = definition;
    this.#indexes = new Map(definition.steps.map(({ block, name }, at) => [block, { step: name, step_index: at }]));
  }

  begin(at: number, strand: string, block: string): void {
    const found = this.#indexes.get(block);
    if (found === undefined || this.#open.get(strand)?.block === block) return;
    const begun = { block, of: this.#definition.loop === undefined ? found : { ...found, step_index: this.#rounds++ } };
    this.#open.set(strand, begun);
    this.#last = begun;
    this.lines.push({ at, type: "step_start", ...begun.of });
  }

  left(at: number, { strand, block, how }: EventOf<"left">): void {
    if (how !== "failed" && this.#indexes.has(block)) this.#end(at, strand);
  }

  failed(at: number, { strand, error }: EventOf<"failed">): void {
    // All rounds are used up: the last one ended well by itself.
    const round = error.code === "LOOP_LIMIT" && this.#definition.loop !== undefined ? this.#last : undefined;
    if (round !== undefined && !this.#open.has(strand)) this.#open.set(strand, round);
    this.#end(at, strand, error.message);
  }

  #end(at: number, strand: string, error?: string): void {
    const open = this.#open.get(strand);
    if (open !== undefined)
      this.lines.push({ at, type: error === undefined ? "step_complete" : "step_error", ...open.of, ...defined({ error }) });
    this.#open.delete(strand);
  }
}

function stepLines({ definition, message }: LoggedRun, records: readonly LoggedRecord[]): readonly Dated[] {
  const steps = new StepLines(definition);
  const { lines } = steps;
  for (const { at, events } of records)
    for (const event of events) {
      if (event.type === "started") lines.push({ at, type: "workflow_start", workflow_name: definition.name, content: message });
      else if (event.type === "entered") steps.begin(at, event.strand, event.frame.block);
      else if (event.type === "action_opened") steps.begin(at, event.action.strand, event.action.block);
      else if (event.type === "left") steps.left(at, event);
      else if (event.type === "failed") steps.failed(at, event);
      else if (event.type === "ended")
        lines.push(
          event.status === "completed"
            ? { at, type: "workflow_complete" }
            : { at, type: "workflow_error", error: event.error?.message ?? `The run was ${event.status}.` },
        );
    }
  return lines;
}

/** What agents say is logged without the signal of the loop. */
function agentLines(transcript: readonly LoggedSaying[], said: Told["said"]): readonly Dated[] {
  const seen = new Set<string>();
  return transcript.flatMap(({ at, action, event }): readonly Dated[] => {
    const { signal, ...of } = said(action);
    if (event.type === "message") {
      const { text = "" } = event;
      const content = signal === undefined ? text : readSignal(text, signal).output;
      return content === "" ? [] : [{ at, type: "assistant", ...of, content }];
    }
    if (event.type === "notice" && event.once === true && event.text !== undefined && !seen.has(event.text)) {
      seen.add(event.text);
      return [{ at, type: "notice", ...of, content: event.text }];
    }
    if (event.type !== "tool") return [];
    const { id = "", name = "", input, status } = event;
    const key = `${action} ${id}`;
    // Agents say what a tool is given when it begins or later; one that never says so is logged when it ends.
    if (seen.has(key) || (input === undefined && status !== "done" && status !== "failed")) return [];
    seen.add(key);
    const given = isObject(input) ? input : input === undefined ? {} : { input: textOf(input) };
    return [{ at, type: "tool", ...of, tool_name: name, tool_input: given }];
  });
}
