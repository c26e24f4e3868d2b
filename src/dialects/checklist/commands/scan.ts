import { defined } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { exitCodes, failure, loadCommandKit, type Given, type Output } from "../../../cli/index.ts";
import { codes } from "./codes.ts";
import { LinePrinter, scannedLine } from "./instance-line.ts";
import type { Inventory } from "../../../ports/index.ts";
import { scanPlace, versionAbove, type ScanPlace } from "./scan-place.ts";
import { inventoryOf, planScans, type ScanPlan } from "./scan-rules.ts";
import { ScanSummary, showFile } from "./scan-summary.ts";

const { loadValid } = await loadCommandKit();

/** A workflow's patterns and the files that it takes. */
interface WorkflowScan {
  readonly plan: ScanPlan;
  readonly inventory: Inventory;
  /** The workflow that is called, when these are its patterns. */
  readonly workflow?: string;
}

/** Looks for the patterns of a workflow and of those it calls in files, without a run and without writing anything. */
export async function scanCommand({ session, args: [name = "", path = "."], options }: Given): Promise<number> {
  const { out } = session;
  const { source, target, failOn } = options;
  const place = await scanPlace(session.pathOf(path), session.workspace);
  const bcVersion = (await versionAbove(place.root)) ?? options["bcVersion"];
  return session.withEngine(async (context) => {
    const loaded = await loadValid(session, context, name);
    out.aside(`Workspace: ${session.workspace}`);
    const parts: WorkflowScan[] = [];
    for (const plan of await planScans(context, loaded, { source, target, bcVersion })) {
      const workflow = plan.definition.type === loaded.name ? undefined : plan.definition.type;
      parts.push({ plan, inventory: await inventoryOf(context, plan, place), ...defined({ workflow }) });
    }
    if (parts.every(({ inventory }) => inventory.files.length === 0)) throw noFiles(loaded.name, parts, place);
    let found = 0;
    for (const part of parts) {
      const begun = performance.now();
      const summary = await scanFiles(context, out, part, place);
      if (part.workflow !== undefined) out.aside(`\`${part.workflow}\`, which \`${loaded.name}\` calls:`);
      for (const line of summary.lines(performance.now() - begun)) out.aside(line);
      found += failOn === "found" ? summary.found.instances : failOn === "auto-fixable" ? summary.found.auto : 0;
    }
    return found > 0 ? exitCodes.failed : exitCodes.done;
  });
}

async function scanFiles(
  { workspace }: EngineContext,
  out: Output,
  { plan, inventory, workflow }: WorkflowScan,
  { root, file }: ScanPlace,
): Promise<ScanSummary> {
  const summary = new ScanSummary();
  for (const problem of [...plan.problems, ...inventory.problems]) summary.problem(problem);
  const printer = new LinePrinter(out);
  const paths = inventory.files.map((each) => each.path);
  for await (const scan of workspace.scan({ root, paths, rules: plan.rules, hash: false })) {
    summary.add(scan);
    if (scan.instances.length === 0) continue;
    const shown = file?.name ?? scan.path;
    if (out.json) for (const instance of scan.instances) await printer.print({ ...scannedLine(shown, instance), ...defined({ workflow }) });
    else {
      showFile(out, workflow === undefined ? shown : `${shown} [${workflow}]`, scan.instances);
      await out.flush();
    }
  }
  await printer.flush();
  return summary;
}

function noFiles(name: string, [part]: readonly WorkflowScan[], { root, file }: ScanPlace): Error {
  const { filePatterns = [], fileExclusions = [], gitignore = false } = part?.plan.definition ?? {};
  const problem = part?.inventory.problems[0]?.message;
  const left = fileExclusions.length === 0 ? "" : `, without ${fileExclusions.join(", ")}`;
  const what =
    file === undefined
      ? `No file below \`${root}\` is one that \`${name}\` looks at: it takes ${filePatterns.join(", ")}${left}${gitignore ? ", and what git ignores is left out" : ""}.`
      : `\`${file.name}\` cannot be scanned.`;
  return failure("CLI_NO_FILES", problem === undefined ? what : `${what} ${problem}`, codes["CLI_NO_FILES"]?.fix);
}
