import { join } from "node:path";
import { cutText, defined } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { failure, loadCommandKit, ProgressLine, type Given, type Session } from "../../../cli/index.ts";
import type { ReportedFinding } from "../../../findings/index.ts";
import { codes } from "./codes.ts";
import { openFilter, type FindingFilter } from "./finding-filter.ts";
import { formatOf, printResults, type ResultFormat } from "./print-results.ts";
import type { Inventory } from "../../../ports/index.ts";
import { changedPlaces, type ChangedPlace } from "./scan-changes.ts";
import { scannedFindings } from "./scan-findings.ts";
import { scanPlaces, versionAbove, type ScanPlace } from "./scan-place.ts";
import { inventoryOf, planScans, type ScanPlan } from "./scan-rules.ts";
import { ScanSummary } from "./scan-summary.ts";
import { scanTools, type OfTools } from "./scan-tools.ts";
import { workflowRules } from "./workflow-rules.ts";

const { loadValid } = await loadCommandKit();

/** A workflow's patterns and the files that it takes, place by place. */
interface WorkflowScan {
  readonly plan: ScanPlan;
  readonly parts: readonly { readonly place: ScanPlace & Partial<ChangedPlace>; readonly inventory: Inventory }[];
  /** The workflow that is called, when these are its patterns. */
  readonly workflow?: string;
  /** What its tools report. */
  readonly reported?: OfTools;
}

/** Looks for the patterns of a workflow and of those it calls in files, without a run and without writing anything. */
export async function scanCommand({ session, args: [name = "", ...paths], options }: Given): Promise<number> {
  const { out, world, workspace } = session;
  const { source, target, bcVersion } = options;
  const format = formatOf<ResultFormat>(out, options["format"]);
  return session.withEngine(async (context) => {
    const places = await changedPlaces(context, await scanPlaces(session, paths), options);
    const loaded = await loadValid(session, context, name);
    out.aside(`Workspace: ${workspace}`);
    for (const { said } of places) if (said !== undefined) out.aside(said);
    const scans: WorkflowScan[] = [];
    for (const plan of await planScans(context, loaded, { source, target, bcVersion })) {
      const workflow = plan.definition.type === loaded.name ? undefined : plan.definition.type;
      const parts = await Promise.all(places.map(async (place) => ({ place, inventory: await inventoryOf(context, plan, place) })));
      scans.push({ plan, parts, ...defined({ workflow }) });
    }
    const filter = await openFilter(session, context, options);
    const total = new ScanSummary();
    if (scans.every(({ parts }) => parts.every(({ inventory }) => inventory.files.length === 0))) {
      if (!places.some(({ listed }) => listed)) throw noFiles(loaded.name, scans);
      const which = places.some(({ said }) => said !== undefined) ? "changed file" : "file of the list";
      out.aside(`No ${which} is one that \`${loaded.name}\` looks at.`);
      scans.length = 0;
    }
    const reported = await scanTools(context, session, loaded, scans);
    for (const [at, scan] of scans.entries()) scans[at] = { ...scan, ...defined({ reported: reported.get(scan.plan) }) };
    const rules = scans.flatMap(({ plan }) => workflowRules(plan.rules.patterns));
    const root = workspace.replaceAll("\\", "/");
    const about = { workflow: loaded.name, version: world.version, root, rules, summary: () => ({ ...total.data(), ...filter.data }) };
    const findings = findingsOf({ name: loaded.name, session, context, scans, total, format, filter });
    return filter.report(session, findings, () => printResults(out, findings, format, about));
  });
}

interface Scanning {
  /** The workflow that was named. */
  readonly name: string;
  readonly session: Session;
  readonly context: EngineContext;
  readonly scans: readonly WorkflowScan[];
  readonly total: ScanSummary;
  readonly format: ResultFormat;
  readonly filter: FindingFilter;
}

/** Forms that say how a finding is fixed. */
const withFixes: ReadonlySet<ResultFormat> = new Set<ResultFormat>(["json", "jsonl", "sarif"]);

/** Everything that is found, workflow by workflow and file by file; what was counted of a workflow is said when it is through. */
async function* findingsOf({
  name,
  session,
  context,
  scans,
  total,
  format,
  filter,
}: Scanning): AsyncGenerator<ReportedFinding, void, undefined> {
  const wish = { fixes: withFixes.has(format), suppressed: format === "sarif" };
  const progress = new ProgressLine(session, () => performance.now());
  let looked = 0;
  const files = scans.flatMap(({ parts }) => parts).reduce((sum, { inventory }) => sum + inventory.files.length, 0);
  for (const scan of scans) {
    const begun = performance.now();
    const { plan, workflow } = scan;
    const summary = new ScanSummary();
    const rules = new Map(workflowRules(plan.rules.patterns).map((rule) => [rule.id, rule]));
    for (const problem of [...plan.problems, ...scan.parts.flatMap(({ inventory }) => inventory.problems)])
      for (const sum of [summary, total]) sum.problem(problem);
    for await (const file of scannedFiles(context, scan)) {
      for (const sum of [summary, total]) sum.file(file.scan);
      looked += 1;
      progress.show(looked, files);
      for (const finding of await scannedFindings(context, { ...file, rules, workflow }, wish)) {
        if (!filter.takes(finding)) continue;
        if (finding.suppressed === undefined) for (const sum of [summary, total]) sum.finding(finding);
        progress.clear();
        yield finding;
      }
    }
    progress.clear();
    if (workflow !== undefined) session.out.aside(`\`${workflow}\`, which \`${name}\` calls:`);
    for (const line of summary.lines(performance.now() - begun)) session.out.aside(line);
  }
}

/** The files of a workflow, as they were found. */
async function* scannedFiles(
  { workspace, host }: EngineContext,
  { plan, parts, reported = {} }: WorkflowScan,
): AsyncGenerator<Omit<Parameters<typeof scannedFindings>[1], "rules" | "workflow">, void, undefined> {
  for (const { place, inventory } of parts) {
    const { root } = place;
    const paths = inventory.files.map((each) => each.path);
    const rules = { ...plan.rules, ...defined({ bcVersion: await versionAbove(place) }) };
    for await (const scan of workspace.scan({ root, paths, rules, hash: false, findings: root === host.workspace ? reported : {} }))
      yield { scan: place.left?.(scan) ?? scan, root, shown: place.shown(scan.path) };
  }
}

function noFiles(name: string, [first]: readonly WorkflowScan[]): Error {
  const { filePatterns = [], fileExclusions = [], gitignore = false } = first?.plan.definition ?? {};
  const parts = first?.parts ?? [];
  const [problem] = parts.flatMap(({ inventory }) => inventory.problems);
  const left = fileExclusions.length === 0 ? "" : `, without ${fileExclusions.join(", ")}`;
  const named = cutText(parts.flatMap(({ place }) => place.paths.map((path) => `\`${join(place.root, path)}\``)).join(" or "), 400);
  const takes = `No file in ${named} is one that \`${name}\` looks at: it takes ${filePatterns.join(", ")}${left}${gitignore ? ", and what git ignores is left out" : ""}.`;
  return failure(
    "CLI_NO_FILES",
    problem === undefined ? takes : `There is nothing to scan. ${problem.message}`,
    codes["CLI_NO_FILES"]?.fix,
  );
}
