import { defined } from "../../../base/index.ts";
import type { EngineContext, LoadedWorkflow } from "../../../engine/index.ts";
import { failure, usage } from "../../../cli/index.ts";
import { findGuides } from "../run/index.ts";
import type { ChecklistDefinition } from "../definition/index.ts";
import type { FileScan, Inventory, ScanRules } from "../../../ports/index.ts";
import type { ScanPlace } from "./scan-place.ts";

/** What was asked for beside the workflow. */
export interface ScanWishes {
  readonly source?: string;
  readonly target?: string;
  readonly bcVersion?: string;
}

export interface ScanPlan {
  readonly definition: ChecklistDefinition;
  readonly rules: ScanRules;
  /** Guides that cannot be used, version steps without one. */
  readonly problems: readonly Pick<FileScan["problems"][number], "code" | "message">[];
}

/**
 * What a workflow and those that it calls look for, without a run: their own patterns, and those of conversion guides between two
 * versions. Those without patterns are left out.
 */
export async function planScans(context: EngineContext, workflow: LoadedWorkflow, wishes: ScanWishes): Promise<readonly ScanPlan[]> {
  const all = definitionsOf(workflow);
  if (!all.some(wantsGuides) && (wishes.source !== undefined || wishes.target !== undefined))
    throw usage(`\`${workflow.name}\` uses no conversion guides, so \`--source\` and \`--target\` mean nothing to it.`, "Leave them out.");
  const plans = await Promise.all(all.map((definition) => planOf(context, definition, wishes)));
  const scanned = plans.filter(
    ({ rules, definition }) => rules.patterns.length > 0 || definition.tools !== undefined || wantsGuides(definition),
  );
  if (scanned.length === 0)
    throw failure(
      "CLI_NO_PATTERNS",
      `\`${workflow.name}\` looks for no patterns: its checklist is for the reader of the files.`,
      "Name a workflow with patterns, such as `codebase-review` or `error-to-errorinfo-migration`.",
    );
  return scanned;
}

/** The files that a workflow takes of a place. */
export function inventoryOf(
  { workspace }: EngineContext,
  { definition }: ScanPlan,
  { root, paths, listed }: Omit<ScanPlace, "shown">,
): Promise<Inventory> {
  const { filePatterns: patterns, fileExclusions: exclusions, gitignore } = definition;
  return workspace.inventory({ root, patterns, exclusions, scope: { kind: "paths", paths, listed }, priority: [], gitignore });
}

async function planOf(context: EngineContext, definition: ChecklistDefinition, wishes: ScanWishes): Promise<ScanPlan> {
  const { enabled, patterns } = definition.patterns;
  const own = enabled ? (patterns as unknown as ScanRules["patterns"]) : [];
  const ofGuides = wantsGuides(definition) ? await guidePatterns(context, definition, wishes) : { patterns: [], problems: [] };
  const rules = {
    patterns: [...own, ...ofGuides.patterns],
    maxFileBytes: definition.maxFileBytes,
    ...defined({ bcVersion: wishes.bcVersion, leaveOut: definition.patterns.leaveOut }),
  };
  return { definition, rules, problems: ofGuides.problems };
}

function wantsGuides({ phases }: ChecklistDefinition): boolean {
  return phases.some((phase) => phase.role === "guides");
}

/** Its own first. */
function definitionsOf({ name, program }: LoadedWorkflow): readonly ChecklistDefinition[] {
  const main = program?.parts[program.main];
  const parts = main === undefined ? [] : [main, ...Object.values(program?.parts ?? {}).filter((part) => part !== main)];
  if (main?.dialect !== "checklist")
    throw failure(
      "CLI_NO_PATTERNS",
      `\`${name}\` is a workflow of steps; only checklists over files can be scanned for.`,
      "List the workflows with `waymark list`.",
    );
  return parts.flatMap(({ dialect, config }) => (dialect === "checklist" ? [config["checklist"] as unknown as ChecklistDefinition] : []));
}

async function guidePatterns(
  context: EngineContext,
  definition: ChecklistDefinition,
  wishes: ScanWishes,
): Promise<Pick<ScanPlan, "problems"> & Pick<ScanRules, "patterns">> {
  const { type, versionUpgrade: upgrade } = definition;
  const source = wishes.source ?? upgrade?.source;
  const target = wishes.target ?? upgrade?.target;
  if (source === undefined || target === undefined)
    throw usage(`\`${type}\` looks for what changed between two versions.`, "Name them, for example `--source BC23 --target BC24`.");
  const found = await findGuides(context.knowledge, definition, { source, target });
  const missing = found.withoutGuide.map((step) => ({ code: "CLI_NO_GUIDE", message: `There is no conversion guide for ${step}.` }));
  return { patterns: found.patterns, problems: [...found.problems, ...missing] };
}
