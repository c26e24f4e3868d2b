import picomatch from "picomatch";
import { nearest } from "../base/index.ts";
import type { FileKind, PatternSpec, ScanProblem, ScanRules } from "../ports/index.ts";
import { bcMajor, bcRuntime } from "./al/app-runtime.ts";
import { badRules } from "./codes.ts";
import { kindByPath } from "./file-kinds.ts";
import type { Finder } from "./finder.ts";
import { finders } from "./finders.ts";
import { NeedleSearch } from "./needle-search.ts";
import { compilePattern, compileRegex, type RegexPattern, type Report } from "./regex/compile-pattern.ts";

/** Rules that are ready to run on any number of files, one after the other. */
export interface CompiledRules {
  readonly patterns: readonly CompiledPattern[];
  /** Kinds of files that no pattern is for. */
  readonly leaveOut: readonly FileKind[];
  readonly specs: ReadonlyMap<string, PatternSpec>;
  readonly search: NeedleSearch;
  /** Place in `search.needles` of a word that every AL test object has. */
  readonly subtype: number;
  /** AL runtime of the rules' `bcVersion`, for files of which nothing else is known. */
  readonly runtime: number | undefined;
  /** Number of the version that an upgrade goes to. */
  readonly target: number | undefined;
}

export interface CompiledPattern {
  readonly spec: PatternSpec;
  /** Places in `search.needles`; a file without any of them has no match. undefined: every file is looked at. */
  readonly needles: readonly number[] | undefined;
  /** Whether a path is among the pattern's `files`. */
  readonly wants: (path: string, language: string) => boolean;
  readonly run: { readonly regex: RegexPattern } | { readonly finder: Finder; readonly exclude: RegExp | undefined };
}

type Unplaced = Omit<CompiledPattern, "needles"> & { readonly texts: readonly string[] | undefined };

/** All problems of all patterns; none when the rules can be used. */
export function checkRules(rules: ScanRules): readonly ScanProblem[] {
  return compileAll(rules).problems;
}

/** Throws one error for all problems of all patterns, which are in its `details.problems`. */
export function compileRules(rules: ScanRules): CompiledRules {
  const { patterns, problems } = compileAll(rules);
  const [first, ...more] = problems;
  if (first !== undefined) throw badRules([first, ...more]);
  const needles = [...new Set([...patterns.flatMap(({ texts }) => texts ?? []), "subtype"])];
  const places = new Map(needles.map((needle, index) => [needle, index]));
  return {
    patterns: patterns.map(({ texts, ...pattern }) => ({ ...pattern, needles: texts?.map((text) => places.get(text) ?? 0) })),
    leaveOut: rules.leaveOut ?? [],
    specs: new Map(rules.patterns.map((spec) => [spec.id, spec])),
    search: new NeedleSearch(needles),
    subtype: needles.indexOf("subtype"),
    runtime: rules.bcVersion === undefined ? undefined : bcRuntime(rules.bcVersion),
    target: rules.targetVersion === undefined ? undefined : bcMajor(rules.targetVersion),
  };
}

function compileAll(rules: ScanRules): { readonly patterns: readonly Unplaced[]; readonly problems: readonly ScanProblem[] } {
  const problems: ScanProblem[] = [];
  const seen = new Set<string>();
  const patterns = rules.patterns.flatMap((spec): Unplaced[] => {
    const report: Report = (code, message) => void problems.push({ code, message, pattern: spec.id });
    if (seen.has(spec.id)) report("SCAN_BAD_PATTERN", `Two patterns have the id \`${spec.id}\`.`);
    seen.add(spec.id);
    if (spec.finder !== undefined) return compileFinder(spec, spec.finder, report);
    const regex = compilePattern(spec, report);
    return regex === undefined ? [] : [{ spec, texts: regex.needles, wants: pathFilter(spec), run: { regex } }];
  });
  for (const version of [rules.bcVersion, rules.targetVersion]) {
    if (version === undefined || bcRuntime(version) !== undefined) continue;
    problems.push({ code: "SCAN_BAD_VERSION", message: `\`${version}\` is not a version of Business Central such as \`BC24\`.` });
  }
  return { patterns, problems };
}

function compileFinder(spec: PatternSpec, name: string, report: Report): Unplaced[] {
  const finder = finders.get(name);
  if (finder === undefined) {
    const [close] = nearest(name, [...finders.keys()]);
    const hint = close === undefined ? "" : ` Did you mean \`${close}\`?`;
    const known = [...finders.keys()].map((id) => `\`${id}\``).join(", ");
    report("SCAN_UNKNOWN_FINDER", `Pattern \`${spec.id}\` asks for the finder \`${name}\`; there are ${known}.${hint}`);
  }
  if ((spec.in ?? "all") !== "all" || spec.wholeWord === true || spec.balanced === true || spec.arguments !== undefined) {
    const message = `Pattern \`${spec.id}\` has a finder, so \`in\`, \`wholeWord\`, \`balanced\` and \`arguments\` would have no effect.`;
    report("SCAN_BAD_PATTERN", message);
  }
  const { exclude = "", flags = "" } = spec;
  const regex = exclude === "" ? undefined : compileRegex(`The exclude of pattern \`${spec.id}\``, exclude, flags, report)?.regex;
  return finder === undefined ? [] : [{ spec, texts: finder.needles, wants: pathFilter(spec), run: { finder, exclude: regex } }];
}

/** Paths of AL files are compared without case, as their compiler does. */
function pathFilter({ leaveOut, ...spec }: PatternSpec): CompiledPattern["wants"] {
  const wants = globFilter(spec);
  return leaveOut === undefined ? wants : (path, language) => wants(path, language) && kindByPath(path, leaveOut) === undefined;
}

function globFilter({ files }: Pick<PatternSpec, "files">): CompiledPattern["wants"] {
  if (files === undefined || files.length === 0) return () => true;
  const exact = picomatch([...files], { dot: true });
  const anyCase = picomatch([...files], { dot: true, nocase: true });
  return (path, language) => (language === "al" ? anyCase(path) : exact(path));
}
