// @ts-check
// `npm run test:crash`: kills a process before and after every journal append and every effect of three workflows, lets another
// one finish, and counts; then kills batches of edits at 200 random moments and at the borders of their writes, and bots 200 times
// between the start and the completion of their actions and between the writes of their two files, and deliveries 200 times with a
// dispatch open, at the borders of their writes and around their commits, and processes 200 times while their command is under way;
// and runners and their agents at every point of a chain and a checklist, and measures how soon what a killed process held is handed out
// again; and whoever drives a graph at every point of its journal and at random moments. `--every 5` tries every fifth point only, `--kills 50`
// fewer moments, `--part journal`, `batch`, `bot`, `machine`, `orphan`, `runner` or `graph` one of the seven. Ends with 0 only if everything held.
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { root, runNode, seconds } from "./run-tool.mjs";

const parts = ["journal", "batch", "bot", "machine", "orphan", "runner", "graph"];
const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    part: { type: "string", multiple: true, default: parts },
  },
});
const unknown = values.part.filter((name) => !parts.includes(name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. Parts: ${parts.join(", ")}.`);
  process.exit(2);
}
const every = Number(values.every) || 1;
const workers = Math.max(2, Math.min(4, availableParallelism()));
// Of this process alone: someone else may run the same test.
const folder = join(root, "node_modules", ".cache", "waymark-crash", `script-${process.pid}`);
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  absWorkingDir: root,
  entryPoints: [
    "crash-matrix",
    "crash-child",
    "batch-matrix",
    "batch-child",
    "bot-matrix",
    "bot-child",
    "machine-matrix",
    "machine-child",
    "orphan-matrix",
    "orphan-child",
    "runner-matrix",
    "runner-child",
    "graph-matrix",
    "graph-child",
    "take-over",
  ].map((name) => join(root, "test", "crash", `${name}.ts`)),
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["@photostructure/sqlite", "quickjs-wasi"],
  banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
  logLevel: "warning",
});
const journalHeld = values.part.includes("journal") ? await journal() : true;
const batchHeld = values.part.includes("batch") ? await batch() : true;
const botHeld = values.part.includes("bot") ? await bot() : true;
const machineHeld = values.part.includes("machine") ? await machine() : true;
const orphanHeld = values.part.includes("orphan") ? await orphan() : true;
const runnerHeld = values.part.includes("runner") ? await runner() : true;
const graphHeld = values.part.includes("graph") ? await graph() : true;
process.exitCode = journalHeld && batchHeld && botHeld && machineHeld && orphanHeld && runnerHeld && graphHeld ? 0 : 1;

/** Kills at every point of the journal and every effect. */
async function journal() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/crash-matrix.ts")} */
  const { crashMatrix } = await import(pathToFileURL(join(folder, "crash-matrix.mjs")).href);
  const counts = await crashMatrix({
    program: join(folder, "crash-child.mjs"),
    every,
    workers,
    onWorkflow: (line) => console.log(line),
  });
  for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
  const { points, kills, acknowledged, lost, doubled, differing, unfinished } = counts;
  console.log(
    `${points} points, ${kills} kills, ${acknowledged} acknowledged reports: ${lost} lost, ${doubled} done twice against their policy, ` +
      `${differing} differing ends or replays, ${unfinished} unfinished, in ${seconds(begun)} s.`,
  );
  const enough = kills >= Math.floor(points / every) - 3;
  if (!enough) console.log("Fewer processes were killed than there are points, so this shows nothing.");
  return enough && lost + doubled + differing + unfinished === 0;
}

/** Kills batches at random moments and at borders. */
async function batch() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/batch-matrix.ts")} */
  const { batchMatrix } = await import(pathToFileURL(join(folder, "batch-matrix.mjs")).href);
  const wanted = Number(values.kills);
  const counts = await batchMatrix({
    program: join(folder, "batch-child.mjs"),
    files: 300,
    kills: wanted,
    every,
    // They wait for the disk more than they work.
    workers: workers + 1,
    seed: Number(values.seed),
    say: (line) => console.log(line),
  });
  const { undoing, ...random } = counts.kills;
  const kills = Object.values(random).reduce((sum, count) => sum + count, 0);
  const where = Object.entries(random).map(([stage, count]) => `${stage} ${count}`);
  console.log(
    `Batches of 300 files, seed ${values.seed}: ${kills} killed at random moments (${where.join(", ")}), ${counts.borders} at borders, ` +
      `${undoing} undoings killed, ${counts.meddled} files edited in between; ${counts.files} files compared: ${counts.torn} neither old nor new, ` +
      `${counts.unfinished} batches unfinished, ${counts.unclear} tokens of unclear fate, ${counts.unrestored} not restored, in ${seconds(begun)} s.`,
  );
  const enough = kills >= wanted && (wanted < 50 || (random.planning > 0 && random.writing > 0));
  if (!enough) console.log("Fewer batches were killed than asked for, or all of them in one place, so this shows too little.");
  return enough && counts.torn + counts.unfinished + counts.unclear + counts.unrestored === 0;
}

/** Kills bots with an open action and between the writes of their files. */
async function bot() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/bot-matrix.ts")} */
  const { botMatrix } = await import(pathToFileURL(join(folder, "bot-matrix.mjs")).href);
  const wanted = Number(values.kills);
  const counts = await botMatrix({
    program: join(folder, "bot-child.mjs"),
    kills: wanted,
    workers,
    seed: Number(values.seed),
    say: (line) => console.log(line),
  });
  const { working, between, elsewhere, interrupted, disagreeing, unasked, unfinished } = counts;
  console.log(
    `Bots, seed ${values.seed}: ${working} killed with an open action, ${between} at the writes of the two files, ${elsewhere} elsewhere; ` +
      `${interrupted} restarts found an interrupted action: ${unasked} did not ask, ${disagreeing} disagreements of state, log and journal, ` +
      `${unfinished} unfinished, in ${seconds(begun)} s.`,
  );
  const enough = working + between + elsewhere >= wanted && (wanted < 20 || (working > 0 && between > 0));
  if (!enough) console.log("Fewer processes were killed than asked for, or all of them in one place, so this shows too little.");
  return enough && disagreeing + unasked + unfinished === 0;
}

/** Kills deliveries wherever they are. */
async function machine() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/machine-matrix.ts")} */
  const { machineMatrix } = await import(pathToFileURL(join(folder, "machine-matrix.mjs")).href);
  const wanted = Number(values.kills);
  const counts = await machineMatrix({
    program: join(folder, "machine-child.mjs"),
    root,
    kills: wanted,
    workers,
    seed: Number(values.seed),
    say: (line) => console.log(line),
  });
  for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
  const { working, writing, committing, elsewhere, sessions, dispatches, reports, answers, complaints } = counts;
  console.log(
    `Deliveries, seed ${values.seed}: ${working} killed with an open dispatch, ${writing} at the writes of the session's files, ` +
      `${committing} around commits, ${elsewhere} elsewhere; ${sessions} sessions came to their end with ${dispatches} dispatches, ` +
      `${reports} acknowledged reports and ${answers} answers: ${complaints.length} complaints, in ${seconds(begun)} s.`,
  );
  // A fault that a process never comes to kills nobody.
  const enough = working + writing + committing + elsewhere >= wanted * 0.8 && (wanted < 20 || (writing > 0 && committing > 0));
  if (!enough) console.log("Fewer processes were killed than asked for, or all of them in one place, so this shows too little.");
  return enough && complaints.length === 0;
}

