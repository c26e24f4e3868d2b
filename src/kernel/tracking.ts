import { isList, readPath, splitPath, textOf, type Json } from "../base/index.ts";
import type { Update } from "./event.ts";
import type { RunError } from "./frame.ts";
import { stepName } from "./read-state.ts";
import type { Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { targetOf } from "./write-state.ts";

type Tracked = "completed" | "failed" | "retries" | "lastError" | "errors";

/** Keeps the fields a workflow declared for tracking. A tracked field of the wrong type is left alone. */
export function track(turn: Turn, strand: Strand, what: Tracked, value: Json): void {
  const tracking = turn.partOf(strand).tracking;
  const path = what === "errors" ? tracking.errors?.path : tracking[what];
  if (what === "completed") forgetFailure(turn, strand, tracking.failed, value);
  const keys = path === undefined ? undefined : splitPath(path);
  if (keys === undefined) return;
  const target = targetOf(what === "retries" ? [...keys, textOf(value)] : keys);
  if (!target.ok || (what === "failed" && listed(turn, strand, target.value).includes(value))) return;
  const op = what === "retries" ? "increment" : what === "lastError" ? "set" : "append";
  turn.write(strand.scope, [{ ...target.value, op, value: what === "retries" ? 1 : value }]);
}

/** A step that succeeds after all is not failed any more. */
function forgetFailure(turn: Turn, strand: Strand, path: string | undefined, step: Json): void {
  const target = targetOf(splitPath(path ?? "") ?? []);
  if (!target.ok) return;
  const failed = listed(turn, strand, target.value);
  if (failed.includes(step)) turn.write(strand.scope, [{ ...target.value, op: "set", value: failed.filter((entry) => entry !== step) }]);
}

function listed(turn: Turn, strand: Strand, { tier, keys }: Pick<Update, "tier" | "keys">): readonly Json[] {
  const held = readPath(turn.state.scopes[strand.scope]?.[tier], keys);
  return isList(held) ? held : [];
}

/** A failure in the fields that the workflow declared for it. */
export function trackFailure(turn: Turn, strand: Strand, error: RunError, step: string): void {
  const stacks = turn.partOf(strand).tracking.errors?.stacks === true ? { stack: error.stack ?? stackOf(turn, strand) } : {};
  const facts = { type: error.code, message: error.message, step_id: step, ...stacks };
  track(turn, strand, "failed", step);
  track(turn, strand, "lastError", facts);
  track(turn, strand, "errors", facts);
}

/** The strand's place in the workflow, innermost first: steps with the places they are written at. */
function stackOf(turn: Turn, strand: Strand): string {
  const steps = strand.frames.filter((frame) => frame.kind !== "rescue" && !frame.block.includes("$")).toReversed();
  const lines = steps.map((frame) => {
    const place = turn.program.places[frame.block];
    return `at ${stepName(frame)}${place === undefined ? "" : ` (${place.file}:${place.line}:${place.column})`}`;
  });
  return lines.join("\n");
}
