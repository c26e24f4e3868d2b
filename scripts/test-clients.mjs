// @ts-check
// `npm run test:clients`: real MCP clients do an example workflow with a scripted model, and the protocol's own tools look at the server.
// Clients are installed into a cache outside the project; everything then runs without network, where the system can do that.
// `npm run test:clients -- goose inspector` runs only parts whose name begins so; what did not run counts as not shown.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeBench, openBench } from "../test/clients/bench.mjs";
import { recipes } from "../test/clients/clients.mjs";
import { conformServer, rounds } from "../test/clients/conform-server.mjs";
import { driveClient } from "../test/clients/drive-client.mjs";
import { inspectServer } from "../test/clients/inspect-server.mjs";
import { installTool, nodeForTools, openToolsFolder, toolsFolder } from "../test/clients/install-tools.mjs";
import { describeNetwork, inherit, loopbackOnly } from "../test/clients/loopback-only.mjs";
import { killGroupsOnExit } from "../test/clients/run-bounded.mjs";
import { root, runNode } from "./run-tool.mjs";

/**
 * @typedef {import("../test/clients/drive-client.mjs").Outcome} Outcome
 * @typedef {import("../test/clients/bench.mjs").Bench} Bench
 * @typedef {{ folder: string, node: string }} Tool
 * @typedef {{ name: string, spec: string, node: number, mandatory: boolean, run: (bench: Bench, tool: Tool) => Promise<Outcome> }} Part
 * @typedef {{ name: string, mandatory: boolean, result: "passed" | "FAILED" | "not shown", outcome: Outcome }} Row
 * @typedef {{ wanted: string[], isolated: boolean, tools: Record<string, Tool & { problem?: string }> }} Plan
 */

const logs = join(toolsFolder(), "logs");
/** @type {readonly ("legacy" | "modern")[]} */
const eras = ["legacy", "modern"];

/** @type {readonly Part[]} */
const parts = [
  ...recipes.map((recipe) => ({
    ...recipe,
    run: (/** @type {Bench} */ bench, /** @type {Tool} */ tool) => driveClient(bench, recipe, { ...tool, logs }),
  })),
  ...eras.map((era) => ({
    name: `inspector, ${era}`,
    spec: "@modelcontextprotocol/inspector@2.12.0",
    node: 22,
    mandatory: true,
    run: (/** @type {Bench} */ bench, /** @type {Tool} */ tool) => inspectServer(bench, era, tool),
  })),
  ...rounds.map((round, index) => ({
    name: `conformance, ${round.name}`,
    spec: round.spec,
    node: 22,
    mandatory: true,
    run: (/** @type {Bench} */ bench, /** @type {Tool} */ tool) => conformServer(bench, round, { ...tool, place: `conformance-${index}` }),
  })),
];

const [mode, file] = process.argv.slice(2);
killGroupsOnExit();
process.exitCode =
  mode === "--inside" && file !== undefined ? await runParts(JSON.parse(readFileSync(file, "utf8"))) : await prepare(process.argv.slice(2));

/** Everything that needs the network; then the rest without it. @param {string[]} wanted */
async function prepare(wanted) {
  const strange = wanted.filter((name) => !parts.some((part) => begins(part, name)));
  if (strange.length > 0) {
    console.error(`There is no part ${strange.join(", ")}. Parts: ${[...new Set(parts.map((part) => part.name))].join("; ")}.`);
    return 2;
  }
  const built = await runNode(["scripts/build.mjs", "--if-stale"], { live: true });
  if (built.code !== 0) return 1;
  openToolsFolder();
  const tools = await installAll(parts.filter((part) => isWanted(part, wanted)));
  const wrap = loopbackOnly();
  const plan = join(toolsFolder(), `plan-${process.pid}.json`);
  writeFileSync(plan, JSON.stringify({ wanted, isolated: wrap.length > 0, tools }));
  try {
    return await inherit([...wrap, process.execPath, join(root, "scripts", "test-clients.mjs"), "--inside", plan]);
  } finally {
    rmSync(plan, { force: true });
  }
}

