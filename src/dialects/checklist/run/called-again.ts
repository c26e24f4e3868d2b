import { moveTo, reopenedFile, sumOf } from "./run-rows.ts";
import type { ItemMove, ItemsChange, RunState } from "../../../kernel/index.ts";
import type { FileScan } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import type { RunHandle, Rows } from "../../../engine/index.ts";
import { joined } from "./effects/apply-edits.ts";
import { fileChange } from "./effects/file-effects.ts";
import { scopeNumber, scopesOf, type ChecklistRun, roundOf, type CalledAgain, type Job } from "./checklist-run.ts";
import { notRead, whyUnread, givenUp } from "./file-rows.ts";

const reason = "called again";

/**
 * A call with no row of its list open begins a new round; one that finds rows open, after a retry or a jump, continues the round that
 * they belong to. undefined in the first round.
 */
export function calledAgain({ state }: RunHandle, scope: string, run: ChecklistRun): CalledAgain | undefined {
  const counts = state.lists[run.lists.files];
  if (run.main || counts === undefined || counts.total === 0) return undefined;
  const earlier = scopesOf(state, run.definition.type).filter((id) => scopeNumber(id) < scopeNumber(scope));
  const before = earlier.map((id) => state.scopes[id]?.raw ?? {}).at(-1) ?? {};
  const round = roundOf(before);
  // A scan that was broken off has opened a part of the files only.
  const unopened = round?.opens === true && !sumOf(before["scan"]).done;
  if (counts.by.pending + counts.by.in_progress === 0 && !unopened) return { since: scope, opens: true, due: dueSince(state, scope, run) };
  return round === undefined ? undefined : { since: round.since, opens: unopened, due: dueSince(state, round.since, run) };
}

function dueSince(state: RunState, since: string, { definition }: ChecklistRun): CalledAgain["due"] {
  const begun = (name: string): boolean => scopesOf(state, name).some((id) => scopeNumber(id) > scopeNumber(since));
  return Object.fromEntries(definition.subWorkflows.filter((name) => !begun(name)).map((name) => [name, true]));
}

/**
 * Opens a file and what is below it for another round, as a first scan would find it. What earlier rounds converted stays done while it
 * is gone; entries that the verification made stay settled, for it makes new ones. Findings and proposed changes stay where they are.
 */
export async function openAgain(job: Job, rows: Rows, scan: FileScan, fresh: readonly Item[]): Promise<ItemsChange> {
  const list = job.run.lists.files;
  const file = await rows.read(list, scan.path);
  const below = (await rows.below(list, scan.path)).filter((row) => row.facets["kind"] !== "instance");
  const unread = whyUnread(scan);
  if (file === undefined) return {};
  if (unread !== undefined)
    return {
      moves: [
        moveTo(file, "skipped", { reason: unread }),
        ...below.map((row) => moveTo(row, "skipped", { reason: `${notRead}${unread}` })),
      ],
    };
  const { change, open } = await fileChange(job, rows, scan, { reopen: true, again: reason });
  const now = new Map(fresh.map((row) => [row.id, row]));
  const moves = below.flatMap((row) => reopened(row, row.facets["kind"] === "topic" ? "pending" : now.get(row.id)?.status));
  const known = new Set(below.map(({ id }) => id));
  const items = fresh.filter((row) => row.parent !== undefined && row.facets["kind"] !== "instance" && !known.has(row.id));
  const work = open > 0 || [...below, ...items].some((row) => row.status === "pending") || moves.some(({ to }) => to === "pending");
  const top = work ? reopenedFile(file, reason) : reopened(file, "completed");
  const kept = file.label === givenUp ? top.map((move) => ({ ...move, label: "called_again" })) : top;
  return joined([change, { moves: [...moves, ...kept] }, { add: items.length === 0 ? [] : [{ list, items }] }]);
}

function reopened(row: Item, to: Item["status"] | undefined): readonly ItemMove[] {
  if (to === undefined || to === row.status) return [];
  return [moveTo(row, to, { reason: to === "pending" ? reason : null })];
}
