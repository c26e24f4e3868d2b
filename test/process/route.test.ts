/** Routing by the built package: on the command line, with an agent of its own process, and over MCP. */
import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { openDrivenPackage, type DrivenPackage, type FakeAgent } from "../support/driven-package.ts";
import { routedProject } from "../support/routed-project.ts";
import { spawnClient } from "./mcp-client.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const open = async (agents: Readonly<Record<string, FakeAgent>> = {}, settings: object = {}): Promise<void> => {
  built = await openDrivenPackage(routedProject(), { agents, ...settings });
};
const request = "please check the accessibility of our sign-up flow";

async function routed(args: readonly string[], code = 0): Promise<Record<string, unknown>> {
  const ended = await built.waymark(["route", ...args, "--json"]);
  expect(ended.code, ended.stderr).toBe(code);
  return JSON.parse(ended.stdout) as Record<string, unknown>;
}

test("workflows of each dialect are found by words, and nothing is started", async () => {
  await open();
  const wanted = {
    "rebase this branch onto main please": "resolve-conflicts",
    "cut a release": "release:cut",
    [request]: "accessibility-audit",
    "production is down, start incident response": "incident-response",
    "plan user interviews about the new checkout": "interview_bot",
    "the AL code has Error calls, start the ErrorInfo migration": "error-to-errorinfo-migration",
  };
  for (const [message, workflow] of Object.entries(wanted))
    expect(await routed([message]), message).toMatchObject({
      kind: "route",
      workflow,
      by: "words",
      next_command: expect.stringContaining(`start ${workflow}`),
    });
  expect(await routed(["don't run the accessibility audit"])).toMatchObject({ kind: "converse" });
  const { stdout } = await built.waymark(["status", "--json"]);
  expect(stdout).not.toContain("wf-");
});

test("an agent decides, may not write, and gets the seed's prompt", async () => {
  const script = [
    {
      match: "# Router",
      do: [{ write: { file: "planted.txt", text: "x" } }, { say: "I see.\n" }, { say: "WORKFLOW: docs-review\nRead the sign-up page." }],
    },
  ];
  await open({ helper: { script } });
  expect(await routed([request, "--agent", "helper"])).toMatchObject({
    kind: "route",
    workflow: "docs-review",
    intent: "Read the sign-up page.",
    by: "model",
    candidates: [{ workflow: "docs-review" }, { workflow: "accessibility-audit" }, {}],
  });
  await expect(readFile(`${built.workspace}/planted.txt`)).rejects.toThrow("ENOENT");
  const [prompt] = await built.prompts();
  expect(prompt?.text).toContain(`## User Request\n\n"${request}"`);
  expect(prompt?.text).toContain("- **release:cut**: Cuts a release.");
});

test.each<[string, FakeAgent]>([
  ["crashes", { args: ["--kind=death"] }],
  ["is not logged in", { args: ["--kind=auth"] }],
  ["is at its limit", { args: ["--kind=limit"] }],
  ["says nothing", { args: ["--kind=empty-turn"] }],
  ["hangs", { args: ["--kind=hang"] }],
])("words decide where the agent %s, and the note says so", async (_what, agent) => {
  await open({ helper: agent }, { drive: { idle_ms: 1000 } });
  const { notes, ...decided } = await routed([request, "--agent", "helper"]);
  expect(decided).toMatchObject({ kind: "route", workflow: "accessibility-audit", by: "words" });
  expect(notes).toEqual([expect.stringMatching(/^The router's agent (?:failed|gave no answer), so words decided/)]);
});

test("an answer that names no workflow is shown; garbage on the wire is not", async () => {
  await open({ helper: { args: ["--kind=garbage"] } });
  expect(await routed([request, "--agent", "helper"])).toMatchObject({ kind: "converse", by: "model", answer: "Still here." });
});

test("over MCP a request comes to the call that starts the workflow with it", async () => {
  await open();
  const client = await spawnClient(built.command(["mcp"]), "modern");
  try {
    const { data } = await client.call("workflow_route", { request: "implement password reset via email" });
    expect(data).toMatchObject({ kind: "route", next_call: { tool: "workflow_start" } });
    expect(data.candidates[0]).toMatchObject({ workflow: "feature-development", takes: "user_message" });
    const started = await client.call(data.next_call.tool, data.next_call.arguments);
    expect(started.text).toContain("implement password reset via email");
  } finally {
    await client.close();
  }
});
