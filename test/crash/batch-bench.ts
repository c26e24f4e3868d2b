import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../soak/random.ts";
import type { BatchLine, BatchTask } from "./batch-child.ts";
import { runBatchChild, stageOf, type Moment, type Ran, type Stage } from "./batch-process.ts";
import { expectedCalls, growBatchTree, hashesOf, hashOf, isReadOnly, straysIn, type Hashes } from "./batch-tree.ts";

/** What was tried and what came of it. Everything from `torn` on must be 0. */
export interface BatchCounts {
  /** By what the process was doing when it died. */
  readonly kills: Record<Stage, number>;
  borders: number;
  meddled: number;
  files: number;
  /** Files that were neither old nor new. */
  torn: number;
  /** Batches that did not come to their end, or whose numbers do not add up. */
  unfinished: number;
  /** Tokens whose fate was not clear: lost after they were confirmed, or used up for nothing. */
  unclear: number;
  /** Files that an undoing did not restore. */
  unrestored: number;
  readonly complaints: string[];
}

export type Fault = NonNullable<BatchTask["fault"]>;

export interface BenchOptions {
  /** The bundled child program. */
  readonly program: string;
  /** More than 100 take more than one chunk. */
  readonly files: number;
  readonly say?: (line: string) => void;
}

const leaseTtlMs = 250;
/** Two blanks, or one sign of UTF-16. */
const meddling = Buffer.from([0x20, 0x20]);

/** A tree and a run on which batches are killed, finished and undone, again and again. */
export class BatchBench {
  readonly #base: string = mkdtempSync(join(tmpdir(), "waymark-batch-"));
  readonly #work: string = join(this.#base, "work");
  readonly #options: BenchOptions;
  readonly #counts: BatchCounts;
  readonly #random: Random;
  #run = "";
  #old: Hashes = {};
  #new: Hashes = {};
  /** What a batch makes of each file. */
  #written: ReadonlyMap<string, Buffer> = new Map();
  /** How long a batch takes from its planning, and from its token, to its end. */
  #took: Ran["took"] = { begun: 0, token: 0 };
  #undoTook = 0;
  #sound = true;
  used = 0;

  private constructor(options: BenchOptions, counts: BatchCounts, random: Random) {
    this.#options = options;
    this.#counts = counts;
    this.#random = random;
  }

