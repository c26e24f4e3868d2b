/** Names of the worklists of a part: a workflow that is called has files of its own; findings and changes are the run's. */
export interface Lists {
  readonly files: string;
  readonly findings: string;
  readonly changes: string;
}

export function listsOf(main: boolean, type: string): Lists {
  return { files: main ? "files" : `${type}/files`, findings: "findings", changes: "changes" };
}
