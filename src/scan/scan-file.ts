import type { FileScan, ScanProblem } from "../ports/index.ts";
import { alObjectType, isTestObject, isTestPath } from "./al/object-type.ts";
import type { CompiledPattern, CompiledRules } from "./compile-rules.ts";
import type { Found } from "./finder.ts";
import { toInstances, type PatternFound } from "./instances.ts";
import { languageOf } from "./lex/language-of.ts";
import { PreparedSource } from "./prepared-source.ts";
import { findRegex, mostMatches } from "./regex/find-regex.ts";
import { ByteOffsets } from "./text/byte-offsets.ts";
import { decodeBytes } from "./text/decode.ts";

export interface ScanContext {
  /** AL runtime from the nearest app.json above the file. */
  readonly runtime?: number;
  /** The file is known to be test code. */
  readonly test?: boolean;
  /** Patterns that are left out because they took too long on this file. */
  readonly cutOff?: ReadonlySet<string>;
  /** Told which pattern runs next (its place in the rules), so that a watcher can name the one that does not end. */
  readonly entering?: (pattern: number) => void;
}

/** What a scan knows from the bytes and the path alone. */
export type BytesScan = Omit<FileScan, "hash" | "size">;

/** Runs all patterns over one file. Never throws for what a file holds. */
export function scanBytes(bytes: Uint8Array, path: string, rules: CompiledRules, context: ScanContext = {}): BytesScan {
  const language = languageOf(path);
  const decoded = decodeBytes(bytes);
  if (decoded.kind === "binary") {
    return { path, language, instances: [], problems: [{ code: "SCAN_BINARY", message: `The file is binary: ${decoded.reason}.` }] };
  }
  const outside = context.test ?? (language === "al" && isTestPath(path));
  const objectType = language === "al" ? objectTypeOf(decoded.text, path) : undefined;
  const seen = rules.search.search(decoded.text);
  const active = activeIn(rules, seen, { path, language });
  const found = active.length === 0 ? nothingFound : findAll(active, decoded.text, { path, language, test: outside, rules, context });
  const test = outside || (language === "al" && seen[rules.subtype] === 1 && isTestObject(decoded.text));
  const instances =
    found.all.length === 0 ? [] : toInstances(found.all, found.source, new ByteOffsets(decoded, bytes.length), decoded.encoding);
  const result: Writable<BytesScan> = { path, encoding: decoded.encoding, language, instances, problems: found.problems };
  if (objectType !== undefined) result.objectType = objectType;
  if (test) result.test = test;
  return result;
}

/** Written key by key: most files hold nothing, so what surrounds the search must cost nothing, too. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Active {
  readonly pattern: CompiledPattern;
  readonly index: number;
}

function activeIn({ patterns }: CompiledRules, seen: Uint8Array, { path, language }: Pick<Circumstances, "path" | "language">): Active[] {
  const active: Active[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const { needles, wants } = pattern;
    if ((needles === undefined || needles.some((needle) => seen[needle] === 1)) && wants(path, language)) active.push({ pattern, index });
  }
  return active;
}

const heads = [512, 4096];

/** The first object stands near the beginning nearly always; the whole file is read only when it does not. */
function objectTypeOf(text: string, path: string): string | undefined {
  for (const length of heads) {
    const end = text.length > length ? text.lastIndexOf("\n", length) : 0;
    const type = end > 0 ? alObjectType(text.slice(0, end), "") : undefined;
    if (type !== undefined) return type;
  }
  return alObjectType(text, path);
}

interface AllFound {
  readonly all: readonly PatternFound[];
  readonly source: PreparedSource;
  readonly problems: readonly ScanProblem[];
}
const nothingFound: AllFound = {
  all: [],
  source: new PreparedSource({ path: "", text: "", language: "text", runtime: undefined, test: false }),
  problems: [],
};

interface Circumstances {
  readonly path: string;
  readonly language: string;
  readonly test: boolean;
  readonly rules: CompiledRules;
  readonly context: ScanContext;
}

function findAll(active: readonly Active[], text: string, { path, language, test, rules, context }: Circumstances): AllFound {
  const source = new PreparedSource({ path, text, language, test, runtime: context.runtime ?? rules.runtime });
  const all: PatternFound[] = [];
  const problems: ScanProblem[] = [];
  for (const { pattern, index } of active) {
    const { spec } = pattern;
    if (context.cutOff?.has(spec.id) === true) {
      problems.push({
        code: "SCAN_CUT_OFF",
        message: `Pattern \`${spec.id}\` took too long on this file and was stopped.`,
        pattern: spec.id,
      });
      continue;
    }
    context.entering?.(index);
    const { found, problem } = runPattern(pattern, source);
    if (problem !== undefined) problems.push(problem);
    for (const one of found) all.push({ spec, order: index, found: one });
  }
  return { all, source, problems };
}

function runPattern({ spec, run }: CompiledPattern, source: PreparedSource): { found: readonly Found[]; problem?: ScanProblem } {
  try {
    if ("finder" in run) {
      const found = run.finder.find(source, spec);
      const { exclude } = run;
      return { found: exclude === undefined ? found : found.filter((one) => !isExcluded(exclude, source, one)) };
    }
    const { found, cut } = findRegex(run.regex, source);
    if (!cut) return { found };
    const message = `Pattern \`${spec.id}\` has more than ${mostMatches} matches in this file; the rest is not listed.`;
    return { found, problem: { code: "SCAN_TOO_MANY", message, pattern: spec.id } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { found: [], problem: { code: "SCAN_PATTERN_FAILED", message: `Pattern \`${spec.id}\` failed: ${reason}`, pattern: spec.id } };
  }
}

function isExcluded(exclude: RegExp, { text, lines }: PreparedSource, { start, end }: Found): boolean {
  return exclude.test(text.slice(start, end)) || exclude.test(lines.textOf(lines.lineAt(start)));
}
