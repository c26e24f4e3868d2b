import { spreadOf, type Round } from "./rounds.ts";

interface Comparison {
  readonly what: string;
  /** Named quantities of a round, in milliseconds, shown as they are. */
  readonly shown: Readonly<Record<string, (round: Round) => number>>;
  readonly ratio: (round: Round) => number;
  readonly ratioName: string;
  /** Without one, the figure is shown for information. */
  readonly limit?: number;
  /** In the place of a limit: what it must reach. */
  readonly least?: number;
}

/** Prints what was measured and remembers whether all limits held; `finish` sets the exit code. */
export class Verdict {
  #held = true;

  title(text: string): void {
    console.log(`\n${text}`);
  }

  note(text: string): void {
    console.log(`    ${text}`);
  }

  /** A ratio taken in each round; its median counts. */
  compare(rounds: readonly Round[], { what, shown, ratio, ratioName, limit, least }: Comparison): void {
    console.log(`  ${what} (${rounds.length} rounds)`);
    for (const [name, value] of Object.entries(shown)) {
      const { median, low, high } = spreadOf(rounds.map(value));
      console.log(`    ${name.padEnd(46)} ${median.toFixed(3).padStart(9)} ms   ${low.toFixed(3)} to ${high.toFixed(3)}`);
    }
    const { median, low, high } = spreadOf(rounds.map(ratio));
    console.log(
      `    ${ratioName.padEnd(46)} ${median.toFixed(2).padStart(9)}      ${low.toFixed(2)} to ${high.toFixed(2)}   ${this.#judge(median, limit, least)}`,
    );
  }

  /** A number that is the same every time. */
  count(what: string, found: number, limit: number): void {
    console.log(`    ${what.padEnd(46)} ${String(found).padStart(9)}      limit ${limit}   ${this.#say(found <= limit)}`);
  }

  exactly(what: string, found: number, wanted: number): void {
    console.log(`    ${what.padEnd(46)} ${String(found).padStart(9)}      wanted ${wanted}   ${this.#say(found === wanted)}`);
  }

  finish(): void {
    process.exitCode = this.#held ? 0 : 1;
  }

  #judge(median: number, limit: number | undefined, least: number | undefined): string {
    if (least !== undefined) return `at least ${least}   ${this.#say(median >= least)}`;
    return limit === undefined ? "for information" : `limit ${limit}   ${this.#say(median <= limit)}`;
  }

  #say(held: boolean): string {
    this.#held &&= held;
    return held ? "OK" : "OVER";
  }
}
