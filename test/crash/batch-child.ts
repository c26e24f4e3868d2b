import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import {
  batches,
  previewBatch,
  reopenFailed,
  runBatch,
  undoBatch,
  waitForBatch,
  type BatchRecord,
} from "../../src/dialects/checklist/run/index.ts";
import { doctor, next, progress, start } from "../../src/engine/index.ts";
import { batchWorkflow, hashesOf, straysIn, type Hashes } from "./batch-tree.ts";
import { composeEngine } from "./compose-engine.ts";

/** What one process of the batch test is to do, as JSON in its first argument. */
export interface BatchTask {
  readonly base: string;
  /** `finish`: takes up what was left, then undoes it. */
  readonly what: "prepare" | "apply" | "undo" | "finish";
  readonly run: string;
  readonly leaseTtlMs: number;
  /** Dies at the n-th crossing of a border of a write, or of a commit. */
  readonly fault?: { readonly point: string; readonly nth: number };
  /** Of `finish`: the token the dead process was given, if it was heard. */
  readonly token?: string;
  /** How `finish` asks for the rest: only for the next step, or for the batch itself. */
  readonly ask?: "next" | "wait";
  /** Of `finish`: what was done stays; it is undone by another process. */
  readonly keep?: boolean;
}

/** Lines that the process prints, as JSON. */
export type BatchLine =
  | { readonly said: "begun" }
  | { readonly said: "prepared"; readonly run: string }
  | { readonly said: "token"; readonly token: string }
  | { readonly said: "confirmed"; readonly batch: string }
  | { readonly said: "done"; readonly record: BatchRecord }
  | {
      readonly said: "finished";
      readonly fate: TokenFate;
      readonly record: BatchRecord;
      readonly hashes: Hashes;
      readonly strays: readonly string[];
    }
  | { readonly said: "undone"; readonly record: BatchRecord; readonly problems: readonly string[] };

/** `unheard`: nobody knows the token, so a new one was made. */
export type TokenFate = "used" | "usable" | "unheard" | "dead" | "unknown";

const task = JSON.parse(process.argv[2] ?? "{}") as BatchTask;
const waitMs = 60_000;
let crossings = 0;

function say(line: BatchLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function border(point: string): void {
  if (point !== task.fault?.point) return;
  crossings += 1;
  if (crossings === task.fault.nth) process.kill(process.pid, "SIGKILL");
}

const engine = await composeEngine({
  base: task.base,
  settings: { leaseTtlMs: task.leaseTtlMs, leaseBeatMs: Math.ceil(task.leaseTtlMs / 4) },
  faults: border,
  storeMethods: ["commit"],
  store: async (_name, _args, call) => {
    border("before commit");
    const done = await call();
    border("after commit");
    return done;
  },
  logged: () => undefined,
});
const { context } = engine;
const caller = engine.caller("batcher");
const { run } = task;

async function prepare(): Promise<void> {
  const begun = await start(context, caller, { workflow: batchWorkflow, waitMs });
  await progress(context, caller, { run: begun.run, result: "apply_auto_first", waitMs });
  say({ said: "prepared", run: begun.run });
}

async function preview(): Promise<string> {
  const { token = "" } = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { auto_fixable_only: true } });
  return token;
}

async function apply(): Promise<void> {
  say({ said: "begun" });
  const token = await preview();
  say({ said: "token", token });
  const { batch } = await runBatch(context, caller, { run, token });
  say({ said: "confirmed", batch });
  say({ said: "done", record: await waitForBatch(context, { run, batch, waitMs }) });
}

async function undo(): Promise<void> {
  say({ said: "begun" });
  // By its name: a process that died after the last file was restored has left nothing to undo.
  const batch = (await batches(context, run)).at(-1)?.id ?? "";
  const { record } = await undoBatch(context, caller, { run, batch, waitMs });
  await reopenFailed(context, caller, run).catch(() => 0);
  const { problems } = await doctor(context, run);
  say({ said: "undone", record, problems: problems.map(({ problem }) => problem) });
}

/** The rest of the batch is done by whoever asks next; what was confirmed is not confirmed again. */
async function finish(): Promise<void> {
  const fate = await confirmAgain();
  const batch = (await batches(context, run)).at(-1)?.id ?? "";
  if (task.ask === "next") await askNext(batch);
  const record = await waitForBatch(context, { run, batch, waitMs: task.ask === "next" ? 0 : waitMs });
  say({ said: "finished", fate, record, hashes: hashesOf(engine.folder), strays: straysIn(engine.folder) });
  if (task.keep !== true) await undo();
}

async function confirmAgain(): Promise<TokenFate> {
  const last = (await batches(context, run)).at(-1);
  if (task.token === undefined) {
    // Without a token nothing can have been confirmed, unless it was printed too late to be heard.
    if (last?.record.done === false) return "used";
    await runBatch(context, caller, { run, token: await preview() });
    return "unheard";
  }
  try {
    await runBatch(context, caller, { run, token: task.token });
    return "usable";
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.code === "ENGINE_TOKEN_USED") return "used";
    await runBatch(context, caller, { run, token: await preview() });
    return error.code === "ENGINE_TOKEN_DEAD" ? "dead" : "unknown";
  }
}

/** Only asks for the next step, as an agent that knows nothing of batches would. */
async function askNext(batch: string): Promise<void> {
  for (const deadline = performance.now() + waitMs; performance.now() < deadline;) {
    await next(context, caller, { run, waitMs: 100 }).catch((error: unknown) => {
      if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    });
    const held = (await batches(context, run)).find(({ id }) => id === batch);
    if (held?.record.done !== false) return;
    await sleep(20);
  }
}

await { prepare, apply, undo, finish }[task.what]();
await engine.close();
