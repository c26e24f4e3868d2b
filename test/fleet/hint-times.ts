import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { FleetMachine, type FleetParts } from "./fleet-machine.ts";
import { readJournals } from "./read-claims.ts";

interface HintOptions {
  readonly parts: FleetParts;
  readonly folder: string;
  readonly url: string;
  readonly direct: string;
  readonly times: number;
}

/** How long after its start the first part of a run was taken by a worker that waited, in milliseconds: with its listener, and while that is ended again and again. */
export async function hintTimes({
  parts,
  folder,
  url,
  direct,
  times,
}: HintOptions): Promise<{ readonly heard: number[]; readonly lost: number[] }> {
  const machine = new FleetMachine(parts, { folder, name: "waits", url, clockMs: 0 });
  machine.configure(0, join(folder, "hints"));
  await machine.waymark("allow", "parts", "--yes");
  await machine.waymark("adopt", "--yes");
  await machine.start(4);
  const client = new pg.Client({ connectionString: direct });
  await client.connect();
  const measure = async (): Promise<number> => {
    const { run_id: run } = JSON.parse(await machine.waymark("--json", "start", "parts", "-i", "user_message=hint")) as { run_id: string };
    for (;;) {
      await sleep(100);
      const sql =
        "select j.at from waymark_store.record j join waymark_store.run r on r.no = j.run where r.id = $1 and j.cause in ('start', 'claim') order by j.position limit 2";
      const rows = (await client.query<{ at: number }>(sql, [run])).rows;
      const over = await client.query("select 1 from waymark_store.run where id = $1 and status = 'completed'", [run]);
      if (over.rows.length > 0) return (rows[1]?.at ?? Number.NaN) - (rows[0]?.at ?? 0);
    }
  };
  const heard: number[] = [];
  const lost: number[] = [];
  for (let at = 0; at < times; at += 1) {
    // Not always at the same moment between two looks.
    await sleep(parts.pollMs * ((at + 1) / times));
    heard.push(await measure());
  }
  const over = new AbortController();
  const ending = endListeners(client, over.signal);
  for (let at = 0; at < times; at += 1) {
    await sleep(parts.pollMs * ((at + 1) / times));
    lost.push(await measure());
  }
  over.abort();
  await ending;
  await client.end();
  await machine.drain();
  await readJournals(direct);
  return { heard, lost };
}

/** Nobody hears anything while this goes on. */
async function endListeners(client: pg.Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %' and pid <> pg_backend_pid()");
    await sleep(20);
  }
}
