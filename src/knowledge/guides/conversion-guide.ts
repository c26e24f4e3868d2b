import type { Diagnostic } from "../../base/index.ts";
import type { Section } from "./markdown.ts";

/** A guide with everything that could be taken from its text. Keys are those that clients know. */
export interface ConversionGuide {
  /** Id of the topic: `guides/bc24-no-series-conversion-guide`. */
  readonly id: string;
  /** Bare name, as filters use it. */
  readonly name: string;
  readonly title: string;
  readonly source_version: string;
  readonly target_version: string;
  /** `BC23-BC24`. */
  readonly step: string;
  /** Order within a step, the lowest first. */
  readonly priority: number;
  readonly related_topics: readonly string[];
  readonly specialist?: string;
  /** A verified finder that replaces the search by names. */
  readonly finder?: string;
  readonly patterns: readonly ExtractedPattern[];
  readonly method_mappings: readonly MethodMapping[];
  readonly examples: readonly BeforeAfter[];
  /** Names of events that are no longer raised. */
  readonly obsolete_events: readonly { readonly name: string; readonly section?: string }[];
  /** Lines count within the text of the guide. */
  readonly sections: readonly Section[];
  readonly problems: readonly Diagnostic[];
}

/** One name to search for. */
export interface ExtractedPattern {
  readonly id: string;
  readonly description: string;
  readonly search_patterns: readonly string[];
  /** Examples that contain the name. They illustrate: no rewrite is taken from them without a look. */
  readonly transformations: readonly { readonly before_pattern: string; readonly after_template: string; readonly requires_review: true }[];
  readonly specialist?: string;
  readonly topic_id: string;
  /** Heading of the section that helps. */
  readonly section?: string;
}

export interface MethodMapping {
  readonly legacy_method: string;
  /** Empty when there is no replacement. */
  readonly new_method: string;
  readonly conversion_notes: string;
  readonly auto_convertible: boolean;
  readonly section?: string;
}

export interface BeforeAfter {
  readonly before: string;
  readonly after: string;
  readonly language: string;
  readonly section?: string;
}

/** Which words in a guide introduce what; keys are those of a workflow's `pattern_extraction`. */
export interface GuideMarkers {
  /** Lines and headings that introduce names to search for. */
  readonly search_pattern_markers?: readonly string[];
  /** In pairs, the old side first: labels of code blocks, and headings of table columns. */
  readonly transformation_markers?: readonly string[];
}
