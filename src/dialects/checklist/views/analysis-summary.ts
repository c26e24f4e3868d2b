import { type JsonObject, defined, counted, grouped, textOf } from "../../../base/index.ts";
import type { ChecklistFacts, InstanceCounts, TypeCounts } from "../definition/index.ts";
import { clipTokens } from "./action-view.ts";
import { arrowStep } from "./shared-state.ts";
import { settledByEngine, settledData, suppressedData, suppressedText } from "./facts-and-rows.ts";
import { stepText } from "./status-bar.ts";
import { toolLines, toolsData } from "./tool-sections.ts";

const typesShown = 8;
const stepsShown = 10;

interface FilesNeeding {
  readonly auto?: number;
  readonly review?: number;
  readonly manual?: number;
}

/** What the scan found, by the type that clients know, and what can be done with many instances at once. */
export function analysisSummary(facts: ChecklistFacts, needing: FilesNeeding): JsonObject {
  const { instances, files } = facts;
  if (instances === undefined) return {};
  return {
    files_scanned: files.scanned,
    files_with_matches: files.withMatches,
    total_instances: instances.total,
    ...suppressedData(instances),
    ...settledData(instances),
    ...toolsData(facts),
    by_type: Object.fromEntries(shownTypes(instances).map(([type, counts]) => [type, typeData(counts)])),
    batch_options: batchOptions(instances, needing),
  };
}

/** Every type counts once: those beyond the most frequent are added up. */
function shownTypes({ byType }: InstanceCounts): readonly (readonly [string, TypeCounts])[] {
  const sorted = Object.entries(byType).sort(([, left], [, right]) => right.count - left.count);
  if (sorted.length <= typesShown) return sorted;
  const rest = sorted.slice(typesShown - 1).map(([, counts]) => counts);
  const sum = (pick: (counts: TypeCounts) => number): number => rest.reduce((all, counts) => all + pick(counts), 0);
  const added: TypeCounts = {
    count: sum(({ count }) => count),
    auto: sum(({ auto }) => auto),
    review: sum(({ review }) => review),
    manual: sum(({ manual }) => manual),
    types: {},
  };
  return [...sorted.slice(0, typesShown - 1), [`(${rest.length} others)`, added]];
}

/** `needs` names the lighter of the two where both occur; the numbers come with it when a type is mixed. */
function typeData({ count, auto, review, manual }: TypeCounts): JsonObject {
  if (auto === count) return { count, auto_fixable: true };
  const mixed = [auto, review, manual].filter((number) => number > 0).length > 1;
  const settled = count - auto - review - manual;
  if (settled === count) return { count, auto_fixable: false, settled_by_engine: settled };
  return {
    count,
    auto_fixable: false,
    needs: review > 0 ? "review" : "manual",
    ...(mixed ? defined({ auto: some(auto), review: some(review), manual: some(manual) }) : {}),
    ...defined({ settled_by_engine: some(settled) }),
  };
}

function some(count: number): number | undefined {
  return count > 0 ? count : undefined;
}

function batchOptions({ open, byType }: InstanceCounts, needing: FilesNeeding): readonly JsonObject[] {
  const reviewed = Object.entries(byType).filter(([, { review }]) => review > 0);
  const [only] = reviewed;
  const review = reviewed.length === 1 && only !== undefined ? `review_${only[0]}s` : "review_remaining";
  const typesOf = (need: "auto" | "review" | "manual"): string => namesOf(byType, need);
  const options = [
    { action: "apply_all_auto", description: `Apply auto-fixes to ${typesOf("auto")}`, instances: open.auto, files: needing.auto },
    { action: review, description: `Review ${typesOf("review")}`, instances: open.review, files: needing.review },
    { action: "flag_manual", description: `Flag ${typesOf("manual")}`, instances: open.manual, files: needing.manual },
  ];
  return options.filter(({ instances }) => instances > 0).map(defined);
}

const typesNamed = 2;

/** The most frequent types with something that needs this. */
function namesOf(byType: InstanceCounts["byType"], need: "auto" | "review" | "manual"): string {
  const names = Object.entries(byType)
    .filter(([, counts]) => counts[need] > 0)
    .sort(([, left], [, right]) => right[need] - left[need])
    .map(([type]) => type);
  const more = names.length > typesNamed ? ` and ${names.length - typesNamed} more` : "";
  return `${clipTokens(names.slice(0, typesNamed).join(", "), 7)}${more}`;
}

export function analysisText(facts: ChecklistFacts): readonly string[] {
  const { instances } = facts;
  if (instances === undefined) return [];
  const { open } = instances;
  const types = shownTypes(instances).map(([type, { count, auto, review }]) => {
    const needs = auto === count ? "auto" : auto > 0 ? `${grouped(auto)} auto` : review > 0 ? "review" : "manual";
    return `${type} ${grouped(count)} (${needs})`;
  });
  const need = `${grouped(open.auto)} auto-fixable, ${grouped(open.review)} to review, ${grouped(open.manual)} by hand`;
  return [
    `${counted(instances.total, "instance")}: ${need}${settledByEngine(instances)}${suppressedText(instances)}`,
    ...toolLines(facts),
    ...(types.length === 0 ? [] : [types.join(", ")]),
  ];
}

/** Impact by version step; steps without a guide are named as such. */
export function upgradeSummary({ upgrade }: ChecklistFacts): JsonObject {
  if (upgrade === undefined) return {};
  const steps = upgrade.steps.slice(0, stepsShown);
  return {
    conversion_guides: guideList(upgrade).slice(0, guidesShown),
    version_upgrade: defined({
      source_version: upgrade.source,
      target_version: upgrade.target,
      guides_total: upgrade.guidesTotal,
      by_version_step: steps.map(({ step, instances, files, open }) => ({ step: arrowStep(step), instances, files, open })),
      highest_impact: highest(steps),
      steps_without_guide: upgrade.withoutGuide.length === 0 ? undefined : upgrade.withoutGuide.slice(0, stepsShown).map(arrowStep),
    }),
  };
}

const guidesShown = 10;

/** In the order in which they are applied. */
function guideList({ steps }: NonNullable<ChecklistFacts["upgrade"]>): readonly JsonObject[] {
  return steps.flatMap(({ step, guides }) => {
    const [source, target] = arrowStep(step).split("→");
    return guides.map(({ id, title, patterns, instances }) =>
      defined({ id, title: clipTokens(title, 10), source_version: source, target_version: target, patterns, instances }),
    );
  });
}

function highest(steps: readonly { readonly step: string; readonly instances: number }[]): string | undefined {
  const top = steps.reduce((best, step) => (step.instances > best.instances ? step : best), { step: "", instances: 0 });
  return top.instances > 0 ? arrowStep(top.step) : undefined;
}

export function upgradeText({ upgrade }: ChecklistFacts): readonly string[] {
  if (upgrade === undefined) return [];
  const steps = upgrade.steps
    .slice(0, stepsShown)
    .map(({ step, instances, files }) => `${stepText(step)} ${grouped(instances)} in ${counted(files, "file")}`);
  const missing = upgrade.withoutGuide.slice(0, stepsShown).map(stepText);
  const guides = guideList(upgrade).slice(0, guidesShown);
  return [
    `${upgrade.source} → ${upgrade.target}, ${counted(upgrade.guidesTotal, "guide")}: ${steps.join("; ")}`,
    ...(guides.length === 0 ? [] : [`Guides: ${guides.map(({ id }) => textOf(id)).join(", ")}`]),
    ...(missing.length === 0 ? [] : [`No guide for ${missing.join(", ")}`]),
  ];
}
