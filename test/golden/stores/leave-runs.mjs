// Runs in every place worth keeping. Each function leaves the runs of one workspace and answers their ids by the name of the place.
import { batchFiles, botFiles, machineFiles, reviewFiles } from "./other-files.mjs";
import { deliverUntil } from "./machine-team.mjs";
import { stepsFiles } from "./steps-files.mjs";

const result = (run, reply, value) => ({ run_id: run, action_id: reply.action_id, result: value });

async function leaveSteps(product, workspace) {
  product.write(workspace, stepsFiles);
  product.text(workspace, ["allow", "--all", "--yes"]);
  const runs = {};
  const start = (name, words, ...more) => (runs[name] = product.json(workspace, ["start", ...words], ...more).run_id);
  const finish = (name, value, more = []) => product.done(workspace, runs[name], value, { more });

  start("open step", ["plain", "--input", "who=Bea"]);
  start("finished", ["plain"]);
  finish("finished", "one");
  finish("finished");
  finish("finished", "two");
  start("checkpointed", ["plain"]);
  finish("checkpointed", "kept");
  finish("checkpointed");
  product.json(workspace, ["checkpoint", runs["checkpointed"], "--reason", "end of the day"]);
  start("told", ["plain"]);
  product.json(workspace, ["tell", runs["told"], "mind the gap"]);
  start("cancelled", ["plain"]);
  product.json(workspace, ["abort", runs["cancelled"], "--reason", "by mistake"]);
  start("budget question", ["plain", "--budget", "steps=2"]);
  finish("budget question", "spent");
  start("failed", ["failing"]);
  finish("failed", "first");
  product.fail(workspace, runs["failed"], "no power");
  start("due timer", ["due"]);
  finish("due timer", "slept", ["--wait", "0s"]);
  start("later timer", ["later"]);
  finish("later timer", "slept", ["--wait", "0s"]);
  start("secret", ["secret", "--input", "token=swordfish-7"]);
  start("included", ["outer"]);
  finish("included", "round one");
  start("serial tasks", ["tasks", "--serial"]);
  finish("serial tasks", "seen a");

  return { ...runs, ...(await product.talk(workspace, leaveByCalls)) };
}

/** Runs of a conversation that ends without finishing them. */
async function leaveByCalls(call) {
  const runs = {};
  const begin = async (name, workflow, inputs = {}) => {
    const reply = await call("workflow_start", { workflow, inputs });
    runs[name] = reply.run_id;
    return reply;
  };
  await begin("question", "question");
  const asked = await begin("question for a person", "question");
  await call("workflow_progress", result(asked.run_id, asked, "green"));
  const written = await begin("written update", "written");
  const updates = [
    { path: "raw.note", value: "kept" },
    { path: "raw.count", operation: "increment", value: 3 },
  ];
  await call("workflow_state_update", { workflow_id: written.run_id, updates });
  await begin("open update", "written");

  const failing = await begin("failed attempt", "again");
  const second = await call("workflow_progress", result(failing.run_id, failing, "first"));
  const failed = { run_id: failing.run_id, action_id: second.action_id, status: "failed", error: "no power" };
  const after = await call("workflow_progress", failed);
  if (typeof after.run_id === "string" && after.run_id !== failing.run_id) runs["new attempt"] = after.run_id;

  const { run_id: run, step } = await begin("half done tasks", "tasks");
  const [a, b] = step.definition.tasks.map(({ task_id: id }) => id);
  const see = await call("workflow_next", { run_id: run, task_id: a });
  const keep = await call("workflow_progress", { ...result(run, see, "seen a"), task_id: a });
  await call("workflow_progress", { ...result(run, keep, "kept a"), task_id: a });
  const half = await call("workflow_next", { run_id: run, task_id: b });
  await call("workflow_progress", { ...result(run, half, "seen b"), task_id: b });
  return runs;
}

async function leaveReviews(product, workspace) {
  product.write(workspace, reviewFiles);
  const start = (workflow) => product.json(workspace, ["start", workflow]).run_id;
  const done = (run, result) => product.done(workspace, run, result, { entry: true });
  const finish = (run) => {
    while (product.json(workspace, ["next", run]).action !== "complete_workflow") done(run);
  };
  const [completed, waiting, claimed, called] = [start("review"), start("review"), start("review"), start("twice")];
  finish(completed);
  done(completed);
  finish(waiting);
  const finding = { file: "a.js", line: 1, severity: "warning", category: "style", description: "Old call.", suggestion: "Rename it." };
  done(claimed, JSON.stringify({ findings: [finding] }));
  done(called);
  return { "completed review": completed, "waiting for its end": waiting, "claimed file": claimed, "calling review": called };
}

async function leaveBatches(product, workspace) {
  product.write(workspace, batchFiles);
  const run = product.json(workspace, ["start", "old-calls"]).run_id;
  product.done(workspace, run, "apply_auto_first");
  const batch = (...words) => product.json(workspace, ["batch", run, ...words]);
  const { confirmation_token: token } = batch("apply_fixes", "--auto-only", "--file", "a.js");
  batch("apply_fixes", "--confirm", token);
  const previewed = batch("apply_fixes", "--auto-only", "--file", "b.js").confirmation_token;
  return { "done and previewed batch": run, token: previewed };
}

async function leaveBots(product, workspace) {
  product.write(workspace, { ...botFiles, "one/.keep": "", "two/.keep": "", "three/.keep": "", "four/.keep": "" });
  const bot = (...words) => product.json(workspace, ["bot", ...words]);
  const runs = {};
  const newest = (workflow) => product.text(workspace, ["runs", "--workflow", workflow, "--ids"]).trim().split("\n")[0];
  bot("started_bot", "--area", "one");
  runs["started action"] = newest("started_bot");
  await product.talk(
    workspace,
    async (call) => {
      await call("jumping_bot_tool", { parameters: { project_area: "two" } });
      await call("jumping_bot_close_current_action", { parameters: { summary: "Gathered." } });
      await call("jumping_bot_build_check", {});
      await call("calling_bot_tool", { parameters: { project_area: "three" } });
    },
    { tools: "bots" },
  );
  runs["jump question"] = newest("jumping_bot");
  runs["action that calls steps"] = newest("calling_bot");
  runs["steps that include a bot"] = product.json(workspace, ["start", "with-bot"]).run_id;
  product.done(workspace, runs["steps that include a bot"], "before the bot");
  return runs;
}

async function leaveRole(product, workspace) {
  product.write(workspace, machineFiles);
  product.commit(workspace);
  return { "dispatched role": (await deliverUntil(product, workspace, "Coder")).run_id };
}

async function leaveGate(product, workspace) {
  product.write(workspace, machineFiles);
  product.commit(workspace);
  return { "open gate": (await deliverUntil(product, workspace, "UD-APPROVE-DESIGN")).run_id };
}

export const workspaces = {
  steps: leaveSteps,
  review: leaveReviews,
  batch: leaveBatches,
  bots: leaveBots,
  role: leaveRole,
  gate: leaveGate,
};
