/** Where the journal of a run begins and ends, and how many records it has. */
export interface JournalEnds {
  readonly id: string;
  readonly head: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly n: number;
}

/** What is wrong with a journal, which runs from 1 to its head without a gap. */
export function journalProblems({ id: run, head, first, last, n }: JournalEnds): string[] {
  const problems: string[] = [];
  if (head !== (last ?? 0)) problems.push(`The head of run \`${run}\` is ${head}, but its last record is ${last ?? 0}.`);
  if (n > 0 && (first !== 1 || last !== n)) problems.push(`The journal of run \`${run}\` has gaps: ${n} records from ${first} to ${last}.`);
  return problems;
}

export function missingBlob(run: string, hash: string): string {
  return `Run \`${run}\` refers to the blob \`${hash}\`, which is missing.`;
}
