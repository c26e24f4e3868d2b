// @ts-check
import { join } from "node:path";
import { openPlace } from "./bench.mjs";
import { serverCommand } from "./drive-client.mjs";
import { runBounded } from "./run-bounded.mjs";

/** Exit codes that the inspector documents. */
const toolSaidError = 5;

/**
 * The strict run of the inspector over stdio in one era of the protocol: schemas portable, a call that works, a call that is refused.
 *
 * @param {import("./bench.mjs").Bench} bench
 * @param {"legacy" | "modern"} era
 * @param {{ folder: string, node: string }} where
 * @returns {Promise<import("./drive-client.mjs").Outcome>}
 */
export async function inspectServer(bench, era, { folder, node }) {
  const begun = performance.now();
  const place = await openPlace(bench, `inspector-${era}`, node);
  const script = join(folder, "node_modules", ".bin", "mcp-inspector");
  const run = async (/** @type {readonly string[]} */ server, /** @type {readonly string[]} */ ...args) => {
    const all = [script, "--cli", ...serverCommand(bench), ...server, "--protocol-era", era, "--format", "json", ...args];
    return runBounded(node, all, { cwd: place.project, env: place.env, seconds: 60 });
  };
  const call = (/** @type {string} */ name, /** @type {object} */ args) =>
    run([], "--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args));
  const lists = [await run([], "--method", "tools/list", "--strict"), await run(["--tools", "all"], "--method", "tools/list", "--strict")];
  const started = await call("workflow_start", { workflow: "clients:tour", inputs: { folder: "notes" } });
  const refused = await call("workflow_start", { workflow: "clients:nowhere" });
  const { stdout } = await runBounded(node, [script, "--cli", "--version"], { cwd: place.project, env: place.env, seconds: 60 });
  const warnings = [...new Set(lists.flatMap((list) => list.stderr.match(/^Warning: tool .+\n +Path: .+$/gm) ?? []))];
  return {
    version: /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? "unknown",
    calls: "4",
    problems: [...lists.flatMap(checkList), ...checkStarted(started, era), ...checkRefused(refused)],
    remarks: warnings.map((warning) => warning.replace(/\n +Path:/, ",")),
    seconds: (performance.now() - begun) / 1000,
  };
}

/** @param {import("./run-bounded.mjs").Ended} ended @param {number} index */
function checkList(ended, index) {
  const name = index === 0 ? "tools/list" : "tools/list of all toolsets";
  if (ended.code !== 0) return [`${name}: exit code ${ended.code}: ${ended.stderr.trim().split("\n").slice(0, 4).join(" ")}`];
  const names = (resultOf(ended)?.tools ?? []).map((/** @type {{ name: string }} */ tool) => tool.name);
  return ["workflow_start", "workflow_next", "workflow_progress"].every((tool) => names.includes(tool))
    ? []
    : [`${name}: ${names.length} tools`];
}

/** Only modern results carry the server's name: so the era is the one that was asked for. @param {import("./run-bounded.mjs").Ended} ended @param {string} era */
function checkStarted(ended, era) {
  const result = resultOf(ended);
  if (ended.code !== 0) return [`tools/call: exit code ${ended.code}: ${ended.stderr.trim().split("\n")[0]}`];
  const isModern = result?._meta?.["io.modelcontextprotocol/serverInfo"] !== undefined;
  const [text] = result?.content ?? [];
  return [
    ...(isModern === (era === "modern") ? [] : [`the server answered in the ${isModern ? "modern" : "legacy"} era`]),
    ...(/\nThen call workflow_progress\(/.test(text?.text ?? "") ? [] : ["tools/call: the text names no next call"]),
    ...(result?.structuredContent?.next_call?.tool === "workflow_progress" ? [] : ["tools/call: the data names no next call"]),
  ];
}

/** @param {import("./run-bounded.mjs").Ended} ended */
function checkRefused(ended) {
  const code = resultOf(ended)?.structuredContent?.error?.code;
  return ended.code === toolSaidError && code === "ENGINE_NO_WORKFLOW"
    ? []
    : [`a wrong call: exit code ${ended.code}, ${code ?? "no code"}`];
}

/** @param {import("./run-bounded.mjs").Ended} ended @returns {any} */
function resultOf({ stdout }) {
  try {
    return JSON.parse(stdout).result;
  } catch {
    return undefined;
  }
}
