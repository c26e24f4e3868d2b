import { defined } from "../../base/index.ts";
import type { PatternSpec } from "../../ports/index.ts";
import { bareName } from "../topic.ts";
import type { ConversionGuide, ExtractedPattern } from "./extract-guide.ts";
import { nameOfCall } from "./guide-names.ts";
import { slugOf } from "./markdown.ts";

const contextLines = 2;
/** Quoted names are not part of what counts as code; this leaves comments out instead. */
const commentLine = "^\\s*//";

/**
 * What a scan looks for on behalf of a guide. With a finder the names are left to it: it knows declared types, a name does not.
 * Everything else needs a look, since no example in a guide is a rule.
 */
export function patternsOf(guide: ConversionGuide): PatternSpec[] {
  const names =
    guide.finder === undefined ? guide.patterns.map((pattern) => namePattern(guide, pattern)) : [finderPattern(guide, guide.finder)];
  return [...names, ...guide.obsolete_events.map(({ name, section }) => eventPattern(guide, name, section))];
}

type CommonPart = Pick<PatternSpec, "guide" | "step" | "topic" | "contextLines" | "category" | "section" | "specialist">;

function common({ name, step, id, specialist }: ConversionGuide, section: string | undefined): CommonPart {
  return { contextLines, category: "upgrade", guide: name, step, topic: id, ...defined({ section, specialist }) };
}

function finderPattern(guide: ConversionGuide, finder: string): PatternSpec {
  return {
    id: guide.name,
    name: guide.title,
    description: `Code that \`${guide.title}\` is about.`,
    finder,
    rules: [],
    transformations: [],
    ...common(guide, undefined),
  };
}

function namePattern(guide: ConversionGuide, pattern: ExtractedPattern): PatternSpec {
  const [name = ""] = pattern.search_patterns;
  const isQuoted = name.includes('"');
  const replacement = replacementOf(guide, name);
  const type = slugOf(name).replaceAll("-", "_") || "use";
  return {
    id: pattern.id,
    name,
    description: pattern.description,
    regex: regexOf(name),
    flags: "gi",
    ...(isQuoted ? { in: "all" as const, exclude: commentLine } : { in: "code" as const, wholeWord: true }),
    rules: [{ name: type, pattern: "[\\s\\S]", action: pattern.description, auto: false }],
    transformations: replacement === undefined ? [] : [{ type, template: replacement, review: true }],
    ...common(guide, pattern.section),
  };
}

/** Code may have several spaces for one, and `*` means the rest of a name. */
function regexOf(name: string): string {
  const escaped = name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[A-Za-z0-9_]*");
  return name.includes('"') ? escaped : escaped.replace(/ +/g, "\\s+");
}

/** A plain name that takes the place of the old one; anything longer cannot replace a name. */
function replacementOf(guide: ConversionGuide, name: string): string | undefined {
  const mapping = guide.method_mappings.find(({ legacy_method }) => nameOfCall(legacy_method).toLowerCase() === name.toLowerCase());
  const whole = mapping?.new_method ?? "";
  const bare = nameOfCall(whole);
  return bare === "" || !/^(?:"[^"]+"|\w+(?:\.\w+)?)(?:\(.*\))?$/.test(whole) ? undefined : bare;
}

/** Subscribers name their event as a text or as a name, so the whole attribute is looked at. */
function eventPattern(guide: ConversionGuide, name: string, section: string | undefined): PatternSpec {
  return {
    id: `${bareName(guide.id)}/event-${slugOf(name)}`,
    name: `Subscriber to ${name}`,
    description: `The event \`${name}\` is no longer raised.`,
    regex: `EventSubscriber\\s*\\([^\\]\\n]*\\b${name}\\b`,
    flags: "gi",
    in: "all",
    exclude: commentLine,
    rules: [
      {
        name: "obsolete_event",
        pattern: "[\\s\\S]",
        action: `The event \`${name}\` has no subscribers' call any more: redesign or remove.`,
        auto: false,
      },
    ],
    transformations: [],
    ...common(guide, section),
  };
}
