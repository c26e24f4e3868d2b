// @ts-check
// What one MCP call walks through: the files of src/ with a function that V8 saw running, and how often the run was opened. Runs the rooms
// as the compiler wrote them (dist/rooms, `npm run build`), in this process, on a temporary workspace. `--files` lists the files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { root } from "./run-tool.mjs";

const rooms = `${pathToFileURL(join(root, "dist", "rooms")).href}/`;
const base = mkdtempSync(join(tmpdir(), "waymark-walks-"));
const workspace = join(base, "work");

const plain = `name: plain
description: Two steps and a gate.
version: "1.0.0"
steps:
  - { id: first, type: agent_shell_command, command: x, state_update: { path: raw.first } }
  - { id: second, type: agent_shell_command, command: x, state_update: { path: raw.second } }
  - { id: gate, type: user_input, prompt: "Ship it?", state_update: { path: raw.ok } }
  - { id: end, type: user_message, message: done }
`;

const head = (/** @type {string} */ type) => `type: ${type}
name: ${type}
description: d
file_patterns: ["**/*.js"]
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

const review = `${head("review")}phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: analysis, name: Analysis, description: d, required: true, available_actions: [analyze_file] }
  - { id: summary, name: Summary, description: d, required: true }
per_file_checklist:
  - { id: analyze, type: analysis, description: "Analyse it", required: true }
  - { id: review_complete, type: validation, description: "Done?", required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.5 }
`;

const calls = `${head("calls")}phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: scan, name: Scan, description: d, required: true }
  - { id: batch_auto, name: Batch, description: d, required: false }
  - { id: manual_review, name: Review, description: d, required: true }
  - { id: summary, name: Summary, description: d, required: true }
per_file_checklist:
  - { id: scan, type: analysis, description: "Scan", required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.5 }
pattern_discovery:
  enabled: true
  create_instance_items: true
  patterns:
    - id: old-call
      name: Old call
      description: d
      regex: "old\\\\("
      balanced: true
      instance_classifier:
        rules:
          - { name: text, pattern: "^old\\\\('[^']*'\\\\)$", suggested_action: "Rename it", auto_fixable: true }
      transformations:
        - { instance_type: text, template: "fresh({{arg0}})", requires_review: false }
`;

const files = {
  ".waymark/workflows/plain.yaml": plain,
  ".waymark/workflows/review.workflow.yaml": review,
  ".waymark/workflows/calls.workflow.yaml": calls,
  "a.js": "old('x');\n",
  "b.js": "old('z');\n",
};

/** The most files that a call may walk through. */
const most = /** @type {Readonly<Record<string, number>>} */ ({ next: 30, "report of a plain step": 57, "report of an entry": 76 });

for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}
const env = { ...process.env, HOME: base, XDG_CONFIG_HOME: join(base, "config"), XDG_DATA_HOME: join(base, "data") };
const { openEngine } = await import(`${rooms}bin/open-engine.js`);
const { createMcpServer } = await import(`${rooms}mcp/index.js`);
const { loadDialectTools } = await import(`${rooms}bin/dialect-parts.js`);
const opened = await openEngine({ workspace, env });
let openings = 0;
const counting = new Proxy(opened.context.runs, {
  get: (runs, name) => {
    const held = Reflect.get(runs, name);
    if (typeof held !== "function") return held;
    return (/** @type {unknown[]} */ ...given) => {
      if (name === "open") openings += 1;
      return held.apply(runs, given);
    };
  },
});
const holder = { kind: "agent", name: "walks", session: "walks" };
const server = createMcpServer({
  dialects: await loadDialectTools(),
  explainPlan: async () => ({}),
  context: { ...opened.context, runs: counting },
  toolsets: [],
  version: "0.0.0",
  caller: () => ({ holder, surface: "mcp-stdio", leaseOwner: "walks" }),
});
const [mine, theirs] = InMemoryTransport.createLinkedPair();
await server.connect(theirs);
const client = new Client({ name: "walks", version: "1" });
await client.connect(mine);

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/**
 * @param {string} tool
 * @param {Record<string, unknown>} args
 */
async function call(tool, args) {
  await inspector.post("Profiler.takePreciseCoverage");
  openings = 0;
  const reply = await client.callTool({ name: tool, arguments: args });
  const walked = openings;
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  if (reply.isError === true) throw new Error(JSON.stringify(reply.content));
  const seen = result.filter(
    ({ url, functions }) =>
      url.startsWith(rooms) &&
      functions.some(
        ({ ranges: [range] }) => range !== undefined && range.count > 0 && !(range.startOffset === 0 && isModule(functions, range)),
      ),
  );
  // Replies are looked into freely.
  const data = /** @type {any} */ (reply.structuredContent);
  return { data, openings: walked, files: seen.map(({ url }) => url.slice(rooms.length).replace(/\.js$/, ".ts")).sort() };
}

/**
 * The first function of a script is its module, which runs when it is loaded.
 *
 * @param {readonly { ranges: readonly { endOffset: number }[] }[]} functions
 * @param {{ endOffset: number }} range
 */
function isModule(functions, range) {
  return functions.every(({ ranges: [each] }) => each === undefined || each.endOffset <= range.endOffset);
}

/** Each walk on a run of its own; the second time nothing is loaded any more. */
async function walks() {
  /** @type {Record<string, Awaited<ReturnType<typeof call>>>} */
  const found = {};
  const first = (await call("workflow_start", { workflow: "plain" })).data;
  const named = { run_id: first.run_id };
  found["next"] = await call("workflow_next", named);
  found["report of a plain step"] = await call("workflow_progress", { ...named, action_id: first.action_id, result: "x" });
  const gate = await call("workflow_progress", { ...named, action_id: found["report of a plain step"].data.action_id, result: "y" });
  found["answer of a gate"] = await call("workflow_decide", { ...named, decision_id: gate.data.action_id, answer: "yes" });
  const { session_id: run_id, next_action: entry } = (await call("workflow_start", { workflow: "review" })).data;
  found["report of an entry"] = await call("workflow_progress", {
    run_id,
    action_id: entry.action_id,
    status: "completed",
    result: "read",
  });
  const batch = { run_id: (await call("workflow_start", { workflow: "calls" })).data.session_id, operation: "apply_fixes" };
  found["batch, preview"] = await call("workflow_batch", { ...batch, dry_run: true });
  const { confirmation_token: token } = found["batch, preview"].data;
  found["batch, confirmed"] = await call("workflow_batch", { ...batch, dry_run: false, confirmation_token: token });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text);
  return found;
}

await walks();
const found = await walks();
console.log(`${"one MCP call".padEnd(26)} files  most  openings of the run`);
for (const [name, { files: seen, openings: times }] of Object.entries(found)) {
  const limit = most[name];
  console.log(`${name.padEnd(26)} ${String(seen.length).padStart(5)} ${String(limit ?? "").padStart(5)} ${String(times).padStart(9)}`);
  if (process.argv.includes("--files")) console.log(seen.map((file) => `  ${file}`).join("\n"));
  if (times > 1 || (limit !== undefined && seen.length > limit)) process.exitCode = 1;
}
await client.close();
await server.close();
await opened.close();
rmSync(base, { recursive: true, force: true });
