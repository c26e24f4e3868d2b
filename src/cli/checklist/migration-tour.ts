import { cp } from "node:fs/promises";
import { join } from "node:path";
import { isObject, textOf, type JsonObject } from "../../base/index.ts";
import {
  answer,
  checklistRows,
  completeChecklist,
  gatherFacts,
  next,
  openOf,
  previewBatch,
  reportCheck,
  runBatch,
  start,
  undoBatch,
  waitForBatch,
  type Caller,
  type EngineContext,
} from "../../engine/index.ts";
import { checklistReport } from "../../views/index.ts";
import { cliCaller, quoted, loadCommandKit, shorten, type Session, type TourStage as Stage } from "../index.ts";
import { folderContents, sameFiles } from "./folder-contents.ts";
import { planScan } from "./scan-rules.ts";
import { judge } from "./scripted-agent.ts";

const { TourStage } = await loadCommandKit();

const workflow = "error-to-errorinfo-migration";
const sample = "examples/sample-al-app";
const waitMs = 60_000;

type FileEdit = Parameters<EngineContext["workspace"]["applyEdits"]>[1][number];

/**
 * Migrates the sample application in a copy: a real run on a real store, real edits of real files. Only the agent is a script. Every
 * step is checked.
 */
export async function migrationTour(session: Session, folder: string, keep: boolean): Promise<number> {
  const stage = new TourStage(session, join(folder, "sample-al-app"));
  await cp(join(session.world.packageFolder, sample), stage.workspace, { recursive: true });
  const context = await stage.open();
  try {
    session.out.line("A small Business Central application is to use ErrorInfo instead of plain calls of Error.");
    session.out.line("Engine, store and files are real (a copy of them); a script plays the agent that would call Waymark.\n");
    return await new Migration(stage, { context, caller: cliCaller(session.world, context) }).show(keep);
  } finally {
    await stage.close();
  }
}

class Migration {
  readonly #stage: Stage;
  readonly #place: Place;
  readonly #begun = performance.now();
  readonly #edits: FileEdit[] = [];
  readonly #skips = new Map<string, number>();
  #converted: string[] = [];

  constructor(stage: Stage, place: Place) {
    this.#stage = stage;
    this.#place = place;
  }

