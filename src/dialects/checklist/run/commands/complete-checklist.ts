import { mainScope, mainStrand, type Action } from "../../../../kernel/index.ts";
import {
  actorOf,
  type Caller,
  fromRejected,
  refused,
  type EngineContext,
  commitInputs,
  type Draft,
  type RunHandle,
  next,
} from "../../../../engine/index.ts";
import { openOf, begunRuns, requireChecklist, shownAsEverywhere, type ChecklistRun } from "../checklist-run.ts";
import { notAskedCount, sumOf } from "../run-rows.ts";
import { notAsked } from "../file-rows.ts";
import { describe } from "../take-entry.ts";
import { reportValue, type GivenValue } from "./retry-checklist.ts";

/**
 * Ends a checklist run whose work is done. With work open it is refused and says what, unless the workflow's rules do not ask for
 * it: then what is open is settled as not asked for.
 */
export async function completeChecklist(context: EngineContext, caller: Caller, run: string, waitMs?: number): Promise<RunHandle> {
  const handle = await context.runs.open(run);
  const checklist = requireChecklist(handle);
  if (handle.state.status !== "running") return handle;
  const position = await next(context, caller, { run, waitForOthers: false, ...(waitMs === undefined ? {} : { waitMs }) });
  const open = openOf(handle, caller);
  const action =
    position.standing.kind === "action" && position.standing.action.what === "complete_workflow" ? position.standing.action : undefined;
  const waiting = openCount(handle);
  if (action === undefined && (waiting > 0 || open.question !== undefined || position.standing.kind !== "action")) {
    if (!mayEndEarly(handle, checklist, caller)) throw notDone(handle, caller, waiting, position.standing.kind);
    await sweep(context, caller, handle, checklist);
  }
  const ready = action ?? (await completeAction(context, caller, handle));
  if (ready === undefined) throw notDone(handle, caller, openCount(handle), "action");
  await report(context, handle, { action: ready, value: { again: false }, caller });
  await next(context, caller, { run, waitForOthers: false, ...(waitMs === undefined ? {} : { waitMs }) });
  // Something was opened meanwhile, by an undo for example: the run continues with it.
  if (handle.state.status === "running") throw notDone(handle, caller, openCount(handle), "working");
  return handle;
}

/** Continues to the end; what the caller still works on when the run may end early is settled like the rest. */
async function completeAction(context: EngineContext, caller: Caller, handle: RunHandle): Promise<Action | undefined> {
  for (;;) {
    const { standing } = await next(context, caller, { run: handle.id, waitForOthers: false });
    if (standing.kind !== "action") return undefined;
    if (standing.action.what === "complete_workflow") return standing.action;
    // Rules about files and items say nothing of a task.
    if (shownAsEverywhere.has(standing.action.what) || !mayEndEarly(handle, requireChecklist(handle), caller)) return undefined;
    await report(context, handle, { action: standing.action, value: { status: "skipped", skip_reason: notAsked, error: "" }, caller });
  }
}

async function report(
  context: EngineContext,
  handle: RunHandle,
  { caller, ...given }: Pick<GivenValue, "action" | "value"> & { readonly caller: Caller },
): Promise<void> {
  const decision = await reportValue(context, handle, { ...given, holder: caller.holder, by: actorOf(caller) });
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
}

/** What is open in the run's own workflow and in those that it has called. */
function openCount(handle: RunHandle): number {
  return begunRuns(handle).reduce((sum, { lists }) => {
    const by = handle.state.lists[lists.files]?.by;
    return sum + (by?.pending ?? 0) + (by?.in_progress ?? 0);
  }, 0);
}

/** The definition asks neither for all files nor for all items, all of them are known, and no other agent holds anything. */
function mayEndEarly({ state }: RunHandle, { definition, lists, raw }: ChecklistRun, { holder }: Caller): boolean {
  const { requireAllFiles, requireAllItems } = definition.rules;
  const asked = Object.values(state.decisions).some((decision) => decision.status === "pending");
  const scanned = sumOf(raw["scan"]).done && state.lists[lists.files] !== undefined;
  const own = state.strands[mainStrand]?.scope === mainScope;
  const others = Object.values(state.held).some(({ strand }) => {
    const held = state.strands[strand]?.holder;
    return held !== undefined && (held.session !== holder.session || held.name !== holder.name || held.kind !== holder.kind);
  });
  return !requireAllFiles && !requireAllItems && !asked && scanned && own && !others;
}

/** What is open is settled with the reason that nobody asked for it. */
async function sweep(context: EngineContext, caller: Caller, handle: RunHandle, { lists }: ChecklistRun): Promise<void> {
  const reason = notAsked;
  const at = await context.store.now();
  const decision = await commitInputs(context, handle, [
    {
      input: async (draft: Draft) => {
        const counts = draft.state.lists[lists.files];
        const facets = Object.fromEntries(Object.entries(counts?.facets ?? {}).map(([key, by]) => [key, by.pending]));
        const from = { list: lists.files, query: { status: "pending" }, from: "pending", to: "skipped" } as const;
        const sweeps = [{ ...from, reason, count: counts?.by.pending ?? 0, facets }];
        const open = (kind: "file" | "instance"): number => {
          const by = counts?.facets[`kind=${kind}`];
          return (by?.pending ?? 0) + (by?.in_progress ?? 0);
        };
        const count = {
          [notAskedCount(lists.files, "file")]: open("file"),
          [notAskedCount(lists.files, "instance")]: open("instance"),
        };
        return { type: "items", change: { sweeps, count }, reason, at, by: actorOf(caller) };
      },
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
}

function notDone(handle: RunHandle, caller: Caller, waiting: number, standing: string): Error {
  const { action, question } = openOf(handle, caller);
  const open =
    action !== undefined
      ? `Open is ${describe(action)}.`
      : question !== undefined
        ? `A question waits for its answer: ${question.question.slice(0, 200)}`
        : standing === "working"
          ? "The engine is still at work."
          : standing === "joining"
            ? "Other agents are working on the remaining files."
            : "";
  return refused(
    "RUN_NOT_DONE",
    `Run \`${handle.id}\` is not done: ${waiting} files and items are open. ${open}`,
    "Call workflow_next and continue until it says complete_workflow.",
    { open: waiting },
  );
}