  /** Nobody is killed the first time: it says what the files must become, and how long it takes. */
  static async open(options: BenchOptions, counts: BatchCounts, random: Random): Promise<BatchBench> {
    const bench = new BatchBench(options, counts, random);
    growBatchTree(bench.#work, options.files);
    const prepared = (await bench.#child({ what: "prepare" })).lines.find((line) => line.said === "prepared");
    bench.#run = prepared?.said === "prepared" ? prepared.run : "";
    bench.#old = hashesOf(bench.#work);
    const applied = await bench.#child({ what: "apply" });
    bench.#new = hashesOf(bench.#work);
    bench.#written = new Map(Object.keys(bench.#new).map((path) => [path, readFileSync(join(bench.#work, path))]));
    bench.#took = applied.took;
    const same = Object.keys(bench.#old).filter((path) => (bench.#old[path] === bench.#new[path]) !== isReadOnly(path));
    if (!applied.lines.some((line) => line.said === "done") || same.length > 0)
      throw new Error(`A batch that nobody kills does not do its work: ${applied.problem} ${same.slice(0, 3).join(", ")}`);
    bench.#undoTook = (await bench.#child({ what: "undo" })).took.begun;
    return bench;
  }

  /** Whether everything has held so far. */
  get sound(): boolean {
    return this.#sound;
  }

  /** One kill, at a border or at a random moment, and everything after it. False when nobody was killed. */
  async kill(fault: Fault | undefined): Promise<boolean> {
    this.used += 1;
    const killed = await this.#killed("apply", fault);
    if (killed === undefined) return false;
    const before = this.#state(killed.what);
    const stage = stageOf(killed.lines, before);
    if (fault === undefined) this.#counts.kills[stage] += 1;
    else this.#counts.borders += 1;
    const meddled = this.#random.chance(0.15) ? this.#meddle(before.oldPaths) : undefined;
    const token = killed.lines.find((line) => line.said === "token");
    const keep = this.#random.chance(0.2);
    await this.#finish(killed, { ...before, stage, meddled }, { keep, ...(token?.said === "token" ? { token: token.token } : {}) });
    if (keep) await this.#killUndo(fault, meddled);
    this.#checkUndone(killed.what, meddled);
    return true;
  }

  /** The undoing is killed too; whoever undoes again ends it. */
  async #killUndo(fault: Fault | undefined, meddled: Meddled | undefined): Promise<void> {
    // It has fewer borders than the batch: files that were left out are not written again.
    const there = fault === undefined || fault.point.includes("commit") ? undefined : { ...fault, nth: Math.ceil(fault.nth / 2) };
    const killed = await this.#killed("undo", there);
    if (killed === undefined) return;
    this.#counts.kills.undoing += 1;
    this.#state(killed.what, meddled);
    this.#judgeUndone(killed.what, await this.#child({ what: "undo" }));
  }

  #judgeUndone(what: string, { lines, problem }: Ran): void {
    const undone = lines.find((line) => line.said === "undone");
    if (undone?.said !== "undone") this.#complain("unrestored", what, `it was not undone: ${problem}`);
    else for (const found of undone.problems) this.#complain("unfinished", what, `doctor: ${found}`);
  }

  /** Runs it until it is killed; a moment that comes too late is tried again, earlier. */
  async #killed(what: "apply" | "undo", fault: Fault | undefined): Promise<(Ran & { readonly what: string }) | undefined> {
    for (let tries = 1; ; tries += 1) {
      const moment = fault === undefined ? this.#moment(what) : undefined;
      const named = moment === undefined ? `${what} at ${fault?.point} ${fault?.nth}` : `${what} ${moment.after} ms after ${moment.from}`;
      const ran = await this.#child({ what, ...(fault === undefined ? {} : { fault }) }, moment);
      if (ran.signal === "SIGKILL") return { ...ran, what: named };
      if (ran.problem !== "") this.#complain("unfinished", named, ran.problem);
      if (fault !== undefined) this.#complain("unfinished", named, "nobody was killed there");
      if (what === "undo" || fault !== undefined || tries === 5) return undefined;
      this.#took = { begun: ran.took.begun * 0.95, token: ran.took.token * 0.95 };
      await this.#child({ what: "undo" });
    }
  }