/** Kills processes while their command is under way. */
async function orphan() {
  if (process.platform !== "linux") {
    console.log("Commands that are left behind are tried on Linux only, where `flock` shows an overlap.");
    return true;
  }
  const begun = performance.now();
  /** @type {typeof import("../test/crash/orphan-matrix.ts")} */
  const { orphanMatrix } = await import(pathToFileURL(join(folder, "orphan-matrix.mjs")).href);
  const wanted = Number(values.kills);
  const seed = Number(values.seed);
  const counts = await orphanMatrix({ program: join(folder, "orphan-child.mjs"), kills: wanted, workers, seed });
  for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
  const { kills, running, begun: commands, doubled, broken, unfinished } = counts;
  console.log(
    `Commands left behind, seed ${values.seed}: ${kills} kills, ${running} of them with a command under way, ${commands} commands begun: ` +
      `${doubled} at the same time as another, ${broken} not once to their end against their policy, ${unfinished} unfinished or left, ` +
      `in ${seconds(begun)} s.`,
  );
  // A run may come to its end before its process is killed.
  const enough = kills >= wanted * 0.8 && running > 0;
  if (!enough) console.log("Fewer processes were killed than asked for, or none with a command under way, so this shows too little.");
  return enough && doubled + broken + unfinished === 0;
}

