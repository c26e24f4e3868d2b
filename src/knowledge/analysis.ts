import type { VersionScope } from "./versions.ts";

/** Words of an analysis as tools show them: keys are those that agents and clients know. */
export type Severity = "info" | "warning" | "error" | "critical";

export const analysisTypes = ["performance", "quality", "security", "patterns", "comprehensive"] as const;
export type AnalysisType = (typeof analysisTypes)[number];
export type IssueCategory = Exclude<AnalysisType, "comprehensive">;

/** A place in code that a check or a topic's indicator names; it can be reported as a finding as it is. */
export interface Issue {
  /** Name of the check, or `indicator`. */
  readonly check: string;
  readonly line: number;
  readonly severity: Severity;
  readonly category: string;
  readonly description: string;
  readonly suggestion: string;
  readonly related_topic?: string;
}

export interface AnalysisRequest extends VersionScope {
  /** Text of the code or of a whole file. */
  readonly code: string;
  /** Tells the language; shown nowhere. */
  readonly path?: string;
  /** Overrules what the path and the text say. */
  readonly language?: string;
  /** `comprehensive` unless given. */
  readonly analysis_type?: string;
  /** True unless given. */
  readonly suggest_workflows?: boolean;
  /** Topics below are left out; each topic's own threshold counts as well. */
  readonly min_relevance_score?: number;
  /** 10 unless given. */
  readonly limit?: number;
}

export interface SuggestedTopic {
  readonly topic_id: string;
  readonly title: string;
  readonly description: string;
  readonly relevance_score: number;
  /** What spoke for it, such as `construct FindSet` or `keyword locking`. */
  readonly matched_signals: readonly string[];
}

export interface Analysis {
  readonly analysis_type: AnalysisType;
  readonly language?: string;
  readonly object_type?: string;
  readonly issues: readonly Issue[];
  readonly suggested_topics: readonly SuggestedTopic[];
  readonly suggested_workflows: readonly { readonly workflow_type: string; readonly reason: string }[];
  readonly workflow_integration: {
    readonly instruction: string;
    readonly expand_checklist_payload: readonly {
      readonly topic_id: string;
      readonly relevance_score: number;
      readonly description: string;
    }[];
  };
}
