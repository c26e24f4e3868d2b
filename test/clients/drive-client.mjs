// @ts-check
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openPlace } from "./bench.mjs";
import { checkRun } from "./check-run.mjs";
import { writeFiles } from "./clients.mjs";
import { openModelServer } from "./model-server.mjs";
import { readReply } from "./read-reply.mjs";
import { killEach, leftIn, runBounded } from "./run-bounded.mjs";
import { plainName } from "./scripted-agent.mjs";

const prompt =
  "Start the workflow clients:tour with folder=notes and follow it until it is completed. You may answer questions with cheerful for me.";

/**
 * @typedef {{ calls: string, version: string, problems: string[], remarks: string[], seconds: number }} Outcome
 * @typedef {import("./clients.mjs").Recipe} Recipe
 * @typedef {import("./model-server.mjs").Seen} Seen
 */

/**
 * Lets one client do the tour with the scripted model, then asks the store what happened.
 *
 * @param {import("./bench.mjs").Bench} bench
 * @param {Recipe} recipe
 * @param {{ folder: string, node: string, logs: string }} where
 * @returns {Promise<Outcome>}
 */
export async function driveClient(bench, recipe, { folder, node, logs }) {
  const place = await openPlace(bench, recipe.name.toLowerCase().replaceAll(" ", "-"), node);
  const { home, project } = place;
  const [program, ...first] = recipe.program(folder);
  const version = await versionOf(program, first, { cwd: project, env: place.env });
  const model = await openModelServer();
  try {
    const setting = { folder, home, project, model: model.url, prompt, server: serverCommand(bench) };
    const { args, env = {}, files = {} } = recipe.run(setting);
    writeFiles(files);
    const ended = await runBounded(program, [...first, ...args], { cwd: project, env: { ...place.env, ...env }, seconds: 180 });
    const left = await leftIn(project, 10);
    killEach(left);
    keepLogs(join(logs, recipe.name.toLowerCase().replaceAll(" ", "-")), ended, model.seen);
    const problems = [
      ...(version === recipe.version ? [] : [`it says it is version ${version}, not ${recipe.version}`]),
      ...(ended.timedOut ? ["it did not end within 180 s"] : ended.code === 0 ? [] : [`it ended with exit code ${ended.code}`]),
      ...(left.length === 0 ? [] : [`${left.length} processes stayed behind`]),
      ...checkSeen(model.seen, recipe),
      ...(await checkRun(place, recipe.driver)),
    ];
    return { version, calls: callsIn(model.seen), problems, remarks: measure(model.seen), seconds: ended.seconds };
  } finally {
    await model.close();
  }
}

/** @param {import("./bench.mjs").Bench} bench @returns {readonly [string, ...string[]]} */
export function serverCommand({ script }) {
  return [process.execPath, script, "mcp"];
}

/** @param {string} program @param {readonly string[]} first @param {{ cwd: string, env: Record<string, string> }} where */
async function versionOf(program, first, where) {
  const { stdout, stderr } = await runBounded(program, [...first, "--version"], { ...where, seconds: 60 });
  return /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(stdout)?.[0] ?? (stderr.trim().split("\n")[0] || "unknown");
}

/** @param {Seen} seen */
function waymarkTurns({ last }) {
  return (last?.turns ?? []).filter((turn) => plainName(turn.name).startsWith("workflow_"));
}

/** @param {Seen} seen */
function callsIn(seen) {
  const ours = waymarkTurns(seen).length;
  return `${ours} + ${(seen.last?.turns.length ?? 0) - ours}`;
}

/** The model acted on what it was shown, reached the end, and was shown what we believe this client shows. @param {Seen} seen @param {Recipe} recipe */
function checkSeen(seen, recipe) {
  const { last, said } = seen;
  if (last === undefined) return ["the client asked the model nothing"];
  const turns = waymarkTurns(seen);
  const offered = new Set(last.tools.map((tool) => plainName(tool.name)));
  const named = new Set(turns.flatMap((turn) => turn.result.match(/\bworkflow_[a-z_]*[a-z]\b(?!["\\]*:)/g) ?? []));
  const missing = [...named].filter((name) => name !== "workflow_id" && !offered.has(name) && !hidden(last, name));
  const replies = turns.map((turn) => readReply(turn.result));
  const shown = new Set(replies.map((reply) => reply.shown));
  const errors = replies.flatMap((reply) => reply.problem ?? []);
  return [
    ...(said.at(-1) === "WORKFLOW DONE" ? [] : [`the model's last words: ${said.at(-1) ?? "none"}`]),
    ...(missing.length === 0 ? [] : [`replies name tools that are not offered: ${missing.join(", ")}`]),
    ...(errors.length === 0 ? [] : [`calls were refused: ${errors.join(", ")}`]),
    ...([...shown].every((part) => part === recipe.shows) ? [] : [`the model was shown ${[...shown].join(", ")}, not ${recipe.shows}`]),
  ];
}

/** Clients that defer tools name them to the model without offering them. @param {import("./scripted-agent.mjs").Conversation} conversation @param {string} name */
function hidden({ system, user }, name) {
  return new RegExp(`\\bmcp__[\\w-]+?__${name}\\b`).test(`${system}\n${user}`);
}

/** What the model paid for our tools and replies, in tokens of o200k. @param {Seen} seen @returns {string[]} */
function measure(seen) {
  const { last, wire } = seen;
  if (last === undefined) return [];
  const tools = last.tools.filter((tool) => plainName(tool.name).startsWith("workflow_"));
  const list = encode(JSON.stringify(tools)).length;
  const replies = waymarkTurns(seen).map((turn) => encode(turn.result).length);
  const [sum, most] = [replies.reduce((total, count) => total + count, 0), Math.max(0, ...replies)];
  const instructions =
    /Waymark leads you through a workflow/.test(`${last.system}\n${last.user}`) ||
    last.tools.some((tool) => /Waymark leads you/.test(tool.description));
  return [
    `${wire}; shown: ${[...new Set(waymarkTurns(seen).map((turn) => readReply(turn.result).shown))].join(", ")}; instructions ${instructions ? "shown" : "not shown"}`,
    `tokens: ${list} for ${tools.length} tools; replies ${sum} in all, ${Math.round(sum / Math.max(1, replies.length))} on average, ${most} at most`,
  ];
}

/** @param {string} folder @param {import("./run-bounded.mjs").Ended} ended @param {Seen} seen */
function keepLogs(folder, ended, seen) {
  mkdirSync(dirname(`${folder}.json`), { recursive: true });
  writeFileSync(`${folder}.json`, JSON.stringify(seen, null, 2));
  writeFileSync(`${folder}.out.txt`, `exit ${ended.code}\n--- stdout\n${ended.stdout}\n--- stderr\n${ended.stderr}\n`);
}
