import { counted } from "../../../base/index.ts";
import { requirePermission, type EngineContext, type LoadedWorkflow } from "../../../engine/index.ts";
import { failure, type Session } from "../../../cli/index.ts";
import type { Finding } from "../../../ports/index.ts";
import { toolFindings } from "../run/index.ts";
import type { ScanPlan } from "./scan-rules.ts";

interface Scanned {
  readonly plan: ScanPlan;
  readonly parts: readonly {
    readonly place: { readonly root: string };
    readonly inventory: { readonly files: readonly { readonly path: string }[] };
  }[];
}

/** What the tools of a workflow report of files in the workspace, by path; nothing for a workflow without tools. */
export type OfTools = Readonly<Record<string, readonly Finding[]>>;

/**
 * Runs the tools of the workflows that are scanned, after the permission that a run would need. What they report beside findings in the files
 * of the scan is said on the side, so that nothing vanishes.
 */
export async function scanTools(
  context: EngineContext,
  session: Session,
  loaded: LoadedWorkflow,
  scans: readonly Scanned[],
): Promise<ReadonlyMap<Scanned["plan"], OfTools>> {
  const found = new Map<ScanPlan, OfTools>();
  const withTools = scans.filter(({ plan }) => plan.definition.tools !== undefined);
  if (withTools.length === 0 || loaded.program === undefined) return found;
  await requirePermission(context, { ...loaded, program: loaded.program });
  for (const { plan, parts } of withTools) {
    const here = parts.filter(({ place }) => place.root === context.host.workspace);
    const paths = new Set(here.flatMap(({ inventory }) => inventory.files.map(({ path }) => path)));
    const { findings, counts, absent } = await toolFindings(context, plan.definition, paths);
    const { type, tools = [] } = plan.definition;
    if (absent.length === tools.length && plan.rules.patterns.length === 0)
      throw failure(
        "CLI_NO_TOOL",
        `None of the tools of \`${type}\` is in this workspace: ${absent.map(({ id, ifPresent = [] }) => `${id} (${ifPresent.join(" and ")})`).join(", ")}.`,
        "Install one of them, or scan with another workflow.",
      );
    for (const { tool, suppressed, outside, without_place: none } of counts) {
      const more = [
        ...(suppressed > 0 ? [`${counted(suppressed, "suppressed finding")}`] : []),
        ...(outside > 0 ? [`${counted(outside, "finding")} in files outside this scan`] : []),
        ...(none > 0 ? [`${counted(none, "finding")} without a place`] : []),
      ];
      if (more.length > 0) session.out.aside(`${tool}: not listed are ${more.join(", ")}.`);
    }
    found.set(plan, findings);
  }
  return found;
}
