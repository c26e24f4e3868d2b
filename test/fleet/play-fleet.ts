import { appendFileSync, chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { FleetMachine, partsOfRun, type FleetParts } from "./fleet-machine.ts";
import { readJournals, type Claim, type ReadJournals } from "./read-claims.ts";

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
  /** Steps that workers began, and those of which they said that another one has them: `<process> <run>/<step>`. */
  readonly workedOn: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  /** Processes of the workers whose clocks are wrong. */
  readonly skewed: ReadonlySet<string>;
  readonly from: number;
  readonly to: number;
  /** Exit codes of workers that were asked to end. */
  readonly drained: readonly (number | string)[];
  readonly doctor: string;
  /** Turns that agents of stopped workers finished, by `<run>/<step> <machine>`. */
  readonly turns: readonly string[];
}

const hour = 3_600_000;
/** A part must be this old before its worker is hit: so it is certainly in a turn. */
const inTurnMs = 300;

/** Workers on computers of their own, with work for all of them, while they are killed and stopped and the database crashes. */
export async function playFleet(options: PlayOptions): Promise<Played> {
  const { parts, folder, url, machines: count } = options;
  const begun = performance.now();
  mkdirSync(folder, { recursive: true });
  const ledger = join(folder, "ledger");
  appendFileSync(ledger, "");
  chmodSync(ledger, 0o666);
  // Two clocks are wrong, an hour before and an hour behind.
  const clocks = [hour, -hour];
  const machines = Array.from(
    { length: count },
    (_, at) => new FleetMachine(parts, { folder, name: `m${at}`, url, clockMs: clocks[at] ?? 0 }),
  );
  try {
    return await playOn(options, { machines, ledger, begun });
  } finally {
    for (const machine of machines) machine.signal("SIGKILL");
  }
}

interface Stage {
  readonly machines: readonly FleetMachine[];
  readonly ledger: string;
  readonly begun: number;
}

async function playOn(options: PlayOptions, { machines, ledger, begun }: Stage): Promise<Played> {
  const { parts, runs: wanted, say } = options;
  const from = Date.now();
  for (const machine of machines) machine.configure(options.turnMs, ledger);
  const [first] = machines as unknown as readonly [FleetMachine];
  await first.waymark("allow", "parts", "--yes");
  const runs: string[] = [];
  const startRun = async (): Promise<void> => {
    // Workers may have all of it by then: it does not wait for them.
    const said = await first.waymark("--json", "start", "parts", "--wait", "0s", "-i", `user_message=r${runs.length}`);
    runs.push((JSON.parse(said) as { readonly run_id: string }).run_id);
  };
  await startRun();
  for (const machine of machines.slice(1)) {
    await machine.waymark("adopt", "--yes");
    await machine.waymark("allow", "parts", "--yes");
  }
  await Promise.all(machines.map((machine) => machine.start(options.workers)));
  say(`${machines.length} workers on ${machines.length} computers of their own, ${options.workers} parts each, at ${seconds(begun)} s.`);
  while (runs.length < wanted) await startRun();
  const blows = await strike(options, machines, startRun);
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
  const refused = new Set(machines.flatMap((machine) => [...machine.refused]));
  const workedOn = new Set(machines.flatMap((machine) => [...machine.workedOn]));
  const skewed = new Set(machines.slice(0, 2).flatMap(({ processes }) => processes));
  return { journals, ...blows, workedOn, refused, skewed, from, to: Date.now(), runs, drained, doctor, turns };
}

/** Claims whose step was open when the process was hit. */
export function claimsAt(claims: readonly Claim[], { process, at }: Blow): readonly Claim[] {
  return claims.filter(
    (claim) => claim.step !== undefined && claim.process === process && claim.from <= at && (claim.until ?? Infinity) > at,
  );
}

