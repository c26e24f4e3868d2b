import type { Pool } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { Attempt, Statements } from "./postgres-connection.ts";

const columns = `name, blocked_until as "blockedUntil", reason, seen_by as "seenBy", seen_at as "seenAt", guesses`;

/** Writes only where the row is the one that was read. `mark` names this change, through all its attempts. */
export async function replacePool(
  db: Attempt,
  pool: Omit<Pool, "seenAt">,
  { before, mark }: { readonly before: Pool | undefined; readonly mark: string },
): Promise<Pool | undefined> {
  const { name, blockedUntil, reason, seenBy, guesses } = pool;
  const values = [encodeText(name), blockedUntil, encodeText(reason), encodeText(seenBy), guesses, mark];
  const set = `blocked_until = $2, reason = $3, seen_by = $4, seen_at = ${db.now}, guesses = $5, mark = $6`;
  const sql =
    before === undefined
      ? `insert into waymark_store.pool (name, blocked_until, reason, seen_by, seen_at, guesses, mark)
        values ($1, $2, $3, $4, ${db.now}, $5, $6) on conflict (name) do nothing returning ${columns}`
      : `update waymark_store.pool set ${set} where name = $1 and seen_at = $7 and blocked_until = $8 returning ${columns}`;
  const row = await db.get<Pool>(sql, ...values, ...(before === undefined ? [] : [before.seenAt, before.blockedUntil]));
  if (row !== undefined) return poolFrom(row);
  if (!db.repeated) return undefined;
  const own = await db.get<Pool>(`select ${columns} from waymark_store.pool where name = $1 and mark = $2`, encodeText(name), mark);
  return own === undefined ? undefined : poolFrom(own);
}

export async function findPool(db: Statements, name: string): Promise<Pool | undefined> {
  const row = await db.get<Pool>(`select ${columns} from waymark_store.pool where name = $1`, encodeText(name));
  return row === undefined ? undefined : poolFrom(row);
}

export async function selectPools(db: Statements): Promise<readonly Pool[]> {
  return (await db.all<Pool>(`select ${columns} from waymark_store.pool order by name`)).map(poolFrom);
}

export async function deletePool(db: Statements, name: string): Promise<void> {
  await db.run("delete from waymark_store.pool where name = $1", encodeText(name));
}

function poolFrom(row: Pool): Pool {
  return { ...row, name: decodeText(row.name), reason: decodeText(row.reason), seenBy: decodeText(row.seenBy) };
}
