import { oldCalls, review } from "../support/checklist-sample.ts";

/** A workflow that drifting agents are put to. */
export interface DriftWorkflow {
  readonly name: "review" | "old-calls";
  readonly yaml: string;
  readonly skips: boolean;
  /** How the question after the scan is answered. */
  readonly approach: string;
  /** A person must let the run into its second phase; `never`: nobody comes. */
  readonly person: "unneeded" | "comes" | "never";
}

const approaches = ["apply_auto_first", "review_by_file", "review_by_type"] as const;

/** Every second seed migrates; some reviews allow no skips, some stop for a person. */
export function workflowFor(seed: number): DriftWorkflow {
  const both = (text: string): string => text.replace('["**/*.js"]', '["**/*.js", "**/*.al"]');
  const name = seed % 2 === 1 ? "old-calls" : "review";
  const skips = seed % 6 !== 4 && seed % 6 !== 5;
  const strict = (text: string): string => (skips ? text : text.replace("allow_skip_with_reason: true", "allow_skip_with_reason: false"));
  if (name === "old-calls")
    return { name, yaml: strict(both(oldCalls)), skips, approach: approaches[(seed >> 1) % 3] ?? "review_by_file", person: "unneeded" };
  const gated = seed % 8 === 2;
  const text = gated ? review.replace("id: topics, name: Topics,", "id: topics, name: Topics, hard_stop: true,") : review;
  return { name, yaml: strict(both(text)), skips, approach: "", person: gated ? (seed % 16 === 2 ? "never" : "comes") : "unneeded" };
}
