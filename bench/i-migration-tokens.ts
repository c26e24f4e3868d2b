/** (i) What a migration costs an agent in tokens of o200k_base, over the built server: up to the first decision, and to its end. */
import { mkdirSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openBenchEngine } from "./bench-engine.ts";
import { Verdict } from "./verdict.ts";

const workflow = "error-to-errorinfo-migration";

/** What of a reply an agent goes by. */
interface ReplyData {
  readonly session_id: string;
  readonly confirmation_token?: string;
  readonly next_call: { readonly arguments: Record<string, unknown> };
  readonly next_action?: {
    readonly type?: string;
    readonly action?: string;
    readonly file?: string;
    readonly checklist_item_id?: string;
    readonly tool_call?: { readonly tool: string; readonly args: Record<string, unknown> };
  };
}

interface Reply {
  readonly cost: number;
  readonly data: ReplyData;
}

interface Agent {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

/** An application of so many files; the first ones hold a call that a person must look at, every tenth of the others one that is certain. */
async function agentOn(files: number, manual: number): Promise<Agent> {
  const { workspace, env, close } = await openBenchEngine([]);
  await close();
  writeFileSync(join(workspace, "app.json"), '{ "name": "Bench", "runtime": "13.0" }\n');
  for (let index = 0; index < files; index += 1) {
    const folder = join(workspace, "src", `area${Math.floor(index / 400)}`);
    if (index % 400 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `Object${index}.Codeunit.al`),
      codeunit(index, index < manual ? "manual" : index % 10 === 0 ? "certain" : "none"),
    );
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), "dist", "waymark.js"), "mcp"],
    cwd: workspace,
    env: env as Record<string, string>,
  });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  return {
    call: async (name, args) => {
      const reply = (await client.callTool({ name, arguments: args }, { timeout: 600_000 })) as unknown as {
        readonly content: readonly { readonly text: string }[];
        readonly structuredContent: ReplyData;
      };
      const parts = [reply.content.map((part) => part.text).join("\n"), JSON.stringify(reply.structuredContent)];
      return { cost: Math.max(...parts.map((text) => encode(text).length)), data: reply.structuredContent };
    },
    close: () => client.close(),
  };
}

function codeunit(index: number, kind: "manual" | "certain" | "none"): string {
  const body = {
    manual: `        Reason := GetReason(${index});\n        Error(Reason);\n`,
    certain: `        Error('Object ${index} cannot be posted.');\n`,
    none: `        Message('Object ${index} is fine.');\n`,
  }[kind];
  return `codeunit ${50_000 + index} "Object ${index}"\n{\n    procedure Check()\n    var\n        Reason: Text;\n    begin\n${body}    end;\n}\n`;
}

/** Asks until a person must decide; answers what that cost and the last reply. */
async function toDecision({ call }: Agent): Promise<{ readonly cost: number; readonly reply: Reply }> {
  let reply = await call("workflow_start", { workflow_type: workflow });
  let cost = reply.cost;
  while (reply.data.next_action?.type !== "user_decision") {
    reply = await call("workflow_next", { session_id: reply.data.session_id });
    cost += reply.cost;
  }
  return { cost, reply };
}

const verdict = new Verdict();
verdict.title("(i) tokens of a migration in o200k_base, larger part of each reply");
const costs: number[] = [];
for (const files of [100, 10_000]) {
  const agent = await agentOn(files, 10);
  const { cost } = await toDecision(agent);
  costs.push(cost);
  verdict.count(`start to the first decision, ${files} files`, cost, 1_500);
  await agent.close();
}
verdict.count("difference between them", Math.abs((costs[0] ?? 0) - (costs[1] ?? 0)), 30);

const manual = 150;
const agent = await agentOn(1_000, manual);
const { cost: begun, reply: first } = await toDecision(agent);
const { session_id } = first.data;
let rest = begun;
const counted = async (name: string, args: Record<string, unknown>): Promise<Reply> => {
  const reply = await agent.call(name, args);
  rest += reply.cost;
  return reply;
};
const chosen = await counted("workflow_progress", { ...first.data.next_call.arguments, answer: "apply_auto_first" });
const { tool = "", args = {} } = chosen.data.next_action?.tool_call ?? {};
const dry = await counted(tool, args);
await counted("workflow_batch", {
  session_id,
  operation: "apply_fixes",
  filter: { auto_fixable_only: true },
  confirmation_token: dry.data.confirmation_token,
});
let cases = 0;
let most = 0;
let all = 0;
let reply = await agent.call("workflow_next", { session_id });
while (reply.data.next_action?.action === "convert_instance") {
  cases += 1;
  all += reply.cost;
  most = Math.max(most, reply.cost);
  const { file, checklist_item_id } = reply.data.next_action;
  const completed_action = { action: "convert_instance", file, checklist_item_id, status: "skipped", skip_reason: "Looked at; it stays." };
  reply = await agent.call("workflow_progress", { session_id, completed_action });
}
rest += reply.cost;
await counted("workflow_complete", { session_id, generate_report: true });
await agent.close();
verdict.exactly("cases handed out one by one, in 1,000 files", cases, manual);
verdict.count("the largest reply for a case", most, 400);
verdict.count("everything but the cases", rest, 5_000);
verdict.count("the whole migration", all + rest, manual * 400 + 5_000);
verdict.finish();
