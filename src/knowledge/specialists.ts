import { isList, isObject, type Diagnostic, type Json, type JsonObject } from "../base/index.ts";
import type { TopicFiles } from "../ports/index.ts";
import { fileProblem } from "./codes.ts";
import { parseYaml, splitFrontMatter } from "./front-matter.ts";
import type { LoadedIndex } from "./topic-index.ts";
import { wordsOf, type TopicEntry } from "./topic.ts";

/** A field of knowledge with an id that clients know. Data, not a person: nothing is said in its name. */
export interface Specialist {
  readonly specialist_id: string;
  /** Names the field. */
  readonly title: string;
  readonly role: string;
  readonly expertise: { readonly primary: readonly string[]; readonly secondary: readonly string[] };
  readonly domains: readonly string[];
  readonly when_to_use: readonly string[];
  /** Everything as written. */
  readonly fields: JsonObject;
}

export interface LoadedSpecialists {
  /** By id in lower case, in the order in which they are first named. */
  readonly all: ReadonlyMap<string, Specialist>;
  readonly problems: readonly Diagnostic[];
}

/** `specialists.yaml`, or one markdown file with front matter for each, in every layer; the same id replaces. */
export async function loadSpecialists(files: TopicFiles, index: LoadedIndex): Promise<LoadedSpecialists> {
  const all = new Map<string, Specialist>();
  const problems: Diagnostic[] = [];
  for (const { layer, path } of index.specialistFiles) {
    const file = `${layer.folder}/${path}`;
    const text = await files.read(layer, path);
    if (text === undefined) continue;
    for (const specialist of path.endsWith(".md") ? parseOne(text, file, problems) : parseList(text, file, problems)) {
      all.set(specialist.specialist_id.toLowerCase(), specialist);
    }
  }
  return { all, problems };
}

function parseOne(text: string, file: string, problems: Diagnostic[]): Specialist[] {
  const front = splitFrontMatter(text, file);
  problems.push(...front.problems);
  return [specialistOf(front.fields, undefined) ?? []].flat();
}

function parseList(text: string, file: string, problems: Diagnostic[]): Specialist[] {
  const { value = null, problems: broken } = parseYaml(text.replace(/^\uFEFF/, ""), file, 0);
  for (const { message, place } of broken)
    problems.push(fileProblem("KNOWLEDGE_SPECIALISTS", `\`${file}\` is not valid YAML: ${message}`, place));
  if (value === null) return [];
  const held = isObject(value) && "specialists" in value ? value["specialists"] : value;
  const rows: readonly (readonly [string | undefined, Json])[] = isList(held)
    ? held.map((row) => [undefined, row] as const)
    : isObject(held)
      ? Object.entries(held)
      : [];
  if (rows.length === 0)
    problems.push(fileProblem("KNOWLEDGE_SPECIALISTS", `\`${file}\` is not a list of specialists.`, { file, line: 1, column: 1 }));
  return rows.flatMap(([key, row], at) => {
    const found = isObject(row) ? specialistOf(row, key) : undefined;
    if (found !== undefined) return [found];
    const message = `Entry ${at + 1} of \`${file}\` has no \`specialist_id\`, so it is not used.`;
    problems.push(fileProblem("KNOWLEDGE_SPECIALISTS", message, { file, line: 1, column: 1 }));
    return [];
  });
}

function specialistOf(row: JsonObject, key: string | undefined): Specialist | undefined {
  const id = row["specialist_id"] ?? row["id"] ?? key;
  if (typeof id !== "string" || id.trim() === "") return undefined;
  const expertise = isObject(row["expertise"]) ? row["expertise"] : { primary: row["expertise"] ?? [] };
  return {
    specialist_id: id.trim(),
    title: typeof row["title"] === "string" ? row["title"] : id,
    role: typeof row["role"] === "string" ? row["role"] : "",
    expertise: { primary: texts(expertise["primary"]), secondary: texts(expertise["secondary"]) },
    domains: texts(row["domains"]).map((domain) => domain.toLowerCase()),
    when_to_use: texts(row["when_to_use"]),
    fields: row,
  };
}

function texts(value: Json | undefined): readonly string[] {
  const items = isList(value) ? value : value === undefined || value === null ? [] : [value];
  return items.filter((item) => typeof item === "string" || typeof item === "number").map(String);
}

/** Topics of a specialist: named by the topic, by its folder, or by its domain. */
export function isTopicOf(entry: TopicEntry, specialist: Specialist): boolean {
  const id = specialist.specialist_id.toLowerCase();
  return (
    entry.specialist?.toLowerCase() === id ||
    entry.domains.includes(id) ||
    entry.domains.some((domain) => specialist.domains.includes(domain))
  );
}

/** Specialists whose field the words of a question name, the best first. `matched`: the words that do. */
export function fitSpecialists(
  words: ReadonlySet<string>,
  specialists: Iterable<Specialist>,
): { readonly specialist: Specialist; readonly matched: readonly string[] }[] {
  const fits = [...specialists].map((specialist) => {
    const { title, role, domains, expertise, when_to_use } = specialist;
    const weighed: readonly (readonly [number, readonly string[]])[] = [
      [3, [title, ...domains]],
      [3, expertise.primary],
      [2, expertise.secondary],
      [1.5, when_to_use],
      [1, [role]],
    ];
    const matched = new Set<string>();
    let score = 0;
    for (const [weight, parts] of weighed) {
      const own = new Set(parts.flatMap((part) => wordsOf(part).flatMap((word) => [word, word.replace(/s$/, "")])));
      for (const word of words) {
        if (!own.has(word) && !own.has(word.replace(/s$/, ""))) continue;
        matched.add(word);
        score += weight;
      }
    }
    return { specialist, score, matched: [...matched] };
  });
  return fits
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.specialist.specialist_id < b.specialist.specialist_id ? -1 : 1));
}
