import type { FileEdit, FileScan, Finding } from "../ports/index.ts";
import { exhausted } from "./codes.ts";
import type { Leave, ScanFacts } from "./scan-protocol.ts";

/** A stretch of a job's paths that one thread scans in one go. */
export interface ScanTask {
  readonly id: number;
  readonly chunk: number;
  /** Place of its first path in the job. */
  readonly at: number;
  readonly paths: readonly string[];
  readonly leave: Leave;
}

interface TaskResults {
  readonly at: number;
  /** Results as JSON text. */
  readonly results: string;
}

interface JobFacts extends ScanFacts {
  readonly id: number;
  readonly paths: readonly string[];
  /** By path: the file is scanned as it would be after it. */
  readonly edits: ReadonlyMap<string, FileEdit>;
  /** What tools reported, by path. */
  readonly findings: Readonly<Record<string, readonly Finding[]>>;
  readonly threads: number;
  /** How often each pattern was cut off, also by earlier scans with the same rules. */
  readonly cutOffs: Map<string, number>;
}

const chunkFiles = 64;
/** Chunks for each thread that may be scanned before they are asked for. */
const chunksAhead = 4;
/** Cut-offs after which a pattern is not tried any more. In larger files the time may not be the pattern's fault. */
const maxCutOffs = 3;
const maxTellingKilobytes = 512;

let lastTask = 0;

/**
 * One scan: its tasks, what came back, and in which order it is handed on. Never more than a few chunks are begun before the first
 * is taken, so that a slow reader does not fill the memory.
 */
export class ScanJob {
  readonly facts: JobFacts;
  readonly #chunkFiles: number;
  readonly #chunks: number;
  readonly #ahead: number;
  readonly #again: ScanTask[] = [];
  readonly #parts = new Map<number, TaskResults[]>();
  readonly #filesLeft = new Map<number, number>();
  #begun = 0;
  #taken = 0;
  #failure: { readonly cause: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(facts: JobFacts) {
    this.facts = facts;
    this.#chunkFiles = Math.max(1, Math.min(chunkFiles, Math.ceil(facts.paths.length / (facts.threads * chunksAhead))));
    this.#chunks = Math.ceil(facts.paths.length / this.#chunkFiles);
    this.#ahead = facts.threads * chunksAhead;
  }

  nextTask(): ScanTask | undefined {
    const again = this.#again.pop();
    if (again !== undefined || this.#begun >= Math.min(this.#chunks, this.#taken + this.#ahead)) return again;
    const chunk = this.#begun++;
    const at = chunk * this.#chunkFiles;
    const paths = this.facts.paths.slice(at, at + this.#chunkFiles);
    this.#filesLeft.set(chunk, paths.length);
    this.#parts.set(chunk, []);
    return this.#task(chunk, at, paths);
  }

  accept({ chunk, at, paths }: Pick<ScanTask, "chunk" | "at" | "paths">, results: string): void {
    const left = (this.#filesLeft.get(chunk) ?? 0) - paths.length;
    this.#filesLeft.set(chunk, left);
    this.#parts.get(chunk)?.push({ at, results });
    if (left === 0) this.#wake?.();
  }

  /** The task was not finished, through no fault of its own. What was given up meanwhile is given up for it, too. */
  repeat({ chunk, at, paths, leave }: ScanTask): void {
    this.#again.push(this.#task(chunk, at, paths, leave.cutOff));
  }

  /** A pattern did not come to an end on a file: the file is scanned without it. */
  cutOff(task: ScanTask, { file, kilobytes }: { readonly file: number; readonly kilobytes: number }, pattern: string): void {
    const { cutOffs } = this.facts;
    if (kilobytes <= maxTellingKilobytes) cutOffs.set(pattern, (cutOffs.get(pattern) ?? 0) + 1);
    this.#splitAt(task, file, (path) => {
      this.#again.push(this.#task(task.chunk, task.at + file, [path], [...task.leave.cutOff, pattern]));
    });
  }

  /** A file that ends the thread that scans it: it is left out, with its reason. */
  failFile(task: ScanTask, file: number, reason: string): void {
    this.#splitAt(task, file, (path) => {
      const scan: FileScan = { path, size: 0, instances: [], problems: [exhausted(path, reason)] };
      this.accept({ chunk: task.chunk, at: task.at + file, paths: [path] }, JSON.stringify([scan]));
    });
  }

  fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#again.length = 0;
    this.#wake?.();
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  /** Results in the order of the paths, chunk by chunk; undefined behind the last. Asking for a chunk makes room for another. */
  async nextResults(): Promise<readonly FileScan[] | undefined> {
    const chunk = this.#taken;
    while (!this.failed && chunk < this.#chunks && this.#filesLeft.get(chunk) !== 0) await new Promise<void>((wake) => (this.#wake = wake));
    this.throwIfFailed();
    if (chunk >= this.#chunks) return undefined;
    const parts = this.#parts.get(chunk)?.sort((a, b) => a.at - b.at) ?? [];
    this.#parts.delete(chunk);
    this.#filesLeft.delete(chunk);
    this.#taken += 1;
    return parts.flatMap(({ results }) => JSON.parse(results) as FileScan[]);
  }

  #task(chunk: number, at: number, paths: readonly string[], cutOff: readonly string[] = []): ScanTask {
    const tired = [...this.facts.cutOffs].filter(([id, times]) => times >= maxCutOffs && !cutOff.includes(id)).map(([id]) => id);
    return { id: ++lastTask, chunk, at, paths, leave: { cutOff, givenUp: tired } };
  }

  /** Files before and behind the given one are scanned again; they cost little. */
  #splitAt(task: ScanTask, file: number, act: (path: string) => void): void {
    const before = task.paths.slice(0, file);
    const behind = task.paths.slice(file + 1);
    if (behind.length > 0) this.#again.push(this.#task(task.chunk, task.at + file + 1, behind));
    act(task.paths[file] ?? "");
    if (before.length > 0) this.#again.push(this.#task(task.chunk, task.at, before));
  }
}
