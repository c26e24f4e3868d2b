import { defined, type Diagnostic } from "../../base/index.ts";
import { fileProblem } from "../codes.ts";
import { bareName, type Topic } from "../topic.ts";
import { stepName, versionName } from "../versions.ts";
import { nameOfCall, namesInCode, searchNames } from "./guide-names.ts";
import { codeSpans, headingAt, parseMarkdown, plainText, sectionsOf, slugOf, type Block, type Section } from "./markdown.ts";

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

interface MethodMapping {
  readonly legacy_method: string;
  /** Empty when there is no replacement. */
  readonly new_method: string;
  readonly conversion_notes: string;
  readonly auto_convertible: boolean;
  readonly section?: string;
}

interface BeforeAfter {
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

const defaultSearchMarkers: readonly string[] = ["Search Patterns", "Code Discovery", "Before (BC"];
const defaultTransformationMarkers: readonly string[] = ["Before", "After", "Legacy Method", "New Method"];
const lastInOrder = 100;

/** Takes names, mappings and examples from a guide's text; the version it leads to must be known. */
export function extractGuide(topic: Topic, target: number, markers: GuideMarkers = {}): ConversionGuide {
  const blocks = parseMarkdown(topic.body);
  const sections = sectionsOf(blocks, topic.body);
  const pairs = markerPairs(markers.transformation_markers ?? defaultTransformationMarkers);
  const searchMarkers = markers.search_pattern_markers ?? defaultSearchMarkers;
  const examples = pairs.flatMap((pair) => examplesOf(blocks, pair));
  const mappings = pairs.flatMap((pair) => mappingsOf(blocks, pair));
  const { specialist } = topic;
  const finder = typeof topic.fields["finder"] === "string" ? topic.fields["finder"] : undefined;
  const events = obsoleteEvents(blocks);
  const patterns = patternsFrom(topic, searchNames(blocks, searchMarkers), { sections, examples, method_mappings: mappings });
  const isEmpty = patterns.length === 0 && mappings.length === 0 && finder === undefined && events.length === 0;
  return {
    id: topic.id,
    name: bareName(topic.id),
    title: topic.title,
    source_version: versionName(target - 1),
    target_version: versionName(target),
    step: stepName(target - 1),
    priority: topic.guide?.priority ?? lastInOrder,
    related_topics: topic.related,
    ...defined({ specialist, finder }),
    patterns,
    method_mappings: mappings,
    examples,
    obsolete_events: events,
    sections,
    problems: isEmpty ? [...topic.problems, noMarkers(topic, searchMarkers, pairs)] : topic.problems,
  };
}

type Facts = Pick<ConversionGuide, "sections" | "examples" | "method_mappings">;
type MarkerPair = readonly [old: string, now: string];

function markerPairs(markers: readonly string[]): MarkerPair[] {
  return Array.from({ length: Math.floor(markers.length / 2) }, (_, at) => [markers[at * 2]!, markers[at * 2 + 1]!]);
}

/** Whether a line is a label such as `**Before (BC14-23)**:`, or a heading of that kind. */
function isLabel(block: Block | undefined, marker: string): boolean {
  if (block?.kind !== "text" && block?.kind !== "heading") return false;
  const text = plainText(block.text).toLowerCase();
  const begins = text.startsWith(marker.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(text.slice(marker.length));
  const isShort = block.kind === "heading" || /^\*\*|^__|:\s*$/.test(block.text);
  return begins && isShort;
}

/** A labelled block of code, followed by one with the other label. */
function examplesOf(blocks: readonly Block[], [old, now]: MarkerPair): BeforeAfter[] {
  const found: BeforeAfter[] = [];
  for (const [at, block] of blocks.entries()) {
    if (!isLabel(block, old)) continue;
    const before = blocks[at + 1];
    const label = blocks.findIndex((next, place) => place > at + 1 && place <= at + 4 && isLabel(next, now));
    const after = label < 0 ? undefined : blocks[label + 1];
    if (before?.kind !== "code" || after?.kind !== "code") continue;
    found.push(defined({ before: before.text, after: after.text, language: before.language, section: headingAt(blocks, at) }));
  }
  return found;
}

/** Rows of tables whose columns are headed by the two markers, or by their first words: `Legacy` and `New`. */
function mappingsOf(blocks: readonly Block[], [old, now]: MarkerPair): MethodMapping[] {
  const column = (header: readonly string[], marker: string): number =>
    header.findIndex((cell) => plainText(cell).toLowerCase().startsWith(marker.toLowerCase()));
  return blocks.flatMap((block, at): MethodMapping[] => {
    if (block.kind !== "table") return [];
    const from = column(block.header, old);
    const to = column(block.header, now);
    if (from < 0 || to < 0) return [];
    const notes = block.header.findIndex((_, place) => place !== from && place !== to);
    return block.rows
      .filter((row) => (row[from] ?? "") !== "")
      .map((row) => {
        const replacement = plainText(row[to] ?? "");
        return defined({
          legacy_method: plainText(row[from]!),
          new_method: /^(?:none|-|–|—|n\/a|)$/i.test(replacement) ? "" : replacement,
          conversion_notes: notes < 0 ? "" : plainText(row[notes] ?? ""),
          auto_convertible: false,
          section: headingAt(blocks, at),
        });
      });
  });
}

/** Names of events set as code in a section about events that went away. */
function obsoleteEvents(blocks: readonly Block[]): { readonly name: string; readonly section?: string }[] {
  const names = new Map<string, string | undefined>();
  for (const [at, block] of blocks.entries()) {
    const section = headingAt(blocks, at);
    if (section === undefined || !/event/i.test(section) || !/obsolete|removed|replace|deprecat|migrat/i.test(section)) continue;
    const texts = block.kind === "text" ? [block.text] : block.kind === "table" ? block.rows.map((row) => row[0] ?? "") : [];
    for (const name of texts.flatMap(codeSpans)) if (/^On[A-Z]\w{3,}$/.test(name) && !names.has(name)) names.set(name, section);
  }
  return [...names].map(([name, section]) => defined({ name, section }));
}

/**
 * Names to search for, one pattern each: those that the markers introduce and the old side of mappings. What the new side uses
 * as well says nothing about old code and is left out.
 */
function patternsFrom(topic: Topic, introduced: ReturnType<typeof searchNames>, facts: Facts): ExtractedPattern[] {
  const { examples, method_mappings: mappings } = facts;
  const today = new Set([
    ...mappings.flatMap(({ new_method }) => [nameOfCall(new_method), ...namesInCode(new_method)]).map(keyOf),
    ...examples.flatMap(({ after }) => namesInCode(after)).map(keyOf),
  ]);
  const found = new Map<string, { readonly name: string; readonly section?: string }>();
  const add = (name: string, section: string | undefined, sure: boolean): void => {
    if (name === "" || found.has(keyOf(name)) || (!sure && today.has(keyOf(name)))) return;
    found.set(keyOf(name), defined({ name, section }));
  };
  for (const { name, section, sure } of introduced) add(name, section, sure);
  for (const { legacy_method, section } of mappings) add(nameOfCall(legacy_method), section, false);
  return [...found.values()].map(({ name, section }) => {
    const mapping = mappings.find(({ legacy_method }) => keyOf(nameOfCall(legacy_method)) === keyOf(name));
    return defined({
      id: `${bareName(topic.id)}/${slugOf(name)}`,
      description: describe(name, mapping),
      search_patterns: [name],
      transformations: examples
        .filter(({ before }) => mentions(before, name))
        .map(({ before, after }) => ({ before_pattern: before, after_template: after, requires_review: true as const })),
      specialist: topic.specialist,
      topic_id: topic.id,
      section: bestSection(facts, name, mapping) ?? section,
    });
  });
}

/** The section that the mapping points to, else the one with an example of the name, else the one whose heading names it. */
function bestSection({ sections, examples }: Facts, name: string, mapping: MethodMapping | undefined): string | undefined {
  const pointed = /"([^"]+)"/.exec(mapping?.conversion_notes ?? "")?.[1]?.toLowerCase();
  return (
    sections.find(({ heading }) => heading.toLowerCase() === pointed)?.heading ??
    examples.find(({ before }) => mentions(before, name))?.section ??
    sections.find(({ heading, level }) => level > 1 && mentions(heading, name))?.heading
  );
}

function describe(name: string, mapping: MethodMapping | undefined): string {
  if (mapping === undefined) return `Use of \`${name}\`.`;
  const notes = mapping.conversion_notes === "" ? "" : ` ${mapping.conversion_notes}`;
  return mapping.new_method === ""
    ? `\`${name}\` has no direct replacement.${notes}`
    : `\`${name}\` becomes \`${mapping.new_method}\`.${notes}`;
}

function mentions(text: string, name: string): boolean {
  return text.toLowerCase().includes(keyOf(name));
}

function keyOf(name: string): string {
  return name.replaceAll('"', "").toLowerCase();
}

function noMarkers({ file, bodyLine }: Topic, search: readonly string[], pairs: readonly MarkerPair[]): Diagnostic {
  const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
  const message =
    `Nothing to search for was found in \`${file}\`. Looked for a line or heading with one of ${list(search)} and names in backticks or a block of code, ` +
    `for tables and labelled blocks with ${pairs.map(([old, now]) => `\`${old}\` and \`${now}\``).join(", or ")}, and for a \`finder\` in the front matter.`;
  return fileProblem("KNOWLEDGE_GUIDE_MARKERS", message, { file, line: bodyLine, column: 1 });
}
