// @ts-check
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leftIn } from "../clients/run-bounded.mjs";
import { reported } from "./agent-model.mjs";

/**
 * What one agent can do, each row by Waymark's own outcome and by what the model, the files and the journal show of it. A row says what
 * was found, so that whatever is not as expected differs from the table.
 *
 * @typedef {import("./agent-place.mjs").AgentPlace} AgentPlace
 * @typedef {import("./agent-place.mjs").Outcome} Outcome
 * @typedef {Record<string, string>} Rows
 */

/** @type {readonly ((place: AgentPlace) => Promise<Rows>)[]} */
const trials = [tour, denied, cancelled, died, killed, crashed, unauthorised, limited];

/** @param {AgentPlace} place @param {(rows: Rows, seconds: number) => void} show @returns {Promise<Rows>} */
export async function tryAgent(place, show) {
  /** @type {Rows} */
  const all = {};
  for (const trial of trials) {
    const begun = performance.now();
    const rows = await trial(place);
    const left = await leftIn(place.project, 10);
    if (left.length > 0) rows[trial.name] = `${left.length} processes stayed behind`;
    place.killAgent();
    show(rows, (performance.now() - begun) / 1000);
    Object.assign(all, rows);
  }
  return all;
}

/** @param {AgentPlace} place @returns {Promise<Rows>} */
async function tour(place) {
  const { project } = place;
  const outcome = await place.drive(["run", "tour", "a dark theme"]);
  const plans = join(project, ".archon", "artifacts");
  const plan = readdirSync(plans).map((folder) => textOf(join(plans, folder, "plan.md")));
  const asked = outcome.heard("implement", "permission").some(({ tool, decision }) => tool.includes("feature.txt") && decision === "allow");
  return {
    plan: say(outcome, "plan", { "no plan.md": plan.join() === "plan\n" }),
    "fresh implement": say(outcome, "implement", { "the model saw the plan": !saw(place, "implement", "plan") }),
    "resumed continue": say(outcome, "continue", {
      "the model saw the plan": !saw(place, "continue", "plan"),
      "the model saw nothing before": saw(place, "continue", "implement"),
      "another session": outcome.closed["continue"]?.session?.id === outcome.closed["implement"]?.session?.id,
    }),
    "our MCP tool": reports(place, outcome, "plan"),
    "our MCP tool, continued": reports(place, outcome, "continue"),
    "file written": found("written, after asking", {
      "not written": textOf(join(project, "feature.txt")) === "implement\n",
      "without asking": asked,
    }),
  };
}

/** Whether the model's report through our tool was answered and is in the journal. @param {AgentPlace} place @param {Outcome} outcome @param {string} step */
function reports({ model }, outcome, step) {
  const calls = model.tasks(step).flatMap(({ conversation }) => conversation.turns);
  const call = calls.find(({ name }) => name.endsWith("workflow_progress"));
  return found("called, its report is recorded", {
    "not called": call !== undefined,
    "no answer": call?.result.includes("The report is recorded") === true,
    "not in the journal": outcome.closed[step]?.result === reported,
  });
}

/** @param {AgentPlace} place @returns {Promise<Rows>} */
async function denied(place) {
  const outcome = await place.drive(["run", "denied"]);
  const then = place.model.tasks("denied").length > 1 ? "the model continues" : "the turn ends";
  const value = found(`${outcome.kind}, the denial recorded, ${then}`, {
    "the file was written": !existsSync(join(place.project, "denied.txt")),
    "the denial is not in the journal": outcome.closed["denied"]?.denied?.join().includes("denied.txt") === true,
  });
  return { "permission denied": value };
}

/** Ctrl-C twice, in two signals so that the system does not make one of them. @param {AgentPlace} place @returns {Promise<Rows>} */
async function cancelled(place) {
  const { pid, outcome } = await startHanging(place, "cancel");
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.kill(pid, signal);
  const { kind, code, closed, heard } = await outcome;
  const value = found(`${kind}, exit code ${code}, turn ${heard("cancel", "result")[0]?.stop}`, {
    "the request was not given up": await isClosed(place, "cancel"),
    "the step was reported": closed["cancel"] === undefined,
  });
  return { cancel: value };
}

