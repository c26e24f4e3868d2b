import type { JsonObject } from "../../../../base/index.ts";
import type { BlockId, DoBlock } from "../../../../program/index.ts";
import { value } from "../../../../source/index.ts";
import type { Builder } from "./build.ts";

/** A caller of another dialect reads how many files ended how, and how many findings came while the checklist ran. */
export function withOutcome({ lists, put }: Builder, blocks: readonly BlockId[]): readonly BlockId[] {
  const list = `work[${JSON.stringify(lists.findings)}]`;
  const findings = `(${list} ? ${list}.counts.total : 0)`;
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
