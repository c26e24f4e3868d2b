import { appendFileSync, chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FleetMachine, partsOfRun, type FleetParts } from "./fleet-machine.ts";
import { readJournals, type ReadJournals } from "./read-claims.ts";

export interface PlayOptions {
  readonly parts: FleetParts;
  readonly folder: string;
  /** Where the workers find the database, and where the database itself is. */
  readonly url: string;
  readonly direct: string;
  /** Ends the database without finishing anything and starts it again. */
  readonly crash: () => Promise<void>;
  readonly machines: number;
  readonly workers: number;
  readonly runs: number;
  /** How many claims are to be ended so, at least. */
  readonly kills: number;
  readonly stops: number;
  readonly crashes: number;
  readonly turnMs: number;
  readonly say: (line: string) => void;
}

/** Something that was done to a process, and when; the computer's clock is the database's. */
interface Blow {
  readonly process: string;
  readonly at: number;
}

export interface Played {
  readonly journals: ReadJournals;
  readonly killed: readonly Blow[];
  readonly stopped: readonly Blow[];
  /** From its end until the database was there again. */
  readonly crashes: readonly { readonly from: number; readonly to: number }[];
  readonly runs: readonly string[];
  /** Exit codes of workers that were asked to end. */
  readonly drained: readonly (number | string)[];
  readonly doctor: string;
  /** Turns that agents of stopped workers finished, by `<run>/<step> <machine>`. */
  readonly turns: readonly string[];
  readonly seconds: number;
}

const hour = 3_600_000;
/** A part must be this old before its worker is hit: so it is certainly in a turn. */
const inTurnMs = 300;
/** With fewer open parts another run is started as long as more claims are to be ended. */
const enough = 4;

/** Workers on computers of their own, with work for all of them, while they are killed and stopped and the database crashes. */
export async function playFleet(options: PlayOptions): Promise<Played> {
  const { parts, folder, url, machines: count } = options;
  const begun = performance.now();
  const open = new Map<string, { readonly machine: FleetMachine; readonly since: number }>();
  const onStep = (machine: FleetMachine, step: string, isBegun: boolean): void => {
    if (isBegun) open.set(step, { machine, since: performance.now() });
    else open.delete(step);
  };
  mkdirSync(folder, { recursive: true });
  const ledger = join(folder, "ledger");
  appendFileSync(ledger, "");
  chmodSync(ledger, 0o666);
  // Two clocks are wrong, an hour before and an hour behind.
  const clocks = [hour, -hour];
  const machines = Array.from(
    { length: count },
    (_, at) => new FleetMachine(parts, { folder, name: `m${at}`, url, clockMs: clocks[at] ?? 0 }, onStep),
  );
  try {
    return await playOn(options, { machines, open, ledger, begun });
  } finally {
    for (const machine of machines) machine.signal("SIGKILL");
  }
}

interface Stage {
  readonly machines: readonly FleetMachine[];
  readonly open: Map<string, { readonly machine: FleetMachine; readonly since: number }>;
  readonly ledger: string;
  readonly begun: number;
}

async function playOn(options: PlayOptions, { machines, open, ledger, begun }: Stage): Promise<Played> {
  const { parts, runs: wanted, say } = options;
  for (const machine of machines) machine.configure(options.turnMs, ledger);
  const [first] = machines as unknown as readonly [FleetMachine];
  await first.waymark("allow", "parts", "--yes");
  const runs: string[] = [];
  const startRun = async (): Promise<void> => {
    const { run_id: run } = JSON.parse(await first.waymark("--json", "start", "parts", "-i", `user_message=r${runs.length}`)) as {
      run_id: string;
    };
    runs.push(run);
  };
  await startRun();
  for (const machine of machines.slice(1)) {
    await machine.waymark("adopt", "--yes");
    await machine.waymark("allow", "parts", "--yes");
  }
  await Promise.all(machines.map((machine) => machine.start(options.workers)));
  say(`${machines.length} workers on ${machines.length} computers of their own, ${options.workers} parts each, at ${seconds(begun)} s.`);
  while (runs.length < wanted) await startRun();
  const blows = await strike(options, machines, open, startRun);
  say(
    `${blows.killed.length} processes killed, ${blows.stopped.length} stopped and continued, ${blows.crashes.length} crashes of the database, at ${seconds(begun)} s.`,
  );
  await untilOver(first, machines);
  // A worker that was stopped may still have something to say.
  await sleep(parts.pollMs);
  const drained = await Promise.all(machines.map((machine) => machine.drain()));
  const doctor = await first.waymark("doctor");
  const journals = await readJournals(options.direct);
  const turns = readFileSync(ledger, "utf8").split("\n");
  return { journals, ...blows, runs, drained, doctor, turns, seconds: (performance.now() - begun) / 1000 };
}

