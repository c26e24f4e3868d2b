import type { Candidate, Routable } from "./routed.ts";

/** Workflows that share words with a message, the best first. */
export function rankWorkflows(message: string, workflows: readonly Routable[]): readonly Candidate[] {
  const wanted = new Set(wordsOf(message));
  return workflows
    .map(({ name, description, triggers = [], examples = [] }) => {
      const shared = [...new Set(wordsOf([name, description, ...triggers, ...examples].join(" ")))].filter((word) => wanted.has(word));
      return { workflow: name, score: shared.length, why: shared };
    })
    .filter(({ score }) => score > 1)
    .sort((a, b) => b.score - a.score || (a.workflow < b.workflow ? -1 : 1));
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 3);
}
