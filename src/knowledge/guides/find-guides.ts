import type { Diagnostic } from "../../base/index.ts";
import { fileProblem } from "../codes.ts";
import { readIndexed } from "../read-topic.ts";
import type { Library } from "../retrieve.ts";
import { bareName, type TopicEntry } from "../topic.ts";
import type { IndexedTopic } from "../topic-index.ts";
import { requireVersion, stepsBetween, versionName } from "../versions.ts";
import { extractGuide, type ConversionGuide, type GuideMarkers } from "./extract-guide.ts";
import { slugOf, type Section } from "./markdown.ts";

/** Keys are those of a workflow's `version_upgrade` and `pattern_extraction`. */
export interface GuideRequest extends GuideMarkers {
  readonly source_version: string | number;
  readonly target_version: string | number;
  /** `bc{version}-*-conversion-guide` unless given; `*` means anything. */
  readonly conversion_guide_pattern?: string;
  /** A guide of another name counts when it carries `conversion-guide` if that is among these, else all of these. */
  readonly conversion_guide_tags?: readonly string[];
}

export interface GuidePlan {
  readonly source_version: string;
  readonly target_version: string;
  /** One version at a time, in order. */
  readonly steps: readonly { readonly step: string; readonly guides: readonly string[] }[];
  /** In the order in which they apply: by step, then by priority, then by name. */
  readonly guides: readonly ConversionGuide[];
  /** Steps for which no guide was found. */
  readonly steps_without_guide: readonly string[];
  readonly problems: readonly Diagnostic[];
}

const usualPattern = "bc{version}-*-conversion-guide";
const usualTags = ["bc-migration", "breaking-changes", "conversion-guide"];

/** Guides of an upgrade by their names, tags and versions. A step without one is said to have none; nothing is invented for it. */
export async function findGuides(library: Library, request: GuideRequest): Promise<GuidePlan> {
  const source = requireVersion("source_version", request.source_version);
  const target = requireVersion("target_version", request.target_version);
  const steps = stepsBetween(source, target);
  const problems: Diagnostic[] = [];
  const guides: ConversionGuide[] = [];
  for (const { topic, version } of await candidates(library, request, problems)) {
    if (version <= source || version > target) continue;
    const text = await readIndexed(library.files, topic);
    if (text !== undefined) guides.push(extractGuide(text, version, request));
  }
  guides.sort((a, b) => versionOf(a) - versionOf(b) || a.priority - b.priority || (a.name < b.name ? -1 : 1));
  const namesOf = (step: string): string[] => guides.filter((guide) => guide.step === step).map(({ name }) => name);
  return {
    source_version: versionName(source),
    target_version: versionName(target),
    steps: steps.map((step) => ({ step, guides: namesOf(step) })),
    guides,
    steps_without_guide: steps.filter((step) => namesOf(step).length === 0),
    problems: [...problems, ...guides.flatMap((guide) => guide.problems)],
  };
}

function versionOf(guide: ConversionGuide): number {
  return Number(guide.target_version.slice(2));
}

/** A guide by its bare name or its id, whatever upgrade it belongs to. */
export async function findGuide(library: Library, name: string, markers: GuideMarkers = {}): Promise<ConversionGuide | undefined> {
  const index = await library.index();
  const wanted = name.toLowerCase().replace(/\.md$/, "");
  const topic = index.topics.get(wanted) ?? index.topics.get(index.names.get(wanted)?.[0] ?? "");
  const target = topic?.entry.guide?.target;
  const text = topic === undefined || target === undefined ? undefined : await readIndexed(library.files, topic);
  return text === undefined || target === undefined ? undefined : extractGuide(text, target, markers);
}

/** A section by its heading or by the name that links use; undefined when the guide has none of that name. */
export function guideSection(guide: ConversionGuide, heading: string): Section | undefined {
  const key = heading.toLowerCase();
  return (
    guide.sections.find((section) => section.heading.toLowerCase() === key) ?? guide.sections.find(({ slug }) => slug === slugOf(heading))
  );
}

async function candidates(
  library: Library,
  request: GuideRequest,
  problems: Diagnostic[],
): Promise<{ readonly topic: IndexedTopic; readonly version: number }[]> {
  const pattern = request.conversion_guide_pattern ?? usualPattern;
  const named = patternOf(pattern);
  const tags = (request.conversion_guide_tags ?? usualTags).map((tag) => tag.toLowerCase());
  const found: { topic: IndexedTopic; version: number }[] = [];
  for (const topic of (await library.index()).topics.values()) {
    const { entry } = topic;
    const byName = named.exec(bareName(entry.id).toLowerCase());
    const isGuide = byName !== null || isTagged(entry, tags) || (pattern === usualPattern && entry.guide !== undefined);
    if (!isGuide) continue;
    const version = entry.guide?.target ?? (byName?.[1] === undefined ? undefined : Number(byName[1]));
    if (version === undefined) problems.push(noVersion(topic));
    else found.push({ topic, version });
  }
  return found;
}

/** Harvested topics carry tags of changes too; only the tag that means a guide, or all tags together, make one. */
function isTagged(entry: TopicEntry, tags: readonly string[]): boolean {
  if (tags.length === 0) return false;
  return tags.includes("conversion-guide") ? entry.tags.includes("conversion-guide") : tags.every((tag) => entry.tags.includes(tag));
}

function patternOf(pattern: string): RegExp {
  const source = pattern
    .toLowerCase()
    .replace(/\.md$/, "")
    .replace(/[.+?^$()|[\]\\]/g, "\\$&")
    .replaceAll("{version}", "(\\d+)")
    .replaceAll(/[{}]/g, "\\$&")
    .replaceAll("*", "[^/]*");
  return new RegExp(`^${source}$`);
}

function noVersion({ layer, path }: IndexedTopic): Diagnostic {
  const file = `${layer.folder}/${path}`;
  const message = `\`${file}\` is a conversion guide, but nothing says to which version it leads, so no step uses it.`;
  return fileProblem("KNOWLEDGE_GUIDE_VERSION", message, { file, line: 1, column: 1 });
}
