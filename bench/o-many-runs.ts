/**
 * (o) PostgreSQL with a million runs: what finding work, listing runs and a step cost beside those of a database with a thousand. Also, for who plans:
 * bytes of a run of ten steps, and how many beats and looks a second all connections together come to.
 */
import pg from "pg";
import { progress, start } from "../src/engine/index.ts";
import { startBenchPostgres } from "./postgres-of-bench.ts";
import { takeTurns } from "./rounds.ts";
import { Verdict } from "./verdict.ts";
import { plainSequence } from "./workflows.ts";

const few = 1_000;
const many = 1_000_000;
const steps = 10;
const measured = 100;
const open = 50;
const rateSeconds = 5;
const connections = 20;
const plan = { rounds: 9, turns: 30, warmUp: 30 };
const longSteps = plan.rounds * plan.turns + plan.warmUp + 10;

const server = await startBenchPostgres();
const verdict = new Verdict();
verdict.title(`(o) a database with ${many} runs against one with ${few}, PostgreSQL ${server.version}`);

const ids = { seq: "bench:sequence" } as const;
const long = plainSequence(longSteps).replaceAll(ids.seq, "bench:long");

/** A database in which so many runs are over and some are open, and what is timed in it. */
async function openFilled(count: number) {
  const engine = await server.open([plainSequence(steps), long], connections);
  const { context, caller } = engine;
  const client = new pg.Client({ connectionString: engine.url });
  await client.connect();
  const size = async (): Promise<number> => {
    const { rows } = await client.query<{ size: string }>("select pg_database_size(current_database()) as size");
    return Number(rows[0]?.size);
  };
  let last = "";
  const finish = async (): Promise<void> => {
    ({ run: last } = await start(context, caller, { workflow: ids.seq }));
    for (let step = 0; step < steps; step += 1) await progress(context, caller, { run: last });
  };
  await finish();
  const before = await size();
  for (let at = 0; at < measured; at += 1) await finish();
  const bytes = ((await size()) - before) / measured;
  const columns = "project, workflow, program, sources, created_at, updated_at, status, line, head, made_by, commit_id, due, parts";
  await client.query(
    `insert into waymark_store.run (id, ${columns}) select id || '-' || n, ${columns} from waymark_store.run, generate_series(1, $2::int) n where id = $1`,
    [last, count - measured],
  );
  for (let at = 0; at < open; at += 1) await start(context, caller, { workflow: ids.seq, held: false });
  await client.query("vacuum analyze");
  await client.end();
  const { run } = await start(context, caller, { workflow: "bench:long" });
  const found = await context.store.findWork({ limit: 20 });
  if (found.length !== 20) throw new Error(`Work was found in ${found.length} runs, not in 20.`);
  return {
    bytes,
    step: () => progress(context, caller, { run }),
    find: () => context.store.findWork({ limit: 20 }),
    look: () => context.store.readRun(run),
    list: () => context.store.listRuns({ limit: 20 }),
    store: context.store,
    close: engine.close,
  };
}

const small = await openFilled(few);
const begun = performance.now();
const large = await openFilled(many);
verdict.note(
  `filling the large one took ${((performance.now() - begun) / 1000).toFixed(0)} s; a run of ${steps} steps takes ${(small.bytes / 1000).toFixed(1)} KB`,
);
const rounds = await takeTurns(
  {
    "find few": { turn: small.find },
    "find many": { turn: large.find },
    "list few": { turn: small.list },
    "list many": { turn: large.list },
    "step few": { turn: small.step },
    "step many": { turn: large.step },
  },
  plan,
);
for (const [name, what] of Object.entries({ find: "finding work", list: "the newest 20 runs", step: "report-and-next" })) {
  const of = (which: string) => (round: Readonly<Record<string, number>>) => round[`${name} ${which}`] ?? Number.NaN;
  verdict.compare(rounds, {
    what,
    shown: { [`reference: ${few} runs`]: of("few"), [`ours: ${many} runs`]: of("many") },
    ratio: (round) => of("many")(round) / of("few")(round),
    ratioName: "ours / reference",
    limit: 1.5,
  });
}

/** How often a second all connections together come to the end of something. */
async function rateOf(once: (number: number) => Promise<unknown>): Promise<number> {
  let count = 0;
  const until = performance.now() + rateSeconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      for (; performance.now() < until; count += 1) await once(number);
    }),
  );
  return Math.round(count / rateSeconds);
}

for (let number = 0; number < connections; number += 1) await large.store.acquire(`bench/beater-${number}`, `beater-${number}`, 1, 60_000);
const beats = await rateOf((number) => large.store.beat(`beater-${number}`, 60_000));
const looks = await rateOf(large.look);
verdict.note(
  `${connections} connections beat ${beats} times a second, or look at a run ${looks} times: ${Math.round(1 / (0.1 / beats + 0.5 / looks))} workers that beat every 10 s and look every 2 s keep the server busy`,
);
verdict.finish();

await small.close();
await large.close();
await server.close();
