import { canonicalJson, defined, type JsonObject } from "../../../../base/index.ts";
import type { Input } from "../../../../kernel/index.ts";
import type { Item } from "../../../../program/index.ts";
import {
  actorOf,
  type Caller,
  engineActor,
  fromRejected,
  refused,
  type EngineContext,
  commitInputs,
  type RunHandle,
  waitForChange,
} from "../../../../engine/index.ts";
import {
  batchList,
  readPlan,
  summariseLeftOut,
  type BatchOperation,
  type BatchPlan,
  type BatchRecord,
  type LeftOut,
  newRecord,
} from "../batch-plan.ts";
import {
  applyAutoFirst,
  checklistOf,
  isApproach,
  requireChecklist,
  runNamed,
  runOfPlan,
  type ChecklistRun,
  type InRun,
  rulesHash,
} from "../checklist-run.ts";
import { markRequests } from "../mark-rows.ts";
import { instanceCounts, newRow } from "../run-rows.ts";
import { batches, batchUnderWay } from "./gather-facts.ts";
import { returnToFiles } from "./retry-checklist.ts";
import { planBatch, whyNothing, type BatchFilter } from "../plan-batch.ts";

export interface BatchRequest {
  readonly run: string;
  readonly operation: BatchOperation;
  readonly filter: BatchFilter;
  /** Of skips and flags: why. */
  readonly reason?: string;
}

export interface BatchPreview {
  readonly plan: BatchPlan;
  /** Absent when nothing matches. */
  readonly token?: string;
  readonly expiresAt?: number;
  /** Selected but not planned: no certain rewrite, or an agent works on it. */
  readonly leftOut: readonly LeftOut[];
  /** When nothing matches: what the filter names that is not there. */
  readonly note?: string;
}

const tokenLife = 24 * 60 * 60_000;

/** What the batch would do, and a token that confirms exactly that. Changes nothing but the journal. */
export async function previewBatch(context: EngineContext, caller: Caller, request: BatchRequest): Promise<BatchPreview> {
  const handle = await context.runs.open(request.run);
  requireChecklist(handle);
  refuseEnded(handle);
  const run = request.operation === "apply_changes" ? requireChecklist(handle) : runNamed(handle, request.filter.workflow);
  refuseBareSkip(run, request);
  const { plan, leftOut } = await planBatch({ context, handle, run }, { ...request, holder: caller.holder });
  if (plan.instances === 0)
    return { plan, leftOut, ...defined({ note: leftOut.length > 0 ? undefined : whyNothing({ context, handle, run }, request.filter) }) };
  const shown: BatchPlan = { ...plan, ...defined({ leftOut: summariseLeftOut(leftOut) }) };
  const kept = await context.store.putBlob(new TextEncoder().encode(JSON.stringify(shown)));
  const token = `batch-${handle.id.slice(-6)}-${plan.instances}-${context.host.randomText(10)}`;
  const at = await context.store.now();
  await commitInputs(context, handle, [
    {
      input: { type: "items", change: {}, reason: "a batch was previewed", at, by: actorOf(caller) },
      key: `preview:${token}`,
      facts: {
        plan: { $blob: kept.hash, bytes: kept.bytes },
        operation: request.operation,
        filter: request.filter,
        ...defined({ reason: request.reason }),
      },
    },
  ]);
  return { plan, token, expiresAt: at + tokenLife, leftOut };
}

/** Skips have reasons, and only where the workflow allows them. */
function refuseBareSkip({ definition }: ChecklistRun, { operation, reason }: BatchRequest): void {
  if (operation !== "skip_instances") return;
  if (!definition.rules.allowSkip)
    throw refused(
      "ENGINE_OFF_COURSE",
      "This workflow allows no skips. Nothing was changed.",
      "Do the instances one by one with workflow_next, or flag them for review.",
      { kind: "skip" },
    );
  if ((reason ?? "").trim() === "")
    throw refused("ENGINE_OFF_COURSE", "A skip needs its reason.", "Repeat the call with a reason.", { kind: "skip" });
}

/** `operation` and `filter` are compared with what was previewed, when they are given. */
interface Confirmation extends Partial<Pick<BatchRequest, "operation" | "filter">> {
  readonly run: string;
  readonly token: string;
}

