import { decodeText } from "../stored-text.ts";
import { journalProblems, missingBlob, type JournalEnds } from "../verify-problems.ts";
import type { Statements } from "./postgres-connection.ts";

/**
 * Checks that every journal runs from 1 to its head without a gap, that every blob a run refers to is there, and that item rows and their
 * facets agree. References between rows are the server's to hold.
 */
export async function verifyRows(db: Statements): Promise<readonly string[]> {
  const journals = await db.all<JournalEnds>(
    `select r.id, r.head, j.first, j.last, j.n from waymark_store.run r cross join lateral (
      select min(position) as first, max(position) as last, count(*) as n from waymark_store.record where run = r.no
    ) j where (j.n = 0 and r.head <> 0) or (j.n > 0 and (j.first <> 1 or j.last <> j.n or j.last <> r.head)) order by r.no`,
  );
  const blobs = await db.all<{ hash: string; run: string }>(
    `select f.hash, r.id as run from waymark_store.blob_ref f join waymark_store.run r on r.no = f.run
    where not exists (select 1 from waymark_store.blob b where b.hash = f.hash) order by r.no, f.hash`,
  );
  const facets = await db.all<{ run: string; item: string }>(
    `select r.id as run, i.id as item from waymark_store.item_facet f join waymark_store.item i on i.no = f.item
    join waymark_store.worklist w on w.no = i.worklist join waymark_store.run r on r.no = w.run
    where (f.worklist, f.status, f.ord, f.waits_for) is distinct from (i.worklist, i.status, i.ord, i.waits_for)
      or f.blocked_until is distinct from i.blocked_until order by i.no`,
  );
  return [
    ...journals.flatMap((journal) => journalProblems({ ...journal, id: decodeText(journal.id) })),
    ...blobs.map(({ hash, run }) => missingBlob(decodeText(run), hash)),
    ...facets.map(({ run, item }) => `The facets of item \`${decodeText(item)}\` of run \`${decodeText(run)}\` do not agree with its row.`),
  ];
}
