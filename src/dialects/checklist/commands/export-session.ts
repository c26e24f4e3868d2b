import { checklistRows, gatherFacts, requireChecklist, withMatchContext } from "../run/index.ts";
import { checklistReport, sessionJson } from "../views/index.ts";
import { exitCodes, loadCommandKit, usage, type Given } from "../../../cli/index.ts";

const { refuseLinkOut } = await loadCommandKit();

/** The session and its report at the places where tools for Business Central look for them. */
export async function exportSession({ session, args: [run = ""], options }: Given): Promise<number> {
  const { world, out } = session;
  if (options["out"] !== undefined)
    throw usage("The form `bc` writes two files at places of its own.", "Leave `--out` out, or export another form.");
  return session.withEngine(async (context) => {
    const handle = await context.runs.open(run);
    requireChecklist(handle);
    const facts = await gatherFacts(context, run);
    const rows = withMatchContext(context, handle, checklistRows(context, handle));
    const folder = `${context.host.workspace}/.bc-workflows`;
    const files = { session: `${folder}/sessions/${run}.json`, report: `${folder}/reports/${run}-report.md` };
    for (const file of Object.values(files)) await refuseLinkOut(context.host.workspace, file);
    await world.writeFile(files.session, sessionJson(facts, rows));
    await world.writeFile(files.report, checklistReport(facts, rows, { format: "markdown" }));
    out.document({ run_id: run, ...files });
    out.line(`Wrote ${files.session}\n  and ${files.report}`);
    return exitCodes.done;
  });
}
