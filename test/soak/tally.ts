/** The longest that anything may take to answer, in milliseconds, where nothing else is at work. */
export const answerWithin = 2_000;
/** After this long a call counts as one that never comes back, however busy the machine is. */
export const givenUpAfter = 20_000;

export interface Failure {
  readonly part: string;
  readonly index: number;
  readonly what: string;
}

/** Counts what was asked and how it was answered. */
export class Tally {
  readonly part: string;
  readonly failures: Failure[] = [];
  readonly answers = new Map<string, number>();
  cases = 0;
  slowest = 0;
  #index = 0;
  readonly #beat: (part: string, index: number) => void;
  readonly #within: number;

  constructor(part: string, beat: (part: string, index: number) => void, within: number) {
    this.part = part;
    this.#beat = beat;
    this.#within = within;
  }

  /** Performs one case; `answer` names how it was answered, and throws when that is wrong. `shown` is told with a failure. */
  async case(index: number, answer: () => Promise<string> | string, shown?: unknown): Promise<void> {
    this.#index = index;
    if (index % 20 === 0) this.#beat(this.part, index);
    this.cases += 1;
    const begun = performance.now();
    try {
      this.count(await inTime(answer));
    } catch (error) {
      const asked = shown === undefined ? "" : `\nasked: ${(JSON.stringify(shown) ?? "").slice(0, 1_000)}`;
      this.fail(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}${asked}`);
    }
    const took = performance.now() - begun;
    this.slowest = Math.max(this.slowest, took);
    if (took > this.#within) this.fail(`It took ${Math.round(took)} ms to answer; ${this.#within} ms are allowed.`);
  }

  count(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  fail(what: string): void {
    this.failures.push({ part: this.part, index: this.#index, what });
  }
}

async function inTime(answer: () => Promise<string> | string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer in ${givenUpAfter} ms.`)), givenUpAfter);
  });
  try {
    return await Promise.race([answer(), never]);
  } finally {
    clearTimeout(timer);
  }
}
