import type { Commit } from "../ports/index.ts";
import { encodeText } from "./stored-text.ts";

/**
 * The columns of a run that finding work goes by: `parts`, JSON, and `due`, from when the run is looked at; both null when nothing of it can be
 * taken up. undefined where the commit leaves them.
 */
export function waitingColumns({
  waiting,
}: Pick<Commit, "waiting">): { readonly due: number | null; readonly parts: string | null } | undefined {
  if (waiting === undefined) return undefined;
  if (waiting === null || (waiting.free === 0 && waiting.held.length === 0 && waiting.due === undefined)) return { due: null, parts: null };
  const { free, held, due } = waiting;
  const isOpen = free > 0 || held.length > 0;
  return {
    due: isOpen ? 0 : (due ?? 0),
    parts: JSON.stringify({ free, held: held.map(encodeText), ...(due === undefined ? {} : { due }) }),
  };
}
