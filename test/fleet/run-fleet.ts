import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noPgbouncer, pgbouncerProgram, startPgbouncer } from "../support/pgbouncer.ts";
import { startPostgres } from "../support/postgres-server.ts";
import type { FleetParts } from "./fleet-machine.ts";
import { hintTimes } from "./hint-times.ts";
import { judgeFleet, quantile, type Verdict } from "./judge-fleet.ts";
import { playFleet } from "./play-fleet.ts";

interface FleetOptions {
  readonly parts: FleetParts;
  readonly runs: number;
  readonly kills: number;
  readonly stops: number;
  readonly say: (line: string) => void;
}

/** The play on a database, and once more through PgBouncer where it is installed. True when everything held. */
export async function runFleet({ parts, runs, kills, stops, say }: FleetOptions): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-fleet-"));
  chmodSync(folder, 0o755);
  const server = await startPostgres();
  let held = true;
  const tell = (verdicts: readonly Verdict[]): void => {
    for (const { held: isHeld, text } of verdicts) say(`${isHeld ? "PASS" : "FAIL"}  ${text}`);
    held &&= verdicts.every((verdict) => verdict.held);
  };
  const one = async (name: string, direct: string, url: string): Promise<void> => {
    const options = {
      parts,
      folder: join(folder, name),
      url,
      direct,
      crash: server.crash,
      machines: 8,
      workers: 3,
      runs,
      kills,
      stops,
      crashes: 2,
      turnMs: 2000,
      say,
    };
    tell(judgeFleet(await playFleet(options), options));
    const { heard, lost } = await hintTimes({ parts, folder: join(folder, name), url, direct, times: 5 });
    tell([hintVerdict(heard, lost, url === direct)]);
  };
  try {
    say("--- one PostgreSQL");
    await one("direct", server.url("direct"), await server.createDatabase("direct"));
    const program = pgbouncerProgram();
    if (program === undefined) say(`NOT RUN  ${noPgbouncer}`);
    else {
      const direct = await server.createDatabase("pooled");
      const pooler = await startPgbouncer(program, direct, { connections: 20, settings: ["server_login_retry = 1"] });
      try {
        say("--- the same through PgBouncer in transaction mode");
        await one("pooled", direct, pooler.through(direct));
      } finally {
        await pooler.close();
      }
    }
    return held;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const mostLostMs = 5_000;

/** Through a pooler nothing is heard anyway. */
function hintVerdict(heard: readonly number[], lost: readonly number[], isDirect: boolean): Verdict {
  const shown = (times: readonly number[]): string => times.map((ms) => (ms / 1000).toFixed(2)).join(", ");
  const median = quantile(
    heard.toSorted((a, b) => a - b),
    0.5,
  );
  const hint = isDirect ? `with a hint (median ${median} ms)` : "through the pooler";
  const text = `from a start to the first claim: ${shown(heard)} s ${hint}, ${shown(lost)} s with every hint lost (at most ${mostLostMs / 1000} s)`;
  return { held: [...heard, ...lost].every((ms) => ms <= mostLostMs), text };
}
