/** (e) What the tools and a reply cost in tokens of o200k_base. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openBenchEngine } from "./bench-engine.ts";
import { Verdict } from "./verdict.ts";

/** A step of each simple kind that an agent is handed. */
const workflow = `name: "standards:fix"
description: Fixes standards in changed files.
version: "1.0.0"
inputs: { branch: { type: string, default: main } }
steps:
  - { id: detect_files, type: agent_shell_command, command: "git diff --name-only {{ inputs.branch }}", output_format: lines, reason: "needs your checkout", state_update: { path: raw.git_files } }
  - { id: check_types, type: mcp_call, mcp: { method: check_typescript, params: { files: "{{ git_files }}" } }, state_update: { path: raw.types } }
  - { id: report_complete, type: user_message, message: "Processed {{ git_files.length }} files with 23 fixes applied" }
`;
const results: readonly unknown[] = [["src/index.ts", "src/a.ts"], { errors: 0 }, undefined];

const { workspace, env, close } = await openBenchEngine([workflow]);
await close();
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [join(process.cwd(), "dist", "waymark.js"), "mcp"],
  cwd: workspace,
  env: env as Record<string, string>,
});
const client = new Client({ name: "bench", version: "1.0.0" });
await client.connect(transport);

const verdict = new Verdict();
verdict.title("(e) tokens in o200k_base");
const { tools } = await client.listTools();
const listed = tools.map(({ name, description, inputSchema }) => encode(JSON.stringify({ name, description, inputSchema })).length);
verdict.count(
  `name, description, schema of the ${tools.length} default tools`,
  listed.reduce((sum, tokens) => sum + tokens, 0),
  2_000,
);

interface Reply {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: { readonly run_id: string; readonly action_id: string; readonly step: { readonly type: string } };
}
const call = async (name: string, args: Record<string, unknown>): Promise<Reply> =>
  (await client.callTool({ name, arguments: args })) as unknown as Reply;
const { run_id } = (await call("workflow_start", { workflow: "standards:fix" })).structuredContent;
for (const result of results) {
  const { content, structuredContent } = await call("workflow_next", { run_id });
  const parts = [content.map((part) => part.text).join("\n"), JSON.stringify(structuredContent)].map((text) => encode(text).length);
  verdict.count(`workflow_next, ${structuredContent.step.type}: larger part`, Math.max(...parts), 250);
  await call("workflow_progress", { run_id, action_id: structuredContent.action_id, ...(result === undefined ? {} : { result }) });
}
await client.close();
verdict.finish();
