import type { Json } from "../base/index.ts";
import { refusal } from "./codes.ts";

/** Versions a topic speaks of; both ends count. A step is a change from one version to another. */
export interface VersionRange {
  readonly from?: number;
  readonly to?: number;
  readonly step?: true;
}

/** Versions of a request, in the keys that tools use. */
export interface VersionScope {
  readonly bc_version?: string | number;
  /** The ends of an upgrade let its migration topics in. */
  readonly source_version?: string | number;
  readonly target_version?: string | number;
}

/** `BC24`, `24`, `24.0`: the major version; undefined when it is not a version. */
export function parseVersion(value: unknown): number | undefined {
  const match = /^\s*(?:bc)?\s*(\d{1,3})(?:\.\d+)*\s*$/i.exec(
    typeof value === "number" ? String(value) : typeof value === "string" ? value : "",
  );
  return match === null ? undefined : Number(match[1]);
}

/** As `parseVersion`; anything else is refused by the name of its field. */
export function requireVersion(field: string, value: unknown): number {
  const version = parseVersion(value);
  if (version !== undefined) return version;
  const message = `\`${String(value)}\` as \`${field}\` is not a version. Versions are written \`BC24\`, \`24\` or \`24.0\`.`;
  throw refusal("KNOWLEDGE_VERSION", message);
}

export function versionName(version: number): string {
  return `BC${version}`;
}

export function stepName(from: number): string {
  return `BC${from}-BC${from + 1}`;
}

/** Steps of an upgrade, one version at a time, in order. */
export function stepsBetween(source: number, target: number): readonly string[] {
  if (target <= source) {
    const way = `from \`${versionName(source)}\` to \`${versionName(target)}\``;
    throw refusal("KNOWLEDGE_VERSION_ORDER", `The upgrade cannot go ${way}: the target version must be above the source version.`);
  }
  return Array.from({ length: target - source }, (_, index) => stepName(source + index));
}

/**
 * `14+`, `14..`, `14..23`, `..23`, `18-20`, `18,20,22`, `23->24`, with or without `BC`, or a list of such. An empty list means
 * every version; undefined: it is none of these.
 */
export function parseVersionRanges(value: Json | undefined): readonly VersionRange[] | undefined {
  if (value === undefined || value === null) return [];
  const pieces = Array.isArray(value) ? value : [value];
  const ranges: VersionRange[] = [];
  for (const piece of pieces) {
    if (typeof piece !== "string" && typeof piece !== "number") return undefined;
    for (const part of String(piece).split(",")) {
      if (/^\s*(?:all|any|\*|)\s*$/i.test(part)) continue;
      const range = parseRange(part);
      if (range === undefined) return undefined;
      ranges.push(range);
    }
  }
  return ranges;
}

function parseRange(text: string): VersionRange | undefined {
  const bare = text.replace(/\bbc\s*(?=\d)/gi, "").trim();
  const single = parseVersion(bare);
  if (single !== undefined) return { from: single, to: single };
  const open = /^(\d{1,3})(?:\.\d+)?\s*(?:\+|\.\.)$/.exec(bare);
  if (open !== null) return { from: Number(open[1]) };
  const upTo = /^\.\.\s*(\d{1,3})(?:\.\d+)?$/.exec(bare);
  if (upTo !== null) return { to: Number(upTo[1]) };
  const both = /^(\d{1,3})(?:\.\d)?\s*(\.\.|->|→|-|–)\s*(\d{1,3})(?:\.\d+)?$/.exec(bare);
  if (both === null || Number(both[1]) > Number(both[3])) return undefined;
  const step = both[2] === "->" || both[2] === "→";
  return { from: Number(both[1]), to: Number(both[3]), ...(step && { step: true as const }) };
}

/** Whether something that speaks of these versions holds for one of them. */
export function coversVersion(ranges: readonly VersionRange[], version: number | undefined): boolean {
  if (version === undefined || ranges.length === 0) return true;
  return ranges.some(({ from, to }) => (from ?? 0) <= version && version <= (to ?? Infinity));
}

/** Whether it belongs to an upgrade: a step must be within it whole, a range must touch a version above the source. */
export function touchesUpgrade(ranges: readonly VersionRange[], source: number, target: number): boolean {
  return ranges.some(({ from, to, step }) =>
    step === true ? (from ?? 0) >= source && (to ?? Infinity) <= target : (from ?? 0) <= target && (to ?? Infinity) > source,
  );
}
