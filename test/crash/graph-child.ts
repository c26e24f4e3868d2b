import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "../../src/bin/open-engine.ts";
import { openRunner } from "../../src/bin/open-runner.ts";
import type { CliWorld } from "../../src/cli/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import { DriverPoints, eventsOf, findRun, runHere, type Said } from "./driver-points.ts";
import { answerTo, type AskedQuestion } from "./graph-example.ts";

/** Written when the run has ended here. */
export interface GraphEnd {
  readonly points: number;
  readonly status: string;
  readonly items: readonly { readonly id: string; readonly status: string }[];
  /** What each node said, by its path in the state. */
  readonly outputs: Readonly<Record<string, { readonly status: string; readonly output: string }>>;
  /** How often each item came to each status, and each question was asked. */
  readonly came: Readonly<Record<string, number>>;
}

/** What a process found when it took the run up. */
export interface TakenUp {
  /** Nodes under way. */
  readonly left: readonly string[];
  readonly log: string;
}

interface Status {
  readonly status: string;
  readonly questions?: readonly AskedQuestion[];
}

const points = new DriverPoints();
const { task, replace } = points;

const world: Pick<CliWorld, "openEngine" | "openRunner"> = {
  openEngine: (flags) => openEngine({ ...flags, env: process.env, replace }),
  openRunner: (flags) => {
    const place = { ...flags, replace };
    return openRunner(place, process.env, () => Promise.resolve({}));
  },
};

const waymark = (argv: readonly string[], isTerminal = false): Promise<Said> => runHere(world, argv, isTerminal);

async function read<T>(argv: readonly string[]): Promise<T> {
  const { code, out } = await waymark([...argv, "--json"]);
  if (code !== 0) throw new Error(out);
  return JSON.parse(out) as T;
}

async function itemsOf(run: string): Promise<GraphEnd["items"]> {
  const { out } = await waymark(["items", run, "--jsonl"]);
  const lines = out.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as GraphEnd["items"][number]);
}

function came(events: readonly Event[]): GraphEnd["came"] {
  const counts: Record<string, number> = {};
  const add = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  for (const event of events) {
    if (event.type === "item_moved" && event.move.from !== event.move.to) add(`${event.move.id} ${event.move.to}`);
    if (event.type === "decision_opened") add(`${event.decision.step} asked`);
  }
  return counts;
}

/** One step of a person or of a driver; false when the run is over. */
async function step(run: string): Promise<boolean> {
  const { status, questions = [] } = await read<Status>(["status", run]);
  if (status === "completed") return false;
  const [asked] = questions;
  if (status === "failed") {
    writeFileSync(join(task.base, "fixed"), "");
    points.problem(await waymark(["retry", run, "--wait", "0s"], true));
  } else if (asked !== undefined) {
    points.problem(await waymark(["decide", run, asked.decision, ...answerTo(asked)], true));
  }
  await waymark(["drive", run, "--agent", "fake"]);
  return true;
}

function logText(): string {
  const folder = join(task.base, "work", ".archon", "logs");
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  } catch {
    return "";
  }
}

let run = await findRun(waymark);
if (run === undefined) {
  points.problem(await waymark(["allow", "web", "part", "--yes"], true));
  await waymark(["run", "web", "hello", "--agent", "fake"]);
  run = await findRun(waymark);
} else {
  const left = (await itemsOf(run)).flatMap(({ id, status }) => (status === "in_progress" ? [id] : []));
  const facts: TakenUp = { left, log: logText() };
  points.note("taken-up.log", facts);
  // First to take it up as a driver does, whatever it waits for.
  await waymark(["drive", run, "--agent", "fake"]);
}
if (run === undefined) throw new Error("There is no run.");
for (let steps = 0; steps < 100 && (await step(run)); steps += 1);
const { status } = await read<Status>(["status", run]);
const { state } = await read<{ state: { "raw.nodes": GraphEnd["outputs"] } }>(["state", run, "raw.nodes"]);
const end: GraphEnd = {
  points: points.points,
  status,
  items: await itemsOf(run),
  outputs: state["raw.nodes"],
  came: came(await eventsOf(waymark, run)),
};
if (status === "completed" || !existsSync(join(task.base, "end.json"))) writeFileSync(join(task.base, "end.json"), JSON.stringify(end));
