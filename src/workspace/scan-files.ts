import { readSync } from "node:fs";
import { join } from "node:path";
import { counted, remembering } from "../base/index.ts";
import type { FileEdit, FileScan, Finding, ScanProblem, ScanRequest, ScanRules } from "../ports/index.ts";
import { appRuntime, appSymbols, compileRules, scanBytes, type BytesScan, type CompiledRules, type ScanContext } from "../scan/index.ts";
import { contentAfter } from "./byte-edits.ts";
import { absent, codeOf, cutOff, exhausted, givenUp, messageOf, notListed, notRegular, outside, oversized, unreadable } from "./codes.ts";
import { hashOf, opensLinks, readWhole, withRegularFile, type OpenFile } from "./read-regular.ts";
import { Locator, realRoot, type Located } from "./root-path.ts";
import type { Leave, ScanFacts } from "./scan-protocol.ts";

/** Where the rules name no limit. */
const defaultMaxFileBytes = 10 << 20;
/** Larger files get a buffer of their own, which goes when they are done. */
const keptBytes = 1 << 20;

/** One buffer for all files of a thread: what is read is hashed and scanned before the next. */
const buffer = Buffer.allocUnsafeSlow(keptBytes);

/** A job is scanned in many calls with the same rules, which are compiled once. */
const compiledRules: (rules: ScanRules) => CompiledRules = remembering(compileRules, 16, JSON.stringify);

/** A request whose rules can be used, with the real path of its root. Refused here, once, and not by every thread. */
export function checkRequest({ root, rules, hash = true, ...rest }: ScanRequest): ScanRequest & { readonly hash: boolean } {
  compileRules(rules);
  return { ...rest, root: realRoot(root), rules, hash };
}

/** Written key by key: a copy of each result would cost more than most scans. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
/** Called with the pattern that begins, by its place in the rules, and the bytes of the file. */
type Enter = (pattern: number, bytes: number) => void;

/** A file that is to be scanned. */
interface Asked {
  readonly path: string;
  readonly leave: Leave;
  readonly enter: Enter;
  readonly mayBeLink: boolean;
  readonly edit?: FileEdit;
  /** What tools reported about it. */
  readonly findings?: readonly Finding[];
}

const nothingLeft: Leave = { cutOff: [], givenUp: [] };

/** Reads and scans files of one job, one after another. Never throws: what is wrong with a file is in its result. */
export class FileScanner {
  readonly #facts: ScanFacts;
  readonly #locator: Locator;
  readonly #apps: Apps;
  readonly #rules: CompiledRules;

  constructor(facts: ScanFacts) {
    this.#facts = facts;
    this.#locator = new Locator(facts.root);
    this.#apps = new Apps(facts.root);
    this.#rules = compiledRules(facts.rules);
  }

  scan(path: string, asked: Partial<Pick<Asked, "leave" | "enter" | "edit" | "findings">> = {}): FileScan {
    const found = opensLinks ? this.#locator.targetOf(path) : this.#locator.nameOf(path);
    const scan = this.#scanFound(found, { leave: nothingLeft, enter: () => undefined, ...asked, path, mayBeLink: true });
    const { findings = [] } = asked;
    // What was decoded has an encoding.
    if (findings.length === 0 || scan.encoding !== undefined) return scan;
    const tools = [...new Set(findings.map(({ tool }) => `\`${tool}\``))];
    return { ...scan, problems: [...scan.problems, notListed(path, tools, counted(findings.length, "finding"))] };
  }

