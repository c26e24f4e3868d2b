import { doctor, rebuildRun, runs } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";

export async function doctorCommand({ session, args: [run], options }: Given): Promise<number> {
  return session.withEngine(async (context) => {
    const rebuilt: string[] = [];
    if (options["rebuild"] === true) {
      if (run !== undefined) await context.runs.open(run);
      for (const id of run === undefined ? (await runs(context, {})).map((entry) => entry.id) : [run]) {
        await rebuildRun(context, id);
        rebuilt.push(id);
      }
    }
    const report = await doctor(context, run);
    const { out } = session;
    out.document({ ...report, rebuilt, workspace: session.workspace, workflow_folders: context.host.definitions.folders() });
    out.table(
      ["STORE", ""],
      [
        ["kind", `${report.store.kind} (${report.store.engine})`],
        ["place", report.store.location],
        ["schema", String(report.store.schema)],
        ["runs checked", String(report.checked)],
        ...(rebuilt.length === 0 ? [] : [["runs rebuilt", String(rebuilt.length)]]),
      ],
    );
    out.line();
    for (const { run: id, problem } of report.problems) out.line(`${out.paint("red", "✗")} ${id === undefined ? "" : `${id}: `}${problem}`);
    out.line(
      report.problems.length === 0
        ? `${out.paint("green", "✓")} Every journal gives exactly the stored state.`
        : `${report.problems.length} ${report.problems.length === 1 ? "problem" : "problems"}.`,
    );
    if (report.problems.length > 0 && rebuilt.length === 0)
      out.hint("→ waymark doctor --rebuild derives everything from the journals again.");
    return report.problems.length === 0 ? exitCodes.done : exitCodes.failed;
  });
}
