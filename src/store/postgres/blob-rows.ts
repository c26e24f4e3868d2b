import type { BlobFacts } from "../../ports/index.ts";
import type { Statements } from "./postgres-connection.ts";

/** Up to so many bytes are in the blob's own row; more are in rows of so many each. */
export const chunkBytes = 1_048_576;
const collectAfterMs = 3_600_000;
const renewAfterMs = collectAfterMs / 2;

/** Whether the blob is there, and then for at least another half hour. One that is being collected at this moment is not. */
export async function renewBlob(db: Statements, hash: string): Promise<boolean> {
  const sql = `with renewed as (
      update waymark_store.blob set put_at = ${db.now} where hash = $1 and put_at < ${db.now} - ${renewAfterMs} returning 1
    )
    select 1 as found from renewed union all select 1 from waymark_store.blob where hash = $1 and put_at >= ${db.now} - ${renewAfterMs}`;
  return (await db.get(sql, hash)) !== undefined;
}

/** Within one transaction, unless there is only one chunk. Bytes that are there already stay, and are made young. */
export async function insertBlob(
  db: Statements,
  { hash, bytes }: BlobFacts,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const small = bytes <= chunkBytes;
  const sql = `insert into waymark_store.blob (hash, bytes, put_at, data) values ($1, $2, ${db.now}, $3)
    on conflict (hash) do update set put_at = excluded.put_at returning (xmax = 0) as is_new`;
  let no = 0;
  for await (const chunk of small && bytes === 0 ? [new Uint8Array()] : chunks) {
    if (no === 0) {
      const made = await db.get<{ is_new: boolean }>(sql, hash, bytes, small ? chunk : null);
      if (small || made?.is_new !== true) return;
    }
    await db.run("insert into waymark_store.blob_chunk (hash, no, data) values ($1, $2, $3)", hash, no, chunk);
    no += 1;
  }
}

/** The bytes as they are, in parts of at most a chunk each; undefined when there is no such blob. */
export async function findBlob(db: Statements, hash: string): Promise<Uint8Array[] | undefined> {
  const row = await db.get<{ data: Buffer | null }>("select data from waymark_store.blob where hash = $1", hash);
  if (row === undefined) return undefined;
  if (row.data !== null) return [row.data];
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = await db.get<{ data: Buffer }>(
      "select data from waymark_store.blob_chunk where hash = $1 and no = $2",
      hash,
      chunks.length,
    );
    if (chunk === undefined) return chunks;
    chunks.push(chunk.data);
  }
}

/** Removes what no run refers to and was last put more than an hour ago. */
export async function deleteUnusedBlobs(db: Statements): Promise<{ readonly removed: number; readonly bytes: number }> {
  const sql = `with removed as (
      delete from waymark_store.blob b where b.put_at < ${db.now} - ${collectAfterMs}
        and not exists (select 1 from waymark_store.blob_ref r where r.hash = b.hash) returning b.bytes
    )
    select count(*)::float8 as removed, coalesce(sum(bytes), 0)::float8 as bytes from removed`;
  return (await db.get<{ removed: number; bytes: number }>(sql)) ?? { removed: 0, bytes: 0 };
}
