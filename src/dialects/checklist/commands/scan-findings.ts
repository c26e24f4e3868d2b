import type { EngineContext } from "../../../engine/index.ts";
import type { ReportedFinding, ReportedRule } from "../../../findings/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";
import { instanceId } from "../run/index.ts";
import { reportedEdits } from "./reported-edits.ts";
import { reportedInstance } from "./reported-instance.ts";

/** What the findings of a file are made of. */
export interface ScannedFile {
  readonly scan: FileScan;
  /** Folder that the path of the scan is relative to. */
  readonly root: string;
  /** The file as rows name it. */
  readonly shown: string;
  readonly rules: ReadonlyMap<string, ReportedRule>;
  /** The workflow that is called, when these are its rules. */
  readonly workflow: string | undefined;
}

/** Findings of a scanned file in the order of their places, with those that the team has settled where they are wanted. */
export async function scannedFindings(
  context: EngineContext,
  { scan, root, shown: file, rules, workflow }: ScannedFile,
  wish: { readonly fixes: boolean; readonly suppressed: boolean },
): Promise<readonly ReportedFinding[]> {
  const fixes = wish.fixes ? await reportedEdits(context, root, scan) : new Map<Instance, never>();
  const settled = wish.suppressed ? (scan.suppressed ?? []) : [];
  const all: readonly (Instance & { readonly suppressed?: ReportedFinding["suppressed"] })[] =
    settled.length === 0 ? scan.instances : [...scan.instances, ...settled].toSorted((a, b) => a.start - b.start);
  return all.map((instance) =>
    reportedInstance(instance, {
      file,
      workflow,
      rule: rules.get(instance.pattern),
      fingerprint: instanceId(context, file, instance, instance.ordinal),
      fixes: fixes.get(instance),
      suppressed: instance.suppressed,
    }),
  );
}
