import { isOpen, moveTo } from "../run-rows.ts";
import { failureFinding } from "../report-change.ts";
import { canonicalJson, fieldOf, type JsonObject } from "../../../../base/index.ts";
import { type Action, type Actor, type Holder, type ItemMove, type RunState, mainStrand } from "../../../../kernel/index.ts";
import {
  actorOf,
  type Caller,
  fromRejected,
  refused,
  type EngineContext,
  commitInputs,
  rowsOf,
  type Rows,
  type RunHandle,
  isStopped,
  type Runtime,
} from "../../../../engine/index.ts";
import { isAtFiles, begunRuns, calledRuns, type CalledRun } from "../checklist-run.ts";
import type { Item } from "../../../../program/index.ts";

/** Files and items that failed are open again, with what was settled below them because of it. */
export async function reopenFailed(context: EngineContext, caller: Caller, run: string): Promise<number> {
  const handle = await context.runs.open(run);
  const lists = begunRuns(handle).map((each) => each.lists);
  const opened = await openAgain(context, caller, handle, () => lists);
  const at = await context.store.now();
  const stopped = isStopped(handle);
  if (opened === 0 && !stopped)
    throw refused("NOTHING_TO_RETRY", `Nothing in run \`${run}\` has failed or is blocked.`, "Ask for its status to see what is open.", {});
  if (stopped) {
    const retried = await commitInputs(context, handle, [{ input: { type: "retry", resetCounts: false, at, by: actorOf(caller) } }]);
    if (retried.kind === "rejected" && opened === 0) throw fromRejected(retried.rejected);
  }
  await returnToFiles(context, caller, handle);
  return opened;
}

/**
 * Opens again what failed in the checklists that a run calls, while the run goes through the files of that checklist. `passed`: why what
 * failed in one that the run has passed stays as it is.
 */
export const reopenCalled: NonNullable<Runtime<unknown>["reopen"]> = async (context, caller, handle) => {
  const failed = (state: RunState): readonly CalledRun[] =>
    calledRuns({ program: handle.program, state }).filter(({ lists }) => (state.lists[lists.files]?.by.failed ?? 0) > 0);
  const within = (state: RunState): readonly Lists[] =>
    failed(state).flatMap(({ definition, lists }) => (isAtFiles(handle, state, definition.type) ? [lists] : []));
  const opened = within(handle.state).length === 0 ? 0 : await openAgain(context, caller, handle, within);
  const [passed] = failed(handle.state);
  return { opened, ...(passed === undefined ? {} : { passed: isPassed(handle, passed) }) };
};

function isPassed({ id, state }: RunHandle, { definition: { type }, lists }: CalledRun): Error {
  const count = state.lists[lists.files]?.by.failed ?? 0;
  const why = state.status === "running" ? `has passed \`${type}\`` : `is ${state.status}`;
  const what = count === 1 ? "1 file or item failed" : `${count} files and items failed`;
  return refused(
    "NOTHING_TO_RETRY",
    `Run \`${id}\` ${why}, so what failed in \`${type}\` cannot be opened again: ${what} there. Nothing was changed.`,
    `Fix the cause, then start another run of \`${type}\` for those files.`,
    { failed: count },
  );
}

/** How many rows of the lists were opened. */
async function openAgain(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  lists: (state: RunState) => readonly Lists[],
): Promise<number> {
  const at = await context.store.now();
  let opened = 0;
  const decision = await commitInputs(context, handle, [
    {
      input: async (draft) => {
        const rows = rowsOf(context, handle.id, draft);
        const moves: ItemMove[] = [];
        opened = 0;
        for (const each of lists(draft.state)) {
          const again = await reopened(rows, each.files);
          opened += again.length;
          moves.push(...again, ...(await settled(rows, each, again)));
        }
        return { type: "items", change: { moves }, reason: "failed work is tried again", at, by: actorOf(caller) };
      },
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return opened;
}

type Lists = CalledRun["lists"];

async function reopened(rows: Rows, list: string): Promise<readonly ItemMove[]> {
  const moves = new Map<string, ItemMove>();
  const open = (row: Item): void => {
    moves.set(row.id, moveTo(row, "pending", { reason: null }));
  };
  for (const row of await rows.select({ list, query: { status: "failed" }, limit: 100_000 })) {
    open(row);
    const file = row.parent === undefined ? row : await rows.read(list, row.parent);
    if (file !== undefined && !isOpen(file)) open(file);
    for (const below of row.parent === undefined ? await rows.below(list, row.id) : [])
      if (below.status === "failed" || (below.status === "skipped" && (below.reason ?? "").startsWith("the file is blocked"))) open(below);
  }
  return [...moves.values()];
}

/** What failures that are tried again were found as: they are not findings any more, and the next report says what holds then. */
async function settled(rows: Rows, { files, findings }: Lists, again: readonly ItemMove[]): Promise<readonly ItemMove[]> {
  const failures = new Set<string>();
  for (const { id, from } of again) {
    const row = from === "failed" ? await rows.read(files, id) : undefined;
    if (row !== undefined) failures.add(canonicalJson(failureFinding(fieldOf(row.data, "file"), row.reason ?? undefined)));
  }
  const query = { status: "completed", facets: { category: "blocked" } } as const;
  const found = await rows.select({ list: findings, query, limit: 100_000 });
  return found
    .filter(({ data }) => failures.has(canonicalJson(data)))
    .map((row) => moveTo(row, "skipped", { reason: "what failed is tried again" }));
}

/** Sends the run back to its files when work was opened again while it waited to be completed. */
export async function returnToFiles(context: EngineContext, caller: Caller, handle: RunHandle): Promise<void> {
  const { state } = handle;
  const waits = state.strands[mainStrand]?.waits;
  const action = waits?.on === "action" ? state.actions[waits.id] : undefined;
  const holder = state.strands[mainStrand]?.holder;
  const open = begunRuns(handle).reduce((sum, { lists }) => sum + (state.lists[lists.files]?.by.pending ?? 0), 0);
  if (action?.what !== "complete_workflow" || holder === undefined || open === 0) return;
  await reportValue(context, handle, { action, holder, value: { again: true }, by: actorOf(caller) });
}

export interface GivenValue {
  readonly action: Action;
  readonly holder: Holder;
  readonly value: JsonObject;
  readonly by: Actor;
}

/** Ends an open action with this value, without asking its leaf. */
export async function reportValue(
  context: EngineContext,
  handle: RunHandle,
  { action, value, ...who }: GivenValue,
): ReturnType<typeof commitInputs> {
  const fence = handle.state.strands[action.strand]?.fence ?? 0;
  const outcome = { ok: true, value } as const;
  const at = await context.store.now();
  const input = { type: "report", action: action.id, fence, outcome, write: true, at, ...who } as const;
  return commitInputs(context, handle, [{ input, key: `report:${action.id}` }]);
}
