import type { GuidePlan } from "./find-guides.ts";

export interface StepImpact {
  readonly step: string;
  readonly instances: number;
}

export interface RecommendedOrder {
  /** In which order the steps are worked on unless a person decides otherwise: always that of the versions. */
  readonly sequence: readonly string[];
  /** Steps with findings, those with most first. Advice on where the work lies, never an order by itself. */
  readonly by_impact: readonly StepImpact[];
  readonly advice: string;
}

/** Counts by step become advice; the sequence stays, since later steps build on earlier ones. */
export function recommendOrder(plan: GuidePlan, instances: ReadonlyMap<string, number>): RecommendedOrder {
  const sequence = plan.steps.map(({ step }) => step);
  const impact = sequence
    .map((step): StepImpact => ({ step, instances: instances.get(step) ?? 0 }))
    .filter(({ instances: count }) => count > 0)
    .sort((a, b) => b.instances - a.instances || sequence.indexOf(a.step) - sequence.indexOf(b.step));
  const [most] = impact;
  const first = sequence.find((step) => (instances.get(step) ?? 0) > 0);
  return { sequence, by_impact: impact, advice: adviceOf(most, first) };
}

function adviceOf(most: StepImpact | undefined, first: string | undefined): string {
  if (most === undefined || first === undefined) return "No step has anything to convert.";
  const load = `Most of the work is in ${most.step} (${most.instances} ${most.instances === 1 ? "place" : "places"}).`;
  return most.step === first
    ? `${load} It is also the first step with findings, so begin there.`
    : `${load} Begin with ${first} all the same: later steps build on earlier ones.`;
}

/** Whether working on this step now leaves findings of an earlier one behind; the earlier steps are named. */
export function stepsSkippedBy(plan: GuidePlan, step: string, open: ReadonlyMap<string, number>): readonly string[] {
  const at = plan.steps.findIndex((known) => known.step === step);
  return plan.steps.slice(0, Math.max(0, at)).flatMap((earlier) => ((open.get(earlier.step) ?? 0) > 0 ? [earlier.step] : []));
}