  /** Planning takes longer than writing: every second moment comes after it, so that both are met often. */
  #moment(what: "apply" | "undo"): Moment {
    const from = what === "apply" && this.#random.chance(0.5) ? "token" : "begun";
    const most = what === "apply" ? this.#took[from] : this.#undoTook;
    return { from, after: Math.floor(this.#random.next() * most) };
  }

  /** Every file must be what it was or what it is to become, but for the one that somebody edited. */
  #state(what: string, meddled?: Meddled): Before {
    const now = hashesOf(this.#work);
    const paths = Object.keys(this.#old);
    this.#counts.files += paths.length;
    const edited = (path: string): boolean => path === meddled?.path && (now[path] === meddled.hash || now[path] === meddled.after);
    const torn = paths.filter((path) => now[path] !== this.#old[path] && now[path] !== this.#new[path] && !edited(path));
    for (const path of torn) this.#complain("torn", what, `${path} is neither old nor new`);
    const oldPaths = paths.filter((path) => now[path] === this.#old[path] && !isReadOnly(path));
    return { oldPaths, old: oldPaths.length, changed: paths.filter((path) => now[path] === this.#new[path] && !isReadOnly(path)).length };
  }

  /** Somebody edits a file that the batch has not come to. */
  #meddle(paths: readonly string[]): Meddled | undefined {
    if (paths.length === 0) return undefined;
    const path = this.#random.pick(paths);
    const place = join(this.#work, path);
    const bytes = readFileSync(place);
    const edited = Buffer.concat([bytes, meddling]);
    writeFileSync(place, edited);
    this.#counts.meddled += 1;
    return { path, bytes, hash: hashOf(edited), after: hashOf(Buffer.concat([this.#written.get(path) ?? Buffer.of(), meddling])) };
  }

  /** Another process takes the batch up and undoes it. */
  async #finish({ what, lines }: Ran & { readonly what: string }, before: Found, more: Pick<BatchTask, "keep" | "token">): Promise<void> {
    const ask = this.#random.chance(0.5) ? "next" : "wait";
    const ran = await this.#child({ what: "finish", ask, ...more });
    const finished = ran.lines.find((line) => line.said === "finished");
    if (finished?.said !== "finished") {
      this.#complain("unfinished", what, `the batch was not taken up (${before.stage}): ${ran.problem}`);
      return;
    }
    const { record, hashes, fate, strays } = finished;
    const complain = (kind: Failing, problem: string): void => this.#complain(kind, `${what} (${before.stage}, asked ${ask})`, problem);
    const { previewed, failed } = expectedCalls(this.#options.files);
    const { modified, failed: failures, left_out: leftOut } = record;
    const numbers = `${modified} modified, ${failures} failed, ${leftOut} left out of ${record.previewed}`;
    if (!record.done || modified + failures + leftOut !== record.previewed) complain("unfinished", `done ${record.done}: ${numbers}`);
    if (before.meddled === undefined && (record.previewed !== previewed || failures !== failed || leftOut !== 0))
      complain("unfinished", `${numbers}, but ${previewed} with ${failed} failing are there`);
    this.#checkFate(complain, { fate, lines, ...before });
    const wrong = Object.entries(hashes).filter(([path, hash]) => hash !== this.#wanted(path, fate, before.meddled));
    if (wrong.length > 0) complain("torn", `${wrong.length} files are not what the batch was to write, first ${wrong[0]?.[0] ?? ""}`);
    if (strays.length > 0) complain("unfinished", `${strays.length} temporary files are left`);
    if (more.keep !== true) this.#judgeUndone(what, ran);
  }

  /** What a file must hold after the batch. One that was edited is left alone by what was confirmed before, and is part of what came after. */
  #wanted(path: string, fate: string, meddled: Meddled | undefined): string | undefined {
    if (path === meddled?.path) return fate === "used" ? meddled.hash : meddled.after;
    return isReadOnly(path) ? this.#old[path] : this.#new[path];
  }

  /** What was confirmed is done once; what was not confirmed has touched nothing and can be confirmed. */
  #checkFate(complain: (kind: Failing, problem: string) => void, { fate, lines, changed, stage, meddled }: Fate): void {
    const confirmed = lines.some((line) => line.said === "confirmed");
    const given = lines.some((line) => line.said === "token");
    if ((confirmed || changed > 0) && fate !== "used") complain("unclear", `it was confirmed, and its token is ${fate}`);
    if (fate === "unknown") complain("unclear", `the token given at ${stage} is not known`);
    if (given && fate === "dead" && meddled === undefined) complain("unclear", "nothing moved, and the token is dead");
  }

  #checkUndone(what: string, meddled: Meddled | undefined): void {
    const now = hashesOf(this.#work);
    for (const [path, hash] of Object.entries(this.#old)) {
      if (path === meddled?.path) continue;
      if (now[path] !== hash) this.#complain("unrestored", what, `${path} was not restored`);
    }
    if (meddled !== undefined) {
      if (now[meddled.path] !== meddled.hash) this.#complain("unrestored", what, `${meddled.path}, which somebody edited, was overwritten`);
      writeFileSync(join(this.#work, meddled.path), meddled.bytes);
    }
    if (straysIn(this.#work).length > 0) this.#complain("unrestored", what, "temporary files are left");
  }

  #complain(kind: Failing, what: string, problem: string): void {
    this.#counts[kind] += 1;
    this.#sound = false;
    this.#counts.complaints.push(`killed in ${what}: ${problem}`);
    if (this.#counts.complaints.length <= 20) this.#options.say?.(`  killed in ${what}: ${problem}`);
  }

  #child(task: Omit<BatchTask, "base" | "run" | "leaseTtlMs">, moment?: Moment): Promise<Ran> {
    return runBatchChild(this.#options.program, { ...task, base: this.#base, run: this.#run, leaseTtlMs }, moment);
  }

  close(): void {
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Before {
  readonly oldPaths: readonly string[];
  readonly old: number;
  readonly changed: number;
}

interface Meddled {
  readonly path: string;
  readonly bytes: Buffer;
  /** Of the edited content, and of what a batch makes of that. */
  readonly hash: string;
  readonly after: string;
}

interface Found extends Before {
  readonly stage: Stage;
  readonly meddled: Meddled | undefined;
}

interface Fate extends Found {
  readonly fate: string;
  readonly lines: readonly BatchLine[];
}

type Failing = "torn" | "unfinished" | "unclear" | "unrestored";
