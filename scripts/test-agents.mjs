// @ts-check
// `npm run test:agents`: real coding agents are driven by the built product against a scripted model, and what each can do is compared
// with test/agents/table.json. Agents are installed into a cache outside the project; everything then runs without network, where the
// system can do that. `npm run test:agents -- gemini` tries only agents whose name begins so; what did not run counts as not shown.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAgentPlace } from "../test/agents/agent-place.mjs";
import { realAgents } from "../test/agents/real-agents.mjs";
import { tryAgent } from "../test/agents/try-agent.mjs";
import { closeBench, openBench } from "../test/clients/bench.mjs";
import { installTool, openToolsFolder, toolsFolder } from "../test/clients/install-tools.mjs";
import { describeNetwork, inherit, loopbackOnly } from "../test/clients/loopback-only.mjs";
import { killEach, killGroupsOnExit, workingIn } from "../test/clients/run-bounded.mjs";
import { root, runNode, seconds } from "./run-tool.mjs";

/**
 * @typedef {import("../test/agents/real-agents.mjs").RealAgent} RealAgent
 * @typedef {import("../test/agents/try-agent.mjs").Rows} Rows
 * @typedef {{ isolated: boolean, folders: Record<string, string> }} Plan where the agents that are to be tried were installed
 */

const table = join(root, "test", "agents", "table.json");

const [mode, file] = process.argv.slice(2);
killGroupsOnExit();
process.exitCode =
  mode === "--inside" && file !== undefined
    ? await tryAgents(JSON.parse(readFileSync(file, "utf8")))
    : await prepare(process.argv.slice(2));

/** Everything that needs the network; then the rest without it. @param {string[]} wanted */
async function prepare(wanted) {
  const chosen = realAgents.filter(({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
  const strange = wanted.filter((start) => !chosen.some(({ name }) => name.startsWith(start)));
  if (strange.length > 0) {
    console.error(`There is no agent ${strange.join(", ")}. Agents: ${realAgents.map(({ name }) => name).join(", ")}.`);
    return 2;
  }
  const built = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
  if (built.code !== 0) return 1;
  openToolsFolder();
  /** @type {Plan["folders"]} */
  const folders = {};
  for (const agent of chosen) {
    const spec = `${agent.package}@${agent.version}`;
    const begun = performance.now();
    try {
      folders[agent.name] = await installTool(spec);
      console.log(`${spec} is ready (${seconds(begun)} s).`);
    } catch (error) {
      console.log(`${spec} cannot be installed: ${messageOf(error)}`);
    }
  }
  const wrap = loopbackOnly();
  const plan = join(toolsFolder(), `plan-${process.pid}.json`);
  writeFileSync(plan, JSON.stringify({ isolated: wrap.length > 0, folders }));
  try {
    return await inherit([...wrap, process.execPath, join(root, "scripts", "test-agents.mjs"), "--inside", plan]);
  } finally {
    rmSync(plan, { force: true });
  }
}

/** @param {Plan} plan */
async function tryAgents({ isolated, folders }) {
  const begun = performance.now();
  console.log(describeNetwork(isolated));
  const bench = openBench(root);
  process.on("exit", () => {
    // Agents are in groups of their own, which nobody ends when Waymark itself is killed.
    killEach(workingIn(bench.folder));
    closeBench(bench);
  });
  const tried = realAgents.map(async (agent) => {
    const folder = folders[agent.name];
    return /** @type {const} */ ([agent.name, folder === undefined ? {} : await tryOne(agent, bench, folder)]);
  });
  /** @type {Record<string, Rows>} */
  const shown = Object.fromEntries(await Promise.all(tried));
  const expected = JSON.parse(readFileSync(table, "utf8"));
  const differences = realAgents.flatMap(({ name, version }) => compare(name, { version, ...shown[name] }, expected[name] ?? {}));
  console.log(`\n${render(shown)}\n`);
  for (const difference of differences) console.log(difference);
  console.log(
    `${differences.length === 0 ? "All rows are as in" : `${differences.length} rows differ from`} test/agents/table.json; ${seconds(begun)} s.`,
  );
  return differences.length === 0 ? 0 : 1;
}

/** @param {RealAgent} agent @param {import("../test/clients/bench.mjs").Bench} bench @param {string} folder @returns {Promise<Rows>} */
async function tryOne(agent, bench, folder) {
  const place = await openAgentPlace(bench, agent, folder);
  try {
    return await tryAgent(place, (rows, took) => {
      for (const [row, value] of Object.entries(rows)) console.log(`${agent.name}, ${row}: ${value}`);
      console.log(`  ${took.toFixed(1)} s`);
    });
  } catch (error) {
    return { stopped: messageOf(error) };
  } finally {
    const logs = join(toolsFolder(), "logs");
    mkdirSync(logs, { recursive: true });
    writeFileSync(join(logs, `driven-${agent.name}.json`), JSON.stringify(place.model.asked, null, 2));
    await place.close();
  }
}

/** @param {string} name @param {Rows} shown @param {Rows} expected @returns {string[]} */
function compare(name, shown, expected) {
  const rows = [...new Set([...Object.keys(expected), ...Object.keys(shown)])];
  return rows
    .filter((row) => shown[row] !== expected[row])
    .map((row) => `${name}, ${row}:\n  expected ${expected[row] ?? "nothing"}\n  found    ${shown[row] ?? "not shown"}`);
}

/** @param {Record<string, Rows>} shown */
function render(shown) {
  const names = Object.keys(shown);
  const rows = [...new Set(names.flatMap((name) => Object.keys(shown[name] ?? {})))];
  const lines = [["", ...names], ...rows.map((row) => [row, ...names.map((name) => shown[name]?.[row] ?? "not shown")])];
  const widths = ["", ...names].map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
