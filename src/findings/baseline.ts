import { isList, isObject, type Json } from "../base/index.ts";
import type { ReportedFinding } from "./write/reported-finding.ts";

/** Findings that were there before, counted by what they are: its place in the file does not matter. */
export interface BaselineEntry {
  readonly file: string;
  readonly rule: string;
  /** Of the rule and the text; equal ones in a file have the same. */
  readonly fingerprint: string;
  readonly count: number;
}

const version = 1;

/** A baseline as a file: an entry a line, in an order that changes with nothing but its entries. */
export function renderBaseline(entries: Iterable<BaselineEntry>): string {
  const sorted = [...entries].toSorted(
    (a, b) => compare(a.file, b.file) || compare(a.rule, b.rule) || compare(a.fingerprint, b.fingerprint),
  );
  const lines = sorted.map(({ file, rule, fingerprint, count }) => `    ${JSON.stringify({ file, rule, fingerprint, count })}`);
  return `{\n  "waymark_baseline": ${version},\n  "findings": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Entries of a file, or what is wrong with it. */
export function readBaseline(text: string): readonly BaselineEntry[] | { readonly problem: string } {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: `it is not JSON (${(error as Error).message.replaceAll(/\s+/g, " ")})` };
  }
  const said = isObject(document) ? document["waymark_baseline"] : undefined;
  if (said === undefined) return { problem: "it has no `waymark_baseline`, so it is not a baseline of Waymark" };
  if (said !== version) return { problem: `it is of version ${JSON.stringify(said)}, and this Waymark reads version ${version}` };
  const findings = isObject(document) ? document["findings"] : undefined;
  if (!isList(findings)) return { problem: "its `findings` are not a list" };
  const wrong = findings.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) return { problem: `entry ${wrong + 1} of \`findings\` needs \`file\`, \`rule\`, \`fingerprint\` and a \`count\` from 1` };
  return findings as unknown as readonly BaselineEntry[];
}

function isEntry(entry: Json): boolean {
  if (!isObject(entry)) return false;
  const { file, rule, fingerprint, count } = entry;
  return (
    [file, rule, fingerprint].every((text) => typeof text === "string" && text !== "") && Number.isInteger(count) && Number(count) >= 1
  );
}

/** What is known and what is seen, as findings pass by. */
export class BaselineCounter {
  readonly #left = new Map<string, number>();
  readonly #seen = new Map<string, { -readonly [Key in keyof BaselineEntry]: BaselineEntry[Key] }>();
  readonly #fingerprintOf: (finding: ReportedFinding) => string;

  constructor(known: readonly BaselineEntry[], fingerprintOf: (finding: ReportedFinding) => string) {
    for (const entry of known) this.#left.set(keyOf(entry), (this.#left.get(keyOf(entry)) ?? 0) + entry.count);
    this.#fingerprintOf = fingerprintOf;
  }

  /** Counts a finding; says whether it is one more than is known. */
  isNew(finding: ReportedFinding): boolean {
    const { file, rule } = finding;
    const entry = { file, rule, fingerprint: this.#fingerprintOf(finding), count: 1 };
    const key = keyOf(entry);
    const seen = this.#seen.get(key);
    if (seen === undefined) this.#seen.set(key, entry);
    else seen.count += 1;
    const left = this.#left.get(key) ?? 0;
    if (left > 0) this.#left.set(key, left - 1);
    return left === 0;
  }

  /** Everything that was counted. */
  get entries(): Iterable<BaselineEntry> {
    return this.#seen.values();
  }
}

function keyOf({ file, rule, fingerprint }: BaselineEntry): string {
  return JSON.stringify([file, rule, fingerprint]);
}
