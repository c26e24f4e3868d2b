import { join } from "node:path";
import { cutText, defined } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { exitCodes, failure, loadCommandKit, type Given, type Output } from "../../../cli/index.ts";
import { codes } from "./codes.ts";
import { LinePrinter, scannedLine } from "./instance-line.ts";
import type { Inventory } from "../../../ports/index.ts";
import { scanPlaces, versionAbove, type ScanPlace } from "./scan-place.ts";
import { inventoryOf, planScans, type ScanPlan } from "./scan-rules.ts";
import { ScanSummary, showFile } from "./scan-summary.ts";

const { loadValid } = await loadCommandKit();

/** A workflow's patterns and the files that it takes, place by place. */
interface WorkflowScan {
  readonly plan: ScanPlan;
  readonly parts: readonly { readonly place: ScanPlace; readonly inventory: Inventory }[];
  /** The workflow that is called, when these are its patterns. */
  readonly workflow?: string;
}

/** Looks for the patterns of a workflow and of those it calls in files, without a run and without writing anything. */
export async function scanCommand({ session, args: [name = "", ...paths], options }: Given): Promise<number> {
  const { out } = session;
  const { source, target, bcVersion, failOn } = options;
  return session.withEngine(async (context) => {
    const places = await scanPlaces(session, paths);
    const loaded = await loadValid(session, context, name);
    out.aside(`Workspace: ${session.workspace}`);
    const scans: WorkflowScan[] = [];
    for (const plan of await planScans(context, loaded, { source, target, bcVersion })) {
      const workflow = plan.definition.type === loaded.name ? undefined : plan.definition.type;
      const parts = await Promise.all(places.map(async (place) => ({ place, inventory: await inventoryOf(context, plan, place) })));
      scans.push({ plan, parts, ...defined({ workflow }) });
    }
    if (scans.every(({ parts }) => parts.every(({ inventory }) => inventory.files.length === 0))) {
      if (!places.some(({ listed }) => listed)) throw noFiles(loaded.name, scans);
      out.aside(`No file of the list is one that \`${loaded.name}\` looks at.`);
      return exitCodes.done;
    }
    let found = 0;
    for (const scan of scans) {
      const begun = performance.now();
      const summary = await scanFiles(context, out, scan);
      if (scan.workflow !== undefined) out.aside(`\`${scan.workflow}\`, which \`${loaded.name}\` calls:`);
      for (const line of summary.lines(performance.now() - begun)) out.aside(line);
      found += failOn === "found" ? summary.found.instances : failOn === "auto-fixable" ? summary.found.auto : 0;
    }
    return found > 0 ? exitCodes.failed : exitCodes.done;
  });
}

async function scanFiles({ workspace }: EngineContext, out: Output, { plan, parts, workflow }: WorkflowScan): Promise<ScanSummary> {
  const summary = new ScanSummary();
  for (const problem of [...plan.problems, ...parts.flatMap(({ inventory }) => inventory.problems)]) summary.problem(problem);
  const printer = new LinePrinter(out);
  for (const { place, inventory } of parts) {
    const paths = inventory.files.map((each) => each.path);
    const rules = { ...plan.rules, ...defined({ bcVersion: await versionAbove(place) }) };
    for await (const scan of workspace.scan({ root: place.root, paths, rules, hash: false })) {
      summary.add(scan);
      if (scan.instances.length === 0) continue;
      const shown = place.shown(scan.path);
      if (out.json)
        for (const instance of scan.instances) await printer.print({ ...scannedLine(shown, instance), ...defined({ workflow }) });
      else {
        showFile(out, workflow === undefined ? shown : `${shown} [${workflow}]`, scan.instances);
        await out.flush();
      }
    }
  }
  await printer.flush();
  return summary;
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
