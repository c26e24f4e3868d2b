import { sumOf } from "../run-rows.ts";
import { counted, grouped } from "../../../../views/index.ts";
import type { JsonObject } from "../../../../base/index.ts";
import type { RunState } from "../../../../kernel/index.ts";
import type { ChecklistRun } from "../checklist-run.ts";
import { done } from "../../../../engine/index.ts";
import type { Perform } from "./job.ts";

/** What the scan brought, in numbers and as the question that is put to a person. */
export const performSummarise: Perform = async ({ handle, run }) => done(analysisOf(handle.state, run) as unknown as JsonObject);

export interface Analysis extends Readonly<Record<"instances" | "auto" | "review" | "manual" | "files", number>> {
  /** Precise types and version steps, in the order in which they are worked on. */
  readonly types: readonly string[];
  readonly steps: readonly string[];
  readonly question: string;
}

export function analysisOf(state: RunState, { definition, lists, raw }: ChecklistRun): Analysis {
  const facets = state.lists[lists.files]?.facets ?? {};
  // What an earlier call of the workflow settled is not a part of the question.
  const total = (key: string): number => (facets[key]?.pending ?? 0) + (facets[key]?.in_progress ?? 0);
  const values = (facet: string): string[] =>
    Object.keys(facets)
      .filter((key) => key.startsWith(`${facet}=`))
      .map((key) => key.slice(facet.length + 1));
  const instances = total("kind=instance");
  const auto = total("fix=auto");
  const { with_matches: files } = sumOf(raw["scan"]);
  const found = `${counted(instances, "instance")} found in ${counted(files, "file")}`;
  const open = `${found}; ${grouped(auto)} can be fixed by the engine.`;
  const advice = definition.approach?.advice === undefined ? "" : ` ${definition.approach.advice}`;
  return {
    instances,
    auto,
    review: total("fix=review"),
    manual: total("fix=manual"),
    files,
    types: values("type").toSorted((a, b) => total(`type=${b}`) - total(`type=${a}`) || (a < b ? -1 : 1)),
    steps: stepOrder(values("step"), definition.versionUpgrade?.inSequence !== false, (step) => total(`step=${step}`)),
    question: `${open}${advice} Which way?`,
  };
}

/** One version after the other; where the workflow does not ask for that, the step with the most instances first. */
function stepOrder(steps: readonly string[], inSequence: boolean, count: (step: string) => number): readonly string[] {
  return steps.toSorted((a, b) => (inSequence ? 0 : count(b) - count(a)) || (a < b ? -1 : 1));
}