/** Kills runners and their agents. */
async function runner() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/runner-matrix.ts")} */
  const { runnerMatrix } = await import(pathToFileURL(join(folder, "runner-matrix.mjs")).href);
  const counts = await runnerMatrix({
    program: join(folder, "runner-child.mjs"),
    agent: join(root, "test", "agents", "fake-acp-agent.mjs"),
    every,
    workers,
    say: (line) => console.log(line),
  });
  for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
  const { points, killed, again, unfinished, differing, strayed, left } = counts;
  const taken = counts.takenUpMs.toSorted((a, b) => a - b);
  const [median = 0, longest = 0] = [taken[taken.length >> 1], taken.at(-1)];
  console.log(
    `Runners: ${points} points, ${killed.runner} runners and ${killed.agent} agents killed, ${again} steps asked for again: ${unfinished} unfinished, ` +
      `${differing} differing, ${strayed} in another session, ${left} left; first word of the next agent after ${median.toFixed(0)} ms (median), ` +
      `${longest.toFixed(0)} ms at most, in ${seconds(begun)} s.`,
  );
  const enough = killed.runner >= Math.floor(points / every) - 3 && killed.agent > 0 && again > 0;
  if (!enough) console.log("Fewer processes were killed than there are points, so this shows nothing.");
  const isSoon = await takenOverSoon();
  return enough && isSoon && unfinished + differing + strayed + left === 0;
}

/** Kills whoever drives a graph. */
async function graph() {
  const begun = performance.now();
  /** @type {typeof import("../test/crash/graph-matrix.ts")} */
  const { graphMatrix } = await import(pathToFileURL(join(folder, "graph-matrix.mjs")).href);
  const lives = Math.ceil(Number(values.kills) / 8);
  const counts = await graphMatrix({
    program: join(folder, "graph-child.mjs"),
    agent: join(root, "test", "agents", "fake-acp-agent.mjs"),
    every,
    lives,
    seed: Number(values.seed),
    workers,
  });
  for (const complaint of counts.complaints.slice(0, 20)) console.log(`  ${complaint}`);
  const { points, killed, again, unfinished, differing, doubled, left } = counts;
  console.log(
    `Graphs, seed ${values.seed}: ${points} points, ${killed.points} killed at points and ${killed.moments} at random moments, ${again} commands and ` +
      `prompts begun again: ${unfinished} unfinished, ${differing} differing, ${doubled} done twice, ${left} left, in ${seconds(begun)} s.`,
  );
  // The points come in another order from run to run, and a few of the last ones may not come at all.
  const enough = killed.points >= (points / every) * 0.8 && (lives === 0 || killed.moments > 0) && again > 0;
  if (!enough) console.log("Fewer processes were killed than there are points, so this shows nothing.");
  return enough && unfinished + differing + doubled + left === 0;
}

/** Kills servers and runners of the built product, and says how soon others have what they held. A server's client has it within a second. */
async function takenOverSoon() {
  const built = await runNode([join(root, "scripts", "build.mjs"), "--if-stale"]);
  if (built.code !== 0) throw new Error(built.output);
  /** @type {typeof import("../test/crash/take-over.ts")} */
  const { takeOver } = await import(pathToFileURL(join(folder, "take-over.mjs")).href);
  const times = await takeOver({
    product: join(root, "dist", "waymark.js"),
    agent: join(root, "test", "agents", "fake-acp-agent.mjs"),
    rounds: Math.max(3, Math.ceil(20 / every)),
  });
  const shown = [times.next, times.report, times.nextOfRunner, times.drive].map((all) => {
    const sorted = all.toSorted((a, b) => a - b);
    return `${sorted[sorted.length >> 1]?.toFixed(0)} ms (median), ${sorted.at(-1)?.toFixed(0)} ms at most`;
  });
  console.log(
    `Taken over from a killed server, ${times.next.length} times each: by the next call of a client after ${shown[0]}; by a report under the ` +
      `old id after ${shown[1]}. From a killed runner with an agent that does not listen: by the next call of a client after ${shown[2]}; ` +
      `by \`waymark drive\`, with its start, after ${shown[3]}.`,
  );
  const isSoon = Math.max(...times.next, ...times.report, ...times.nextOfRunner) < 1000;
  if (!isSoon) console.log("A client waited longer than a second for what a dead process held.");
  return isSoon;
}