async function strike(
  options: PlayOptions,
  machines: readonly FleetMachine[],
  open: Map<string, { readonly machine: FleetMachine; readonly since: number }>,
  startRun: () => Promise<void>,
): Promise<Pick<Played, "killed" | "stopped" | "crashes">> {
  const { kills, stops, crashes, parts } = options;
  const killed: Blow[] = [];
  const stopped: Blow[] = [];
  const continuing: Promise<void>[] = [];
  const crashed: { from: number; to: number }[] = [];
  let [claimsKilled, claimsStopped, blows] = [0, 0, 0];
  const victim = (): { readonly machine: FleetMachine; readonly steps: readonly string[] } | undefined => {
    const ripe = [...open].filter(([, { machine, since }]) => !machine.isStopped && performance.now() - since > inTurnMs);
    const chosen = ripe[Math.floor(Math.random() * ripe.length)]?.[1].machine;
    return chosen && { machine: chosen, steps: ripe.flatMap(([step, { machine }]) => (machine === chosen ? [step] : [])) };
  };
  while (claimsKilled < kills || claimsStopped < stops || crashed.length < crashes) {
    await sleep(250);
    const found = victim();
    if (found === undefined) {
      if (open.size < enough) await startRun();
      continue;
    }
    const { machine, steps } = found;
    blows += 1;
    const blow = { process: machine.processes.at(-1) ?? "", at: Date.now() };
    if (crashed.length < crashes && blows % 6 === 0) {
      options.say(`The database ends at once and starts again (${crashed.length + 1}).`);
      const from = Date.now();
      await options.crash();
      crashed.push({ from, to: Date.now() });
    } else if (claimsStopped < stops && blows % 3 === 1) {
      machine.signal("SIGSTOP");
      stopped.push(blow);
      claimsStopped += steps.length;
      continuing.push(continueLater(machine, { steps, open, parts }));
    } else if (claimsKilled < kills) {
      machine.signal("SIGKILL");
      killed.push(blow);
      claimsKilled += steps.length;
      for (const [step, held] of open) if (held.machine === machine) open.delete(step);
      await machine.start(options.workers);
    }
    await sleep(500);
  }
  await Promise.all(continuing);
  return { killed, stopped, crashes: crashed };
}

/** Lets a stopped worker continue when others have all that it had, or long after its leases were over. */
async function continueLater(
  machine: FleetMachine,
  {
    steps,
    open,
    parts,
  }: {
    readonly steps: readonly string[];
    readonly open: ReadonlyMap<string, { readonly machine: FleetMachine }>;
    readonly parts: FleetParts;
  },
): Promise<void> {
  const latest = performance.now() + 3 * (parts.leaseMs + parts.pollMs) + 10_000;
  await sleep(parts.leaseMs + 200);
  while (performance.now() < latest && steps.some((step) => open.get(step)?.machine === machine)) await sleep(100);
  machine.signal("SIGCONT");
}

async function untilOver(first: FleetMachine, machines: readonly FleetMachine[]): Promise<void> {
  const latest = performance.now() + 180_000;
  while (performance.now() < latest) {
    const { runs } = JSON.parse(await first.waymark("--json", "runs", "--status", "running", "--limit", "1000")) as {
      runs: readonly unknown[];
    };
    if (runs.length === 0) return;
    await sleep(1000);
  }
  throw new Error(`Runs are still open.\n${machines.map(({ name, complaint }) => `${name}: ${complaint}`).join("\n")}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

export { partsOfRun };
