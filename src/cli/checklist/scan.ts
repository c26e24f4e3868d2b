import type { EngineContext } from "../../engine/index.ts";
import { exitCodes, failure, loadCommandKit, type Given, type Output } from "../index.ts";
import { codes } from "./codes.ts";
import { scannedLine } from "./instance-line.ts";
import { LinePrinter } from "./line-printer.ts";
import { scanPlace, versionAbove, type ScanPlace } from "./scan-place.ts";
import { planScans, type ScanPlan, type ScanWishes } from "./scan-rules.ts";
import { ScanSummary, showFile } from "./scan-summary.ts";

const { loadValid } = await loadCommandKit();

/** Looks for the patterns of a workflow and of those it calls in files, without a run and without writing anything. */
export async function scanCommand({ session, args: [name = "", path = "."], options }: Given): Promise<number> {
  const { out } = session;
  const place = await scanPlace(session.pathOf(path));
  const above = await versionAbove(place.root);
  const bcVersion = above ?? options["bcVersion"];
  return session.withEngine(async (context) => {
    const workflow = await loadValid(session, context, name);
    const wishes: ScanWishes = { source: options["source"], target: options["target"], bcVersion };
    const failOn = options["failOn"];
    let found = 0;
    const parts: Part[] = [];
    for (const plan of await planScans(context, workflow, wishes)) parts.push({ plan, inventory: await inventoryOf(context, plan, place) });
    if (parts.every(({ inventory }) => inventory.files.length === 0)) throw noFiles(workflow.name, parts, place);
    for (const part of parts) {
      const { plan } = part;
      const called = plan.definition.type === workflow.name ? undefined : plan.definition.type;
      const summary = new ScanSummary();
      for (const problem of plan.problems) summary.problem(problem);
      const begun = performance.now();
      await scanFiles({ context, out, part, summary, called }, place);
      if (called !== undefined) out.aside(`\`${called}\`, which \`${workflow.name}\` calls:`);
      for (const line of summary.lines(performance.now() - begun)) out.aside(line);
      found += failOn === "found" ? summary.instances : failOn === "auto-fixable" ? summary.autoFixable : 0;
    }
    return found > 0 ? exitCodes.failed : exitCodes.done;
  });
}

interface Scanning {
  readonly context: EngineContext;
  readonly out: Output;
  readonly part: Part;
  readonly summary: ScanSummary;
  /** The workflow that is called, when these are its patterns. */
  readonly called: string | undefined;
}

async function scanFiles({ context, out, part, summary, called }: Scanning, { root, file }: ScanPlace): Promise<void> {
  const { plan, inventory } = part;
  for (const problem of inventory.problems) summary.problem(problem);
  const printer = out.json ? new LinePrinter(out) : undefined;
  const paths = inventory.files.map((each) => each.path);
  for await (const scan of context.workspace.scan({ root, paths, rules: plan.rules, hash: false })) {
    summary.add(scan);
    if (scan.instances.length === 0) continue;
    const shown = file?.name ?? scan.path;
    const named = called === undefined ? {} : { workflow: called };
    const lines = scan.instances.map((instance) => ({ ...scannedLine(shown, instance), ...named }));
    if (printer === undefined) {
      showFile(out, called === undefined ? shown : `${shown} [${called}]`, lines);
      await out.flush();
    } else for (const line of lines) await printer.print(line);
  }
  await printer?.flush();
}

/** A workflow's patterns and the files that it takes. */
interface Part {
  readonly plan: ScanPlan;
  readonly inventory: Inventory;
}

type Inventory = Awaited<ReturnType<EngineContext["workspace"]["inventory"]>>;

function inventoryOf({ workspace }: EngineContext, { definition }: ScanPlan, { root, file }: ScanPlace): Promise<Inventory> {
  return workspace.inventory({
    root,
    patterns: definition.filePatterns,
    exclusions: definition.fileExclusions,
    scope: file === undefined ? { kind: "workspace" } : { kind: "files", paths: [file.path] },
    priority: [],
    gitignore: definition.gitignore,
  });
}

function noFiles(name: string, [part]: readonly Part[], { root, file }: ScanPlace): Error {
  const { filePatterns = [], fileExclusions = [], gitignore = false } = part?.plan.definition ?? {};
  const problem = part?.inventory.problems[0]?.message;
  const left = fileExclusions.length === 0 ? "" : `, without ${fileExclusions.join(", ")}`;
  const what =
    file === undefined
      ? `No file below \`${root}\` is one that \`${name}\` looks at: it takes ${filePatterns.join(", ")}${left}${gitignore ? ", and what git ignores is left out" : ""}.`
      : `\`${file.name}\` cannot be scanned.`;
  return failure("CLI_NO_FILES", problem === undefined ? what : `${what} ${problem}`, codes["CLI_NO_FILES"]?.fix);
}
