import { defined } from "../../../base/index.ts";
import type { ReportedRule } from "../../../findings/index.ts";
import type { PatternSpec } from "../../../ports/index.ts";

/** Severity of a pattern that names none. */
const usual = "warning";

/** Rules that a workflow brings itself, in its order. Rules of tools are known by what they find. */
export function workflowRules(patterns: readonly PatternSpec[]): readonly ReportedRule[] {
  return patterns.map(({ id, name, description, severity = usual, category, rules, fix = "" }) => {
    const advice = [...new Set([fix, ...rules.map(({ action }) => action)])].filter((action) => action !== "").join(" ");
    return { id, name, description, severity, ...defined({ category, advice: advice === "" ? undefined : advice }) };
  });
}
