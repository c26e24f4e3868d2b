import { defined, isList, isObject, type Diagnostic, type Json } from "../base/index.ts";
import { fileProblem } from "./codes.ts";
import { isUsableSign } from "./code/indicator.ts";
import { languages } from "./code/lex.ts";
import { splitFrontMatter, type FrontMatter } from "./front-matter.ts";
import { bareName, type Topic, type TopicEntry } from "./topic.ts";
import { parseVersion, parseVersionRanges } from "./versions.ts";

const defaultThreshold = 0.3;
const mostMentions = 40;

/** A topic from its file. It never fails: what cannot be used is a problem, and the text is always there. */
export function parseTopic(source: Pick<Topic, "id" | "file" | "layer"> & { readonly text: string }): Topic {
  const front = splitFrontMatter(source.text, source.file);
  const fields = new FieldReader(front);
  const entry = entryOf(source.id, fields, front.body);
  for (const sign of [...entry.antiPatterns, ...entry.goodPatterns]) {
    if (isUsableSign(sign)) continue;
    const message = `The regular expression \`${sign}\` of \`${source.file}\` is not used: it does not compile, or it could take very long.`;
    fields.problems.push(fileProblem("KNOWLEDGE_INDICATOR", message, front.placeOf("relevance_signals.anti_pattern_indicators")));
  }
  const { fields: written, body, bodyLine } = front;
  return { ...entry, fields: written, body, bodyLine, layer: source.layer, file: source.file, problems: fields.problems };
}

/** The part that is indexed. */
export function indexedPart(topic: Topic): TopicEntry {
  const { fields: _fields, body: _body, bodyLine: _line, layer: _layer, file: _file, problems: _problems, ...entry } = topic;
  return entry;
}

function entryOf(id: string, fields: FieldReader, body: string): TopicEntry {
  const tags = fields.texts("tags").map((tag) => tag.toLowerCase());
  const versions = fields.versions("bc_versions");
  const folder = id.includes("/") ? id.slice(0, id.indexOf("/")) : "general";
  const declared = fields.texts("domain");
  const migration =
    fields.text("migration_type") !== undefined || fields.text("urgency") !== undefined || versions.some(({ step }) => step);
  const guide = guideFacts(id, tags, fields);
  return {
    id,
    title: fields.text("title") ?? /^#\s+(.+?)\s*#*$/m.exec(body)?.[1] ?? titleFromName(id),
    description: descriptionOf(body),
    domains: [...new Set([...declared, folder].map((domain) => domain.toLowerCase()))],
    tags,
    versions,
    constructs: fields.texts("relevance_signals.constructs"),
    keywords: fields.texts("relevance_signals.keywords").map((word) => word.toLowerCase()),
    antiPatterns: fields.texts("relevance_signals.anti_pattern_indicators"),
    goodPatterns: fields.texts("relevance_signals.positive_pattern_indicators"),
    mentions: mentionsOf(body),
    languages: languagesOf(fields, tags),
    objectTypes: fields.texts("applicable_object_types").map((type) => type.toLowerCase().replace(/[\s_-]+/g, "")),
    threshold: fields.share("relevance_threshold") ?? defaultThreshold,
    related: fields.texts("related_topics").map(topicReference),
    prerequisites: fields.texts("prerequisites").map(topicReference),
    ...defined({
      difficulty: fields.text("difficulty"),
      category: fields.text("category")?.toLowerCase(),
      severity: severityOf(fields.text("severity") ?? fields.text("impact_level")),
      specialist: fields.text("specialist"),
      samples: fields.text("samples"),
      migration: migration && guide === undefined ? (true as const) : undefined,
      guide,
    }),
  };
}

function languagesOf(fields: FieldReader, tags: readonly string[]): readonly string[] {
  const declared = fields.texts("languages").map((name) => name.toLowerCase());
  if (declared.length > 0) return declared;
  if (fields.has("bc_versions") || fields.texts("applicable_object_types").length > 0) return ["al"];
  return tags.filter((tag) => languages.has(tag));
}

