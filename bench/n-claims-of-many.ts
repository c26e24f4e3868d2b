/**
 * (n) How long a claim takes while 200 workers hold parts of runs and beat for them, each every ten seconds as the product does, all through
 * 20 connections. A claim is the call that finds a part, takes its lease, writes the claim into the journal and shows the step.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freeTask, next, start, type Caller } from "../src/engine/index.ts";
import { startBenchPostgres } from "./postgres-of-bench.ts";
import { Verdict } from "./verdict.ts";

const workers = 200;
const connections = 20;
const beatMs = 10_000;
const runsOpen = 8;
const parts = 64;
const rounds = 5;
const claims = 50;
const everyMs = 100;
const limitMs = 25;

const workflow = `name: "bench:parts"
description: For measuring.
version: "1.0.0"
steps: [{ id: all, type: parallel_foreach, items: [${Array.from({ length: parts }, (_, at) => `P${at}`).join(", ")}], max_parallel: ${parts}, sub_agent_task: each }]
sub_agent_tasks:
  each:
    description: One part.
    inputs: { item: { type: any, required: true } }
    steps: [{ id: do, type: user_message, message: "Do {{ item }}." }]
`;

const server = await startBenchPostgres();
const { context, close } = await server.open([workflow], connections);
const callerOf = (number: number): Caller => ({
  holder: { kind: "agent", name: "bench", session: `worker-${number}` },
  surface: "bench",
  leaseOwner: `worker-${number}`,
});

const runs: string[] = [];
for (let at = 0; at < runsOpen; at += 1) runs.push((await start(context, callerOf(-1 - at), { workflow: "bench:parts", held: false })).run);

async function claim(number: number): Promise<void> {
  const run = runs[number % runsOpen] as string;
  const strand = await freeTask(context, await context.runs.open(run), callerOf(number));
  if (strand === undefined) throw new Error("No part of the run is free.");
  await next(context, callerOf(number), { run, strand });
}

for (let number = 0; number < workers; number += 1) await claim(number);
const ended = new AbortController();
setMaxListeners(workers + 1, ended.signal);
let beats = 0;
const beating = Array.from({ length: workers }, async (_, number) => {
  await sleep((beatMs * number) / workers, undefined, { signal: ended.signal });
  for (;;) {
    if ((await context.store.beat(`worker-${number}`, 3 * beatMs)) !== 1) throw new Error("A worker has lost its lease.");
    beats += 1;
    await sleep(beatMs, undefined, { signal: ended.signal });
  }
}).map((worker) =>
  worker.catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  }),
);

const medians: number[] = [];
const slowest: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const times: number[] = [];
  for (let at = 0; at < claims; at += 1) {
    const begun = performance.now();
    await claim(workers + round * claims + at);
    times.push(performance.now() - begun);
    await sleep(Math.max(0, everyMs - (times.at(-1) ?? 0)));
  }
  times.sort((a, b) => a - b);
  medians.push(times[claims / 2] ?? Number.NaN);
  slowest.push(times[Math.floor(claims * 0.95)] ?? Number.NaN);
}
ended.abort();
await Promise.all(beating);

const verdict = new Verdict();
verdict.title(
  `(n) a claim on PostgreSQL ${server.version} while ${workers} workers beat through ${connections} connections: ${beats} beats, ${rounds} rounds of ${claims} claims`,
);
verdict.compare(
  medians.map((median, at) => ({ median, slow: slowest[at] ?? Number.NaN })),
  {
    what: "one claim",
    shown: { "median of a round": ({ median = Number.NaN }) => median, "95 % of a round take at most": ({ slow = Number.NaN }) => slow },
    ratio: ({ median = Number.NaN }) => median / limitMs,
    ratioName: `ours / the ${limitMs} ms that are allowed`,
    limit: 1,
  },
);
verdict.finish();

await close();
await server.close();
