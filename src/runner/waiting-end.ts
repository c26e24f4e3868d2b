import { defined } from "../base/index.ts";
import { isOpen } from "../kernel/index.ts";
import { readLife, type EngineContext, type Position, type RunHandle } from "../engine/index.ts";
import { openQuestions, standingOf } from "../views/index.ts";
import type { DriveEnd } from "./drive-request.ts";

type InRun = Pick<Position, "run" | "state" | "program">;
type Blocked = Extract<Position["standing"], { readonly kind: "blocked" }>;

/** How driving ends at a part that waits for a person, a time or a retry; undefined at any other. */
export function waitingEnd(
  { run, state, program }: InRun,
  standing: { readonly kind: Exclude<Position["standing"]["kind"], "blocked"> } | Blocked,
): DriveEnd | undefined {
  if (standing.kind === "question") return { run, kind: "waits", questions: openQuestions(state) };
  if (standing.kind !== "blocked") return undefined;
  const { reason: why, until, denied } = standing;
  const end = { run, kind: "parked", why, ...defined({ until }) } as const;
  // Only a permission and a time let what is blocked continue by itself.
  if (denied === true) return { ...end, allow: { workflow: program.name } };
  return until === undefined ? { ...end, stuck: true } : end;
}

/**
 * The ends of all parts of a run that wait so, whichever worker had them. A part that someone else alive holds is for them; `own` are
 * the workers of this driver.
 */
export async function waitingEnds(context: EngineContext, handle: RunHandle, own: ReadonlySet<string>): Promise<readonly DriveEnd[]> {
  const { id: run, state, program } = handle;
  const ends: DriveEnd[] = [];
  for (const strand of Object.values(state.strands)) {
    const end = isOpen(strand.status) ? waitingEnd({ run, state, program }, standingOf(state, strand.id)) : undefined;
    if (end === undefined) continue;
    const { alive } = await readLife(context, run, strand);
    if (alive === undefined || own.has(alive.owner)) ends.push(end);
  }
  return ends;
}