  #scanFound(found: Located, file: Asked): FileScan {
    const { path, mayBeLink } = file;
    if ("refused" in found) return unscanned(path, 0, found.refused === "outside" ? outside(path) : absent(path));
    try {
      return this.#scanAt(found.place, file);
    } catch (cause) {
      const code = codeOf(cause) ?? "";
      // A link may be followed as long as it stays inside.
      if (mayBeLink && ["ELOOP", "EMLINK"].includes(code))
        return this.#scanFound(this.#locator.targetOf(path), { ...file, mayBeLink: false });
      if (mayBeLink && ["ENOENT", "ENOTDIR"].includes(code)) return unscanned(path, 0, absent(path));
      if (mayBeLink && ["EINVAL", "EISDIR", "ENXIO"].includes(code)) return unscanned(path, 0, notRegular(path, "file"));
      return unscanned(path, 0, unreadable(path, cause));
    }
  }

  #scanAt(place: string, asked: Asked): FileScan {
    const { path, leave, edit } = asked;
    const limit = this.#facts.rules.maxFileBytes ?? defaultMaxFileBytes;
    const held = withRegularFile(place, (file) => (file.facts.size > limit ? file.facts.size : take(file)));
    if (typeof held === "number") return unscanned(path, held, oversized(path, held, limit));
    const bytes = edit === undefined ? held : contentAfter(held, edit);
    if (bytes === undefined) return unscanned(path, held.length, unreadable(path, "it changed since its edits were planned"));
    const size = bytes.length;
    const result: Writable<FileScan> = { path, size, instances: [], problems: [] };
    if (this.#facts.hash) result.hash = hashOf(bytes);
    try {
      const { instances, suppressed, problems, encoding, language, objectType, test } = this.#scanBytes(bytes, asked);
      if (encoding !== undefined) result.encoding = encoding;
      if (language !== undefined) result.language = language;
      if (objectType !== undefined) result.objectType = objectType;
      if (test !== undefined) result.test = test;
      result.instances = instances;
      if (suppressed !== undefined) result.suppressed = suppressed;
      if (problems.length > 0) result.problems = problems.map((found) => this.#explain(found, path, leave));
    } catch (cause) {
      result.problems = [exhausted(path, messageOf(cause))];
    }
    return result;
  }

  #scanBytes(bytes: Uint8Array, { path, leave, enter, findings }: Asked): BytesScan {
    const context: Writable<ScanContext> = { entering: (pattern) => enter(pattern, bytes.length) };
    const app = this.#apps.of(path);
    if (app?.runtime !== undefined) context.runtime = app.runtime;
    if (app !== undefined && app.symbols.length > 0) context.symbols = app.symbols;
    if (leave.cutOff.length + leave.givenUp.length > 0) context.cutOff = new Set([...leave.cutOff, ...leave.givenUp]);
    if (findings !== undefined) context.findings = findings;
    return scanBytes(bytes, path, this.#rules, context);
  }

  /** The scanner knows only that a pattern was left out; why, is known here. */
  #explain(found: ScanProblem, path: string, leave: Leave): ScanProblem {
    if (found.pattern === undefined || found.code !== "SCAN_CUT_OFF") return found;
    return leave.cutOff.includes(found.pattern) ? cutOff(path, found.pattern, this.#facts.patternMs) : givenUp(path, found.pattern);
  }
}

function take(file: OpenFile): Uint8Array {
  const { size } = file.facts;
  // The buffer must have room for one byte more, which shows that the file grew meanwhile.
  if (size >= keptBytes) return readWhole(file);
  const count = readSync(file.handle, buffer, 0, size + 1, 0);
  return count > size ? readWhole(file) : buffer.subarray(0, count);
}

function unscanned(path: string, size: number, problem: ScanProblem): FileScan {
  return { path, size, instances: [], problems: [problem] };
}

const maxAppBytes = 1 << 20;

interface AppFacts {
  readonly runtime: number | undefined;
  readonly symbols: readonly string[];
}

/**
 * What AL files are compiled for: by the nearest app.json above them, not above the root. Answers are remembered by folder, for one job.
 */
class Apps {
  readonly #root: string;
  readonly #folders = new Map<string, AppFacts | undefined>();

  constructor(root: string) {
    this.#root = root;
  }

  /** undefined without any app.json. */
  of(path: string): AppFacts | undefined {
    const cut = path.lastIndexOf("/");
    return this.#ofFolder(cut < 0 ? "" : path.slice(0, cut));
  }

  #ofFolder(folder: string): AppFacts | undefined {
    if (this.#folders.has(folder)) return this.#folders.get(folder);
    const own = readApp(join(this.#root, folder, "app.json"));
    const app = own === "absent" ? (folder === "" ? undefined : this.of(folder)) : own;
    this.#folders.set(folder, app);
    return app;
  }
}

const unknownApp: AppFacts = { runtime: undefined, symbols: [] };

/** An app.json that cannot be read or names no runtime hides those above it all the same: they are not about its files. */
function readApp(file: string): AppFacts | "absent" {
  try {
    const text = withRegularFile(file, (open) => (open.facts.size > maxAppBytes ? "" : readWhole(open).toString("utf8")));
    return { runtime: appRuntime(text), symbols: appSymbols(text) };
  } catch (cause) {
    return codeOf(cause) === "ENOENT" ? "absent" : unknownApp;
  }
}
