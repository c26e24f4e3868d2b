import type { JsonObject } from "../../base/index.ts";
import { doctor, rebuildRun, runs } from "../../engine/index.ts";
import { inspectSessions, type InspectedSession } from "../../dialects/machine/run/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";

import { repairSessions, showSessions } from "./doctor-sessions.ts";

export async function doctorCommand({ session, args: [run], options }: Given): Promise<number> {
  const only = typeof options["session"] === "string" ? options["session"] : undefined;
  if (options["repair"] === true) return session.withEngine((context) => repairSessions(session, context, only));
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
    const sessions = run === undefined ? await inspectSessions(context, only) : [];
    if (only !== undefined && sessions.length === 0)
      throw usage(`There is no session \`${only}\` below .agents-work.`, "Name a folder there, or leave `--session` out.");
    out.document({
      ...report,
      sessions: sessions.map(sessionDocument),
      rebuilt,
      workspace: session.workspace,
      workflow_folders: context.host.definitions.folders(),
    });
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
    const conforming = showSessions(session, sessions);
    return report.problems.length === 0 ? conforming : exitCodes.failed;
  });
}

function sessionDocument({ session, folder, defects }: InspectedSession): JsonObject {
  return { session, folder, defects: defects.map(({ repair, ...defect }) => ({ ...defect, repairable: repair !== undefined })) };
}
