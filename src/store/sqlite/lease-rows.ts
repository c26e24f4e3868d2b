import type { Lease } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

type LeaseRequest = Pick<Lease, "key" | "owner" | "fence"> & { readonly ttlMs: number };

const columns = "key, owner, fence, expires_at as expiresAt, beat_at as beatAt";

/** A lease ends at the moment it expires: then it is free, and a beat no longer extends it. */
export function acquireLease(
  db: SqliteConnection,
  { key, owner, fence, ttlMs }: LeaseRequest,
  now: number,
): { readonly granted: boolean; readonly lease: Lease } {
  const held = findLease(db, key);
  if (held !== undefined && held.owner !== owner && held.expiresAt > now) return { granted: false, lease: held };
  const lease: Lease = { key, owner, fence, expiresAt: now + ttlMs, beatAt: now };
  db.run(
    "insert or replace into lease (key, owner, fence, expires_at, beat_at) values (?, ?, ?, ?, ?)",
    encodeText(key),
    encodeText(owner),
    fence,
    lease.expiresAt,
    now,
  );
  return { granted: true, lease };
}

/** Also gives a lease that has expired, so that a lost holder can be named. */
export function findLease(db: SqliteConnection, key: string): Lease | undefined {
  const row = db.get<Lease>(`select ${columns} from lease where key = ?`, encodeText(key));
  return row === undefined ? undefined : leaseFrom(row);
}

export function selectLeases(db: SqliteConnection, prefix: string): readonly Lease[] {
  const sql = `select ${columns} from lease where key >= ?1 and substr(key, 1, length(?1)) = ?1 order by key`;
  return db.all<Lease>(sql, encodeText(prefix)).map(leaseFrom);
}

/** Never shortens a lease. */
export function beatLeases(db: SqliteConnection, owner: string, ttlMs: number, now: number): number {
  return db.run(
    "update lease set expires_at = max(expires_at, ?), beat_at = ? where owner = ? and expires_at > ?",
    now + ttlMs,
    now,
    encodeText(owner),
    now,
  );
}

export function deleteLease(db: SqliteConnection, key: string, owner: string): void {
  db.run("delete from lease where key = ? and owner = ?", encodeText(key), encodeText(owner));
}

export function deleteLeases(db: SqliteConnection, owner: string, prefix: string): void {
  db.run("delete from lease where owner = ?1 and substr(key, 1, length(?2)) = ?2", encodeText(owner), encodeText(prefix));
}

function leaseFrom(row: Lease): Lease {
  return { ...row, key: decodeText(row.key), owner: decodeText(row.owner) };
}
