import type { ItemMove } from "../../kernel/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { begunRuns } from "../checklist/checklist-run.ts";
import { revive } from "../checklist/revive.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide } from "../decide.ts";
import { rowsOf, type Rows } from "../effects/effect.ts";
import type { Item } from "../../program/index.ts";

/** Files and items that failed are open again, with what was settled below them because of it. */
export async function reopenFailed(context: EngineContext, caller: Caller, run: string): Promise<number> {
  const handle = await context.runs.open(run);
  const lists = begunRuns(handle).map((each) => each.lists.files);
  const at = await context.store.now();
  let opened = 0;
  const decision = await decide(context, handle, [
    {
      input: async (draft) => {
        const rows = rowsOf(context, handle.id, draft);
        const moves: ItemMove[] = [];
        for (const list of lists) moves.push(...(await reopened(rows, list)));
        opened = moves.length;
        return { type: "items", change: { moves }, reason: "failed work is tried again", at, by: actorOf(caller) };
      },
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  const blocked = Object.values(handle.state.strands).some((strand) => strand.status === "blocked" || strand.status === "failed");
  if (opened === 0 && !blocked && handle.state.status !== "failed")
    throw refused("NOTHING_TO_RETRY", `Nothing in run \`${run}\` has failed or is blocked.`, "Ask for its status to see what is open.", {});
  if (blocked || handle.state.status === "failed") {
    const retried = await decide(context, handle, [{ input: { type: "retry", resetCounts: false, at, by: actorOf(caller) } }]);
    if (retried.kind === "rejected" && opened === 0) throw fromRejected(retried.rejected);
  }
  await revive(context, caller, handle);
  return opened;
}

async function reopened(rows: Rows, list: string): Promise<readonly ItemMove[]> {
  const moves = new Map<string, ItemMove>();
  const open = (row: Item): void => {
    moves.set(row.id, { list, id: row.id, from: row.status, to: "pending", facets: row.facets, root: row.root, reason: null });
  };
  for (const row of await rows.select({ list, query: { status: "failed" }, limit: 100_000 })) {
    open(row);
    const file = row.parent === undefined ? row : await rows.read(list, row.parent);
    if (file !== undefined && file.status !== "pending" && file.status !== "in_progress") open(file);
    for (const below of row.parent === undefined ? await rows.below(list, row.id) : [])
      if (below.status === "failed" || (below.status === "skipped" && (below.reason ?? "").startsWith("the file is blocked"))) open(below);
  }
  return [...moves.values()];
}
