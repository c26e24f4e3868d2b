import type { JsonObject } from "../../base/index.ts";
import type { Actor, ItemMove } from "../../kernel/index.ts";
import type { Item } from "../../program/index.ts";
import type { EngineContext } from "../context.ts";
import type { Draft, Request } from "../decide.ts";
import { reopenedFile } from "../effects/apply-edits.ts";
import { rowsOf, type Rows } from "../effects/effect.ts";
import type { RunHandle } from "../run-cache.ts";
import { batchList, type BatchPlan } from "./batch-plan.ts";
import type { ChecklistRun } from "./checklist-run.ts";

/** Rows that one input moves. */
const rowsPerInput = 1_000;

interface Place {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly run: ChecklistRun;
}

interface Confirmed {
  /** Known when the batch has its row. */
  readonly batch: () => string;
  readonly at: number;
  readonly by: Actor;
}

/** Skips and flags edit nothing: their rows move, a thousand at a time, all of them or none. */
export function markRequests({ context, handle, run }: Place, plan: BatchPlan, { batch, at, by }: Confirmed): readonly Request[] {
  const ids = plan.files.flatMap((file) => file.items.map((item) => item.id));
  const parts = Math.ceil(ids.length / rowsPerInput);
  return Array.from({ length: parts }, (_, part) => ({
    input: async (draft: Draft) => {
      const rows = rowsOf(context, handle.id, draft);
      const chunk = ids.slice(part * rowsPerInput, (part + 1) * rowsPerInput);
      const { moves, marked } = await marks(rows, run, plan, chunk);
      const row = await rows.read(batchList, batch());
      const done = part === parts - 1;
      const left = chunk.length - marked;
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

async function marks(
  rows: Rows,
  { lists }: ChecklistRun,
  plan: BatchPlan,
  ids: readonly string[],
): Promise<{ readonly moves: readonly ItemMove[]; readonly marked: number }> {
  const moves: ItemMove[] = [];
  const files = new Map<string, ItemMove>();
  for (const id of ids) {
    const row = await rows.read(lists.files, id);
    if (row?.status !== "pending" && row?.status !== "failed") continue;
    moves.push(plan.operation === "skip_instances" ? skipped(row, plan.reason) : flagged(row, plan.reason));
    if (plan.operation === "skip_instances" || row.status === "pending" || row.parent === undefined) continue;
    for (const move of reopenedFile(await rows.read(lists.files, row.parent), "an instance was flagged")) files.set(move.id, move);
  }
  return { moves: [...moves, ...files.values()], marked: moves.length };
}

function recorded(row: Item, { marked, left, done }: { readonly marked: number; readonly left: number; readonly done: boolean }): ItemMove {
  const { modified = 0, left_out: out = 0, ...data } = row.data as JsonObject;
  return {
    list: row.list,
    id: row.id,
    from: row.status,
    to: done ? "completed" : row.status,
    facets: row.facets,
    root: row.root,
    data: { ...data, modified: Number(modified) + marked, left_out: Number(out) + left, done },
  };
}

function skipped(row: Item, reason: string | undefined): ItemMove {
  return {
    list: row.list,
    id: row.id,
    from: row.status,
    to: "skipped",
    facets: row.facets,
    root: row.root,
    reason: reason ?? "skipped by a batch",
  };
}

/** Flagged instances are nobody's to fix by machine any more: an agent or a person looks at each. */
function flagged(row: Item, reason: string | undefined): ItemMove {
  const seed = row.facets["seed"] ?? "";
  const step = row.facets["step"];
  const newFacets = {
    ...row.facets,
    flag: "yes",
    fix: "manual",
    seedfix: `${seed}|manual`,
    ...(step === undefined ? {} : { stepfix: `${step}|manual` }),
  };
  const data = { ...(row.data as JsonObject), auto: false, needs: "manual", why: reason ?? "flagged for review" };
  return {
    list: row.list,
    id: row.id,
    from: row.status,
    to: "pending",
    facets: row.facets,
    newFacets,
    root: row.root,
    label: "flagged",
    data,
    reason: reason ?? "flagged for review",
  };
}
