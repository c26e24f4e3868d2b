import { checklistRows, gatherFacts, requireChecklist } from "../../dialects/checklist/run/index.ts";
import { exportRun } from "../../engine/index.ts";
import { checklistReport, sessionJson } from "../../dialects/checklist/views/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { refuseLinkOut } from "../refuse-link-out.ts";

export async function exportCommand(given: Given): Promise<number> {
  return given.options["format"] === "bc" ? exportSession(given) : exportDocument(given);
}

async function exportDocument({ session, args: [run = ""], options }: Given): Promise<number> {
  const text = `${JSON.stringify(await session.withEngine((context) => exportRun(context, run)), null, 2)}\n`;
  if (options["out"] === undefined) {
    session.out.raw(text);
    return exitCodes.done;
  }
  const path = session.pathOf(String(options["out"]));
  await session.world.writeFile(path, text);
  session.out.document({ run_id: run, file: path, bytes: Buffer.byteLength(text) });
  session.out.line(`Wrote ${path} (${Buffer.byteLength(text)} bytes).`);
  return exitCodes.done;
}

/** The session and its report at the places where tools for Business Central look for them. */
async function exportSession({ session, args: [run = ""], options }: Given): Promise<number> {
  const { world, out } = session;
  if (options["out"] !== undefined)
    throw usage("The form `bc` writes two files at places of its own.", "Leave `--out` out, or export another form.");
  return session.withEngine(async (context) => {
    const handle = await context.runs.open(run);
    requireChecklist(handle);
    const facts = await gatherFacts(context, run);
    const rows = checklistRows(context, handle);
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
