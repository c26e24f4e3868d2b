import { Random } from "../soak/random.ts";
import { BatchBench, type BatchCounts, type BenchOptions, type Fault } from "./batch-bench.ts";
import { readOnlyFiles } from "./batch-tree.ts";

export interface BatchMatrix extends BenchOptions {
  /** Kills at random moments. */
  readonly kills: number;
  /** Kills at borders of writes and commits: every n-th of the list. */
  readonly every: number;
  readonly workers: number;
  readonly seed: number;
}

const points = ["read", "temporary_created", "temporary_written", "temporary_synced", "renamed"];

/** Borders of the first write, of writes in each chunk and of the last; syncs of folders; commits of a batch. */
function borderFaults(files: number): readonly Fault[] {
  const writes = files - readOnlyFiles;
  const chunks = Math.ceil(files / 100);
  return [
    ...points.flatMap((point) => [1, Math.floor(writes / 3), Math.floor(writes / 2), writes].map((nth) => ({ point, nth }))),
    ...[1, 3, 8].map((nth) => ({ point: "folder_synced", nth })),
    ...["before commit", "after commit"].flatMap((point) => Array.from({ length: 2 + chunks }, (_, at) => ({ point, nth: at + 1 }))),
  ];
}

/** Kills processes that run a batch, lets others finish and undo it, and compares every byte. */
export async function batchMatrix(options: BatchMatrix): Promise<BatchCounts> {
  const counts: BatchCounts = {
    kills: { planning: 0, "token given": 0, confirmed: 0, writing: 0, written: 0, undoing: 0 },
    borders: 0,
    meddled: 0,
    files: 0,
    torn: 0,
    unfinished: 0,
    unclear: 0,
    unrestored: 0,
    complaints: [],
  };
  const faults = borderFaults(options.files).filter((_, at) => at % options.every === 0);
  const cases: (Fault | undefined)[] = [...faults, ...Array.from({ length: options.kills }, () => undefined)];
  let done = 0;
  let missed = 0;
  const worker = async (number: number): Promise<void> => {
    for (let bench: BatchBench | undefined; cases.length > 0;) {
      bench ??= await BatchBench.open(options, counts, new Random("batch", options.seed, number, done));
      const fault = cases.shift();
      if (await bench.kill(fault)) done += 1;
      else if ((missed += 1) < options.kills) cases.push(fault);
      if (done % 20 === 0) options.say?.(`${done} kills, ${counts.complaints.length} complaints`);
      // A run that went wrong would go on to complain; one that was used often says nothing about fresh ones.
      if (!bench.sound || bench.used >= 12 || cases.length === 0) {
        bench.close();
        bench = undefined;
      }
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, at) => worker(at)));
  return counts;
}