/** The agent alone is killed, in a conversation that began with the step. @param {AgentPlace} place @returns {Promise<Rows>} */
async function died(place) {
  const { pid, outcome } = await startHanging(place, "died");
  const count = place.killAgent(pid);
  return { "agent killed in a fresh step": again(place, await outcome, "died", count) };
}

/** The agent alone is killed, in the conversation of the step before. @param {AgentPlace} place @returns {Promise<Rows>} */
async function killed(place) {
  const { pid, outcome } = await startHanging(place, "killed");
  const count = place.killAgent(pid);
  const ended = await outcome;
  const last = place.model.tasks("killed").at(-1)?.conversation.user ?? "";
  const value = again(place, ended, "killed", count);
  return { "agent killed in a continued step": found(value, { "the model saw nothing before": last.includes("TASK begun") }) };
}

/** Waymark and its agent are killed, and the run is driven again. @param {AgentPlace} place @returns {Promise<Rows>} */
async function crashed(place) {
  const { pid, outcome } = await startHanging(place, "crashed");
  process.kill(pid, "SIGKILL");
  const count = place.killAgent(pid);
  const { run } = await outcome;
  return { "runner and agent killed": again(place, await place.drive(["drive", run]), "crashed", count) };
}

/** @param {AgentPlace} place @param {Outcome} outcome @param {string} step @param {number} count of processes that were killed */
function again(place, outcome, step, count) {
  return say(outcome, step, {
    "nothing was killed": count > 0,
    "no file": outcome.closed[step]?.how !== "reported" || textOf(join(place.project, `${step}.txt`)) === `${step}\n`,
  });
}

/** @param {AgentPlace} place @returns {Promise<Rows>} */
async function unauthorised(place) {
  return { "HTTP 401": await refusal(place, "unauthorised") };
}

/** @param {AgentPlace} place @returns {Promise<Rows>} */
async function limited(place) {
  return { "HTTP 429": await refusal(place, "limited") };
}

/** @param {AgentPlace} place @param {string} step */
async function refusal(place, step) {
  const outcome = await place.drive(["run", step]);
  const requests = place.model.tasks(step).length;
  return found(
    `${outcome.kind}, ${outcome.heard(step, "result").at(-1)?.["errorKind"]}, ${requests > 1 ? "after silent retries" : "at once"}`,
    { "not asked": requests > 0 },
  );
}

/** Starts a run and waits until its agent waits for the model. @param {AgentPlace} place @param {string} task */
async function startHanging(place, task) {
  const waits = place.model.hanging();
  const driving = place.start(["run", task]);
  const ended = driving.outcome.then(() => {
    throw new Error(`\`${task}\` ended before the model was asked.`);
  });
  await Promise.race([waits, ended]);
  ended.catch(() => undefined);
  return driving;
}

/** @param {AgentPlace} place @param {string} task */
async function isClosed(place, task) {
  const late = new Promise((resolve) => setTimeout(() => resolve("late"), 5000).unref());
  return (await Promise.race([...place.model.tasks(task).map(({ closed }) => closed), late])) !== "late";
}

/** How a step ended and in which session; or what is not as it should be. @param {Outcome} outcome @param {string} step @param {Record<string, boolean>} checks */
function say(outcome, step, checks) {
  const how = outcome.closed[step]?.how === "reported" ? "done" : outcome.kind;
  return found(
    `${how}, session ${outcome
      .heard(step, "session")
      .map(({ resumed }) => resumed)
      .join(", then ")}`,
    checks,
  );
}

/** @param {string} value @param {Record<string, boolean>} checks by what is wrong when they are false */
function found(value, checks) {
  const wrong = Object.entries(checks).flatMap(([problem, isRight]) => (isRight ? [] : [problem]));
  return wrong.length === 0 ? value : `${value}; BUT ${wrong.join(", ")}`;
}

/** Whether the model was shown another task's prompt with this one. @param {AgentPlace} place @param {string} task @param {string} other */
function saw({ model }, task, other) {
  return model.tasks(task).some(({ conversation }) => conversation.user.includes(`TASK ${other}`));
}

/** @param {string} file */
function textOf(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
