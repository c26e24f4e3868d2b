import { noRun } from "../store-errors.ts";
import { encodeText } from "../stored-text.ts";
import type { Statements } from "./postgres-connection.ts";

/** A run of one project: other projects' runs are not there. */
export interface RunName {
  readonly project: string;
  readonly run: string;
}

/** Its number in other tables. */
export async function requireRun(db: Statements, { project, run }: RunName): Promise<number> {
  const row = await db.get<{ no: number }>("select no from waymark_store.run where id = $1 and project = $2", encodeText(run), project);
  if (row === undefined) throw noRun(run);
  return row.no;
}
