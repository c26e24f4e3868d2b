/** The line by which a person answers a question. A question that is asked again is named with its revision: the line means what was shown. */
export function decideCommand(run: string, { id, revision }: { readonly id: string; readonly revision: number }): string {
  return `waymark decide ${run} ${id}${revision === 1 ? "" : ` --revision ${revision}`}`;
}
