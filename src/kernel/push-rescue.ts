import { wake } from "./fail-item.ts";
import type { RunError } from "./run-state.ts";
import { localsOf, scopeAt, type Turn } from "./turn.ts";
import { closeOpenLeaf } from "./unwind.ts";

/** Puts the dealing with a failure on the strand's stack. `of` is the index of the frame that is rescued; -1 for the run's own steps. */
export function pushRescue(turn: Turn, strandId: string, of: number, error: RunError): void {
  const strand = turn.strand(strandId);
  const block = strand.frames[Math.max(of, 0)]?.block ?? turn.mainPart().root;
  const scope = scopeAt(strand, of);
  const elsewhere = scope !== strand.scope;
  const names = elsewhere ? { ...localsOf(strand.frames.slice(0, Math.max(of, 0))), ...strand.frames[of]?.locals } : {};
  const locals = { ...names, error: { message: error.message, code: error.code, type: error.code, step_id: error.block ?? "" } };
  closeOpenLeaf(turn, strandId);
  for (const timer of Object.values(turn.state.timers))
    if (timer.strand === strandId && timer.why === "timeout" && (timer.depth ?? 0) >= of)
      turn.emit({ type: "timer_gone", timer: timer.id });
  turn.emit({
    type: "entered",
    strand: strandId,
    frame: { kind: "rescue", block, of, error, phase: "writes", locals, ...(elsewhere ? { inner: strand.scope } : {}) },
    scope,
  });
  wake(turn, strandId);
}
