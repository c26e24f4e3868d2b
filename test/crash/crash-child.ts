import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { doctor, readState, start, type Caller } from "../../src/engine/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import type { Commit } from "../../src/ports/index.ts";
import { composeEngine, type ComposedEngine } from "./compose-engine.ts";
import { crashWorkflows } from "./crash-workflows.ts";
import { driveToEnd, type AgentEvents } from "./scripted-agent.ts";

/** What one process of the crash test is to do, as JSON in its first argument. */
export interface CrashTask {
  readonly base: string;
  readonly workflow: string;
  /** Dies at this point, counted from 1; 0 never. */
  readonly killAt: number;
  readonly leaseTtlMs: number;
}

/** Written when the run has ended. */
export interface CrashEnd {
  readonly points: number;
  readonly status: string;
  readonly state: unknown;
  readonly error?: string;
  readonly keys: readonly string[];
  readonly problems: readonly string[];
  readonly lists: unknown;
}

const task = JSON.parse(process.argv[2] ?? "{}") as CrashTask;
const note = (file: string, line: string): void => appendFileSync(join(task.base, file), `${line}\n`);
/** Steps begun whose end is not recorded, by name; and the names of everything that was opened, by id. */
const inFlight = new Set<string>();
const names = new Map<string, string>();
let points = 0;

/** One place where the process may die. What was in flight is written down first. */
function point(where: string): void {
  points += 1;
  if (points !== task.killAt) return;
  note("killed.log", JSON.stringify({ point: points, where, inFlight: [...inFlight] }));
  process.kill(process.pid, "SIGKILL");
}

function nameOf(command: string): string {
  return /echo (\S+) >> world\.log/.exec(command.replaceAll("'", ""))?.[1] ?? command;
}

/** Follows the journal as it is written, so that at every point it is known what is in flight. */
function follow(events: readonly Event[]): void {
  for (const event of events) {
    if (event.type === "effect_opened") names.set(event.effect.id, nameOf(JSON.stringify(event.effect.args["command"])));
    if (event.type === "action_opened") names.set(event.action.id, event.action.step);
    if (event.type === "effect_closed") inFlight.delete(names.get(event.effect) ?? "");
    if (event.type === "action_closed") inFlight.delete(names.get(event.action) ?? "");
  }
}

const engine = await composeEngine({
  base: task.base,
  settings: { leaseTtlMs: task.leaseTtlMs, leaseBeatMs: Math.ceil(task.leaseTtlMs / 4), callWaitMs: 10_000 },
  store: async (name, args, call) => {
    const { records } = args[name === "createRun" ? 1 : 2] as Commit;
    const causes = records.map(({ cause }) => cause).join("+");
    point(`before ${name} ${causes}`);
    const done = await call();
    for (const { events } of records) follow(JSON.parse(events) as Event[]);
    point(`after ${name} ${causes}`);
    return done;
  },
  commands: async (_name, args, call) => {
    const name = nameOf((args[0] as { command: string }).command);
    inFlight.add(name);
    point(`before effect ${name}`);
    const done = await call();
    point(`after effect ${name}`);
    return done;
  },
  logged: () => undefined,
});

const events: AgentEvents = {
  did: (action) => {
    inFlight.add(action.step);
    note(join("work", "world.log"), action.step);
  },
  acknowledged: (facts) => note("acknowledged.log", JSON.stringify(facts)),
};

/** A run that was created before the process died is gone on with; a client would find it in the list of open runs. */
async function findOrStart({ context }: ComposedEngine, caller: Caller): Promise<string> {
  const [held] = await context.store.listRuns({});
  if (held !== undefined) return held.id;
  const found = crashWorkflows.find(({ name }) => name === task.workflow);
  for (const [name, yaml] of Object.entries(found?.files ?? {})) await engine.define(name, yaml);
  return (await start(context, caller, { workflow: task.workflow, waitMs: 0 })).run;
}

async function keysOf(run: string): Promise<string[]> {
  const keys: string[] = [];
  for (let after = 0; ;) {
    const records = await engine.context.store.readRecords(run, after, 500);
    for (const record of records) if (record.key !== undefined) keys.push(record.key);
    if (records.length < 500) return keys;
    after = records.at(-1)?.position ?? after;
  }
}

const caller = engine.caller("main");
const run = await findOrStart(engine, caller);
const { state } = await driveToEnd(engine, caller, run, events);
const checked = await doctor(engine.context);
const end: CrashEnd = {
  points,
  status: state.status,
  state: (await readState(engine.context, run)).state,
  keys: await keysOf(run),
  problems: checked.problems.map(({ problem }) => problem),
  lists: state.lists,
  ...(state.error === undefined ? {} : { error: state.error.message }),
};
await engine.close();
writeSync(1, `${JSON.stringify(end)}\n`);
