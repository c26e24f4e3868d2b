import { defined } from "../../../base/index.ts";
import type { FileEdit, FileScan, Finding, Instance } from "../../../ports/index.ts";
import { baseOfRun } from "./changed/base-of-run.ts";
import { changedLines, linesAfter, onChangedLines, type ChangedLines } from "./changed/changed-lines.ts";
import { rulesOf, type Job } from "./checklist-run.ts";

/** What a look at the files of a run needs. */
type Looking = Pick<Job, "context" | "run"> & { readonly signal?: AbortSignal };

interface What {
  readonly patterns?: boolean;
  readonly edits?: readonly FileEdit[];
  /** What tools reported, by path: it is placed in the files and comes back among their instances. */
  readonly findings?: Readonly<Record<string, readonly Finding[]>>;
}

/**
 * Files as the run sees them: every look at a file of a run goes through here, so that what counts as found is decided once. In the order of
 * `paths`. `patterns: false`: the files are read and looked through for nothing. `edits`: their files are looked at as they would be after them;
 * nothing is run for that.
 */
export async function* scanRunFiles(
  { context, run, signal }: Looking,
  paths: readonly string[],
  { patterns = true, edits, findings }: What = {},
): AsyncGenerator<FileScan, void, undefined> {
  const own = rulesOf(run);
  const rules = patterns ? own : { ...own, patterns: [] };
  const scans = context.workspace.scan({ root: context.host.workspace, paths, rules, ...defined({ signal, edits, findings }) });
  const isJudged = run.definition.patterns.judged === true;
  const kept =
    run.raw["approach"] === labelRoute
      ? new Set(own.patterns.filter(({ finder }) => finder === errorCalls).map(({ id }) => id))
      : undefined;
  const lines = patterns || findings !== undefined ? await linesOfRun({ context, run }, edits) : undefined;
  for await (const scan of scans) {
    const decided = kept === undefined ? scan : { ...scan, instances: scan.instances.map((each) => keptAsLabel(each, kept)) };
    const judged = isJudged ? { ...decided, instances: decided.instances.map(toJudge) } : decided;
    yield lines === undefined ? judged : onChangedLines(judged, lines);
  }
}

/** The lines that the run is about, as they are now, since every edit changes some; undefined where it is about all. */
async function linesOfRun({ context, run }: Looking, edits: readonly FileEdit[] = []): Promise<ChangedLines | undefined> {
  const base = run.options["changed_lines"] === true ? baseOfRun(run) : undefined;
  if (base === undefined) return undefined;
  const folder = context.host.workspace;
  const lines = new Map(await changedLines({ context, folder }, base));
  for (const edit of edits) {
    const file = await context.workspace.read(folder, edit.path);
    if (file !== undefined) lines.set(edit.path, linesAfter(lines.get(edit.path) ?? [], file.bytes, edit.edits));
  }
  return lines;
}

const labelRoute = "label_route";
const errorCalls = "al-error-call";
const labels: ReadonlySet<string> = new Set(["label", "label_args"]);

/** Who chose the way over Labels keeps those that are there. */
function keptAsLabel(instance: Instance, patterns: ReadonlySet<string>): Instance {
  if (instance.nothing !== undefined || !labels.has(instance.type) || !patterns.has(instance.pattern)) return instance;
  const { edits: _edits, ...rest } = instance;
  return { ...rest, auto: false, needs: "review", nothing: "Its text is a Label already, which the chosen way keeps." };
}

/** What is judged is nothing that the engine fixes by itself. */
function toJudge({ edits: _edits, ...instance }: Instance): Instance {
  return instance.auto ? { ...instance, auto: false, needs: "review" } : instance;
}
