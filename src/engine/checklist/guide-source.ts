import type { PatternSpec, ScanProblem } from "../../ports/index.ts";

/** Where conversion guides come from. */
export interface GuideSource {
  discover(request: {
    readonly source: string;
    readonly target: string;
    readonly pattern?: string;
    readonly tags?: readonly string[];
    /** Only guides of such a name; `*` stands for anything. */
    readonly named?: string;
    readonly searchMarkers: readonly string[];
    readonly transformationMarkers: readonly string[];
  }): Promise<FoundGuides>;
  /** Text of a section of a guide, or its beginning; undefined when there is no such guide. */
  section(guide: string, heading: string | undefined): Promise<{ readonly heading: string; readonly text: string } | undefined>;
  /** Whether a topic of this id exists, and its title. */
  topic(id: string): Promise<{ readonly id: string; readonly title: string } | undefined>;
  topicIds(): Promise<readonly string[]>;
  /** Topics that the file's own content calls for, best first. */
  suggest(
    path: string,
    text: string,
    tool: string,
  ): Promise<readonly { readonly id: string; readonly title: string; readonly relevance: number }[]>;
  /** What matters for a kind of instance: the specialist's field and the topic that explains it. */
  guidance(specialist: string | undefined, topic: string | undefined): Promise<string | undefined>;
}

export interface FoundGuides {
  readonly source: string;
  readonly target: string;
  /** `BC21-BC22` and so on, in order. */
  readonly steps: readonly string[];
  readonly withoutGuide: readonly string[];
  readonly guides: readonly {
    readonly id: string;
    readonly title: string;
    readonly step: string;
    readonly patterns: number;
    readonly priority: number;
  }[];
  readonly patterns: readonly PatternSpec[];
  readonly problems: readonly ScanProblem[];
}