/** Does what was previewed, once. Answers the batch's id; `waitForBatch` tells when it is done. */
export async function runBatch(context: EngineContext, caller: Caller, request: Confirmation): Promise<{ readonly batch: string }> {
  const handle = await context.runs.open(request.run);
  requireChecklist(handle);
  const { hash, plan, run } = await confirmed({ context, handle }, request);
  const at = await context.store.now();
  const by = actorOf(caller);
  let batch = "";
  const row = (draft: { readonly state: RunHandle["state"] }): Item => {
    if (editing(draft.state) !== undefined) throw busy(handle);
    batch = `b${(draft.state.lists[batchList]?.total ?? 0) + 1}`;
    return batchRow(batch, hash, plan, at);
  };
  const added = async (draft: { readonly state: RunHandle["state"] }): Promise<Input> => ({
    type: "items",
    change: { add: [{ list: batchList, items: [row(draft)] }] },
    reason: "a batch was confirmed",
    at,
    by,
  });
  const edits = plan.operation === "apply_fixes" || plan.operation === "apply_changes";
  const entry = async (): Promise<Input> => ({ type: "entry", name: "batch", args: { plan: hash, batch }, at, by });
  // What edits nothing is done with its confirmation, or not at all.
  const rest = edits ? [{ input: entry }] : markRequests({ context, handle, run }, plan, { batch: () => batch, at, by });
  const key = `batch:${request.token}`;
  const used = (): Promise<Error> => usedToken({ context, handle }, request.token, hash);
  const decision = await commitInputs(context, handle, [{ input: added, key }, ...rest]).catch(async (error: unknown) => {
    throw (await context.store.findRecord(handle.id, key)) === undefined ? error : await used();
  });
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  if (decision.kind === "repeated") throw await used();
  // What a flag opened again is gone through, also when all was done.
  if (plan.operation === "flag_for_review") await returnToFiles(context, caller, handle);
  return { batch };
}

function batchRow(id: string, hash: string, plan: BatchPlan, at: number): Item {
  const record: BatchRecord = {
    ...newRecord(plan.operation, hash, at),
    previewed: plan.instances,
    files: plan.files.length,
    ...defined({ left_out_beforehand: plan.leftOut }),
  };
  const facets = { operation: plan.operation };
  const data = record as unknown as JsonObject;
  return { ...newRow({ list: batchList, id, order: id.padStart(8, "0"), status: "in_progress", data, facets }), attempts: 1 };
}

/** The plan that a token confirms, if everything it is bound to is as it was. */
async function confirmed(
  { context, handle }: Pick<InRun, "context" | "handle">,
  { token, operation, filter }: Confirmation,
): Promise<{ readonly hash: string; readonly plan: BatchPlan; readonly run: ChecklistRun }> {
  const record = await context.store.findRecord(handle.id, `preview:${token}`);
  const facts =
    record?.facts === undefined
      ? undefined
      : (JSON.parse(record.facts) as { plan: { $blob: string }; operation: string; filter: BatchFilter; reason?: string });
  if (record === undefined || facts === undefined)
    throw refused(
      "ENGINE_TOKEN_UNKNOWN",
      `\`${token}\` is not a confirmation token of run \`${handle.id}\`.`,
      "Make a dry run first (workflow_batch, or `waymark batch`) and confirm with the token that it gives.",
      {},
    );
  if ((await context.store.findRecord(handle.id, `batch:${token}`)) !== undefined)
    throw await usedToken({ context, handle }, token, facts.plan.$blob);
  refuseEnded(handle);
  const dead = (why: string, details: JsonObject = {}): Error =>
    refused(
      "ENGINE_TOKEN_DEAD",
      `The preview is out of date: ${why} Nothing was changed.`,
      "Make a new dry run, show it, and confirm with its token.",
      { ...details, dry_run: { operation: facts.operation, filter: { ...facts.filter }, ...defined({ reason: facts.reason }) } },
    );
  if (record.at + tokenLife <= (await context.store.now())) throw dead("it is older than 24 hours.");
  if (operation !== undefined && operation !== facts.operation) throw dead(`it was given for ${facts.operation}, not ${operation}.`);
  if (filter !== undefined && Object.keys(filter).length > 0 && canonicalJson(filter) !== canonicalJson(facts.filter))
    throw dead("the filter is another one.");
  const hash = facts.plan.$blob;
  const plan = await readPlan(context, hash);
  const run = runOfPlan(handle, plan);
  if (plan.rules !== (await rulesHash(context, run))) throw dead("the rules have changed.");
  const moved: string[] = [];
  for (const { path, edit, content } of plan.files) {
    const now = await context.workspace.read(context.host.workspace, path);
    if (now?.hash !== (edit?.before ?? content)) moved.push(path);
  }
  if (moved.length > 0)
    throw dead(`${moved.length} of its files changed since, first ${moved.slice(0, 3).join(", ")}.`, { files: moved.slice(0, 50) });
  return { hash, plan, run };
}

