import type { FileScan } from "../../../ports/index.ts";
import { rulesOf, type Job } from "./checklist-run.ts";

/** What a look at the files of a run needs. */
type Looking = Pick<Job, "context" | "run"> & { readonly signal?: AbortSignal };

/**
 * Files as the run sees them: every look at a file of a run goes through here, so that what counts as found is decided once. In the order of
 * `paths`. `patterns: false`: the files are read and looked through for nothing.
 */
export async function* scanRunFiles(
  { context, run, signal }: Looking,
  paths: readonly string[],
  { patterns = true }: { readonly patterns?: boolean } = {},
): AsyncGenerator<FileScan, void, undefined> {
  const own = rulesOf(run);
  const rules = patterns ? own : { ...own, patterns: [] };
  yield* context.workspace.scan({ root: context.host.workspace, paths, rules, ...(signal === undefined ? {} : { signal }) });
}
