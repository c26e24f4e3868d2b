import type { Pool } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

const columns = "name, blocked_until as blockedUntil, reason, seen_by as seenBy, seen_at as seenAt, guesses";

/** Writes only where the row is the one that was read. */
export function replacePool(
  db: SqliteConnection,
  pool: Omit<Pool, "seenAt">,
  { before, now: seenAt }: { readonly before: Pool | undefined; readonly now: number },
): Pool | undefined {
  const found = findPool(db, pool.name);
  if (found?.seenAt !== before?.seenAt || found?.blockedUntil !== before?.blockedUntil) return undefined;
  const { name, blockedUntil, reason, seenBy, guesses } = pool;
  db.run(
    "insert or replace into pool (name, blocked_until, reason, seen_by, seen_at, guesses) values (?, ?, ?, ?, ?, ?)",
    encodeText(name),
    blockedUntil,
    encodeText(reason),
    encodeText(seenBy),
    seenAt,
    guesses,
  );
  return { ...pool, seenAt };
}

export function findPool(db: SqliteConnection, name: string): Pool | undefined {
  const row = db.get<Pool>(`select ${columns} from pool where name = ?`, encodeText(name));
  return row === undefined ? undefined : poolFrom(row);
}

export function selectPools(db: SqliteConnection): readonly Pool[] {
  return db.all<Pool>(`select ${columns} from pool order by name`).map(poolFrom);
}

export function deletePool(db: SqliteConnection, name: string): void {
  db.run("delete from pool where name = ?", encodeText(name));
}

function poolFrom(row: Pool): Pool {
  return { ...row, name: decodeText(row.name), reason: decodeText(row.reason), seenBy: decodeText(row.seenBy) };
}
