import { appendFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createWorld } from "../../src/bin/create-world.ts";
import { dialectCommands } from "../../src/bin/dialect-parts.ts";
import { openRunner } from "../../src/bin/open-runner.ts";
import { runCli, type CliWorld } from "../../src/cli/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import type { Commit, TranscriptEntry } from "../../src/ports/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import { around } from "./around.ts";

/** What one process of the crash test is to do, as JSON in its first argument. Its workspace is `work` below the base. */
export interface RunnerTask {
  readonly base: string;
  readonly workflow: string;
  /** Kills at this point, counted from 1; 0 never. */
  readonly killAt: number;
  readonly who: "runner" | "agent";
}

/** Written when the run has ended here. */
export interface RunnerEnd {
  readonly points: number;
  readonly code: number;
  /** Milliseconds from the call to the first word with the agent about the run that was taken up. */
  readonly takenUpMs?: number;
  /** Steps whose report is in the journal, in order. */
  readonly reported: readonly string[];
}

const task = JSON.parse(process.argv[2] ?? "{}") as RunnerTask;
const note = (file: string, facts: object): void => appendFileSync(join(task.base, file), `${JSON.stringify(facts)}\n`);
let points = 0;

/** One place where the process may die, or its agent. */
function point(where: string): void {
  points += 1;
  if (points !== task.killAt) return;
  const killed = task.who === "runner" ? [process.pid] : agents();
  if (killed.length > 0) note("killed.log", { where });
  for (const pid of killed) process.kill(task.who === "runner" ? pid : -pid, "SIGKILL");
}

/** The leaders of the agents' groups, as they are recorded. */
function agents(): number[] {
  const folder = join(task.base, "work", ".waymark", "store", "groups");
  try {
    const records = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { leader: { pid: number } });
    return records.map(({ leader }) => leader.pid);
  } catch {
    return [];
  }
}

let calledAt: number | undefined;
let takenUpMs: number | undefined;

/** The real runner, with a point before and after every commit, and after everything that is kept of a turn. */
const openWatched: CliWorld["openRunner"] = async (flags) => {
  const replace = {
    host: <T>(host: T): T => host,
    store: <T extends object>(store: T): T =>
      around(store, ["commit", "createRun"], async (name, args, call) => {
        const { records } = args[name === "createRun" ? 1 : 2] as Commit;
        const causes = records.map(({ cause }) => cause).join("+");
        point(`before ${name} ${causes}`);
        const done = await call();
        point(`after ${name} ${causes}`);
        return done;
      }),
  };
  const place = { ...flags, replace };
  const runner = await openRunner(place, process.env, () => Promise.resolve({}));
  const transcripts = around(runner.context.transcripts, ["append"], async (_name, args, call) => {
    if (calledAt !== undefined) takenUpMs ??= performance.now() - calledAt;
    const done = await call();
    point(`after ${(args[0] as readonly TranscriptEntry[]).map(({ event }) => event.type).join("+")} was kept`);
    return done;
  });
  // The program of the scanning threads is not part of the bundle.
  Object.assign(runner.context, { transcripts, workspace: createWorkspace({ workers: 0 }) });
  return runner;
};

async function waymark(argv: readonly string[], isTerminal = false): Promise<{ readonly code: number; readonly out: string }> {
  let out = "";
  const stdout = new Writable({ write: (chunk, _encoding, done) => ((out += String(chunk)), done()) });
  const code = await runCli({ ...createWorld(), isTerminal, stdout, stderr: stdout, openRunner: openWatched }, dialectCommands, argv);
  return { code, out };
}

async function findRun(): Promise<string | undefined> {
  return /^wf-\S+/m.exec((await waymark(["runs", "--ids"])).out)?.[0];
}

async function reportedSteps(): Promise<string[]> {
  const { out: lines } = await waymark(["journal", (await findRun()) ?? "", "--limit", "1000", "--json"]);
  const events = lines
    .trim()
    .split("\n")
    .flatMap((line) => (JSON.parse(line) as { events: readonly Event[] }).events);
  const steps = new Map(events.flatMap((event) => (event.type === "action_opened" ? [[event.action.id, event.action.step] as const] : [])));
  return events.flatMap((event) => (event.type === "action_closed" && event.how === "reported" ? (steps.get(event.action) ?? "") : []));
}

const run = await findRun();
if (run === undefined) await waymark(["allow", task.workflow, "--yes"], true);
else calledAt = performance.now();
const { code, out } = await waymark(run === undefined ? ["run", task.workflow, "--agent", "fake"] : ["drive", run, "--agent", "fake"]);
if (code !== 0) note("problems.log", { code, out });
const end: RunnerEnd = { points, code, reported: await reportedSteps(), ...(takenUpMs === undefined ? {} : { takenUpMs }) };
writeFileSync(join(task.base, "end.json"), JSON.stringify(end));
