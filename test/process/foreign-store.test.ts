/** A project that brings a store with an open run: nothing of it runs before a person has adopted the store and allowed the workflow. */
import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";

const workflow = `
name: foreign
steps:
  - { id: look, type: user_message, message: "look" }
  - { id: make, type: shell_command, command: "touch made" }
  - { id: after, type: user_message, message: "after" }
`;

let brought: Package;
const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await brought.close();
});

const alone = { WAYMARK_ALLOW_UNATTENDED: "1" };

async function waymark(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ readonly code: number | string; readonly said: string }> {
  const child = brought.start(args, env);
  const code = await child.ended;
  return { code, said: `${child.stdout()}${child.stderr()}` };
}

async function clientOf(env: Record<string, string> = {}, folder = brought.workspace): Promise<TestClient> {
  const client = await spawnClient(brought.command(["-C", folder, "mcp"], env), "legacy");
  clients.push(client);
  return client;
}

/** A run whose next step is the command, in a store that the first user made. */
async function openRun(): Promise<string> {
  brought = await openPackage({ ".waymark/workflows/foreign.yaml": workflow });
  expect((await waymark(["allow", "foreign", "--yes"], alone)).code).toBe(0);
  const maker = await clientOf();
  const started = await maker.call("workflow_start", { workflow: "foreign" });
  expect(await waymark(["allow", "foreign", "--revoke"])).toMatchObject({ code: 0 });
  const run = String(started.data["run_id"]);
  const stopped = await maker.call("workflow_progress", { run_id: run, status: "success" });
  for (const said of ["waymark allow foreign", "command: touch made", "when a person has allowed it"]) expect(stopped.text).toContain(said);
  await clients.pop()?.close();
  return run;
}

const made = (folder = brought.workspace): boolean => existsSync(join(folder, "made"));

test("another user's store can be looked at; its run continues only after `adopt` and `allow`", async () => {
  const run = await openRun();
  const other = { WAYMARK_DATA_HOME: join(brought.workspace, "..", "other") };
  for (const looking of [["status", run], ["runs"], ["journal", run], ["doctor"]])
    expect([looking, await waymark(looking, other)]).toEqual([looking, expect.objectContaining({ code: 0 })]);

  const client = await clientOf(other);
  const calls: readonly [string, Record<string, unknown>][] = [
    ["workflow_next", { run_id: run }],
    ["workflow_resume", { run_id: run }],
    ["workflow_retry", { run_id: run }],
    ["workflow_start", { workflow: "foreign" }],
  ];
  await waymark(["allow", "foreign", "--yes"], { ...other, ...alone });
  for (const [tool, args] of calls) {
    const refused = await client.call(tool, args);
    expect([tool, refused.isError, refused.text.includes("STORE_NOT_ADOPTED")]).toEqual([tool, true, true]);
    for (const said of [`waymark -C ${brought.workspace} adopt`, run, "foreign", join(brought.workspace, ".waymark", "store")])
      expect(refused.text).toContain(said);
  }
  expect(made()).toBe(false);
  await waymark(["allow", "foreign", "--revoke"], other);

  const unattended = await waymark(["adopt", "--yes"], other);
  expect(unattended).toMatchObject({ code: 2, said: expect.stringContaining("CLI_UNATTENDED") as string });
  const adopted = await waymark(["--json", "adopt", "--yes"], { ...other, ...alone });
  expect(JSON.parse(adopted.said)).toMatchObject({
    adopted: true,
    open_runs: [{ run, workflow: "foreign", runs: [{ kind: "command", text: "touch made" }] }],
  });
  expect((await client.call("workflow_next", { run_id: run })).text).toContain("waymark allow foreign");
  expect(made()).toBe(false);
  expect((await waymark(["allow", "foreign", "--yes"], { ...other, ...alone })).code).toBe(0);
  expect((await client.call("workflow_next", { run_id: run })).text).toContain("after");
  expect(made()).toBe(true);
});

test("a store that was moved with its project stays its user's own, and a copy is not", async () => {
  const run = await openRun();
  const [moved, copied] = [`${brought.workspace}-moved`, `${brought.workspace}-copied`];
  cpSync(brought.workspace, copied, { recursive: true });
  const copy = await clientOf({}, copied);
  expect((await copy.call("workflow_next", { run_id: run })).text).toContain("STORE_NOT_ADOPTED");
  renameSync(brought.workspace, moved);
  mkdirSync(brought.workspace);
  const said = (await waymark(["-C", moved, "next", run])).said;
  expect(said).toMatch(/`waymark -C \S+ allow foreign`/);
  expect(said).not.toContain("STORE_NOT_ADOPTED");
});

test("processes that make a store at the same moment all own it", async () => {
  brought = await openPackage({
    ".waymark/workflows/plain.yaml": "name: plain\nsteps: [{ id: look, type: user_message, message: look }]\n",
  });
  const started = await Promise.all([1, 2, 3, 4].map(() => waymark(["start", "plain"])));
  expect(started.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
});
