import type { FileScan, ScanProblem, ScanRules } from "../ports/index.ts";
import { compileRules, scanBytes, type BytesScan, type CompiledRules, type ScanContext } from "../scan/index.ts";
import { AppRuntimes } from "./app-runtime.ts";
import { absent, cutOff, exhausted, givenUp, notRegular, outside, oversized, unreadable } from "./codes.ts";
import { hashOf, opensLinks, readInto, readWhole, withRegularFile, type OpenFile } from "./read-regular.ts";
import { Locator } from "./root-path.ts";
import type { Leave, ScanFacts } from "./scan-protocol.ts";

/** Where the rules name no limit. */
const defaultMaxFileBytes = 10 << 20;
/** Larger files get a buffer of their own, which goes when they are done. */
const keptBytes = 1 << 20;

/** One buffer for all files of a thread: what is read is hashed and scanned before the next. */
const buffer = Buffer.allocUnsafeSlow(keptBytes);

/** A job is scanned in many calls with the same rules, which are compiled once. */
const compiled = new Map<string, CompiledRules>();
const compiledAtMost = 16;

function compiledRules(rules: ScanRules): CompiledRules {
  const key = JSON.stringify(rules);
  const known = compiled.get(key) ?? compileRules(rules);
  if (compiled.size >= compiledAtMost) compiled.clear();
  compiled.set(key, known);
  return known;
}

/** Written key by key: a copy of each result would cost more than most scans. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
/** Told which pattern begins, by its place in the rules, on a file of how many bytes. */
type Enter = (pattern: number, bytes: number) => void;

const nothingLeft: Leave = { cutOff: [], givenUp: [] };

/** Reads and scans files of one job, one after another. Never throws: what is wrong with a file stands in its result. */
export class FileScanner {
  readonly #facts: ScanFacts;
  readonly #locator: Locator;
  readonly #runtimes: AppRuntimes;
  readonly #rules: CompiledRules;

  constructor(facts: ScanFacts) {
    this.#facts = facts;
    this.#locator = new Locator(facts.root);
    this.#runtimes = new AppRuntimes(facts.root);
    this.#rules = compiledRules(facts.rules);
  }

  scan(path: string, leave: Leave = nothingLeft, enter: Enter = () => undefined): FileScan {
    const found = opensLinks ? this.#locator.targetOf(path) : this.#locator.nameOf(path);
    if ("refused" in found) return unscanned(path, 0, found.refused === "outside" ? outside(path) : absent(path));
    try {
      return this.#scanAt({ path, place: found.place, leave, enter });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ELOOP" || code === "EMLINK") return this.#throughLink(path, leave, enter);
      if (code === "ENOENT" || code === "ENOTDIR") return unscanned(path, 0, absent(path));
      if (code === "EINVAL" || code === "EISDIR" || code === "ENXIO") return unscanned(path, 0, notRegular(path, "file"));
      return unscanned(path, 0, unreadable(path, cause));
    }
  }

  /** The name is a link: it may be followed as long as it stays inside. */
  #throughLink(path: string, leave: Leave, enter: Enter): FileScan {
    const target = this.#locator.targetOf(path);
    if ("refused" in target) return unscanned(path, 0, target.refused === "outside" ? outside(path) : absent(path));
    try {
      return this.#scanAt({ path, place: target.place, leave, enter });
    } catch (cause) {
      return unscanned(path, 0, unreadable(path, cause));
    }
  }

  #scanAt({ path, place, leave, enter }: { path: string; place: string; leave: Leave; enter: Enter }): FileScan {
    const limit = this.#facts.rules.maxFileBytes ?? defaultMaxFileBytes;
    const bytes = withRegularFile(place, (file) => (file.facts.size > limit ? file.facts.size : take(file)));
    if (typeof bytes === "number") return unscanned(path, bytes, oversized(path, bytes, limit));
    const size = bytes.length;
    const result: Writable<FileScan> = { path, size, instances: [], problems: [] };
    if (this.#facts.hash) result.hash = hashOf(bytes);
    try {
      const { instances, problems, encoding, language, objectType, test } = this.#scanBytes(bytes, path, leave, enter);
      if (encoding !== undefined) result.encoding = encoding;
      if (language !== undefined) result.language = language;
      if (objectType !== undefined) result.objectType = objectType;
      if (test !== undefined) result.test = test;
      result.instances = instances;
      if (problems.length > 0) result.problems = problems.map((found) => this.#explain(found, path, leave));
    } catch (cause) {
      result.problems = [exhausted(path, cause instanceof Error ? cause.message : String(cause))];
    }
    return result;
  }

  #scanBytes(bytes: Uint8Array, path: string, leave: Leave, enter: Enter): BytesScan {
    const size = bytes.length;
    const context: Writable<ScanContext> = { cutOff: leftOut(leave), entering: (pattern) => enter(pattern, size) };
    const runtime = this.#runtimes.of(path);
    if (runtime !== undefined) context.runtime = runtime;
    return scanBytes(bytes, path, this.#rules, context);
  }

  /** The scanner knows only that a pattern was left out; why, is known here. */
  #explain(found: ScanProblem, path: string, leave: Leave): ScanProblem {
    if (found.pattern === undefined || found.code !== "SCAN_CUT_OFF") return found;
    return leave.cutOff.includes(found.pattern) ? cutOff(path, found.pattern, this.#facts.patternMs) : givenUp(path, found.pattern);
  }
}

const nothing: ReadonlySet<string> = new Set();

function leftOut({ cutOff: cut, givenUp: given }: Leave): ReadonlySet<string> {
  return cut.length + given.length === 0 ? nothing : new Set([...cut, ...given]);
}

function take(file: OpenFile): Uint8Array {
  const { size } = file.facts;
  // The buffer must have room for one byte more, which shows that the file grew meanwhile.
  if (size >= keptBytes) return readWhole(file);
  const count = readInto(file.handle, buffer, size + 1);
  return count > size ? readWhole(file) : buffer.subarray(0, count);
}

function unscanned(path: string, size: number, problem: ScanProblem): FileScan {
  return { path, size, instances: [], problems: [problem] };
}
