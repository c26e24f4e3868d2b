import type { Lease } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { Statements } from "./postgres-connection.ts";

type LeaseRequest = Pick<Lease, "key" | "owner" | "fence"> & { readonly ttlMs: number };

const columns = `key, owner, fence, expires_at as "expiresAt", beat_at as "beatAt"`;

/** A lease ends at the moment it expires: then it is free, and a beat no longer extends it. Taking a lease twice is taking it once. */
export async function acquireLease(
  db: Statements,
  { key, owner, fence, ttlMs }: LeaseRequest,
): Promise<{ readonly granted: boolean; readonly lease: Lease }> {
  const sql = `insert into waymark_store.lease (key, owner, fence, expires_at, beat_at)
    select $1, $2, $3::float8, t.now + $4::float8, t.now from (select ${db.now} as now) t
    on conflict (key) do update set owner = excluded.owner, fence = excluded.fence, expires_at = excluded.expires_at, beat_at = excluded.beat_at
    where waymark_store.lease.owner = excluded.owner or waymark_store.lease.expires_at <= excluded.beat_at
    returning ${columns}`;
  for (;;) {
    const taken = await db.get<Lease>(sql, encodeText(key), encodeText(owner), fence, ttlMs);
    if (taken !== undefined) return { granted: true, lease: leaseFrom(taken) };
    const held = await findLease(db, key);
    // One that was released between the two statements is free.
    if (held !== undefined) return { granted: false, lease: held };
  }
}

/** Also gives a lease that has expired, so that a lost holder can be named. */
export async function findLease(db: Statements, key: string): Promise<Lease | undefined> {
  const row = await db.get<Lease>(`select ${columns} from waymark_store.lease where key = $1`, encodeText(key));
  return row === undefined ? undefined : leaseFrom(row);
}

export async function selectLeases(db: Statements, prefix: string): Promise<readonly Lease[]> {
  // No encoded text has this character or one above it.
  const sql = `select ${columns} from waymark_store.lease where key >= $1 and key < $1 || chr(57344) order by key`;
  return (await db.all<Lease>(sql, encodeText(prefix))).map(leaseFrom);
}

/**
 * Never shortens a lease. It does not wait for the disk: a beat of the last moment that a crash of the server loses makes the lease shorter by
 * a part of its time, and the next beat makes it whole again.
 */
export async function beatLeases(db: Statements, owner: string, ttlMs: number): Promise<number> {
  const sql = `update waymark_store.lease set expires_at = greatest(expires_at, t.now + $2::float8), beat_at = t.now
    from (select ${db.now} as now) t where owner = $1 and expires_at > t.now and set_config('synchronous_commit', 'off', true) = 'off'`;
  return db.run(sql, encodeText(owner), ttlMs);
}

export async function deleteLease(db: Statements, key: string, owner: string): Promise<void> {
  await db.run("delete from waymark_store.lease where key = $1 and owner = $2", encodeText(key), encodeText(owner));
}

export async function deleteLeases(db: Statements, owner: string, prefix: string): Promise<void> {
  await db.run("delete from waymark_store.lease where owner = $1 and left(key, length($2)) = $2", encodeText(owner), encodeText(prefix));
}

function leaseFrom(row: Lease): Lease {
  return { ...row, key: decodeText(row.key), owner: decodeText(row.owner) };
}