  async show(keep: boolean): Promise<number> {
    const before = await folderContents(this.#stage.workspace);
    const place: RunPlace = { ...this.#place, run: await this.#scan(this.#place) };
    const batch = await this.#batch(place);
    await this.#agent(place);
    const left = await this.#proof(place);
    const report = await this.#report(place);
    await this.#undo(place, batch);
    const same = sameFiles(before, await folderContents(this.#stage.workspace));
    this.#stage.say("", `${same} of ${before.size} files are byte for byte what they were.`);
    this.#stage.check(same === before.size, "undo did not restore every byte");
    return this.#sum(place.run, { keep, left, report, files: before.size, same });
  }

  async #scan({ context, caller }: Place): Promise<string> {
    const begun = performance.now();
    const { run, standing } = await start(context, caller, { workflow, waitMs });
    const { files, instances } = await gatherFacts(context, run);
    const open = instances?.open ?? { auto: 0, review: 0, manual: 0 };
    this.#stage.say(
      "scan",
      `${files.total} files in ${seconds(begun)}: ${instances?.total ?? 0} calls of Error in ${files.withMatches} of them.`,
    );
    this.#stage.say(
      "",
      `${open.auto} can be fixed by the engine without changing their meaning, ${open.review} need a look, ${open.manual} a hand.`,
    );
    this.#stage.check(standing.kind === "question" && open.auto > 0, "the scan found nothing to decide");
    if (standing.kind !== "question") return run;
    const { id, options = [], question } = standing.decision;
    const [said = ""] = /(?<=\. )A bare wrap.*? by itself/.exec(question) ?? [question];
    this.#stage.say("decide", `The workflow says frankly: "${shorten(said, 120)}."`);
    const chosen = "apply_auto_first";
    this.#stage.say("", `It offers ${options.map((option) => option.value).join(", ")}; the demo takes ${chosen}.`);
    await answer(context, caller, { run, decision: id, answer: chosen, relayed: true });
    await next(context, caller, { run, waitMs });
    return run;
  }

  async #batch({ context, caller, run }: RunPlace): Promise<string> {
    const request = { run, operation: "apply_fixes", filter: { auto_fixable_only: true } } as const;
    const { plan, token = "" } = await previewBatch(context, caller, request);
    this.#stage.say("dry run", `${plan.instances} fixes in ${plan.files.length} files; nothing is changed yet. Two of them:`);
    for (const { path, items } of plan.files.slice(1, 3)) {
      const [item] = items;
      this.#stage.say("", `  ${path}:${item?.line ?? 0}`);
      this.#stage.say("", this.#stage.session.out.paint("red", `  - ${item?.before ?? ""}`));
      this.#stage.say("", this.#stage.session.out.paint("green", `  + ${item?.after ?? ""}`));
    }
    this.#stage.say("confirm", `The token ${token} stands for exactly this, once.`);
    const { batch } = await runBatch(context, caller, { run, token });
    const { modified, failed, left_out, files_modified, remaining, done } = await waitForBatch(context, { run, batch, waitMs });
    this.#stage.say(
      "fix",
      `${modified} fixed in ${files_modified} files, ${failed} failed, ${left_out} left out; scanned again: ${remaining} left.`,
    );
    this.#stage.check(
      done && modified === plan.instances && failed + left_out + remaining === 0,
      "the batch did not do what the dry run showed",
    );
    await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
    return batch;
  }

  /** One call after another, as the engine hands them out. The first claim is a lie, to see what comes of it. */
  async #agent(place: RunPlace): Promise<void> {
    const { context, caller, run } = place;
    let [lied, again] = ["", false];
    for (;;) {
      const { standing } = await next(context, caller, { run, waitMs });
      const item = standing.kind === "action" && standing.action.what === "check" ? standing.action.args["item"] : undefined;
      if (!isObject(item)) break;
      const verdict = judge(item);
      again ||= item["id"] === lied;
      if ("skip" in verdict) {
        this.#skips.set(verdict.skip, (this.#skips.get(verdict.skip) ?? 0) + 1);
        await reportCheck(context, caller, { run, status: "skipped", skipReason: verdict.skip });
        continue;
      }
      if (lied === "") lied = textOf(item["id"] ?? "");
      else await this.#edit(context, item, verdict.convert);
      await reportCheck(context, caller, { run, status: "completed" });
    }
    const skipped = [...this.#skips.values()].reduce((sum, count) => sum + count, 0);
    this.#stage.say("agent", `${this.#converted.length + skipped} calls are left; the engine hands them out one at a time.`);
    this.#stage.say("", `${this.#converted.length} converted by editing the file: ${this.#converted.slice(0, 3).join(", ")}, ...`);
    this.#stage.say("", `${skipped} left as they are, each with its reason:`);
    for (const [reason, count] of [...this.#skips].sort((a, b) => b[1] - a[1]))
      this.#stage.say("", `  ${String(count).padStart(2)}  ${reason}`);
    this.#stage.say("", "Once it claimed a conversion that it had not made: the engine looked, and handed the call out again.");
    this.#stage.check(again, "a false claim was believed");
    this.#stage.check(this.#converted.length > 0 && skipped > 0, "the agent had nothing to do");
  }

  /** As an editor would: the file's encoding and line ends stay. */
  async #edit({ workspace }: EngineContext, item: JsonObject, text: string): Promise<void> {
    const file = textOf(item["file"] ?? "");
    const read = await workspace.readText(this.#stage.workspace, file);
    const start = read === undefined ? -1 : read.text.indexOf(textOf(item["text"] ?? ""), offsetOf(read.text, Number(item["line"])));
    const edits = [{ start, end: start + textOf(item["text"] ?? "").length, text }];
    const planned =
      read === undefined || start < 0 ? undefined : await workspace.planTextEdit(this.#stage.workspace, file, read.hash, edits);
    if (planned === undefined) return this.#stage.check(false, `${file} could not be edited`);
    const [outcome] = await workspace.applyEdits(this.#stage.workspace, [planned]);
    this.#stage.check(outcome?.status === "done", `${file} could not be edited`);
    this.#edits.push(planned);
    this.#converted = [...this.#converted, `${file.slice(file.lastIndexOf("/") + 1)}:${textOf(item["line"] ?? "")}`];
  }

  /** Another scan of everything, which knows nothing of the run. */
  async #proof({ context, run }: RunPlace): Promise<number> {
    const { rules, definition } = await planScan(context, await context.catalog.loadValid(workflow), {});
    const { files } = await context.workspace.inventory({
      root: this.#stage.workspace,
      patterns: definition.filePatterns,
      exclusions: definition.fileExclusions,
      scope: { kind: "workspace" },
      priority: [],
      gitignore: definition.gitignore,
    });
    let left = 0;
    for await (const scan of context.workspace.scan({ root: this.#stage.workspace, paths: files.map((file) => file.path), rules }))
      left += scan.instances.length;
    const { instances, files: counts } = await gatherFacts(context, run);
    const skipped = instances?.skipped ?? 0;
    this.#stage.say(
      "proof",
      `A second scan of all ${files.length} files finds ${left} calls, and the run skipped ${skipped}: nothing was lost or forgotten.`,
    );
    this.#stage.check(left === skipped && instances?.pending === 0, "the second scan does not agree with the run");
    this.#stage.check(counts.completed === counts.total, "not every file is accounted for");
    return left;
  }

  async #report({ context, caller, run }: RunPlace): Promise<string> {
    const handle = await completeChecklist(context, caller, run, waitMs);
    const file = join(this.#stage.workspace, ".waymark", "report.md");
    const rows = checklistRows(context, handle);
    await this.#stage.session.world.writeFile(file, checklistReport(await gatherFacts(context, run), rows, { format: "markdown" }));
    const { instances } = await gatherFacts(context, run);
    this.#stage.say(
      "report",
      `Run ${run} is ${handle.state.status}: ${instances?.autoFixed ?? 0} fixed in a batch, ${instances?.byHand ?? 0} by hand,`,
    );
    this.#stage.say("", `${instances?.skipped ?? 0} skipped with reasons. The whole report is Markdown; JSON and HTML are there too.`);
    this.#stage.check(handle.state.status === "completed" && openOf(handle, caller).action === undefined, "the run did not complete");
    this.#stage.check(instances?.byHand === this.#converted.length, "the report does not count what was done by hand");
    return file;
  }

  async #undo({ context, caller, run }: RunPlace, batch: string): Promise<void> {
    const back = await context.workspace.undoEdits(this.#stage.workspace, this.#edits.toReversed());
    this.#stage.check(
      back.every((outcome) => outcome.status === "done"),
      "the agent could not take its own edits back",
    );
    const { record } = await undoBatch(context, caller, { run, batch, waitMs });
    this.#stage.say(
      "undo",
      `The agent takes back its ${this.#edits.length} edits; \`waymark undo\` takes back the batch in ${record.restored ?? 0} files.`,
    );
    this.#stage.check(record.undone && (record.not_restored ?? []).length === 0, "the batch was not undone in full");
  }

  #sum(run: string, { keep, left, report, files, same }: Outcome): number {
    const { session, wrong, workspace, code } = this.#stage;
    const { out } = session;
    const ms = Math.round(performance.now() - this.#begun);
    const kept = keep ? { workspace, report } : {};
    out.document({
      run_id: run,
      ok: wrong.length === 0,
      converted: this.#converted.length,
      left,
      files,
      restored: same,
      ms,
      wrong,
      ...kept,
    });
    out.line();
    for (const problem of wrong) out.line(`${out.paint("red", "✗")} This did not hold: ${problem}.`);
    if (wrong.length === 0) out.line(`${out.paint("green", "✓")} Everything held, in ${(ms / 1000).toFixed(1)} s.`);
    if (keep) out.line(`\nThe copy is ${workspace}\n  waymark --workspace ${quoted(workspace)} report ${run}`);
    this.#stage.showTries(tries, 44);
    return code;
  }
}

interface Place {
  readonly context: EngineContext;
  readonly caller: Caller;
}
interface RunPlace extends Place {
  readonly run: string;
}
interface Outcome {
  readonly keep: boolean;
  readonly left: number;
  readonly report: string;
  readonly files: number;
  readonly same: number;
}

const tries = [
  ["waymark init", "lets your coding agent drive this, over MCP"],
  ["waymark scan codebase-review .", "looks into your own code, without changing it"],
  ["waymark list", "shows the workflows that are there"],
  ["waymark demo --tour steps", "shows workflows of steps, loops and sub-agents"],
] as const;

function seconds(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}

/** Where a line begins, counted from 1. */
function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) {
    const end = /\r\n|\r|\n/g;
    end.lastIndex = at;
    const found = end.exec(text);
    if (found === null) return text.length;
    at = found.index + found[0].length;
  }
  return at;
}
