import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Random } from "../soak/random.ts";
import { smallBot } from "../support/bot-sample.ts";
import type { BotLine, BotTask } from "./bot-child.ts";
import { runChild, type Moment, type Ran } from "./run-child.ts";

/** What was tried and what came of it. Everything from `disagreeing` on must be 0. */
export interface BotCounts {
  /** Processes that were killed while an action was in hand, between its start and its completion. */
  working: number;
  /** Killed between the writes of the two files, or within one of them. */
  between: number;
  /** Killed anywhere else. */
  elsewhere: number;
  /** Restarts that found an interrupted action, and so had to ask. */
  interrupted: number;
  /** Files that did not agree with each other or with the journal. */
  disagreeing: number;
  /** Interrupted actions that nobody was asked about, or questions about nothing. */
  unasked: number;
  unfinished: number;
  readonly complaints: string[];
}

export interface BotMatrix {
  /** The bundled child program. */
  readonly program: string;
  readonly kills: number;
  readonly workers: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

const leaseTtlMs = 250;
const points = ["read", "temporary_created", "temporary_written", "temporary_synced", "renamed"] as const;
type Fault = NonNullable<BotTask["fault"]>;

/** One process after the other looks at what the last one left, goes on and is killed. */
export async function botMatrix(options: BotMatrix): Promise<BotCounts> {
  const counts: BotCounts = {
    working: 0,
    between: 0,
    elsewhere: 0,
    interrupted: 0,
    disagreeing: 0,
    unasked: 0,
    unfinished: 0,
    complaints: [],
  };
  let left = options.kills;
  const worker = async (number: number): Promise<void> => {
    const random = new Random("bot", options.seed, number);
    for (let bench: Bench | undefined; left > 0;) {
      bench ??= new Bench(options, counts, random);
      left -= 1;
      const sound = await bench.kill();
      if ((options.kills - left) % 20 === 0) options.say?.(`${options.kills - left} kills, ${counts.complaints.length} complaints`);
      if (sound && bench.used < 40 && left > 0) continue;
      await bench.close();
      bench = undefined;
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, at) => worker(at)));
  return counts;
}

/** A workspace with a bot in it, used by one process after the other. */
class Bench {
  readonly #base: string = mkdtempSync(join(tmpdir(), "waymark-bot-"));
  readonly #options: BotMatrix;
  readonly #counts: BotCounts;
  readonly #random: Random;
  #sound = true;
  #last = "nothing";
  used = 0;

  constructor(options: BotMatrix, counts: BotCounts, random: Random) {
    this.#options = options;
    this.#counts = counts;
    this.#random = random;
    growBot(this.#base, "small_bot");
  }

  async kill(): Promise<boolean> {
    this.used += 1;
    const fault = this.#random.chance(0.5) ? this.#fault() : undefined;
    const ran = await runChild<BotLine>(
      this.#options.program,
      {
        base: this.#base,
        bot: "small_bot",
        what: "walk",
        leaseTtlMs,
        workMs: 25,
        ...(fault === undefined ? {} : { fault }),
      } satisfies BotTask,
      fault === undefined ? this.#moment() : undefined,
    );
    this.#judge(ran);
    const handed = ran.lines.findLast((line) => line.said === "handed" || line.said === "reported" || line.said === "looked");
    if (ran.signal !== "SIGKILL") this.#complain("unfinished", ran.problem === "" ? "nobody was killed" : ran.problem);
    else if (fault !== undefined) this.#counts.between += 1;
    else if (handed?.said === "handed") this.#counts.working += 1;
    else this.#counts.elsewhere += 1;
    this.#last = fault === undefined ? `after ${handed?.said ?? "nothing"}` : `at ${fault.point} ${fault.nth} of ${fault.file}`;
    return this.#sound;
  }

  /** After the log was written and before the state was, or within either. */
  #fault(): Fault {
    const between = this.#random.chance(0.6);
    const file = between || this.#random.chance(0.5) ? "workflow_state.json" : "activity_log.json";
    const point = between ? this.#random.pick(["read", "temporary_created", "temporary_written"]) : this.#random.pick(points);
    return { file, point, nth: 1 + this.#random.below(6) };
  }

  /** The moment to kill at: so many milliseconds after the n-th action was handed out, or at any time. */
  #moment(): Moment {
    if (this.#random.chance(0.2)) return { after: 0, ms: this.#random.below(600) };
    return { after: 1 + this.#random.below(4), ms: this.#random.below(24) };
  }

  #judge({ lines, problem }: Ran<BotLine>): void {
    const looked = lines.find((line) => line.said === "looked");
    // Killed before it had looked: the next one looks.
    if (looked?.said !== "looked") {
      if (problem !== "") this.#complain("unfinished", problem);
      return;
    }
    const { interrupted, question, problems } = looked.found;
    for (const each of problems) this.#complain("disagreeing", each);
    if (interrupted !== null) this.#counts.interrupted += 1;
    if (interrupted !== null && question !== interrupted)
      this.#complain("unasked", `${interrupted} was interrupted, asked was ${question ?? "nothing"}`);
  }

  #complain(kind: "disagreeing" | "unasked" | "unfinished", problem: string): void {
    this.#counts[kind] += 1;
    this.#sound = false;
    this.#counts.complaints.push(`killed ${this.#last}: ${problem}`);
    if (this.#counts.complaints.length <= 20) this.#options.say?.(`  killed ${this.#last}: ${problem}`);
  }

  /** The last process may end by itself. */
  async close(): Promise<void> {
    const ran = await runChild<BotLine>(this.#options.program, { base: this.#base, bot: "small_bot", what: "look", leaseTtlMs, workMs: 0 });
    this.#judge(ran);
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Writes the files of the small bot under a name of its own. */
export function growBot(base: string, name: string): void {
  for (const [path, text] of Object.entries(smallBot())) {
    const target = join(base, "work", path.replaceAll("small_bot", name));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replaceAll("small_bot", name));
  }
  mkdirSync(join(base, "work", "area"), { recursive: true });
}
