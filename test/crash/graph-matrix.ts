import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  eachOf,
  hasEnded,
  inFolder,
  killed as wasKilled,
  linesOf,
  pointsOf,
  readTraces,
  runDriver,
  wordsOf,
  type DriverTraces,
} from "./driver-process.ts";
import type { GraphEnd, TakenUp } from "./graph-child.ts";
import { graphFiles, graphScript } from "./graph-example.ts";
import { Random } from "../soak/random.ts";

/** What a whole matrix counted. From `unfinished` on all must be 0. */
export interface GraphCounts {
  points: number;
  /** Of processes at points of the journal, and at random moments. */
  killed: { points: number; moments: number };
  /** Commands that were begun again, and prompts that were given again. */
  again: number;
  unfinished: number;
  /** Statuses, outputs, questions or lines of the log that are not as those of a run that nobody killed. */
  differing: number;
  /** Nodes that ran beside themselves, or again though they were done. */
  doubled: number;
  /** Records of processes that were left. */
  left: number;
  readonly complaints: string[];
}

interface MatrixOptions {
  /** The bundled child program. */
  readonly program: string;
  /** The program of the fake agent. */
  readonly agent: string;
  /** Every n-th point only, and each of the first ones: what a run begins with is there once. */
  readonly every: number;
  /** Lives whose processes are killed at random moments, four in a row. */
  readonly lives: number;
  readonly seed: number;
  readonly workers: number;
}

interface Life {
  /** Each kills one process: at a point, or after so many milliseconds. */
  readonly kills: readonly { readonly point?: number; readonly ms?: number }[];
}

const killsOfOneLife = 4;
const first = 4;

/** Kills whoever drives a graph, lets others take it up, and compares with a run that nobody killed. */
export async function graphMatrix(options: MatrixOptions): Promise<GraphCounts> {
  const counts: GraphCounts = {
    points: 0,
    killed: { points: 0, moments: 0 },
    again: 0,
    unfinished: 0,
    differing: 0,
    doubled: 0,
    left: 0,
    complaints: [],
  };
  const reference = await live(options, { kills: [] });
  if (reference.end?.status !== "completed") throw new Error(`The graph does not complete by itself: ${reference.problem}`);
  counts.points = reference.end.points;
  const { every, lives: wanted, seed, workers } = options;
  const random = new Random(seed);
  const points = new Set([...pointsOf(first, 1), ...pointsOf(counts.points, every)]);
  const atPoints = [...points].map((point): Life => ({ kills: [{ point }] }));
  const atMoments = Array.from({ length: wanted }, (): Life => ({
    kills: Array.from({ length: killsOfOneLife }, () => ({ ms: 300 + random.below(2500) })),
  }));
  await eachOf([...atPoints, ...atMoments], workers, async (life) => judge(life, { lived: await live(options, life), reference }, counts));
  return counts;
}

interface Lived extends DriverTraces<GraphEnd> {
  readonly problem: string;
  readonly killed: GraphCounts["killed"];
  /** Commands that began, by node. */
  readonly marks: readonly string[];
  readonly doubled: readonly string[];
  readonly taken: readonly TakenUp[];
  readonly log: string;
}

/** One run: processes that are killed, and one that is not. */
async function live({ program, agent }: MatrixOptions, { kills }: Life): Promise<Lived> {
  return inFolder("graph", { files: graphFiles, script: graphScript, agent }, async (base) => {
    let problem = "";
    const killed = { points: 0, moments: 0 };
    for (const { point = 0, ms } of kills) {
      problem = await runDriver(program, { base, killAt: point }, ms);
      if (problem !== wasKilled) break;
      killed[ms === undefined ? "points" : "moments"] += 1;
    }
    // Two at once take it up, where there is something to take up.
    const last = wordsOf(join(base, "marks")).length === 0 ? [0] : [0, 0];
    if (!hasEnded(base)) problem = (await Promise.all(last.map((killAt) => runDriver(program, { base, killAt })))).join("");
    const traces = readTraces<GraphEnd>(base);
    return {
      ...traces,
      problem: [problem, ...traces.problems].join("\n"),
      killed,
      marks: wordsOf(join(base, "marks")),
      doubled: wordsOf(join(base, "doubled")),
      taken: linesOf<TakenUp>(join(base, "taken-up.log")),
      log: logIn(join(base, "work", ".archon", "logs")),
    };
  });
}

