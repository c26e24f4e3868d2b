import type { Severity } from "../ports/index.ts";

/** From the least to the gravest. */
export const severities: readonly Severity[] = ["info", "warning", "error", "critical"];

/** Whether a finding is as grave as the limit, or graver. */
export function isAtLeast(severity: Severity, limit: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(limit);
}