async function strike(
  options: PlayOptions,
  machines: readonly FleetMachine[],
  startRun: () => Promise<void>,
): Promise<Pick<Played, "killed" | "stopped" | "crashes">> {
  const { kills, stops, crashes } = options;
  const killed: Blow[] = [];
  const stopped: Blow[] = [];
  const crashed: { from: number; to: number }[] = [];
  const continuing: Promise<void>[] = [];
  for (let blows = 1; ; blows += 1) {
    const { claims } = await readJournals(options.direct);
    const isWorkedOn = (claim: Claim): boolean => machines.some(({ workedOn }) => workedOn.has(turnOf(claim)));
    const left = (wanted: number, done: readonly Blow[]): number =>
      wanted - done.flatMap((blow) => claimsAt(claims, blow)).filter(isWorkedOn).length;
    if (left(kills, killed) <= 0 && left(stops, stopped) <= 0 && crashed.length >= crashes) break;
    const machine = await busyMachine(machines, claims);
    if (machine === undefined) {
      await startRun();
      continue;
    }
    const blow = { process: machine.processes.at(-1) ?? "", at: Date.now() };
    if (crashed.length < crashes && blows % 6 === 0) {
      options.say(`The database ends at once and starts again (${crashed.length + 1}).`);
      await options.crash();
      await waitUntil(() => isThere(options.url), 60_000);
      crashed.push({ from: blow.at, to: Date.now() });
    } else if (left(stops, stopped) > 0 && (blows % 3 === 1 || left(kills, killed) <= 0)) {
      machine.signal("SIGSTOP");
      stopped.push(blow);
      continuing.push(continueLater(machine, blow, options));
    } else if (left(kills, killed) > 0) {
      machine.signal("SIGKILL");
      killed.push(blow);
      await machine.start(options.workers);
    }
    await sleep(500);
  }
  await Promise.all(continuing);
  return { killed, stopped, crashes: crashed };
}

/** One that is in the middle of a turn. */
async function busyMachine(machines: readonly FleetMachine[], claims: readonly Claim[]): Promise<FleetMachine | undefined> {
  const inTurn = claims.filter(({ step, until, from }) => step !== undefined && until === undefined && Date.now() - from > inTurnMs);
  const busy = machines.filter(({ isStopped, processes }) => !isStopped && inTurn.some(({ process }) => process === processes.at(-1)));
  return busy[Math.floor(Math.random() * busy.length)];
}

/** Of what a refusal names. */
export function turnOf({ process, run, step }: Claim): string {
  return `${process} ${run}/${step}`;
}

/** Lets a stopped worker continue when others have all that it had, or long after its leases were over, and waits until it has seen that. */
async function continueLater(machine: FleetMachine, blow: Blow, { direct, parts }: PlayOptions): Promise<void> {
  const had = async (): Promise<readonly Claim[]> => claimsAt((await readJournals(direct)).claims, blow);
  await sleep(parts.leaseMs + 200);
  await waitUntil(async () => (await had()).every(({ until }) => until !== undefined), 3 * (parts.leaseMs + parts.pollMs) + 10_000);
  machine.signal("SIGCONT");
  const isTold = async (): Promise<boolean> =>
    (await had()).every(
      (claim) => claim.takenBy === undefined || !machine.workedOn.has(turnOf(claim)) || machine.refused.has(turnOf(claim)),
    );
  await waitUntil(isTold, 30_000);
  machine.isStopped = false;
}

/** Whether workers find the database. */
async function isThere(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Tells whether it came true in that time. */
async function waitUntil(isSo: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  for (const latest = performance.now() + limitMs; performance.now() < latest; await sleep(300)) if (await isSo()) return true;
  return false;
}

async function untilOver(first: FleetMachine, machines: readonly FleetMachine[]): Promise<void> {
  const isOver = async (): Promise<boolean> => {
    const said = await first.waymark("--json", "runs", "--status", "running", "--limit", "1000");
    return (JSON.parse(said) as { readonly runs: readonly unknown[] }).runs.length === 0;
  };
  if (await waitUntil(isOver, 180_000)) return;
  throw new Error(`Runs are still open.\n${machines.map(({ name, complaint }) => `${name}: ${complaint}`).join("\n")}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

export { partsOfRun };
