import { decodeText, type SqliteConnection } from "./sqlite-connection.ts";

interface Journal {
  readonly id: string;
  readonly head: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly n: number;
}

export interface Findings {
  readonly problems: readonly string[];
  /** Every reference to a blob, for the caller to follow. */
  readonly blobs: readonly { readonly hash: string; readonly run: string }[];
}

/** Checks the file, the references between rows, and that every journal runs from 1 to its head without a gap. */
export function verifyRows(db: SqliteConnection): Findings {
  const problems = db
    .all<{ integrity_check: string }>("pragma integrity_check")
    .flatMap(({ integrity_check: found }) => (found === "ok" ? [] : [`The database file is damaged: ${found}.`]));
  // Rows of a damaged file may not be readable at all.
  if (problems.length > 0) return { problems, blobs: [] };
  for (const row of db.all<{ table: string; parent: string }>("pragma foreign_key_check"))
    problems.push(`A row of \`${row.table}\` refers to a row of \`${row.parent}\` that is missing.`);
  const journals = db.all<Journal>(
    `select run.id, run.head, min(position) as first, max(position) as last, count(position) as n
    from run left join record on record.run = run.no group by run.no order by run.no`,
  );
  for (const journal of journals) problems.push(...journalProblems(journal));
  const blobs = db.all<{ hash: string; run: string }>(
    "select hash, run.id as run from blob_ref join run on run.no = blob_ref.run order by run.no, hash",
  );
  return { problems, blobs: blobs.map(({ hash, run }) => ({ hash, run: decodeText(run) })) };
}

function journalProblems({ id, head, first, last, n }: Journal): string[] {
  const run = decodeText(id);
  const problems: string[] = [];
  if (head !== (last ?? 0)) problems.push(`The head of run \`${run}\` is ${head}, but its last record is ${last ?? 0}.`);
  if (n > 0 && (first !== 1 || last !== n)) problems.push(`The journal of run \`${run}\` has gaps: ${n} records from ${first} to ${last}.`);
  return problems;
}
