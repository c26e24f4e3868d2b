import type { WaitingRun, WorkWish } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { Statement, type Statements } from "./postgres-connection.ts";

/** Hints are for everybody who listens; what they carry tells a project's own from others. */
export const hintChannel = "waymark_work";

/** What a hint about a project carries, as a part of a statement. */
export function hintOf(project: string): string {
  return `encode(sha256(convert_to(${project}, 'UTF8')), 'hex')`;
}

interface WorkRow extends Omit<WaitingRun, "place"> {
  readonly at: number;
  readonly no: number;
}

export async function selectWork(db: Statements, project: string, { limit, after, run }: WorkWish): Promise<readonly WaitingRun[]> {
  const sql = new Statement();
  const where = [`project = ${sql.bind(project)}`];
  if (after !== undefined) where.push(`(updated_at, no) > (${sql.bind(after.at, "float8")}, ${sql.bind(after.no, "bigint")})`);
  if (run !== undefined) where.push(`run = ${sql.bind(encodeText(run))}`);
  const rows = await db.all<WorkRow>(
    `select run, workflow, head, parts, updated_at as at, no from waymark_store.waiting_at(${db.now})
    where ${where.join(" and ")} and parts > 0 order by updated_at, no limit ${sql.bind(limit)}`,
    ...sql.params,
  );
  return rows.map(({ at, no, ...row }) => ({ ...row, run: decodeText(row.run), workflow: decodeText(row.workflow), place: { at, no } }));
}
