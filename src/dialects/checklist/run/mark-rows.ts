import { moveTo, reopenedFile } from "./run-rows.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { Actor, ItemMove } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import { type Draft, type Request, rowsOf, type Rows } from "../../../engine/index.ts";
import { byEngine } from "./file-rows.ts";
import { batchList, mostFailuresKept, type BatchPlan, type BatchRecord } from "./batch-plan.ts";
import { type ChecklistRun, heldReason, isHeldByOther, type InRun } from "./checklist-run.ts";

/** Rows that one input moves. */
const rowsPerInput = 1_000;

interface Confirmed {
  /** Known when the batch has its row. */
  readonly batch: () => string;
  readonly at: number;
  readonly by: Actor;
}

type Failure = BatchRecord["failures"][number];

/**
 * Skips and flags edit nothing: their rows move, a thousand at a time, all of them or none. What an agent works on or settled
 * since the preview is left out with its reason.
 */
export function markRequests({ context, handle, run }: InRun, plan: BatchPlan, { batch, at, by }: Confirmed): readonly Request[] {
  const items = plan.files.flatMap(({ path, items: own }) => own.map(({ id, line }) => ({ id, file: path, line })));
  const parts = Math.ceil(items.length / rowsPerInput);
  return Array.from({ length: parts }, (_, part) => ({
    input: async (draft: Draft) => {
      const rows = rowsOf(context, handle.id, draft);
      const chunk = items.slice(part * rowsPerInput, (part + 1) * rowsPerInput);
      const taken = (file: string): boolean => isHeldByOther({ ...handle, state: draft.state }, file, by);
      const { moves, marked, left } = await marks({ rows, run, taken }, plan, chunk);
      const row = await rows.read(batchList, batch());
      const done = part === parts - 1;
      return {
        type: "items" as const,
        change: { moves: row === undefined ? moves : [...moves, recorded(row, { marked, left, done })] },
        reason: plan.operation,
        at,
        by,
      };
    },
  }));
}

interface Marking {
  readonly rows: Rows;
  readonly run: ChecklistRun;
  readonly taken: (file: string) => boolean;
}

interface Marks {
  readonly moves: readonly ItemMove[];
  readonly marked: number;
  readonly left: readonly Failure[];
}

async function marks(
  { rows, run: { lists }, taken }: Marking,
  plan: BatchPlan,
  items: readonly { readonly id: string; readonly file: string; readonly line: number }[],
): Promise<Marks> {
  const moves: ItemMove[] = [];
  const left: Failure[] = [];
  const files = new Map<string, ItemMove>();
  for (const { id, file, line } of items) {
    const row = await rows.read(lists.files, id);
    const held = row?.status === "in_progress" || taken(file);
    if (held || row === undefined || !isMarked(row, plan)) {
      left.push({ file, line, error: held ? heldReason : `It was ${row?.status ?? "removed"} since the preview.` });
      continue;
    }
    moves.push(
      plan.operation === "skip_instances"
        ? moveTo(row, "skipped", { reason: plan.reason ?? "skipped by a batch" })
        : flagged(row, plan.reason),
    );
    if (plan.operation === "skip_instances" || row.status === "pending" || row.parent === undefined) continue;
    for (const move of reopenedFile(await rows.read(lists.files, row.parent), "an instance was flagged")) files.set(move.id, move);
  }
  return { moves: [...moves, ...files.values()], marked: moves.length, left };
}

/** What waits or failed; what the engine settled as nothing to do is opened by a flag. */
function isMarked({ status, facets }: Item, { operation }: BatchPlan): boolean {
  return (
    status === "pending" ||
    status === "failed" ||
    (status === "skipped" && facets["settled"] === byEngine && operation === "flag_for_review")
  );
}

function recorded(row: Item, { marked, left, done }: Pick<Marks, "marked" | "left"> & { readonly done: boolean }): ItemMove {
  const before = row.data as unknown as BatchRecord;
  const data: BatchRecord = {
    ...before,
    modified: before.modified + marked,
    left_out: before.left_out + left.length,
    failures: [...before.failures, ...left].slice(0, mostFailuresKept),
    done,
  };
  return moveTo(row, done ? "completed" : row.status, { data: data as unknown as JsonObject });
}

/** Flagged instances are nobody's to fix by machine any more: an agent or a person looks at each. */
function flagged(row: Item, reason: string | undefined): ItemMove {
  const seed = row.facets["seed"] ?? "";
  const step = row.facets["step"];
  const { settled: _settled, ...facets } = row.facets;
  const newFacets = {
    ...facets,
    flag: "yes",
    fix: "manual",
    seedfix: `${seed}|manual`,
    ...(step === undefined ? {} : { stepfix: `${step}|manual` }),
  };
  const data = { ...(row.data as JsonObject), auto: false, needs: "manual", why: reason ?? "flagged for review" };
  return moveTo(row, "pending", { newFacets, label: "flagged", data, reason: reason ?? "flagged for review" });
}
