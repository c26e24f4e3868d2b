import { defined } from "../../base/index.ts";
import type { EngineContext, LoadedWorkflow } from "../../engine/index.ts";
import { failure, usage } from "../index.ts";
import type { ChecklistDefinition, ScanProblem, ScanRules } from "./row-kinds.ts";

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
  readonly problems: readonly ScanProblem[];
}

/** What a workflow looks for, without a run: its own patterns, and those of conversion guides between two versions. */
export async function planScan(context: EngineContext, workflow: LoadedWorkflow, wishes: ScanWishes): Promise<ScanPlan> {
  return planOf(context, definitionOf(workflow), wishes);
}

/** The same with the workflows that it calls on its files: what a run of it would find. Those without patterns are left out. */
export async function planScans(context: EngineContext, workflow: LoadedWorkflow, wishes: ScanWishes): Promise<readonly ScanPlan[]> {
  const own = definitionOf(workflow);
  const all = [own, ...calledBy(workflow)];
  if (!all.some(wantsGuides) && (wishes.source !== undefined || wishes.target !== undefined))
    throw usage(`\`${workflow.name}\` uses no conversion guides, so \`--source\` and \`--target\` mean nothing to it.`, "Leave them out.");
  const plans = await Promise.all(all.map((definition) => planOf(context, definition, wishes)));
  const scanned = plans.filter(({ rules, definition }) => rules.patterns.length > 0 || wantsGuides(definition));
  if (scanned.length === 0)
    throw failure(
      "CLI_NO_PATTERNS",
      `\`${workflow.name}\` looks for no patterns: its checklist is for the reader of the files.`,
      "Name a workflow with patterns, such as `codebase-review` or `error-to-errorinfo-migration`.",
    );
  return scanned;
}

async function planOf(context: EngineContext, definition: ChecklistDefinition, wishes: ScanWishes): Promise<ScanPlan> {
  const { patterns, problems } = wantsGuides(definition)
    ? await guidePatterns(context, definition.type, definition, wishes)
    : { patterns: [], problems: [] };
  const own = definition.patterns.enabled ? (definition.patterns.patterns as unknown as ScanRules["patterns"]) : [];
  return {
    definition,
    rules: {
      patterns: [...own, ...patterns],
      maxFileBytes: definition.maxFileBytes,
      ...defined({ bcVersion: wishes.bcVersion }),
    },
    problems,
  };
}

function wantsGuides({ phases }: ChecklistDefinition): boolean {
  return phases.some((phase) => phase.role === "guides");
}

function calledBy({ program }: LoadedWorkflow): readonly ChecklistDefinition[] {
  const parts = Object.values(program?.parts ?? {}).filter((part) => part.name !== program?.main);
  return parts.flatMap((part) => {
    const held = part.dialect === "checklist" ? part.config["checklist"] : undefined;
    return held === undefined ? [] : [held as unknown as ChecklistDefinition];
  });
}

function definitionOf({ name, program }: LoadedWorkflow): ChecklistDefinition {
  const held = program?.dialect === "checklist" ? program.parts[program.main]?.config["checklist"] : undefined;
  if (held === undefined)
    throw failure(
      "CLI_NO_PATTERNS",
      `\`${name}\` is a workflow of steps; only checklists over files can be scanned for.`,
      "List the workflows with `waymark list`.",
    );
  return held as unknown as ChecklistDefinition;
}

type FoundPatterns = { readonly patterns: ScanRules["patterns"]; readonly problems: readonly ScanProblem[] };

async function guidePatterns(
  context: EngineContext,
  name: string,
  { versionUpgrade: upgrade, patterns }: ChecklistDefinition,
  wishes: ScanWishes,
): Promise<FoundPatterns> {
  const source = wishes.source ?? upgrade?.source;
  const target = wishes.target ?? upgrade?.target;
  if (source === undefined || target === undefined)
    throw usage(`\`${name}\` looks for what changed between two versions.`, "Name them, for example `--source BC23 --target BC24`.");
  const found = await context.guides.discover({
    source,
    target,
    ...(upgrade === undefined ? {} : { pattern: upgrade.guidePattern, tags: upgrade.guideTags, inSequence: upgrade.inSequence }),
    searchMarkers: patterns.searchMarkers,
    transformationMarkers: patterns.transformationMarkers,
  });
  const missing = found.withoutGuide.map((step) => ({ code: "CLI_NO_GUIDE", message: `There is no conversion guide for ${step}.` }));
  return { patterns: upgrade?.extractPatterns === false ? [] : found.patterns, problems: [...found.problems, ...missing] };
}
