import type { BlockId, DoBlock } from "../../../../program/index.ts";
import { condition, value } from "../../../../source/index.ts";
import type { PhaseDefinition } from "../checklist-definition.ts";
import { engine, phaseLabel, type Builder } from "./build.ts";
import type { JsonObject } from "../../../../base/index.ts";

/** Wrong answers that close the question where an agent carries them. */
const relayedTries = 3;

/** What was found is summed up, a person chooses the way, and the batch is offered. Nothing found, nothing asked. */
export function lowerDecision(
  builder: Builder,
  { batch, review }: { readonly batch: PhaseDefinition | undefined; readonly review: PhaseDefinition | undefined },
  gate: readonly BlockId[],
): BlockId[] {
  const { definition, lists, put } = builder;
  const args = { list: value(lists.files), findings: value(lists.findings) };
  const sum = put(engine("summarise", "summarise", args, { writes: "raw.analysis" }));
  const approach = definition.approach;
  if (approach === undefined) return [sum];
  const ask = put({
    id: "approach",
    kind: "do",
    who: "person",
    what: "ask",
    args: { prompt: { as: "text", of: "{{ raw.analysis.question }}" } },
    writes: [{ path: { as: "path", of: "raw.approach" }, op: "set" }],
    ask: {
      answerBy: approach.answerBy,
      options: approach.options.map(({ id, label }) => ({ value: id, label })),
      ...(approach.answerBy === "relay" ? { tries: relayedTries } : {}),
    },
  });
  const blocks = [ask];
  // Without a phase of its own the batch is made at the beginning of the review.
  const within = batch ?? (approach.options.some(({ id }) => id === "apply_auto_first") ? review : undefined);
  if (within !== undefined) {
    const what = "batch_apply";
    const apply = put({ id: what, kind: "do", who: "agent", what, args: { list: value(lists.files) }, writes: [], whenLost: "retry" });
    const inside = put({ id: "batch.phase", kind: "seq", blocks: [...gate, apply], ...phaseLabel(within) });
    const when = condition("raw.approach == 'apply_auto_first' && raw.analysis.auto > 0");
    blocks.push(put({ id: "batch.choose", kind: "choose", branches: [{ when, then: inside }] }));
  }
  const decide = put({ id: "decide", kind: "seq", blocks });
  const branches = [{ when: condition("raw.analysis.instances > 0"), then: decide }];
  return [sum, put({ id: "decide.choose", kind: "choose", branches, ...phaseLabel(batch) })];
}

/** A caller of another dialect reads how many files ended how, and how many findings came while the checklist ran. */
export function withOutcome({ lists, put }: Builder, blocks: readonly BlockId[]): readonly BlockId[] {
  const list = `work[${JSON.stringify(lists.findings)}]`;
  const findings = `(${list} ? ${list}.counts.completed : 0)`;
  const rows = `((work[${JSON.stringify(lists.files)}] || {}).by || {})["kind=file"]`;
  const count = (status: string): string => `((${rows} || {}).${status} || 0)`;
  const [completed, skipped, failed] = [count("completed"), count("skipped"), count("failed")];
  const files = {
    total: `{{ ${completed} + ${skipped} + ${failed} }}`,
    completed: `{{ ${completed} }}`,
    skipped: `{{ ${skipped} }}`,
    failed: `{{ ${failed} }}`,
  };
  // Findings are the run's: those that were there before are not of this call.
  const begin = put(outcome("outcome.begin", { findings_before: `{{ ${findings} }}` }));
  const end = put(outcome("outcome", { files, findings: `{{ ${findings} - raw.outcome.findings_before }}` }));
  return [begin, ...blocks, end];
}

function outcome(id: string, of: JsonObject): DoBlock {
  const writes = [{ path: { as: "path" as const, of: "raw.outcome" }, op: "set" as const, value: value(of) }];
  return { id, kind: "do", who: "engine", what: "set", args: {}, writes };
}
