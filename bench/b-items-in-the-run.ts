/** (b) The same step with 100 items in the run and with 100,000. */
import { progress, start } from "../src/engine/index.ts";
import { openBenchEngine } from "./bench-engine.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";
import { fileNames, plainItems } from "./workflows.ts";

const few = 100;
const many = 100_000;
const plan = { rounds: 15, turns: 150, warmUp: 500 };

/** Drives runs of so many items, each up to its last but one item; starting one is not timed. */
async function openDriver(
  count: number,
): Promise<{ before: () => Promise<void>; turn: () => Promise<unknown>; close: () => Promise<void> }> {
  const { context, caller, close } = await openBenchEngine([plainItems]);
  const files = fileNames(count);
  let run = "";
  let left = 0;
  const before = async (): Promise<void> => {
    if (left > 0) return;
    run = (await start(context, caller, { workflow: "bench:items", inputs: { files } })).run;
    left = count - 1;
  };
  const turn = async (): Promise<unknown> => {
    left -= 1;
    return progress(context, caller, { run });
  };
  return { before, turn, close };
}

const small = await openDriver(few);
const large = await openDriver(many);
const begun = performance.now();
await large.before();
const filling = performance.now() - begun;
const rounds = await takeTurns({ small, large }, plan);

const verdict = new Verdict();
verdict.title(`(b) the same step in a run of ${few} and of ${many} items, each in a store of its own`);
verdict.note(`starting the run of ${many} items took ${(filling / 1000).toFixed(1)} s, once`);
verdict.compare(rounds, {
  what: "report-and-next of one item",
  shown: {
    [`reference: ${few} items`]: (round) => round["small"] ?? Number.NaN,
    [`ours: ${many} items`]: (round) => round["large"] ?? Number.NaN,
  },
  ratio: (round) => (round["large"] ?? Number.NaN) / (round["small"] ?? Number.NaN),
  ratioName: "ours / reference",
  limit: 1.3,
});
verdict.finish();

await small.close();
await large.close();
