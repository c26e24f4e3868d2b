import type { WaitingRun } from "../../ports/index.ts";
import { decodeText } from "../stored-text.ts";
import type { Statements } from "./postgres-connection.ts";

/** Hints are for everybody who listens; what they carry tells a project's own from others. */
export const hintChannel = "waymark_work";

/** What a hint about a project carries, as a part of a statement. */
export function hintOf(project: string): string {
  return `encode(sha256(convert_to(${project}, 'UTF8')), 'hex')`;
}

export async function selectWork(db: Statements, project: string, limit: number): Promise<readonly WaitingRun[]> {
  const sql = `select run, workflow, head, parts from waymark_store.waiting_at(${db.now}) where project = $1 and parts > 0
    order by updated_at, no limit $2`;
  const rows = await db.all<WaitingRun>(sql, project, limit);
  return rows.map((row) => ({ ...row, run: decodeText(row.run), workflow: decodeText(row.workflow) }));
}
