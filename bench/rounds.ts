/** One round: the mean time of one turn of each contestant, in milliseconds. */
export type Round = Readonly<Record<string, number>>;

/** What takes part. A turn is one operation; `before` prepares it and is not timed. */
export interface Contestant {
  readonly turn: (count: number) => unknown;
  readonly before?: (count: number) => unknown;
}

interface Plan {
  readonly rounds: number;
  /** Turns of each contestant in one round. */
  readonly turns: number;
  /** Turns before the first round, which count nowhere. */
  readonly warmUp: number;
}

/**
 * The contestants take turns one by one in one process, so that whatever else this computer does meets all of them alike. Every
 * turn counts, slow ones too: what falls due now and then (a checkpoint, a snapshot) is a part of the cost.
 */
export async function takeTurns(contestants: Readonly<Record<string, Contestant>>, { rounds, turns, warmUp }: Plan): Promise<Round[]> {
  const names = Object.keys(contestants);
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  const turn = async (name: string): Promise<number> => {
    const { before, turn: act } = contestants[name] as Contestant;
    const count = (counts[name] = (counts[name] ?? 0) + 1);
    await before?.(count);
    const begun = performance.now();
    await act(count);
    return performance.now() - begun;
  };
  for (let done = 0; done < warmUp; done += 1) for (const name of names) await turn(name);
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sums = Object.fromEntries(names.map((name) => [name, 0]));
    for (let done = 0; done < turns; done += 1) {
      // Every second pass goes the other way round: nobody always follows the same neighbour.
      for (const name of done % 2 === 0 ? names : names.toReversed()) sums[name] = (sums[name] ?? 0) + (await turn(name));
    }
    results.push(Object.fromEntries(names.map((name) => [name, (sums[name] ?? 0) / turns])));
  }
  return results;
}

export interface Spread {
  readonly median: number;
  /** The middle half of the rounds is between these. */
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    return below + ((sorted[Math.ceil(place)] ?? below) - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
