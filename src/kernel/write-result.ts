import type { Update } from "./event.ts";
import type { RunError } from "./frame.ts";
import { refuseForPerson, refuseHidden } from "./person-values.ts";
import type { Turn } from "./turn.ts";
import type { Leaf } from "./walk-leaf.ts";

/**
 * Writes a result, or answers why it cannot be written. What an agent brought does not replace what a person answered. What the author
 * wrote down does: the engine's own writes, an update that is handed out, and the value instead of a result.
 */
export function writeResult(
  turn: Turn,
  { strand, frame, block }: Leaf,
  updates: readonly Update[],
): Pick<RunError, "code" | "message"> | undefined {
  const { program, state } = turn;
  const { scope: id } = turn.strand(strand);
  const scope = state.scopes[id];
  const answered = frame.rescued === true ? undefined : frame.answered;
  const isBrought = answered === undefined && frame.rescued !== true && frame.version !== undefined && block.what !== "state_update";
  const refused = isBrought
    ? refuseForPerson(program, state, id, updates)
    : answered !== undefined && scope !== undefined
      ? refuseHidden(program, scope, updates)
      : undefined;
  if (refused !== undefined) return { code: refused.code, message: refused.message };
  const message = turn.write(id, updates, answered);
  return message === undefined ? undefined : { code: "STATE_WRITE", message };
}