/** `../errors/labels.md` and `errors/labels` name the same topic. */
function topicReference(text: string): string {
  return text
    .replace(/\.md$/i, "")
    .replace(/^(?:\.{1,2}\/)+/, "")
    .replace(/^(?:topics|domains)\//, "");
}

function guideFacts(id: string, tags: readonly string[], fields: FieldReader): TopicEntry["guide"] {
  const name = bareName(id).toLowerCase();
  const named = /^bc(\d+)-.*conversion-guide$/.exec(name);
  if (named === null && !name.endsWith("conversion-guide") && !tags.includes("conversion-guide")) return undefined;
  const tagged = tags.map((tag) => /^bc(\d+)-migration$/.exec(tag)?.[1]).find((found) => found !== undefined);
  const step = fields.versions("bc_versions").find((range) => range.step);
  const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  return defined({
    target: fields.version("target_version") ?? numberOf(named?.[1]) ?? step?.to ?? numberOf(tagged),
    source: fields.version("source_version") ?? step?.from,
    priority: fields.number("priority"),
  });
}

function severityOf(text: string | undefined): TopicEntry["severity"] {
  const word = text?.toLowerCase();
  if (word === "critical") return "critical";
  if (word === "error" || word === "high") return "error";
  if (word === "warning" || word === "medium") return "warning";
  return word === "info" || word === "low" ? "info" : undefined;
}

function titleFromName(id: string): string {
  const words = bareName(id).replaceAll(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** First sentence of the first paragraph, else of the first list, at most 300 characters. */
function descriptionOf(body: string): string {
  const parts = body
    .slice(0, 4000)
    .replace(/```[\s\S]*?(?:```|$)/g, "")
    .split(/\n\s*\n/)
    .map((part) => part.trim());
  const item = /^(?:[-*]|\d+\.) +([^\n]+(?:\n +[^\n]+)*)/;
  const paragraph =
    parts.find((part) => part !== "" && !/^(?:#|\||[-*] |\d+\. |>|---)/.test(part)) ??
    parts.map((part) => item.exec(part)?.[1]).find((text) => text !== undefined);
  const text = (paragraph ?? "").replace(/[*`]|\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
  const sentence = /^.*?[^.\s][.!?](?=\s+[\p{Lu}"(]|$)/u.exec(text)?.[0] ?? text;
  return sentence.length <= 300 ? sentence : `${sentence.slice(0, 297).trimEnd()}...`;
}

function mentionsOf(body: string): string[] {
  const found = new Set<string>();
  for (const match of body.matchAll(/`([A-Za-z_][\w.]{2,40})(?:\([^`\n]*\))?`/g)) {
    found.add(match[1]!.toLowerCase());
    if (found.size === mostMentions) break;
  }
  return [...found];
}

/** Fields of the front matter by their type; a value of another type is a problem and counts as absent. */
class FieldReader {
  readonly #front: FrontMatter;
  readonly problems: Diagnostic[];

  constructor(front: FrontMatter) {
    this.#front = front;
    this.problems = [...front.problems];
  }

  has(key: string): boolean {
    return this.#value(key) !== undefined;
  }

  text(key: string): string | undefined {
    return this.#read(key, "a text", (value) => (typeof value === "object" ? undefined : String(value)));
  }

  /** A list of texts, or one text. */
  texts(key: string): readonly string[] {
    const value = this.#value(key);
    if (value === undefined || value === "") return [];
    const items = isList(value) ? value : [value];
    if (items.some((item) => item !== null && typeof item === "object")) this.#complain(key, "a list of texts");
    return items.filter((item) => item !== null && typeof item !== "object").map((item) => String(item).trim());
  }

  versions(key: string): NonNullable<ReturnType<typeof parseVersionRanges>> {
    return this.#read(key, "versions such as `14+`, `18-20`, `14..23` or `23->24`", parseVersionRanges) ?? [];
  }

  version(key: string): number | undefined {
    return this.#read(key, "a version such as `BC24`", parseVersion);
  }

  number(key: string): number | undefined {
    return this.#read(key, "a number", (value) => (typeof value === "number" ? value : undefined));
  }

  /** A number from 0 to 1. */
  share(key: string): number | undefined {
    const value = this.number(key);
    return value === undefined || (value >= 0 && value <= 1) ? value : this.#complain(key, "a number from 0 to 1");
  }

  #read<T>(key: string, wanted: string, read: (value: Json) => T | undefined): T | undefined {
    const value = this.#value(key);
    return value === undefined ? undefined : (read(value) ?? this.#complain(key, wanted));
  }

  #value(key: string): Json | undefined {
    let held: Json | undefined = this.#front.fields;
    for (const name of key.split(".")) {
      if (held === undefined || held === null) return undefined;
      if (!isObject(held)) return this.#complain(key.slice(0, key.indexOf(".")), "a map");
      held = held[name];
    }
    return held ?? undefined;
  }

  #complain(key: string, wanted: string): undefined {
    const place = this.#front.placeOf(key);
    if (this.problems.some((known) => known.place?.line === place.line)) return undefined;
    this.problems.push(fileProblem("KNOWLEDGE_FIELD", `\`${key}\` of \`${place.file}\` should be ${wanted}, so it is not used.`, place));
    return undefined;
  }
}
