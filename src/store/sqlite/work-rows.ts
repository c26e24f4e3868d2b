import type { WaitingRun } from "../../ports/index.ts";
import { decodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

export function selectWork(db: SqliteConnection, limit: number, now: number): readonly WaitingRun[] {
  const sql = `select id as run, workflow, head, parts from (
      select id, workflow, head, updated_at, no, parts ->> 'free' + coalesce(parts ->> 'due' <= ?1, 0) + (
        select count(*) from json_each(parts, '$.held') h where not exists (select 1 from lease where key = h.value and expires_at > ?1)
      ) as parts
      from run where due <= ?1
    ) where parts > 0 order by updated_at, no limit ?2`;
  return db.all<WaitingRun>(sql, now, limit).map((row) => ({ ...row, run: decodeText(row.run), workflow: decodeText(row.workflow) }));
}
