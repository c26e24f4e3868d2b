import { noRun } from "../store-errors.ts";
import { encodeText } from "../stored-text.ts";
import type { Statements } from "./postgres-connection.ts";

/** A run of one project: other projects' runs are not there. */
export interface RunName {
  readonly project: string;
  readonly run: string;
}

/** Its number in other tables. */
export async function requireRun(db: Statements, name: RunName): Promise<number> {
  return numberOf(db, name, "");
}

/** The same, and nobody removes the run before the transaction has ended. */
export async function keepRun(db: Statements, name: RunName): Promise<number> {
  return numberOf(db, name, "for key share");
}

async function numberOf(db: Statements, { project, run }: RunName, lock: "" | "for key share"): Promise<number> {
  const sql = `select no from waymark_store.run where id = $1 and project = $2 ${lock}`;
  const row = await db.get<{ no: number }>(sql, encodeText(run), project);
  if (row === undefined) throw noRun(run);
  return row.no;
}