function logIn(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

/** How often each word comes. */
function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** Which node a prompt is of, and what it was given. */
function promptOf(text: string): string {
  return /^Node [^\n.]+/m.exec(text)?.[0] ?? text;
}

/** The item that these words are of, by its marks or its prompt: what is called is part of the node that calls it. */
function itemOf(word: string): string {
  const node = /^Node (\w+)/.exec(word)?.[1] ?? word;
  if (node === "b" || node.startsWith("part-")) return "each";
  return ["try", "check"].includes(node) ? `rounds/${node}` : node;
}

/** What the log says of nodes, without what differs from run to run: how often those began that were under way at a kill. */
function nodeLines(log: string, torn: ReadonlySet<string>): Readonly<Record<string, number>> {
  const lines = log.split("\n").slice(0, -1);
  const named = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly step?: string });
  const isCounted = (type: string, step: string): boolean =>
    type === "node_start" ? !torn.has(step) : type === "node_complete" || type === "node_skipped";
  const counted = named.filter(({ type, step = "" }) => isCounted(type, step));
  return tally(counted.map(({ type, step = "" }) => `${type} ${step}`));
}

function outputsOf({ outputs }: GraphEnd): string {
  const all = Object.entries(outputs).map(([node, { status, output }]) => JSON.stringify([node, status, output]));
  return all.toSorted().join(", ");
}

function judge({ kills }: Life, { lived, reference }: Record<"lived" | "reference", Lived>, counts: GraphCounts): void {
  const what = kills.map(({ point, ms }) => (point === undefined ? `${ms} ms` : `point ${point} (${lived.where ?? "nowhere"})`)).join(", ");
  const complain = (kind: "unfinished" | "differing" | "doubled" | "left", text: string): void => {
    counts[kind] += 1;
    counts.complaints.push(`killed at ${what}: ${text}`);
  };
  counts.killed.points += lived.killed.points;
  counts.killed.moments += lived.killed.moments;
  const { end } = lived;
  const usual = reference.end;
  if (end?.status !== "completed" || usual === undefined) return complain("unfinished", `${end?.status ?? "no end"} ${lived.problem}`);
  const compare = (name: string, is: unknown, was: unknown): void => {
    const [got, wanted] = [JSON.stringify(is), JSON.stringify(was)];
    if (got !== wanted) complain("differing", `${name}: ${got} instead of ${wanted}`);
  };
  compare("items", end.items, usual.items);
  compare("outputs", outputsOf(end), outputsOf(usual));
  compare("moves", tallied(end.came), tallied(usual.came));
  compareLog(lived, reference, complain);
  for (const node of lived.doubled) complain("doubled", `two of ${node} at the same time`);
  const begun = [({ marks }: Lived) => marks, ({ prompts }: Lived) => prompts.map(({ text }) => promptOf(text))];
  for (const words of begun) {
    const [is, was] = [lived, reference].map((each) => tally(words(each)));
    for (const word of new Set([...Object.keys(is ?? {}), ...Object.keys(was ?? {})])) {
      const more = (is?.[word] ?? 0) - (was?.[word] ?? 0);
      const allowed = lived.taken.filter(({ left }) => left.includes(itemOf(word))).length;
      if (more < 0) complain("differing", `${word} began ${-more} times less`);
      if (more > allowed) complain("doubled", `${word} began ${more} times more, but was under way at ${allowed} kills`);
      counts.again += Math.max(0, more);
    }
  }
  if (lived.left > 0) complain("left", `${lived.left} records of processes`);
}

function tallied(came: GraphEnd["came"]): readonly string[] {
  return Object.entries(came)
    .map(([what, times]) => `${what}: ${times}`)
    .toSorted();
}

/** Lines are only added, none comes twice, and each node begins and ends as often as without kills. */
function compareLog(lived: Lived, reference: Lived, complain: (kind: "differing" | "doubled", text: string) => void): void {
  const lines = lived.log.split("\n").slice(0, -1);
  const twice = lines.find((line, at) => lines.indexOf(line) < at);
  if (twice !== undefined) complain("doubled", `a line of the log: ${twice}`);
  const starts = lines.filter((line) => line.includes('"type":"workflow_start"'));
  if (starts.length !== 1 || starts[0] !== lines[0]) complain("differing", `the log begins with ${lines[0] ?? "nothing"}`);
  if (lived.taken.some(({ log }) => !lived.log.startsWith(log))) complain("differing", "a line of the log was changed later");
  const torn = new Set(lived.taken.flatMap(({ left }) => left));
  const [got, wanted] = [lived, reference].map(({ log }) => JSON.stringify(nodeLines(log, torn)));
  if (got !== wanted) complain("differing", `lines of the log: ${got} instead of ${wanted}`);
}
