import { createHash } from "node:crypto";
import { cp, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { isObject, textOf, type JsonObject, shorten } from "../../../base/index.ts";
import { answer, next, start, type Caller, type EngineContext } from "../../../engine/index.ts";
import {
  checklistRows,
  completeChecklist,
  gatherFacts,
  openOf,
  previewBatch,
  reportCheck,
  runBatch,
  undoBatch,
  waitForBatch,
} from "../run/index.ts";
import { checklistReport } from "../views/index.ts";
import { cliCaller, loadCommandKit, quoted, type Session, type TourStage as Stage } from "../../../cli/index.ts";
import { inventoryOf, planScans } from "./scan-rules.ts";
import { judge } from "./scripted-agent.ts";

const { TourStage } = await loadCommandKit();

const workflow = "error-to-errorinfo-migration";
const sample = "examples/sample-al-app";
const waitMs = 60_000;

interface Tour {
  readonly stage: Stage;
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly run: string;
}

/**
 * Migrates the sample application in a copy: a real run on a real store, real edits of real files. Only the agent is a script. Every
 * step is checked.
 */
export async function migrationTour(session: Session, folder: string, keep: boolean): Promise<number> {
  const { out, world } = session;
  const begun = performance.now();
  const stage = new TourStage(session, join(folder, "sample-al-app"));
  const { workspace, wrong } = stage;
  await cp(join(world.packageFolder, sample), workspace, { recursive: true });
  out.line("A small Business Central application is to use ErrorInfo instead of plain calls of Error.");
  out.line("Engine, store and files are real (a copy of them); a script plays the agent that would call Waymark.\n");
  try {
    const context = await stage.open();
    const before = await folderContents(workspace);
    const caller = cliCaller(world, context);
    const run = await scan({ stage, context, caller });
    const tour: Tour = { stage, context, caller, run };
    const batch = await fixInBatch(tour);
    const { converted, edits } = await playAgent(tour);
    const left = await scanAgain(tour);
    const report = await writeReport(tour, converted.length);
    await undo(tour, batch, edits);
    const after = await folderContents(workspace);
    const restored = [...before].filter(([name, hash]) => after.get(name) === hash).length;
    stage.say("", `${restored} of ${before.size} files are byte for byte what they were.`);
    stage.check(restored === before.size, "undo did not restore every byte");
    const ms = Math.round(performance.now() - begun);
    const counts = { converted: converted.length, left, files: before.size, restored, ms };
    out.document({ run_id: run, ok: wrong.length === 0, ...counts, wrong, ...(keep ? { workspace, report } : {}) });
    out.line();
    for (const problem of wrong) out.line(`${out.paint("red", "✗")} This did not hold: ${problem}.`);
    if (wrong.length === 0) out.line(`${out.paint("green", "✓")} Everything held, in ${(ms / 1000).toFixed(1)} s.`);
    if (keep) out.line(`\nThe copy is ${workspace}\n  waymark --workspace ${quoted(workspace)} report ${run}`);
    stage.showTries(tries, 44);
    return stage.code;
  } finally {
    await stage.close();
  }
}

async function scan({ stage, context, caller }: Omit<Tour, "run">): Promise<string> {
  const begun = performance.now();
  const { run, standing } = await start(context, caller, { workflow, waitMs });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const { files, instances } = await gatherFacts(context, run);
  const { auto, review, manual } = instances?.open ?? { auto: 0, review: 0, manual: 0 };
  stage.say(
    "scan",
    `${files.total} files in ${seconds} s: ${instances?.total ?? 0} calls of Error in ${files.withMatches} of them.`,
    `${auto} can be fixed by the engine without changing their meaning, ${review} need a look, ${manual} a hand.`,
  );
  stage.check(standing.kind === "question" && auto > 0, "the scan found nothing to decide");
  if (standing.kind !== "question") return run;
  const { id, options = [], question } = standing.decision;
  const [said = ""] = /(?<=\. )A bare wrap.*? by itself/.exec(question) ?? [question];
  const chosen = "apply_auto_first";
  stage.say(
    "decide",
    `The workflow says frankly: "${shorten(said, 120)}."`,
    `It offers ${options.map((option) => option.value).join(", ")}; the demo takes ${chosen}.`,
  );
  await answer(context, caller, { run, decision: id, answer: chosen, relayed: true });
  await next(context, caller, { run, waitMs });
  return run;
}

async function fixInBatch({ stage, context, caller, run }: Tour): Promise<string> {
  const { out } = stage.session;
  const request = { run, operation: "apply_fixes", filter: { auto_fixable_only: true } } as const;
  const { plan, token = "" } = await previewBatch(context, caller, request);
  const samples = plan.files
    .slice(1, 3)
    .flatMap(({ path, items: [item] }) => [
      `  ${path}:${item?.line ?? 0}`,
      out.paint("red", `  - ${item?.before ?? ""}`),
      out.paint("green", `  + ${item?.after ?? ""}`),
    ]);
  stage.say("dry run", `${plan.instances} fixes in ${plan.files.length} files; nothing is changed yet. Two of them:`, ...samples);
  stage.say("confirm", `The token ${token} confirms exactly this, once.`);
  const { batch } = await runBatch(context, caller, { run, token });
  const { modified, failed, left_out, files_modified, remaining, done } = await waitForBatch(context, { run, batch, waitMs });
  const left = `${failed} failed, ${left_out} left out; scanned again: ${remaining} left.`;
  stage.say("fix", `${modified} fixed in ${files_modified} files, ${left}`);
  const asShown = done && modified === plan.instances && failed + left_out + remaining === 0;
  stage.check(asShown, "the batch did not do what the dry run showed");
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  return batch;
}

type Edit = Parameters<EngineContext["workspace"]["applyEdits"]>[1][number];
interface Played {
  readonly converted: readonly string[];
  readonly edits: readonly Edit[];
}

/** One call after another, as the engine hands them out. The first claim is a lie, to see what comes of it. */
async function playAgent(tour: Tour): Promise<Played> {
  const { stage, context, caller, run } = tour;
  const skips = new Map<string, number>();
  const converted: string[] = [];
  const edits: Edit[] = [];
  let [lied, again] = ["", false];
  for (;;) {
    const { standing } = await next(context, caller, { run, waitMs });
    const item = standing.kind === "action" && standing.action.what === "check" ? standing.action.args["item"] : undefined;
    if (!isObject(item)) break;
    const verdict = judge(item);
    again ||= item["id"] === lied;
    if ("skip" in verdict) {
      skips.set(verdict.skip, (skips.get(verdict.skip) ?? 0) + 1);
      await reportCheck(context, caller, { run, status: "skipped", skipReason: verdict.skip });
      continue;
    }
    if (lied === "") lied = textOf(item["id"] ?? "");
    else {
      const file = textOf(item["file"] ?? "");
      const edit = await editFile(tour, item, verdict.convert);
      stage.check(edit !== undefined, `${file} could not be edited`);
      edits.push(...(edit === undefined ? [] : [edit]));
      converted.push(`${file.slice(file.lastIndexOf("/") + 1)}:${textOf(item["line"] ?? "")}`);
    }
    await reportCheck(context, caller, { run, status: "completed" });
  }
  const skipped = [...skips.values()].reduce((sum, count) => sum + count, 0);
  const reasons = [...skips].sort((a, b) => b[1] - a[1]).map(([reason, count]) => `  ${String(count).padStart(2)}  ${reason}`);
  stage.say(
    "agent",
    `${converted.length + skipped} calls are left; the engine hands them out one at a time.`,
    `${converted.length} converted by editing the file: ${converted.slice(0, 3).join(", ")}, ...`,
    `${skipped} left as they are, each with its reason:`,
    ...reasons,
    "Once it claimed a conversion that it had not made: the engine looked, and handed the call out again.",
  );
  stage.check(again, "a false claim was believed");
  stage.check(converted.length > 0 && skipped > 0, "the agent had nothing to do");
  return { converted, edits };
}

/** As an editor would: the file's encoding and line ends stay. undefined when it cannot be done. */
async function editFile({ stage, context }: Tour, item: JsonObject, text: string): Promise<Edit | undefined> {
  const [file, old] = [textOf(item["file"] ?? ""), textOf(item["text"] ?? "")];
  const read = await context.workspace.readText(stage.workspace, file);
  const before = read?.text.split(/(?<=\r\n|\n|\r(?!\n))/).slice(0, Number(item["line"]) - 1);
  const at = read?.text.indexOf(old, before?.join("").length) ?? -1;
  if (read === undefined || at < 0) return undefined;
  const planned = await context.workspace.planTextEdit(stage.workspace, file, read.hash, [{ start: at, end: at + old.length, text }]);
  if (planned === undefined) return undefined;
  const [outcome] = await context.workspace.applyEdits(stage.workspace, [planned]);
  return outcome?.status === "done" ? planned : undefined;
}

/** Another scan of everything, which knows nothing of the run. */
async function scanAgain({ stage, context, run }: Tour): Promise<number> {
  const root = stage.workspace;
  let [left, scanned] = [0, 0];
  for (const plan of await planScans(context, await context.catalog.loadValid(workflow), {})) {
    const paths = (await inventoryOf(context, plan, { root, paths: ["."], listed: false })).files.map((file) => file.path);
    scanned += paths.length;
    for await (const { instances } of context.workspace.scan({ root, paths, rules: plan.rules })) left += instances.length;
  }
  const { instances, files } = await gatherFacts(context, run);
  const skipped = instances?.skipped ?? 0;
  const found = `A second scan of all ${scanned} files finds ${left} calls, and the run skipped ${skipped}`;
  stage.say("proof", `${found}: nothing was lost or forgotten.`);
  stage.check(left === skipped && instances?.pending === 0, "the second scan does not agree with the run");
  stage.check(files.completed === files.total, "not every file is accounted for");
  return left;
}

async function writeReport({ stage, context, caller, run }: Tour, converted: number): Promise<string> {
  const handle = await completeChecklist(context, caller, run, waitMs);
  const file = join(stage.workspace, ".waymark", "report.md");
  const facts = await gatherFacts(context, run);
  await stage.session.world.writeFile(file, checklistReport(facts, checklistRows(context, handle), { format: "markdown" }));
  const { autoFixed = 0, byHand = 0, skipped = 0 } = facts.instances ?? {};
  stage.say(
    "report",
    `Run ${run} is ${handle.state.status}: ${autoFixed} fixed in a batch, ${byHand} by hand,`,
    `${skipped} skipped with reasons. The whole report is Markdown; JSON and HTML are there too.`,
  );
  stage.check(handle.state.status === "completed" && openOf(handle, caller).action === undefined, "the run did not complete");
  stage.check(byHand === converted, "the report does not count what was done by hand");
  return file;
}

async function undo({ stage, context, caller, run }: Tour, batch: string, edits: readonly Edit[]): Promise<void> {
  const back = await context.workspace.undoEdits(stage.workspace, edits.toReversed());
  const isBack = back.every((outcome) => outcome.status === "done");
  stage.check(isBack, "the agent could not take its own edits back");
  const { record } = await undoBatch(context, caller, { run, batch, waitMs });
  const files = record.restored ?? 0;
  stage.say("undo", `The agent takes back its ${edits.length} edits; \`waymark undo\` takes back the batch in ${files} files.`);
  stage.check(record.undone && (record.not_restored ?? []).length === 0, "the batch was not undone in full");
}

/** Hashes of all files below a folder by path, without what Waymark keeps there itself. */
async function folderContents(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll("\\", "/");
    if (!entry.isFile() || name.startsWith(".waymark/")) continue;
    const bytes = await readFile(path);
    found.set(name, createHash("sha256").update(bytes).digest("hex"));
  }
  return found;
}

const tries = [
  ["waymark init", "lets your coding agent drive this, over MCP"],
  ["waymark scan codebase-review .", "looks into your own code, without changing it"],
  ["waymark list", "shows the workflows that are there"],
  ["waymark demo --tour steps", "shows workflows of steps, loops and sub-agents"],
] as const;
