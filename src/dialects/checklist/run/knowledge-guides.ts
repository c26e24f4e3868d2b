import { defined, type JsonObject } from "../../../base/index.ts";
import type { ChecklistDefinition } from "../definition/index.ts";
import type { Knowledge } from "../../../knowledge/index.ts";
import type { PatternSpec } from "../../../ports/index.ts";

/** Text of a section of a guide, or its beginning; undefined when there is no such guide. */
export async function guideText(
  knowledge: Knowledge,
  name: string,
  heading: string | undefined,
): Promise<{ readonly heading: string; readonly text: string } | undefined> {
  const guide = await knowledge.guide(name);
  if (guide === undefined) return undefined;
  const { guideSection } = await import("../../../knowledge/index.ts");
  const section = (heading === undefined ? undefined : guideSection(guide, heading)) ?? guide.sections[0];
  return section === undefined ? undefined : { heading: section.heading, text: section.text };
}

/** Topics that the file's own content calls for, best first. */
export async function suggestTopics(
  knowledge: Knowledge,
  { path, text, tool }: { readonly path: string; readonly text: string; readonly tool: string },
): Promise<readonly { readonly id: string; readonly title: string; readonly relevance: number }[]> {
  if (tool !== "analyze_al_code" && tool !== "analyze_code") return [];
  const { suggested_topics: topics } = await knowledge.analyse({ code: text, path, suggest_workflows: false });
  return topics.map((topic) => ({ id: topic.topic_id, title: topic.title, relevance: topic.relevance_score }));
}

/** What matters for a kind of instance: the specialist's field and the topic that explains it. */
export async function guidanceFor(
  knowledge: Knowledge,
  specialist: string | undefined,
  topic: string | undefined,
): Promise<string | undefined> {
  const known = topic === undefined ? undefined : await knowledge.topic(topic);
  if (known === undefined) return undefined;
  const field = specialist === undefined ? undefined : await knowledge.specialist(specialist);
  const parts = [field === undefined ? "" : `${field.title}:`, known.description, `Topic ${known.id}.`];
  return parts.filter((part) => part !== "").join(" ");
}

export interface FoundGuides {
  readonly source: string;
  readonly target: string;
  /** `BC21-BC22` and so on, in order. */
  readonly steps: readonly string[];
  readonly withoutGuide: readonly string[];
  readonly guides: readonly JsonObject[];
  readonly patterns: readonly PatternSpec[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/**
 * The conversion guides between two versions, with the patterns that they look for, as the workflow asks for them. `named`: only guides of
 * such a name; `*` matches anything.
 */
export async function findGuides(
  knowledge: Knowledge,
  { versionUpgrade: upgrade, patterns: { searchMarkers, transformationMarkers } }: ChecklistDefinition,
  { source, target, named }: { readonly source: string; readonly target: string; readonly named?: string | undefined },
): Promise<FoundGuides> {
  const some = (list: readonly string[] = []): readonly string[] | undefined => (list.length === 0 ? undefined : list);
  const plan = await knowledge.guides(
    defined({
      source_version: source,
      target_version: target,
      conversion_guide_pattern: upgrade?.guidePattern,
      conversion_guide_tags: some(upgrade?.guideTags),
      search_pattern_markers: some(searchMarkers),
      transformation_markers: some(transformationMarkers),
    }),
  );
  const { patternsOf } = await import("../../../knowledge/index.ts");
  const wanted = named === undefined ? undefined : new RegExp(`^${named.split("*").map(escaped).join(".*")}$`, "i");
  const guides = plan.guides.filter((guide) => wanted === undefined || wanted.test(guide.name));
  const patterns = upgrade?.extractPatterns === false ? [] : guides.flatMap((guide) => patternsOf(guide));
  const steps = plan.steps.map(({ step }) => step);
  return {
    source: plan.source_version,
    target: plan.target_version,
    steps,
    withoutGuide: steps.filter((step) => !guides.some((guide) => guide.step === step)),
    guides: guides.map((guide) => {
      const { name: id, title, step, priority } = guide;
      return { id, title, step, patterns: patternsOf(guide).length, priority };
    }),
    patterns,
    problems: plan.problems.map(({ code, message }) => ({ code, message })),
  };
}

function escaped(text: string): string {
  return text.replace(/[.+?^$()|[\]{}\\]/g, "\\$&");
}
