import type { EngineContext } from "../../engine/index.ts";
import { scannedLine } from "../checklist/instance-line.ts";
import type { ScannedFile } from "../checklist/row-kinds.ts";
import { planScan, type ScanPlan, type ScanWishes } from "../checklist/scan-rules.ts";
import { scanPlace, versionAbove, type ScanPlace } from "../checklist/scan-place.ts";
import { ScanSummary, showFile } from "../checklist/scan-summary.ts";
import { exitCodes, failure } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { LinePrinter } from "../line-printer.ts";
import { loadValid } from "../load-named.ts";
import type { Output } from "../output.ts";

/** Looks for the patterns of a workflow in files, without a run and without writing anything. */
export async function scanCommand({ session, args: [name = "", path = "."], options }: Given): Promise<number> {
  const { out } = session;
  const place = await scanPlace(session.pathOf(path));
  const above = await versionAbove(place.root);
  const bcVersion = above ?? options["bcVersion"];
  return session.withEngine(async (context) => {
    const workflow = await loadValid(session, context, name);
    const wishes: ScanWishes = { source: options["source"], target: options["target"], bcVersion };
    const plan = await planScan(context, workflow, wishes);
    const summary = new ScanSummary();
    for (const problem of plan.problems) summary.problem(problem);
    const begun = performance.now();
    await scanFiles({ context, out, plan, summary }, workflow.name, place);
    for (const line of summary.lines(performance.now() - begun)) out.aside(line);
    const failOn = options["failOn"];
    const found = failOn === "found" ? summary.instances : failOn === "auto-fixable" ? summary.autoFixable : 0;
    return found > 0 ? exitCodes.failed : exitCodes.done;
  });
}

interface Scanning {
  readonly context: EngineContext;
  readonly out: Output;
  readonly plan: ScanPlan;
  readonly summary: ScanSummary;
}

async function scanFiles({ context, out, plan, summary }: Scanning, name: string, place: ScanPlace): Promise<void> {
  const { definition, rules } = plan;
  const { root, file } = place;
  const inventory = await context.workspace.inventory({
    root,
    patterns: definition.filePatterns,
    exclusions: definition.fileExclusions,
    scope: file === undefined ? { kind: "workspace" } : { kind: "files", paths: [file.path] },
    priority: [],
    gitignore: definition.gitignore,
  });
  if (inventory.files.length === 0) throw noFiles(name, plan, place, inventory.problems[0]?.message);
  for (const problem of inventory.problems) summary.problem(problem);
  const printer = out.json ? new LinePrinter(out) : undefined;
  for await (const scan of context.workspace.scan({ root, paths: inventory.files.map((each) => each.path), rules, hash: false })) {
    summary.add(scan);
    if (scan.instances.length === 0) continue;
    const shown = file?.name ?? scan.path;
    if (printer === undefined) await showAsTable(out, shown, scan);
    else for (const instance of scan.instances) await printer.print(scannedLine(shown, instance));
  }
  await printer?.flush();
}

async function showAsTable(out: Output, file: string, scan: ScannedFile): Promise<void> {
  showFile(
    out,
    file,
    scan.instances.map((instance) => scannedLine(file, instance)),
  );
  await out.flush();
}

function noFiles(name: string, { definition }: ScanPlan, { root, file }: ScanPlace, problem: string | undefined): Error {
  const { filePatterns, fileExclusions } = definition;
  const left = fileExclusions.length === 0 ? "" : `, without ${fileExclusions.join(", ")}`;
  const what =
    file === undefined
      ? `No file below \`${root}\` is one that \`${name}\` looks at: it takes ${filePatterns.join(", ")}${left}${definition.gitignore ? ", and what git ignores is left out" : ""}.`
      : `\`${file.name}\` cannot be scanned.`;
  return failure("CLI_NO_FILES", problem === undefined ? what : `${what} ${problem}`);
}
