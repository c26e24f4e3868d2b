import { counted } from "../base/index.ts";
import { bareName, wordsOf, type TopicEntry } from "./topic.ts";
import { coversVersion, requireVersion, touchesUpgrade, type VersionScope } from "./versions.ts";

/** What speaks for topics: names in code, or words of a question. */
export interface Evidence {
  /** Names as they occur, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Their words, see `wordsOf`. */
  readonly words: ReadonlySet<string>;
  /** How many signs of a fault or of its fix a topic declares and the code shows. */
  readonly indicators?: (entry: TopicEntry) => { readonly anti: number; readonly good: number };
}

/** Which topics may be suggested at all. */
export interface Scope {
  readonly version?: number;
  /** Lets topics about version steps in, those of this upgrade only. */
  readonly upgrade?: { readonly source: number; readonly target: number };
  readonly language?: string;
  /** Lower case. */
  readonly objectType?: string;
}

export function scopeOf({ bc_version, source_version, target_version }: VersionScope): Scope {
  return {
    ...(bc_version !== undefined && { version: requireVersion("bc_version", bc_version) }),
    ...(source_version !== undefined &&
      target_version !== undefined && {
        upgrade: { source: requireVersion("source_version", source_version), target: requireVersion("target_version", target_version) },
      }),
  };
}

const weights = { construct: 3, common: 1, title: 2, keyword: 2, indicator: 2, tag: 1.5, body: 1 } as const;
/** The sum at which a topic counts as relevant to almost two thirds. */
const halfway = 6;

/** Version, language and object type decide before any signal does. Topics about version steps need an upgrade that they belong to. */
export function inScope(entry: TopicEntry, scope: Scope): boolean {
  const { version, upgrade, language, objectType } = scope;
  if (entry.migration === true || entry.guide !== undefined) {
    if (upgrade === undefined) return false;
    const target = entry.guide?.target;
    const belongs =
      target === undefined
        ? touchesUpgrade(entry.versions, upgrade.source, upgrade.target)
        : target > upgrade.source && target <= upgrade.target;
    if (!belongs) return false;
  } else if (!coversVersion(entry.versions, version)) return false;
  if (language !== undefined && entry.languages.length > 0 && !entry.languages.includes(language)) return false;
  return objectType === undefined || entry.objectTypes.length === 0 || entry.objectTypes.includes(objectType);
}

/**
 * Weighs each kind of signal, with a limit per kind so that long lists do not win by length, and maps the sum to 0..1: more
 * signals never lower it, and no sum reaches 1.
 */
export function relevanceOf(
  entry: TopicEntry,
  evidence: Evidence,
): { /** 0 to 1, two decimals. */ readonly score: number; readonly signals: readonly string[] } {
  const signals: string[] = [];
  const note = (kind: string, found: readonly string[]): number => {
    for (const text of found) signals.push(`${kind} ${text}`);
    return found.length;
  };
  const isNamed = (construct: string): boolean => constructKey(construct) !== "" && evidence.names.has(constructKey(construct));
  const found = entry.constructs.filter(isNamed);
  const constructs = note("construct", found);
  const share = entry.constructs.length === 0 ? 0 : constructs / entry.constructs.length;
  const weak = found.filter((construct) => everywhere.has(constructKey(construct))).length;
  const inTitle = titleWords(entry.title).filter((word) => !everywhere.has(word) && evidence.names.has(word));
  const title = note("title", inTitle);
  const isMeant = (phrase: string): boolean => hasPhrase(phrase, evidence);
  const keywords = note("keyword", entry.keywords.filter(isMeant));
  const tags = note("tag", entry.tags.filter(isMeant));
  const named = evidence.names.has(bareName(entry.id).toLowerCase()) ? 1 : 0;
  const mentions = entry.mentions.filter((mention) => evidence.names.has(mention)).length;
  if (mentions > 0) signals.push(`body ${counted(mentions, "name")}`);
  const { anti, good } = evidence.indicators?.(entry) ?? { anti: 0, good: 0 };
  if (anti > 0) signals.push(`anti-pattern ${anti}`);
  if (good > 0) signals.push(`good pattern ${good}`);
  const sum =
    (weights.construct * Math.min(constructs - weak, 4) + weights.common * Math.min(weak, 2)) * (0.5 + 0.5 * share) +
    weights.title * Math.min(title + named, 2) +
    weights.keyword * Math.min(keywords, 3) +
    weights.indicator * (Math.min(anti, 2) + Math.min(good, 1)) +
    weights.tag * Math.min(tags, 2) +
    weights.body * Math.min(mentions, 2) * 0.5;
  return { score: Math.min(0.99, Math.round((1 - Math.exp(-sum / halfway)) * 100) / 100), signals };
}

/** `FindSet(`, `[EventSubscriber`, `"No. Series"` are written in many ways; they name the same thing. */
function constructKey(construct: string): string {
  return construct
    .toLowerCase()
    .replace(/^[["']+|[\]"'(]+\)?$|\(.*\)$/g, "")
    .trim();
}

function titleWords(title: string): string[] {
  return [...new Set(title.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word.length > 2);
}

function hasPhrase(phrase: string, { names, words }: Evidence): boolean {
  if (everywhere.has(phrase)) return false;
  if (names.has(phrase)) return true;
  const parts = wordsOf(phrase);
  return parts.length > 0 && parts.every((part) => words.has(part));
}

/** Words that nearly every piece of code contains: as a signal they say little. */
const everywhere: ReadonlySet<string> = new Set(
  "repeat until begin end var if then else case for foreach while do exit true false record text code integer decimal boolean date codeunit page table field procedure local internal trigger rec xrec import export const let function return new class this try catch async await get set insert modify delete next as any string number value name".split(
    " ",
  ),
);

/** Evidence of a question or of search words. */
export function evidenceOfText(text: string): Evidence {
  const words = new Set(wordsOf(text).flatMap((word) => (word.endsWith("s") && word.length > 4 ? [word, word.slice(0, -1)] : [word])));
  const names = new Set((text.match(/[\p{L}_][\p{L}\p{N}_.-]*/gu) ?? []).map((word) => word.toLowerCase().replace(/[.-]+$/, "")));
  return { names, words };
}