const askNext = "Ask for the next step: it waits until this is done.";

/** The batch or undoing that is under way, for which everything else waits. */
export function editing({ strands }: RunHandle["state"]): string | undefined {
  return Object.values(strands).find((strand) => strand.pauses === true)?.entry;
}

export function busy({ id, state }: RunHandle): Error {
  return refused(
    "STRAND_HELD",
    `Run \`${id}\` is at work on files: ${editing(state) === "undo" ? "a batch is being undone" : "a batch is being applied"}. Nothing was changed.`,
    askNext,
    { waits: true },
  );
}

async function usedToken({ context, handle }: Pick<InRun, "context" | "handle">, token: string, plan: string): Promise<Error> {
  const open = (await batches(context, handle.id)).find(({ record }) => record.plan === plan && !record.done);
  const how = open === undefined ? undefined : await batchUnderWay(context, handle);
  return refused(
    "ENGINE_TOKEN_USED",
    `\`${token}\` has been used: its batch ${how === undefined ? "was done once and is not done again" : `${open?.id} ${how}`}.`,
    how === undefined ? "Ask for the run's status to see what it did; make a new dry run for more." : askNext,
    how === undefined ? {} : { waits: true },
  );
}

function refuseEnded(handle: RunHandle): void {
  if (handle.state.status !== "running")
    throw refused("RUN_ENDED", `Run \`${handle.id}\` is ${handle.state.status}; no batch can be made in it.`, "Start a new run.", {});
}

/** With nothing left to do, it is not a question any more which way to go. Answers what became of it; undefined when it was none. */
export async function closeApproach(context: EngineContext, id: string): Promise<string | undefined> {
  const handle = await context.runs.open(id);
  const { decisions, strands } = handle.state;
  for (const decision of Object.values(decisions)) {
    const run = checklistOf(handle, strands[decision.strand]?.scope);
    if (!isApproach(decision) || decision.status !== "pending" || decision.answerBy === "person" || run === undefined) continue;
    const answer = decision.options?.map(({ value }) => value).findLast((value) => value !== applyAutoFirst);
    const { pending, inProgress } = instanceCounts(handle.state, run.lists.files);
    if (pending + inProgress > 0 || answer === undefined) continue;
    const at = await context.store.now();
    const { id: name, revision } = decision;
    const by = engineActor(context.host.processId);
    const input: Input = { type: "answer", decision: name, revision, answer, valid: true, relayed: false, at, by };
    // An answer that came meanwhile counts.
    const { kind } = await commitInputs(context, handle, [{ input }]);
    if (kind !== "rejected") return "No instance is left, so the question which way to go is closed.";
  }
  return undefined;
}

/** The batch's record when it is done, or as far as it got when the time is up. */
export async function waitForBatch(
  context: EngineContext,
  request: {
    readonly run: string;
    readonly batch: string;
    readonly waitMs: number;
    /** Wait for this many undoings instead. */ readonly undoRuns?: number;
    readonly signal?: AbortSignal;
  },
): Promise<BatchRecord> {
  const handle = await context.runs.open(request.run);
  const deadline = (await context.store.now()) + request.waitMs;
  for (;;) {
    context.effects.startOpen(handle);
    const row = await context.store.readItem(handle.id, batchList, request.batch);
    if (row === undefined)
      throw refused(
        "ENGINE_NO_BATCH",
        `Run \`${handle.id}\` has no batch \`${request.batch}\`.`,
        "Ask for the run's status to see its batches.",
        {},
      );
    const record = row.data as unknown as BatchRecord;
    const left = deadline - (await context.store.now());
    if (
      (request.undoRuns === undefined ? record.done : (record.undo_runs ?? 0) >= request.undoRuns) ||
      left <= 0 ||
      request.signal?.aborted === true
    )
      return record;
    await waitForChange(context, handle, Math.min(left, 200));
  }
}
