import type { WaitingRun, WorkWish } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

interface WorkRow extends Omit<WaitingRun, "place"> {
  readonly at: number;
  readonly no: number;
}

export function selectWork(db: SqliteConnection, { limit, after, run }: WorkWish, now: number): readonly WaitingRun[] {
  const sql = `select id as run, workflow, head, parts, updated_at as at, no from (
      select id, workflow, head, updated_at, no, parts ->> 'free' + coalesce(parts ->> 'due' <= ?1, 0) + (
        select count(*) from json_each(parts, '$.held') h where not exists (select 1 from lease where key = h.value and expires_at > ?1)
      ) as parts
      from run where due <= ?1 and (?3 is null or (updated_at, no) > (?3, ?4)) and (?5 is null or id = ?5)
    ) where parts > 0 order by updated_at, no limit ?2`;
  const rows = db.all<WorkRow>(sql, now, limit, after?.at ?? null, after?.no ?? null, run === undefined ? null : encodeText(run));
  return rows.map(({ at, no, ...row }) => ({ ...row, run: decodeText(row.run), workflow: decodeText(row.workflow), place: { at, no } }));
}
