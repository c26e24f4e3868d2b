// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFiles } from "../clients/clients.mjs";
import { endGroup, killEach, runBounded, startGroup, workingIn } from "../clients/run-bounded.mjs";
import { openAgentModel } from "./agent-model.mjs";

/**
 * What a run came to, by Waymark's own records.
 *
 * @typedef {{ type: string, [key: string]: any }} AgentEvent
 * @typedef {object} Outcome
 * @property {string} run
 * @property {number | null} code exit code of `waymark run` or `waymark drive`
 * @property {string} kind how driving ended
 * @property {Record<string, any>} closed the journal's report of each step
 * @property {(step: string, type: string) => AgentEvent[]} heard what the transcript has of a step
 *
 * @typedef {{ pid: number, outcome: Promise<Outcome> }} Driving
 * @typedef {object} AgentPlace
 * @property {string} project
 * @property {import("./agent-model.mjs").AgentModel} model
 * @property {(args: readonly string[]) => Driving} start
 * @property {(args: readonly string[]) => Promise<Outcome>} drive
 * @property {(but?: number) => number} killAgent ends all that works in the project but one process, and says how many that were
 * @property {() => Promise<void>} close
 */

/** The longest that one command may take. */
const seconds = 90;

/**
 * A home of its own with the agent's settings, and a git project with the workflows, which are allowed.
 *
 * @param {{ folder: string, script: string }} bench
 * @param {import("./real-agents.mjs").RealAgent} agent
 * @param {string} installed
 * @returns {Promise<AgentPlace>}
 */
export async function openAgentPlace(bench, agent, installed) {
  const folder = join(bench.folder, agent.name);
  const [home, project, scratch] = [join(folder, "home"), join(folder, "project"), join(folder, "tmp")];
  for (const one of [home, scratch]) mkdirSync(one, { recursive: true });
  cpSync(join(import.meta.dirname, "project"), project, { recursive: true });
  const model = await openAgentModel(agent, project);
  const setting = { folder: installed, home, model: model.url };
  const configuration = JSON.stringify({ agents: { [agent.name]: agent.entry(setting) } });
  writeFiles({ ...agent.files(setting), [join(home, ".config", "waymark", "config.yaml")]: configuration });
  const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: home, TMPDIR: scratch, LANG: "C.UTF-8" };
  execFileSync("git", ["init", "--quiet"], { cwd: project, env });
  const waymark = (/** @type {readonly string[]} */ args, /** @type {Record<string, string>} */ more = {}) =>
    runBounded(process.execPath, [bench.script, ...args], { cwd: project, env: { ...env, ...more }, seconds });
  const allowed = await waymark(["allow", "--all", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" });
  if (allowed.code !== 0) throw new Error(`The workflows could not be allowed: ${allowed.stderr || allowed.stdout}`);
  const start = (/** @type {readonly string[]} */ args) => {
    const { child, output, stop } = startGroup(process.execPath, [bench.script, ...args, "--agent", agent.name, "--jsonl"], {
      cwd: project,
      env,
    });
    const timer = setTimeout(stop, seconds * 1000);
    const ended = new Promise((/** @type {(code: number | null) => void} */ resolve) => child.once("close", resolve));
    const outcome = ended.then(async (code) => {
      clearTimeout(timer);
      if (child.pid !== undefined) endGroup(child.pid);
      return readOutcome(waymark, code, output);
    });
    return { pid: child.pid ?? 0, outcome };
  };
  return {
    project,
    model,
    start,
    drive: (args) => start(args).outcome,
    killAgent: (but = 0) => {
      const found = workingIn(project).filter((pid) => pid !== but);
      killEach(found);
      return found.length;
    },
    close: async () => {
      killEach(workingIn(project));
      await model.close();
    },
  };
}

/**
 * @param {(args: readonly string[]) => Promise<{ stdout: string }>} waymark
 * @param {number | null} code
 * @param {{ stdout: string, stderr: string }} output
 * @returns {Promise<Outcome>}
 */
async function readOutcome(waymark, code, { stdout, stderr }) {
  const lines = readLines(stdout);
  const run = lines.find((line) => line.run_id !== undefined)?.run_id;
  if (run === undefined) throw new Error(`No run was started: ${stderr.trim() || stdout.trim()}`);
  const events = readLines((await waymark(["journal", run, "--jsonl"])).stdout).flatMap((record) => record.events ?? []);
  const entries = readLines((await waymark(["transcript", run, "--jsonl"])).stdout);
  const steps = new Map(events.filter(({ type }) => type === "action_opened").map(({ action }) => [action.id, action.step]));
  const closed = events.filter(({ type }) => type === "action_closed").map((event) => [steps.get(event.action), event]);
  return {
    run,
    code,
    kind: lines.find((line) => line.type === "end")?.kind ?? "none",
    closed: Object.fromEntries(closed),
    heard: (step, type) => entries.filter((entry) => entry.step === step && entry.event.type === type).map((entry) => entry.event),
  };
}

/** @param {string} text @returns {any[]} */
function readLines(text) {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}
