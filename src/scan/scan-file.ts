import type { FileScan, Finding, ScanProblem } from "../ports/index.ts";
import { excludedBranches, symbolsOf, type SymbolFacts } from "./al/al-conditions.ts";
import { readAlTokens } from "./al/lex-al.ts";
import { alObjectType, isTestObject, isTestPath } from "./al/object-type.ts";
import type { CompiledPattern, CompiledRules } from "./compile-rules.ts";
import type { Found, Writable } from "./finder.ts";
import { toInstances, type PatternFound } from "./instances.ts";
import { kindByPath, kindByText } from "./file-kinds.ts";
import { languageOf } from "./lex/language-of.ts";
import { placeFindings } from "./place-findings.ts";
import { suppress } from "./suppress/suppress.ts";
import { PreparedSource } from "./prepared-source.ts";
import { findRegex, isExcluded, mostMatches } from "./regex/find-regex.ts";
import { ByteOffsets } from "./text/byte-offsets.ts";
import { decodeBytes } from "./text/decode.ts";

export interface ScanContext {
  /** AL runtime from the nearest app.json above the file. */
  readonly runtime?: number;
  /** Symbols that it defines for the preprocessor. */
  readonly symbols?: readonly string[];
  /** What tools reported about the file. */
  readonly findings?: readonly Finding[];
  /** Patterns that are left out because they took too long on this file. */
  readonly cutOff?: ReadonlySet<string>;
  /** Called with the pattern that runs next (its place in the rules), so that a watcher can name the one that does not end. */
  readonly entering?: (pattern: number) => void;
}

/** Raise it whenever the same file and rules could give another result: results of two versions are not comparable. */
export const scannerVersion = "4";

/** What a scan knows from the bytes and the path alone. */
export type BytesScan = Omit<FileScan, "hash" | "size">;

/** Runs all patterns over one file. Never throws for what a file holds. */
export function scanBytes(bytes: Uint8Array, path: string, rules: CompiledRules, context: ScanContext = {}): BytesScan {
  const language = languageOf(path);
  const decoded = decodeBytes(bytes);
  if (decoded.kind === "binary") {
    return { path, language, instances: [], problems: [{ code: "SCAN_BINARY", message: `The file is binary: ${decoded.reason}.` }] };
  }
  const outside = language === "al" && isTestPath(path);
  const objectType = language === "al" ? alObjectType(decoded.text, path) : undefined;
  const seen = rules.search.search(decoded.text);
  const source = new PreparedSource(decoded.text, language, outside, context.runtime ?? rules.runtime);
  const isLeft = kindByPath(path, rules.leaveOut) !== undefined || kindByText(decoded.text, language, rules.leaveOut) !== undefined;
  const { found: everywhere, problems } = isLeft ? { found: [], problems: [] } : findAll(rules, source, { path, seen, context });
  const found =
    rules.target === undefined ? everywhere : asCompiled(everywhere, source, symbolsOf(rules.target, context.symbols), rules.target);
  const test = outside || (language === "al" && seen[rules.subtype] === 1 && isTestObject(decoded.text));
  const reported = context.findings === undefined ? undefined : placeFindings(context.findings, source);
  const all = reported === undefined ? found : [...found, ...reported.found];
  const offsets = new ByteOffsets(decoded, bytes.length);
  const placed = all.length === 0 ? [] : toInstances(all, source, offsets, decoded.encoding);
  const { instances, suppressed, problems: ignored } = suppress(placed, source, rules.specs);
  const result: Writable<BytesScan> = { path, encoding: decoded.encoding, language, instances, problems: [...problems, ...ignored] };
  const left = (reported?.suppressed ?? []).flatMap(({ by, ...one }) =>
    toInstances([one], source, offsets, decoded.encoding).map((instance) => ({ ...instance, suppressed: by })),
  );
  if (suppressed.length + left.length > 0) result.suppressed = [...suppressed, ...left];
  if (objectType !== undefined) result.objectType = objectType;
  if (test) result.test = test;
  return result;
}

/** What is found in a branch of `#if` that the target version does not compile is nothing to do. */
function asCompiled(
  found: readonly PatternFound[],
  { language, text }: PreparedSource,
  symbols: SymbolFacts,
  version: number,
): readonly PatternFound[] {
  if (found.length === 0 || language !== "al" || !/^[ \t]*#[ \t]*if/im.test(text)) return found;
  const branches = excludedBranches(text, readAlTokens(text).directives, symbols);
  return found.map((one) => {
    const { edits: _edits, ...bare } = one.found;
    const branch = branches.find(({ start, end }) => start <= bare.start && bare.start < end);
    if (branch === undefined) return one;
    const nothing = `This branch of \`#if ${branch.condition}\` is not compiled for BC${version}.`;
    return { ...one, found: { ...bare, auto: false, needs: bare.needs ?? "review", nothing } };
  });
}

interface Circumstances {
  readonly path: string;
  readonly seen: Uint8Array;
  readonly context: ScanContext;
}

function findAll(
  { patterns }: CompiledRules,
  source: PreparedSource,
  { path, seen, context }: Circumstances,
): { readonly found: readonly PatternFound[]; readonly problems: readonly ScanProblem[] } {
  const found: PatternFound[] = [];
  const problems: ScanProblem[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const { spec, needles, wants } = pattern;
    if ((needles !== undefined && !needles.some((needle) => seen[needle] === 1)) || !wants(path, source.language)) continue;
    if (context.cutOff?.has(spec.id) === true) {
      const message = `Pattern \`${spec.id}\` took too long on this file and was stopped.`;
      problems.push({ code: "SCAN_CUT_OFF", message, pattern: spec.id });
      continue;
    }
    context.entering?.(index);
    const { found: own, problem } = runPattern(pattern, source);
    if (problem !== undefined) problems.push(problem);
    for (const one of own) found.push({ spec, order: index, found: one });
  }
  return { found, problems };
}

function runPattern({ spec, run }: CompiledPattern, source: PreparedSource): { found: readonly Found[]; problem?: ScanProblem } {
  try {
    if ("finder" in run) {
      const found = run.finder.find(source);
      return { found: run.exclude === undefined ? found : withoutExcluded(found, (one) => isExcluded(run.exclude, source, one)) };
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

/** What changes together with something that is excluded is not changed by the engine either. */
function withoutExcluded(found: readonly Found[], excluded: (one: Found) => boolean): readonly Found[] {
  const out = new Set(found.filter(excluded));
  const broken = new Set([...out].flatMap(({ together }) => together ?? []));
  return found
    .filter((one) => !out.has(one))
    .map((one) => {
      if (one.edits === undefined || one.together === undefined || !broken.has(one.together)) return one;
      const { edits: _edits, ...rest } = one;
      return { ...rest, auto: false, needs: "review", why: "It is changed together with a place that the pattern leaves out." };
    });
}
