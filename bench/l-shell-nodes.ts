/**
 * (l) What a graph adds to a shell command: chains of nodes that run `true`, each after the one before, against bare spawns of the same shell
 * with the same pipes. And whether the built command waits for anything when it starts a run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { openEngine } from "../src/bin/open-engine.ts";
import { start, type Caller } from "../src/engine/index.ts";
import { benchFolder } from "./bench-engine.ts";
import { spreadOf, takeTurns, type Round } from "./rounds.ts";
import { Verdict } from "./verdict.ts";

const lengths = [50, 200, 800] as const;
const spawns = 100;
const plan = { rounds: 5, turns: 1, warmUp: 1 };
const long = 600_000;

const base = await mkdtemp(join(benchFolder(), "nodes-"));
const workspace = join(base, "work");
await putChains(workspace, lengths);

const env = { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
const engine = await openEngine({ workspace, env });
const { context } = engine;
const person: Caller = {
  holder: { kind: "person", name: "bench", session: "bench" },
  surface: "bench",
  leaseOwner: context.host.processId,
};
for (const length of lengths) {
  const workflow = `chain-${length}`;
  const { hash } = await context.catalog.load(workflow);
  await context.host.permissions.grant({ hash, workflow, workspace, runs: [], unattended: true });
}

const spawning = `const { spawn } = require("node:child_process");
process.stdin.on("data", async (count) => {
  for (let done = 0; done < Number(count); done += 1)
    await new Promise((over) => {
      const child = spawn("bash", ["-c", "true"], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.resume();
      child.stderr.resume();
      child.once("close", over);
    });
  process.stdout.write("done");
});`;

const smallProcess = spawn(process.execPath, ["-e", spawning], { cwd: workspace, env, stdio: ["pipe", "pipe", "inherit"] });
const rounds = await takeTurns(
  {
    bare: {
      turn: async () => {
        for (let done = 0; done < spawns; done += 1) await bareShell();
      },
    },
    small: { turn: bareInSmall },
    ...Object.fromEntries(lengths.map((length) => [`nodes${length}`, { turn: () => runChain(length) }])),
  },
  plan,
);
const bare = (round: Round): number => (round["bare"] ?? Number.NaN) / spawns;
const small = (round: Round): number => (round["small"] ?? Number.NaN) / spawns;
const node =
  (length: number) =>
  (round: Round): number =>
    (round[`nodes${length}`] ?? Number.NaN) / length;

const verdict = new Verdict();
verdict.title("(l) chains of shell nodes");
for (const length of lengths)
  verdict.compare(rounds, {
    what: `a node that runs \`true\`, in a chain of ${length}, the start of the run included`,
    shown: { "reference: a bare spawn of the same shell": bare, "ours: a node": node(length) },
    ratio: (round) => node(length)(round) / bare(round),
    ratioName: "ours / reference",
    limit: 2.5,
  });
verdict.compare(rounds, {
  what: "the same node, against a process that does nothing but spawn: a spawn costs the more, the more memory its process has",
  shown: { "reference: a bare spawn by that process": small, "ours: a node of 50": node(50) },
  ratio: (round) => node(50)(round) / small(round),
  ratioName: "ours / reference",
});
verdict.compare(rounds, {
  what: "whether a node costs the same in a long chain",
  shown: { "a node of 50": node(50), "a node of 800": node(800) },
  ratio: (round) => node(800)(round) / node(50)(round),
  ratioName: "a node of 800 / a node of 50",
  limit: 1.3,
});
await engine.close();
smallProcess.kill();

const oneNode = join(base, "one");
await putChains(oneNode, [1]);
await runBuilt("-C", oneNode, "allow", "chain-1", "--yes");
const idle: number[] = [];
const starts = await takeTurns(
  {
    version: { turn: () => runBuilt("--version") },
    start: {
      turn: async () => {
        idle.push(await runBuilt("-C", oneNode, "start", "chain-1"));
      },
    },
  },
  { rounds: 9, turns: 1, warmUp: 1 },
);
verdict.compare(starts, {
  what: "`waymark start` of a graph of one node, the built command",
  shown: {
    "reference: `waymark --version`": (round) => round["version"] ?? Number.NaN,
    "ours: `waymark start`": (round) => round["start"] ?? Number.NaN,
  },
  ratio: (round) => (round["start"] ?? Number.NaN) / (round["version"] ?? Number.NaN),
  ratioName: "ours / reference",
});
verdict.count("milliseconds that `start` only waited, median", Math.round(spreadOf(idle).median), 500);
verdict.finish();

async function putChains(folder: string, counts: readonly number[]): Promise<void> {
  await mkdir(join(folder, ".archon/workflows"), { recursive: true });
  for (const length of counts) await writeFile(join(folder, `.archon/workflows/chain-${length}.yaml`), chain(length));
}

function chain(length: number): string {
  const nodes = Array.from({ length }, (_, at) => `  - { id: n${at}, bash: "true"${at === 0 ? "" : `, depends_on: [n${at - 1}]`} }\n`);
  return `name: chain-${length}\ndescription: Shell nodes, one after the other.\nnodes:\n${nodes.join("")}`;
}

async function runChain(length: number): Promise<void> {
  const { run } = await start(context, person, { workflow: `chain-${length}`, waitMs: long });
  const { state } = await context.runs.open(run);
  if (state.status !== "completed") throw new Error(`Run ${run} is ${state.status}.`);
}

async function bareInSmall(): Promise<void> {
  smallProcess.stdin.write(String(spawns));
  await once(smallProcess.stdout, "data");
}

/** Runs the built command; answers how many milliseconds its process had nothing to do but wait: for a child, a disk or a timer. */
async function runBuilt(...args: readonly string[]): Promise<number> {
  const atExit = `import { writeSync } from "node:fs";
    import { performance } from "node:perf_hooks";
    process.on("exit", () => writeSync(3, String(performance.eventLoopUtilization().idle)));`;
  const options = ["--import", `data:text/javascript,${encodeURIComponent(atExit)}`, join(process.cwd(), "dist/waymark.js"), ...args];
  const allowing = { ...env, WAYMARK_ALLOW_UNATTENDED: "1" };
  const child = spawn(process.execPath, options, { cwd: workspace, env: allowing, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const told = await text(child.stdio[3] as Readable);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`waymark ${args.join(" ")} ended with ${code}.`);
  return Number(told);
}

function bareShell(): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn("bash", ["-c", "true"], { cwd: workspace, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", failed);
    child.once("close", () => done());
  });
}
