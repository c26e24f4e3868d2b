import type { JsonObject } from "../base/index.ts";
import type { VersionScope } from "./versions.ts";

/** What is asked for; the first of topic, query, domain and specialist that is given decides. Keys are those of the tool. */
export interface RetrievalRequest extends VersionScope {
  /** `performance/setloadfields`, a bare name, or a part of either. */
  readonly topic_id?: string;
  /** Words to search for. */
  readonly query?: string;
  readonly domain?: string;
  readonly specialist?: string;
  readonly tags?: readonly string[];
  readonly include_related?: boolean;
  readonly include_samples?: boolean;
  /** Topics in a list; 20 unless given. */
  readonly limit?: number;
}

export interface TopicSummary {
  readonly topic_id: string;
  readonly title: string;
  readonly description: string;
  readonly relevance_score?: number;
}

export interface TopicGroup {
  readonly domain: string;
  readonly count: number;
  /** The first of them. */
  readonly topics: readonly TopicSummary[];
}

/** How it was found: `exact` id, unique `name`, `partial` match, or what was given instead of a topic. */
export type RetrievalMatch = "exact" | "name" | "partial" | "search" | "domain" | "specialist" | "list";

export interface Retrieval {
  readonly match: RetrievalMatch;
  /** One sentence about what this is, and what to do next when it is not what was asked for. */
  readonly note: string;
  readonly topic_id?: string;
  readonly title?: string;
  /** Front matter as written. */
  readonly metadata?: JsonObject;
  readonly topic_content?: string;
  readonly samples?: string;
  readonly related_topics?: readonly (TopicSummary & { readonly content?: string })[];
  readonly topics?: readonly TopicSummary[];
  readonly groups?: readonly TopicGroup[];
  /** Topics about version steps that were left out because no upgrade was named. */
  readonly hidden_migration_topics?: number;
  readonly workflow_integration?: {
    readonly instruction: string;
    readonly finding_template: {
      readonly severity: string;
      readonly category: string;
      readonly description: string;
      readonly suggestion: string;
      readonly related_topic: string;
    };
  };
}
