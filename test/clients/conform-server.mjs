// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "./bench.mjs";
import { endGroup, runBounded, startGroup } from "./run-bounded.mjs";
import { openTokenProxy } from "./token-proxy.mjs";

/**
 * Scenarios that need no fixture tools in the server. In the legacy era the server keeps no sessions over HTTP, so that
 * `server-sse-multiple-streams` would have nothing to look at there.
 *
 * @typedef {{ name: string, spec: string, flags: readonly string[], scenarios: readonly string[] }} Round
 * @type {readonly Round[]}
 */
export const rounds = [
  {
    name: "modern",
    spec: "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    flags: ["--spec-version", "2026-07-28"],
    scenarios: [
      "tools-list",
      "resources-list",
      "prompts-list",
      "sep-2164-resource-not-found",
      "server-sse-multiple-streams",
      "dns-rebinding-protection",
      "caching",
      "http-header-validation",
      "input-required-result-missing-input-response",
      "input-required-result-unsupported-methods",
      "input-required-result-ignore-extra-params",
      "input-required-result-validate-input",
    ],
  },
  {
    name: "legacy",
    spec: "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    flags: ["--spec-version", "2025-11-25"],
    scenarios: ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"],
  },
  {
    name: "legacy",
    spec: "@modelcontextprotocol/conformance@0.1.16",
    flags: [],
    scenarios: ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"],
  },
];

/**
 * Runs one round against `waymark serve`. A scenario counts when at least one of its checks held and none failed.
 *
 * @param {import("./bench.mjs").Bench} bench
 * @param {Round} round
 * @param {{ folder: string, node: string, place: string }} where
 * @returns {Promise<import("./drive-client.mjs").Outcome>}
 */
export async function conformServer(bench, round, { folder, node, place: name }) {
  const begun = performance.now();
  const place = await openPlace(bench, name, node);
  const script = join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  const server = startGroup(process.execPath, [bench.script, "serve", "--json"], { cwd: place.project, env: place.env });
  try {
    const address = await addressOf(server);
    const proxy = await openTokenProxy(address.url, address.agent_token);
    try {
      const results = [];
      for (const scenario of round.scenarios) {
        const args = [script, "server", "--url", `${proxy.url}/mcp`, "--scenario", scenario, ...round.flags, "--verbose"];
        results.push(judge(scenario, await runBounded(node, args, { cwd: place.project, env: place.env, seconds: 60 })));
      }
      const problems = [
        ...results.flatMap((result) => result.problems),
        ...(await checkGuards(address, proxy.url)),
        ...(await stop(server)),
      ];
      const held = results.reduce((sum, result) => sum + result.held, 0);
      return {
        version: versionIn(folder),
        calls: `${results.filter((result) => result.problems.length === 0).length} of ${results.length} scenarios, ${held} checks`,
        problems,
        remarks: results.flatMap((result) => result.warnings),
        seconds: (performance.now() - begun) / 1000,
      };
    } finally {
      await proxy.close();
    }
  } finally {
    if (server.child.pid !== undefined) endGroup(server.child.pid);
  }
}

/** @param {string} folder @returns {string} */
function versionIn(folder) {
  return JSON.parse(readFileSync(join(folder, "node_modules", "@modelcontextprotocol", "conformance", "package.json"), "utf8")).version;
}

/** @param {string} scenario @param {import("./run-bounded.mjs").Ended} ended */
function judge(scenario, ended) {
  const checks = checksIn(ended.stdout);
  const of = (/** @type {string} */ status) => checks.filter((check) => check.status === status);
  const failed = of("FAILURE").map((check) => `${scenario}: ${check.id}: ${check.errorMessage ?? check.description}`);
  const held = of("SUCCESS").length;
  const problems = [
    ...failed,
    ...(ended.code === 0 || failed.length > 0 ? [] : [`${scenario}: exit code ${ended.code}: ${ended.stderr.trim().split("\n")[0]}`]),
    ...(held > 0 || failed.length > 0 ? [] : [`${scenario}: not one check held, so nothing is shown`]),
  ];
  const thin = of("SUCCESS").every((check) => check.id === "wire-schema-valid");
  const warnings = [
    ...of("WARNING").map((check) => `warning in ${scenario}: ${check.errorMessage ?? check.description}`),
    ...(held > 0 && thin ? [`${scenario}: only the form of the messages was checked, because the server has no fixture tools`] : []),
  ];
  return { problems, held, warnings };
}

/** @param {string} stdout @returns {{ id: string, status: string, description: string, errorMessage?: string }[]} */
function checksIn(stdout) {
  try {
    return JSON.parse(stdout.slice(stdout.indexOf("[\n"), stdout.lastIndexOf("\n]") + 2));
  } catch {
    return [];
  }
}

/** The proxy must not hide what it stands in front of: the server itself refuses strangers. @param {Address} address @param {string} proxy */
async function checkGuards(address, proxy) {
  const bare = await fetch(`${address.url}/mcp`, { method: "POST", body: "{}" });
  const foreign = await fetch(`${proxy}/mcp`, { method: "POST", body: "{}", headers: { origin: "http://evil.example" } });
  return [
    ...(bare.status === 401 ? [] : [`without a token the server answers ${bare.status}, not 401`]),
    ...(foreign.status === 403 ? [] : [`to a foreign origin with the token the server answers ${foreign.status}, not 403`]),
  ];
}

/**
 * @typedef {{ url: string, agent_token: string }} Address
 * @param {ReturnType<typeof startGroup>} server
 * @returns {Promise<Address>}
 */
async function addressOf({ child, output }) {
  for (let waited = 0; waited < 200 && !output.stdout.includes("\n") && child.exitCode === null; waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (!output.stdout.includes("\n")) throw new Error(`waymark serve did not start: ${output.stderr.trim()}`);
  const { file } = JSON.parse(output.stdout);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** SIGTERM ends the server cleanly. @param {ReturnType<typeof startGroup>} server @returns {Promise<string[]>} */
async function stop({ child, stop: ask }) {
  if (child.exitCode !== null) return [`waymark serve ended by itself with exit code ${child.exitCode}`];
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  ask();
  const code = await ended;
  return code === 0 ? [] : [`waymark serve ended with ${code ?? "a signal"} after SIGTERM`];
}
