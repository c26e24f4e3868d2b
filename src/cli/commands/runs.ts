import { runs, type RunOverview } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseCount } from "../parse-values.ts";
import { shorten } from "../render-table.ts";
import type { Session } from "../session.ts";

export async function runsCommand({ session, options }: Given): Promise<number> {
  const limit = parseCount(options["limit"], "--limit", 1);
  const filter = {
    limit,
    ...(options["status"] === undefined ? {} : { status: [options["status"] as RunOverview["status"]] }),
    ...(options["workflow"] === undefined ? {} : { workflow: String(options["workflow"]) }),
  };
  const found = await session.withEngine((context) => runs(context, filter));
  session.out.document({ runs: found.map(runData) });
  if (options["ids"] === true) for (const run of found) session.out.line(run.id);
  else showRuns(session, found, "There are no runs here yet.");
  return exitCodes.done;
}

export function runData(run: RunOverview): object {
  const { id, workflow, status, createdAt, updatedAt, line } = run;
  return {
    run_id: id,
    workflow,
    status,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...line,
  };
}

export function showRuns({ out }: Session, found: readonly RunOverview[], none: string): void {
  if (found.length === 0) {
    out.line(none);
    out.hint("→ waymark list shows what can be started.");
    return;
  }
  const rows = found.map((run) => [
    run.id,
    statusWord(run),
    progressWord(run),
    run.line.holder ?? "",
    new Date(run.updatedAt).toISOString().slice(0, 16).replace("T", " "),
  ]);
  out.table(["RUN", "STATUS", "AT", "BY", "LAST CHANGE"], rows);
  out.hint(`→ waymark status ${found[0]?.id ?? "<run>"}`);
}

function statusWord({ status, line }: RunOverview): string {
  if (status !== "running") return status;
  if (line.questions > 0) return `${line.questions} ${line.questions === 1 ? "question" : "questions"}`;
  return line.blocked === undefined ? "running" : "blocked";
}

function progressWord({ status, line }: RunOverview): string {
  const items = line.total === 0 ? "" : ` (${line.done}/${line.total})`;
  if (status === "failed") return shorten(line.error ?? "", 60);
  return status === "running" ? `${shorten(line.label ?? line.step ?? "", 40)}${items}` : items.trim();
}
