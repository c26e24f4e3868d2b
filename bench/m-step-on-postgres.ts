/** (m) What one durable step costs on PostgreSQL, against a bare transaction of the same bytes; and whether it grows with the run. */
import { onKnownRun, progress, start } from "../src/engine/index.ts";
import { recordBytes } from "./bare-transaction.ts";
import { openBareRow, startBenchPostgres } from "./postgres-of-bench.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";
import { fileNames, plainItems, plainSequence } from "./workflows.ts";

const few = 100;
const many = 100_000;
const plan = { rounds: 9, turns: 60, warmUp: 600 };
const steps = plan.rounds * plan.turns + plan.warmUp + 10;

const server = await startBenchPostgres();
const engine = await server.open([plainSequence(steps), plainItems], 10);
const { context, caller } = engine;

const { run } = await start(context, caller, { workflow: "bench:sequence" });
const head = (await context.store.readRun(run))?.head ?? 0;
await progress(context, caller, { run });
const records = await context.store.readRecords(run, head, 10);
const bytes = recordBytes(records);
const bare = await openBareRow(engine.url, bytes);

/** A step as the MCP tool performs it. */
const step = (of: string): Promise<unknown> => onKnownRun(context, (known) => progress(known, caller, { run: of }));

/** Drives runs of so many items, each up to its last but one item; starting one is not timed. */
function driver(count: number): { readonly before: () => Promise<void>; readonly turn: () => Promise<unknown> } {
  const files = fileNames(count);
  let current = "";
  let left = 0;
  return {
    before: async () => {
      if (left > 0) return;
      current = (await start(context, caller, { workflow: "bench:items", inputs: { files } })).run;
      left = count - 1;
    },
    turn: () => {
      left -= 1;
      return step(current);
    },
  };
}

const large = driver(many);
const begun = performance.now();
await large.before();
const filling = performance.now() - begun;
const rounds = await takeTurns({ bare: { turn: bare.write }, plain: { turn: () => step(run) }, small: driver(few), large }, plan);

const verdict = new Verdict();
const of = (name: string) => (round: Readonly<Record<string, number>>) => round[name] ?? Number.NaN;
verdict.title(`(m) one report-and-next on PostgreSQL ${server.version}, fsync and synchronous_commit on`);
verdict.compare(rounds, {
  what: `a plain step against a bare transaction of its ${bytes} bytes in ${records.length} record`,
  shown: { "reference: bare transaction": of("bare"), "ours: step of a sequence": of("plain") },
  ratio: (round) => of("plain")(round) / of("bare")(round),
  ratioName: "ours / reference",
  limit: 2.5,
});
verdict.note(`starting the run of ${many} items took ${(filling / 1000).toFixed(1)} s, once`);
verdict.compare(rounds, {
  what: "report-and-next of one item",
  shown: { [`reference: ${few} items`]: of("small"), [`ours: ${many} items`]: of("large") },
  ratio: (round) => of("large")(round) / of("small")(round),
  ratioName: "ours / reference",
  limit: 1.3,
});
verdict.finish();

await bare.close();
await engine.close();
await server.close();
