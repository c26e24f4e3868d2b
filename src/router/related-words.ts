import { stemWord } from "./words-of.ts";

/** Words for the same thing in the daily work on software. Who has one of them in a workflow also means the others, with less weight. */
const groups: readonly string[] = [
  "fix repair resolve solve correct",
  "bug defect error fault crash issue broken",
  "add implement build introduce develop",
  "review inspect examine check assess audit",
  "update upgrade bump",
  "refactor restructure reorganize reorganise cleanup simplify rename",
  "slow performance speed latency faster optimize optimise profile",
  "documentation doc readme manual",
  "dependency package library",
  "feature functionality capability option",
  "vulnerability security",
  "secret credential password token key",
  "deploy rollout",
  "translate localize localise",
  "conflict rebase",
  "outage incident downtime",
  "newcomer joiner onboarding newbie",
];

const related: ReadonlyMap<string, readonly string[]> = new Map(
  groups.flatMap((group) => {
    const stems = [...new Set(group.split(" ").map(stemWord))];
    return stems.map((stem) => [stem, stems.filter((other) => other !== stem)] as const);
  }),
);

/** Basic forms of what means nearly the same; of a word in its basic form. */
export function relatedTo(stem: string): readonly string[] {
  return related.get(stem) ?? [];
}
