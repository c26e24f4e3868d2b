/**
 * A process that is killed holds nothing: what it had is free for the next call of anybody, and what was done of it still counts. Leases
 * last an hour here, so that nothing which waited for one would come to its end.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { review } from "../support/checklist-sample.ts";
import { openDrivenPackage, planPrompt, twoPrompts, writesPlan, type DrivenPackage } from "../support/driven-package.ts";
import { handedOut } from "../support/handed-out.ts";

const workflow = (name: string, steps: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\nsteps:\n${steps}`;
const files = {
  ...twoPrompts,
  ".waymark/workflows/dead__ask.yaml": workflow(
    "dead:ask",
    `  - { id: work, type: agent_shell_command, command: make, on_lost: ask, state_update: { path: raw.out } }
  - { id: after, type: user_message, message: "{{ out }}" }`,
  ),
  ".waymark/workflows/dead__slow.yaml": workflow(
    "dead:slow",
    `  - { id: slow, type: shell_command, command: "test -e begun || { echo $$ > begun.new; mv begun.new begun; exec sleep 1000; }" }
  - { id: after, type: user_message, message: done }`,
  ),
  ".waymark/workflows/review.workflow.yaml": review,
  "a.js": "1",
  "b.js": "2",
};

/** `deadly` kills its runner in the middle of the first turn; `able` does both steps. */
const finish = { do: [{ say: "Finished." }] };
const agents = {
  able: { script: [{ match: planPrompt, do: [writesPlan] }, finish] },
  deadly: { script: [{ match: planPrompt, do: [{ signal: "SIGKILL" }, { hang: true }] }, finish] },
};

let built: DrivenPackage;
const clients: TestClient[] = [];
beforeEach(async () => {
  built = await openDrivenPackage(files, { agents, lease: { ttl_ms: 3_600_000 } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await built.close();
});

async function client(): ReturnType<typeof spawnClient> {
  const opened = await spawnClient(built.command(["mcp"]), "legacy");
  clients.push(opened);
  return opened;
}

/** Kills the server of a client and waits until the client knows. */
async function kill({ client: mcp, pid }: Awaited<ReturnType<typeof spawnClient>>): Promise<void> {
  const gone = new Promise<void>((resolve) => (mcp.onclose = resolve));
  process.kill(pid, "SIGKILL");
  await gone;
}

async function allowUnattended(workflow: string): Promise<void> {
  await built.start(["allow", workflow, "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" }).ended;
}

test("the next caller has the step at the first call, by the policy of the step", async () => {
  const [first, second] = [await client(), await client()];
  const { run_id } = (await first.call("workflow_start", { workflow: "dead:ask" })).data;
  await kill(first);
  const asked = (await second.call("workflow_next", { run_id })).data;
  expect(asked).toMatchObject({ status: "question", step: { id: handedOut("work") } });
});

test("a report by the id of the step counts at the first call, whatever the policy of the step is", async () => {
  const [first, second] = [await client(), await client()];
  const { run_id, action_id } = (await first.call("workflow_start", { workflow: "dead:ask" })).data;
  await kill(first);
  const reported = (await second.call("workflow_progress", { run_id, action_id, result: "made" })).data;
  expect(reported).toMatchObject({ recorded: "now", step: { definition: { message: "made" } } });
});

test("a finding about the file of a checklist counts at the first call and is no drift", async () => {
  const [first, second] = [await client(), await client()];
  const begun = (await first.call("workflow_start", { workflow_type: "review" })).data;
  const { session_id: run_id, action_id } = begun;
  await kill(first);
  const said = { findings: [{ severity: "error", description: "Broken" }] };
  const reported = (await second.call("workflow_progress", { run_id, action_id, status: "completed", result: "read", ...said })).data;
  expect(reported).toMatchObject({ next_action: { file: "a.js" } });
  const shown = built.start(["journal", run_id, "--jsonl"]);
  await shown.ended;
  expect(shown.stdout()).toContain("Broken");
  expect(shown.stdout()).not.toContain("ENGINE_OFF_COURSE");
});

test("a command that a killed server was running is taken up at the first call", async () => {
  const [first, second] = [await client(), await client()];
  await allowUnattended("dead:slow");
  const starting = first.call("workflow_start", { workflow: "dead:slow" }).catch(() => undefined);
  const mark = join(built.workspace, "begun");
  for (const until = Date.now() + 60_000; !existsSync(mark) && Date.now() < until;) await new Promise((resolve) => setImmediate(resolve));
  const {
    runs: [{ run_id }],
  } = (await second.call("workflow_status")).data;
  await kill(first);
  await starting;
  process.kill(Number(readFileSync(mark, "utf8")), "SIGKILL");
  const then = (await second.call("workflow_next", { run_id })).data;
  expect(then).toMatchObject({ step: { id: handedOut("after") } });
});

test("`waymark drive` has at once what a killed server held", async () => {
  const first = await client();
  await allowUnattended("two");
  const { run_id } = (await first.call("workflow_start", { workflow: "two" })).data;
  await kill(first);
  expect(await built.waymark(["drive", run_id, "--agent", "able"])).toMatchObject({ code: 0 });
  expect(await built.status(run_id)).toMatchObject({ status: "completed" });
});

test("what a killed runner held is handed out at the first call of a client, and once its server is killed at once to the next runner", async () => {
  const second = await client();
  await allowUnattended("two");
  const { code, run: run_id } = await built.waymark(["run", "two", "--agent", "deadly"]);
  expect(code).toBe("SIGKILL");
  expect((await second.call("workflow_next", { run_id })).data).toMatchObject({ step: { id: handedOut("plan") } });
  await kill(second);
  expect(await built.waymark(["drive", run_id, "--agent", "able"])).toMatchObject({ code: 0 });
  expect(await built.status(run_id)).toMatchObject({ status: "completed" });
});
