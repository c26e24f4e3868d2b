import { lineOfRun } from "../../engine/index.ts";
import type { Permission, Run } from "../../ports/index.ts";
import { changedLines } from "./changed-lines.ts";

/** What is different from the last permission of a workflow, which was for other content. Questions count where the earlier one kept them. */
export interface Changes {
  readonly since: string;
  /** Lines of what is new and of what is gone. What changed behind the cut of a prompt has the same line in both. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Of those, what became another text: its line now, and where the texts differ. */
  readonly edited: readonly { readonly run: string; readonly before: string; readonly lines: readonly string[] }[];
  /** Where the plans differ: order, conditions, questions. Absent where the earlier one was not kept, and prompts only to their cut. */
  readonly plan?: readonly string[];
}

interface Item {
  readonly line: string;
  readonly key: string;
  readonly texts: readonly string[];
}

export function whatChanged(last: Permission, runs: readonly Run[], plan: readonly string[]): Changes {
  const { details, plan: planBefore } = last;
  const whole = planBefore !== undefined;
  const before = details?.map((run) => itemOf(run, whole)) ?? last.runs.map((line) => ({ line, key: line, texts: [line] }));
  // Before there were plans, questions were not kept either.
  const now = runs.filter(({ kind }) => whole || kind !== "question").map((run) => itemOf(run, whole));
  const added = lacking(now, before);
  const gone = lacking(before, now);
  return {
    since: last.at,
    added: added.map(({ line }) => line),
    gone: gone.map(({ line }) => line),
    edited: editedOf(added, gone),
    ...(planBefore === undefined ? {} : { plan: changedLines(planBefore, plan, withoutNumber) }),
  };
}

function itemOf(run: Run, whole: boolean): Item {
  const line = lineOfRun(run);
  return { line, key: whole ? JSON.stringify([line, run.whole]) : line, texts: (run.whole ?? run.text).trimEnd().split("\n") };
}

function lacking(items: readonly Item[], others: readonly Item[]): readonly Item[] {
  const known = new Set(others.map(({ key }) => key));
  return items.filter(({ key }) => !known.has(key));
}

/** Pairs each new text with the one that it most likely was: that of the same line, or that with most lines in common. */
function editedOf(added: readonly Item[], gone: readonly Item[]): Changes["edited"] {
  const left = new Set(gone);
  const edited: Changes["edited"][number][] = [];
  for (const item of added) {
    const lines = new Set(item.texts.filter((text) => text.trim() !== ""));
    const inCommon = ({ line, texts }: Item): number =>
      line === item.line ? Infinity : new Set(texts.filter((text) => lines.has(text))).size;
    const [best] = [...left].toSorted((one, other) => inCommon(other) - inCommon(one));
    if (best === undefined || inCommon(best) === 0) continue;
    left.delete(best);
    edited.push({ run: item.line, before: best.line, lines: changedLines(best.texts, item.texts) });
  }
  return edited;
}

/** A step that comes or goes changes the numbers of those behind it, and nothing else of them. */
function withoutNumber(line: string): string {
  return line.replace(/^\s*\d+\.\s+/, "");
}
