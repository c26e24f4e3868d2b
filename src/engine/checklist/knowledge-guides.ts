import type * as Room from "../../knowledge/index.ts";
import type { FoundGuides, GuideSource } from "./guide-source.ts";

/** Loaded when a guide is first read. */
const room = async (): Promise<typeof Room> => import("../../knowledge/index.ts");

const guidanceChars = 400;
const sectionChars = 1_200;

/** Conversion guides and topics from the knowledge of this workspace. */
export function knowledgeGuides(knowledge: Room.Knowledge): GuideSource {
  return {
    discover: (request) => discover(knowledge, request),
    async section(name, heading) {
      const guide = await knowledge.guide(name);
      if (guide === undefined) return undefined;
      const { guideSection } = await room();
      const section = (heading === undefined ? undefined : guideSection(guide, heading)) ?? guide.sections[0];
      return section === undefined ? undefined : { heading: section.heading, text: clip(section.text, sectionChars) };
    },
    async topic(id) {
      const topic = await knowledge.topic(id);
      return topic === undefined ? undefined : { id: topic.id, title: topic.title };
    },
    async topicIds() {
      return (await knowledge.topics()).map((topic) => topic.id);
    },
    async suggest(path, text, tool) {
      if (tool !== "analyze_al_code" && tool !== "analyze_code") return [];
      const { suggested_topics: topics } = await knowledge.analyse({ code: text, path, suggest_workflows: false });
      return topics.map((topic) => ({ id: topic.topic_id, title: topic.title, relevance: topic.relevance_score }));
    },
    async guidance(specialist, topic) {
      const known = topic === undefined ? undefined : await knowledge.topic(topic);
      const field = specialist === undefined ? undefined : await knowledge.specialist(specialist);
      const parts = [
        field === undefined ? undefined : `${field.title}:`,
        known?.description,
        known === undefined ? undefined : `Topic ${known.id}.`,
      ];
      const text = parts.filter((part) => part !== undefined && part !== "").join(" ");
      return known === undefined || text === "" ? undefined : clip(text, guidanceChars);
    },
  };
}

async function discover(
  knowledge: Room.Knowledge,
  { source, target, pattern, tags, named, searchMarkers, transformationMarkers }: Parameters<GuideSource["discover"]>[0],
): Promise<FoundGuides> {
  const plan = await knowledge.guides({
    source_version: source,
    target_version: target,
    ...(pattern === undefined ? {} : { conversion_guide_pattern: pattern }),
    ...(tags === undefined || tags.length === 0 ? {} : { conversion_guide_tags: tags }),
    ...(searchMarkers.length === 0 ? {} : { search_pattern_markers: searchMarkers }),
    ...(transformationMarkers.length === 0 ? {} : { transformation_markers: transformationMarkers }),
  });
  const { patternsOf } = await room();
  const wanted = named === undefined ? undefined : new RegExp(`^${named.split("*").map(escaped).join(".*")}$`, "i");
  const guides = plan.guides.filter((guide) => wanted === undefined || wanted.test(guide.name));
  const patterns = guides.flatMap((guide) => patternsOf(guide));
  return {
    source: plan.source_version,
    target: plan.target_version,
    steps: plan.steps.map(({ step }) => step),
    withoutGuide: plan.steps.map(({ step }) => step).filter((step) => !guides.some((guide) => guide.step === step)),
    guides: guides.map((guide) => ({
      id: guide.name,
      title: guide.title,
      step: guide.step,
      patterns: patternsOf(guide).length,
      priority: guide.priority,
    })),
    patterns,
    problems: plan.problems.map(({ code, message }) => ({ code, message })),
  };
}

function escaped(text: string): string {
  return text.replace(/[.+?^$()|[\]{}\\]/g, "\\$&");
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