/** @param {readonly Part[]} wanted @returns {Promise<Plan["tools"]>} */
async function installAll(wanted) {
  /** @type {Plan["tools"]} */
  const tools = {};
  for (const { spec, node } of wanted) {
    if (tools[spec] !== undefined) continue;
    try {
      const begun = performance.now();
      tools[spec] = { folder: await installTool(spec), node: await nodeForTools(node) };
      console.log(`${spec} is ready (${((performance.now() - begun) / 1000).toFixed(1)} s).`);
    } catch (error) {
      tools[spec] = { folder: "", node: "", problem: error instanceof Error ? error.message : String(error) };
      console.log(`${spec} cannot be installed: ${tools[spec].problem}`);
    }
  }
  return tools;
}

/** @param {Plan} plan */
async function runParts({ wanted, isolated, tools }) {
  console.log(describeNetwork(isolated));
  const bench = openBench(root);
  process.on("exit", () => closeBench(bench));
  /** @type {Row[]} */
  const rows = [];
  for (const part of parts) {
    const row = await runPart(part, { bench, tool: tools[part.spec], wanted: isWanted(part, wanted) });
    rows.push(row);
    if (isWanted(part, wanted)) printDetails(row);
  }
  printTable(rows);
  const shown = rows.filter((row) => row.mandatory && row.result === "passed").length;
  const all = rows.filter((row) => row.mandatory).length;
  const failed = rows.filter((row) => row.result === "FAILED").length;
  console.log(
    `\n${shown} of ${all} mandatory parts passed; ${failed} of ${rows.length} parts failed. ${existsSync(logs) ? `What the models were shown: ${logs}` : ""}`,
  );
  return shown === all && failed === 0 ? 0 : 1;
}

/**
 * @param {Part} part
 * @param {{ bench: Bench, tool: (Tool & { problem?: string }) | undefined, wanted: boolean }} given
 * @returns {Promise<Row>}
 */
async function runPart(part, { bench, tool, wanted }) {
  const { name, mandatory } = part;
  const missing = !wanted || tool === undefined ? "not run, because only other parts were asked for" : tool.problem;
  /** @type {Outcome} */
  const nothing = { version: /@([^@/]+)$/.exec(part.spec)?.[1] ?? "", calls: "-", problems: [], remarks: [], seconds: 0 };
  if (missing !== undefined || tool === undefined)
    return { name, mandatory, result: "not shown", outcome: { ...nothing, problems: [missing ?? ""] } };
  try {
    const outcome = await part.run(bench, tool);
    return { name, mandatory, result: outcome.problems.length === 0 ? "passed" : "FAILED", outcome };
  } catch (error) {
    return {
      name,
      mandatory,
      result: "FAILED",
      outcome: { ...nothing, problems: [error instanceof Error ? error.message : String(error)] },
    };
  }
}

/** @param {Row} row */
function printDetails({ name, result, outcome }) {
  console.log(`\n${name} ${outcome.version}: ${result}, ${outcome.seconds.toFixed(1)} s`);
  for (const problem of outcome.problems) console.log(`  problem: ${problem}`);
  for (const remark of outcome.remarks) console.log(`  ${remark}`);
}

/** @param {readonly Row[]} rows */
function printTable(rows) {
  const lines = [
    ["client", "version", "calls (Waymark + own tools)", "seconds", "result"],
    ...rows.map(({ name, mandatory, result, outcome }) => [
      mandatory ? name : `${name} (extra)`,
      outcome.version,
      outcome.calls,
      outcome.seconds.toFixed(1),
      result,
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  console.log("");
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** @param {Part} part @param {string[]} wanted */
function isWanted(part, wanted) {
  return wanted.length === 0 || wanted.some((name) => begins(part, name));
}

/** @param {Part} part @param {string} name */
function begins(part, name) {
  return part.name.toLowerCase().startsWith(name.toLowerCase());
}
