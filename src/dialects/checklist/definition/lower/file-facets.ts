import type { ChecklistDefinition } from "../checklist-definition.ts";

/** Facets that rows of the list of files are counted by. */
const fileFacets: readonly string[] = [
  "kind",
  "object",
  "match",
  "stage",
  "phase",
  "type",
  "seed",
  "fix",
  "pattern",
  "guide",
  "step",
  "done",
  "flag",
  "kinds",
  "seedfix",
  "seedtype",
  "stepfix",
  "stepdone",
  "changed",
];

/** Of the rows that tools found. */
const toolFacets: readonly string[] = ["tool", "verify"];

export function facetsOf({ patterns, tools }: ChecklistDefinition): readonly string[] {
  return [...fileFacets, ...(patterns.judged === true ? ["verdict"] : []), ...(tools === undefined ? [] : toolFacets)];
}
