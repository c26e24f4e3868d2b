import type { JsonObject } from "../../../../base/index.ts";
import type { BlockId, Rescue, Write } from "../../../../program/index.ts";
import { condition, taskBlocks, value } from "../../../../source/index.ts";
import type { PhaseDefinition, PhaseRole } from "../checklist-definition.ts";
import { phaseLabel, type Builder } from "./build.ts";

/**
 * A phase that is one task. It runs once, also when the run returns to its files; what came of it is kept by the id of the phase. A
 * required one that fails stops the run until it is tried again, another one is passed over.
 */
export function lowerTask({ put }: Builder, phase: PhaseDefinition, gate: readonly BlockId[]): BlockId[] {
  const { id: name, task, retries = 0, required } = phase;
  if (task === undefined) return [];
  const id = `task.${name}`;
  const kept = (came: JsonObject): Write => ({ path: { as: "path", of: "raw.tasks" }, op: "merge", value: value({ [name]: came }) });
  const writes = [kept({ status: "completed", result: "{{ did }}" })];
  const done = put({ id: `${id}.done`, kind: "do", who: "engine", what: "set", args: {}, writes });
  const failed: Rescue = required
    ? { then: "block" }
    : { then: "continue", writes: [kept({ status: "failed", error: "{{ error.message }}" })] };
  const tried = put({
    id: `${id}.try`,
    kind: "seq",
    blocks: [...taskBlocks(task, { id: `${id}.act`, name: value(name), as: "did" }, put), done],
    rescue: { retry: { times: retries, delayMs: 0, factor: 1, capMs: 0 }, ...failed },
  });
  const then = put({ id, kind: "seq", blocks: [...gate, tried], ...phaseLabel(phase) });
  const when = condition(`raw.tasks[${JSON.stringify(name)}] == null`);
  return [put({ id: `${id}.choose`, kind: "choose", branches: [{ when, then }] })];
}

const prepares: readonly PhaseRole[] = ["inventory", "guides", "scan", "batch"];
const works: readonly PhaseRole[] = ["review", "agent", "verification"];

/** Where a task runs: ahead of a phase in which the engine prepares the work, among those that work on it, or after all of these. */
export function taskPlace(phases: readonly PhaseDefinition[], task: PhaseDefinition): PhaseDefinition | "among" | "after" {
  const at = phases.indexOf(task);
  // The engine does each of these where its first phase is.
  const first = prepares.flatMap((role) => phases.find((phase) => phase.role === role) ?? []);
  const next = first.find((phase) => phases.indexOf(phase) > at);
  return next ?? (phases.findLastIndex(({ role }) => works.includes(role)) > at ? "among" : "after");
}
