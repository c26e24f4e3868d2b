import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createWorld } from "../../src/bin/create-world.ts";
import { dialectCommands } from "../../src/bin/dialect-parts.ts";
import { runCli, type CliWorld } from "../../src/cli/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import type { Commit } from "../../src/ports/index.ts";
import { around } from "./around.ts";

/** What one process of a crash test is to do, as JSON in its first argument. Its workspace is `work` below the base. */
export interface DriverTask {
  readonly base: string;
  /** Kills at this point, counted from 1; 0 never. */
  readonly killAt: number;
}

/** What a command of this process said. */
export interface Said {
  readonly code: number;
  readonly out: string;
}

/** The places at which a process of a crash test may die, and what it says of itself. */
export class DriverPoints<Task extends DriverTask> {
  readonly task: Task;
  /** How many places were passed. */
  points = 0;
  readonly #kill: (where: string) => void;

  /** `kill`: what is done at the place of the task. */
  constructor(kill: (where: string, points: DriverPoints<Task>) => void = (where, points) => points.die(where)) {
    this.task = JSON.parse(process.argv[2] ?? "{}") as Task;
    this.#kill = (where) => kill(where, this);
  }

  /** One place where something may die. */
  point(where: string): void {
    this.points += 1;
    if (this.points === this.task.killAt) this.#kill(where);
  }

  die(where: string): void {
    this.note("killed.log", { where });
    process.kill(process.pid, "SIGKILL");
  }

  note(file: string, facts: object): void {
    appendFileSync(join(this.task.base, file), `${JSON.stringify(facts)}\n`);
  }

  problem({ code, out }: Said): void {
    if (code !== 0) this.note("problems.log", { code, out });
  }

  /** For the store of an engine: a place before and after every commit. */
  get replace() {
    return {
      host: <T>(host: T): T => host,
      store: <T extends object>(store: T): T =>
        around(store, ["commit", "createRun"], async (name, args, call) => {
          const causes = (args[name === "createRun" ? 1 : 2] as Commit).records.map(({ cause }) => cause).join("+");
          this.point(`before ${name} ${causes}`);
          const done = await call();
          this.point(`after ${name} ${causes}`);
          return done;
        }),
    };
  }
}

/** A command of Waymark in this process. */
export async function runHere(world: Partial<CliWorld>, argv: readonly string[], isTerminal = false): Promise<Said> {
  let out = "";
  const stdout = new Writable({ write: (chunk, _encoding, done) => ((out += String(chunk)), done()) });
  const code = await runCli({ ...createWorld(), ...world, isTerminal, stdout, stderr: stdout }, dialectCommands, argv);
  return { code, out };
}

type Runs = (argv: readonly string[]) => Promise<Said>;

export async function findRun(waymark: Runs): Promise<string | undefined> {
  return /^wf-\S+/m.exec((await waymark(["runs", "--ids"])).out)?.[0];
}

export async function eventsOf(waymark: Runs, run: string): Promise<readonly Event[]> {
  const { out } = await waymark(["journal", run, "--limit", "100000", "--jsonl"]);
  const lines = out.trim().split("\n");
  return lines.flatMap((line) => (JSON.parse(line) as { events: readonly Event[] }).events);
}
