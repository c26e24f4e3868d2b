import { defined, isObject, type Json } from "../../../base/index.ts";
import type { Action } from "../../../kernel/index.ts";
import type { ChecklistRun } from "./checklist-run.ts";
import type { Finding } from "./report-change.ts";

/** Whether the agent is asked for a judgement of an instance, not for a change. */
export function isJudged({ args }: Pick<Action, "args">): boolean {
  return args["judge"] === true;
}

/** What an agent calls the outcome of a judgement, and what it is in the words of every entry. */
export const verdicts: Readonly<Record<string, "completed" | "skipped">> = { confirmed: "completed", dismissed: "skipped" };

/** A finding as an agent reports it; what it leaves out is known of the place that it was found at, or has a default. */
export type SaidFinding = Omit<Finding, "severity"> & Partial<Pick<Finding, "severity">>;

interface Verdict {
  readonly status: string;
  readonly findings?: readonly SaidFinding[];
  readonly skipReason?: string;
  readonly error?: string;
}

/** A judgement is said in full: a confirmed instance is a finding, and a dismissed one has its reason. */
export async function refuseVerdict(
  request: Verdict,
  drift: (kind: string, message: string, fix: string) => Promise<never>,
): Promise<void> {
  const { status, findings = [], skipReason = "", error = "" } = request;
  if (status === "completed" && findings.length === 0)
    await drift(
      "verdict",
      "A confirmed instance needs its finding.",
      'Repeat the report with findings [{"severity", "description"}]; dismiss what is not a finding, with skip_reason.',
    );
  if (status === "skipped" && skipReason.trim() === "")
    await drift("skip", "A dismissed instance needs its reason.", "Repeat the report with skip_reason.");
  if (status === "failed" && error.trim() === "") await drift("failure", "A failure needs its reason.", "Repeat the report with error.");
}

/** A finding with what the place says that it was found at: where it is, and how grave and of what kind the pattern is. */
export function wholeFinding({ definition }: ChecklistRun, action: Action, finding: SaidFinding): Finding {
  const { item } = action.args;
  if (!isJudged(action) || !isObject(item) || (finding.file ?? item["file"]) !== item["file"]) return { severity: "info", ...finding };
  const pattern = definition.patterns.patterns.find(({ id }) => id === item["pattern"]) ?? {};
  const { line, action: fix } = item;
  const known = (value: Json | undefined): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  const severity = (known(item["severity"]) ?? known(pattern["severity"]) ?? "warning") as Finding["severity"];
  return {
    ...defined({ line: typeof line === "number" ? line : undefined, category: known(pattern["category"]), suggestion: known(fix) }),
    severity,
    ...finding,
  };
}
