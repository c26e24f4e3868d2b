/** Two computers with a checkout each, one database: who may work, what is taken over, and what stays where it is. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { fakeAgent } from "../agents/run-turn.ts";
import { openMachine, type Machine } from "../support/machine.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres-database.ts";
import type { JournalLine } from "../support/driven-package.ts";

let database: TestDatabase | undefined;
const machines: Machine[] = [];
afterEach(async () => {
  await Promise.all(machines.splice(0).map((machine) => machine.close()));
  await database?.drop();
  database = undefined;
});

const workflow = `name: fan
description: Three parts, then the end.
nodes:
  - { id: one, prompt: Do one. }
  - { id: two, prompt: Do two. }
  - { id: three, prompt: Do three. }
  - { id: end, depends_on: [one, two, three], prompt: End it. }
`;

const solo = `name: solo
description: One part.
nodes:
  - { id: one, prompt: Do it alone. }
`;

const hour = 3_600_000;

/** Its agent leaves a line with the name of the machine for each turn; `before` is done ahead of that, but not in `solo`. */
async function open(url: string, name: string, clockMs: number, before: readonly object[] = []): Promise<Machine> {
  const machine = await openMachine({
    name,
    clockMs,
    url,
    files: {
      ".archon/workflows/fan.yaml": workflow,
      ".archon/workflows/solo.yaml": solo,
      ".gitignore": ".waymark/\n.archon/logs/\n.archon/artifacts/\n",
    },
    env: { WAYMARK_LEASE_TTL_MS: "3000", WAYMARK_LEASE_BEAT_MS: "500", WAYMARK_DRIVE_POLL_MS: "1000" },
  });
  machines.push(machine);
  const script = join(machine.folder, "script.json");
  const turn = [{ run: `echo ${name} >> ../turns`, ask: false }, { say: "Done." }];
  await writeFile(script, JSON.stringify([{ match: "alone", do: turn }, { do: [...before, ...turn] }]));
  const config = {
    agents: { fake: { protocol: "acp", command: [process.execPath, fakeAgent, `--script=${script}`], permission: "edit" } },
  };
  execFileSync("mkdir", ["-p", join(machine.folder, "config")]);
  await writeFile(join(machine.folder, "config/config.yaml"), JSON.stringify(config));
  return machine;
}

const work = ["work", "--agent", "fake", "--jsonl"];
const turns = async ({ folder }: Machine): Promise<readonly string[]> =>
  (await readFile(join(folder, "turns"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");

test("a killed worker's part is taken over by another computer that its user has allowed to, whatever the clocks say", async () => {
  database = await createTestDatabase();
  const hangs = { run: "sleep 600", ask: false };
  const first = await open(database.url, "first", hour, [hangs]);
  const second = await open(database.url, "second", -hour);
  expect(await first.waymark("allow", "fan", "--yes")).toMatchObject({ code: 0 });
  const { run_id: run } = await first.json<{ run_id: string }>("start", "fan");
  const dies = first.start(work);
  await dies.says(/"type":"step"/);

  // A store that another user made, then a workflow that this user has not allowed.
  expect(await second.waymark("runs", "--ids")).toMatchObject({ code: 0, stdout: `${run}\n` });
  expect(await second.waymark("adopt", "--yes")).toMatchObject({ code: 0 });
  const stranger = second.start(work);
  await stranger.says(/"type":"refuses".*You have not allowed it here: waymark allow fan/);
  stranger.process.kill("SIGTERM");
  expect(await stranger.ended).toBe(0);
  expect(await second.waymark("allow", "fan", "--yes")).toMatchObject({ code: 0 });

  const takes = second.start(work);
  await takes.says(/"type":"step".*"strand"/);
  dies.process.kill("SIGKILL");
  await takes.says(new RegExp(`"type":"leaves","run_id":"${run}"[^\\n]*"kind":"completed"`));
  takes.process.kill("SIGTERM");
  expect(await takes.ended).toBe(0);
  expect([await turns(first), await turns(second)]).toEqual([[], ["second", "second", "second", "second"]]);
  const journal = (await second.waymark("journal", run, "--limit", "1000", "--jsonl")).stdout.trim().split("\n");
  const events = journal.flatMap((line) => (JSON.parse(line) as JournalLine).events);
  expect(events.filter(({ type, why }) => type === "released" && why === "lost")).toHaveLength(1);
  expect(await database.query("select key from waymark_store.lease where expires_at > extract(epoch from now()) * 1000")).toEqual([]);
  expect(await first.waymark("doctor")).toMatchObject({ code: 0 });
});

test("two computers share the parts of one run, and each takes what its own user has allowed", async () => {
  database = await createTestDatabase();
  // A turn of the shared run lasts until there was one on the other computer.
  const meets = (own: string, other: string): object => ({
    run: `touch ${join(tmpdir(), own)}; while [ ! -e ${join(tmpdir(), other)} ]; do sleep 0.05; done`,
    ask: false,
  });
  const [here, there] = [`waymark-${randomUUID()}`, `waymark-${randomUUID()}`];
  const first = await open(database.url, "first", 0, [meets(here, there)]);
  const second = await open(database.url, "second", 0, [meets(there, here)]);
  await first.waymark("allow", "fan", "--yes");
  for (const name of ["fan", "solo"]) await second.waymark("allow", name, "--yes");
  const { run_id: alone } = await second.json<{ run_id: string }>("start", "solo");
  await first.waymark("adopt", "--yes");
  const one = first.start(work);
  await one.says(new RegExp(`"type":"refuses","run_id":"${alone}".*waymark allow solo`));
  const { run_id: fan } = await first.json<{ run_id: string }>("start", "fan");
  const two = second.start(work);
  const workers = [one, two];
  await two.says(new RegExp(`"type":"leaves","run_id":"${alone}"[^\\n]*"kind":"completed"`));
  await Promise.race(workers.map((worker) => worker.says(new RegExp(`"type":"leaves","run_id":"${fan}"[^\\n]*"kind":"completed"`))));
  for (const worker of workers) worker.process.kill("SIGTERM");
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
  const [byFirst, bySecond] = [await turns(first), await turns(second)];
  expect([byFirst.length > 0, bySecond.length > 1, byFirst.length + bySecond.length]).toEqual([true, true, 5]);
  for (const name of [here, there]) await rm(join(tmpdir(), name));
});

test("a worker says at its start that the store is not its user's, and takes up at once what is allowed while it runs", async () => {
  database = await createTestDatabase();
  const first = await open(database.url, "first", 0);
  const second = await open(database.url, "second", 0);
  await first.waymark("allow", "solo", "--yes");
  const { run_id: run } = await first.json<{ run_id: string }>("start", "solo");
  const early = await second.waymark("work");
  expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining("STORE_NOT_ADOPTED") });
  expect(early.stderr).toMatch(/waymark adopt.*waymark allow <workflow>/);
  expect(early.stdout).not.toContain("Waiting for work");
  await second.waymark("adopt", "--yes");
  const worker = second.start(work);
  await worker.says(/"type":"refuses".*waymark allow solo/);
  expect(await second.waymark("allow", "solo", "--yes")).toMatchObject({ code: 0 });
  await worker.says(new RegExp(`"type":"leaves","run_id":"${run}"[^\\n]*"kind":"completed"`));
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
}, 40_000);

test("what a worker gave back when it was cancelled is held by nobody", async () => {
  database = await createTestDatabase();
  const first = await open(database.url, "first", 0, [{ run: "sleep 600", ask: false }]);
  await first.waymark("allow", "fan", "--yes");
  const { run_id: run } = await first.json<{ run_id: string }>("start", "fan");
  const worker = first.start(work);
  await worker.says(/"type":"step"/);
  expect((await first.waymark("status", run)).stdout).toMatch(/ fake$/m);
  worker.process.kill("SIGTERM");
  await worker.complains(/A second signal cancels them/);
  worker.process.kill("SIGTERM");
  await worker.ended;
  const { stdout } = await first.waymark("status", run);
  expect(stdout).not.toContain("(gone)");
  expect(stdout.match(/ nobody$/gm)).toHaveLength(4);
});

test("a run with a worktree is continued on the computer that has it", async () => {
  database = await createTestDatabase();
  const first = await open(database.url, "first", 0, [{ run: "sleep 600", ask: false }]);
  const second = await open(database.url, "second", 0);
  const git = (...args: readonly string[]): string => execFileSync("git", ["-C", first.workspace, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  await first.waymark("allow", "fan", "--yes");
  const dies = first.start(["run", "fan", "--worktree", "--agent", "fake", "--jsonl"]);
  await dies.says(/"doing":"shell sleep 600"/);
  const [, run = ""] = /"run_id":"([^"]+)"/.exec(dies.stdout()) ?? [];
  await second.waymark("adopt", "--yes");
  await second.waymark("allow", "fan", "--yes");
  expect((await second.waymark("status", run)).stdout).toContain(` fake at first, process ${dies.process.pid}\n`);
  expect((await first.waymark("status", run)).stdout).toMatch(/ fake$/m);
  const held = await second.waymark("rm", run, "--yes");
  expect(held).toMatchObject({ code: 2, stderr: expect.stringContaining("CLI_RUN_DRIVEN") });
  expect(held.stderr).toContain(`is driven by \`fake\` (first, process ${dies.process.pid}). Nothing was removed.`);
  dies.process.kill("SIGKILL");
  // Another computer does not see it.
  await rename(join(first.folder, "data/worktrees"), join(first.folder, "hidden"));
  const looks = second.start(work);
  await looks.says(/"type":"refuses".*It continues on the computer `first`, which has its worktree/);
  looks.process.kill("SIGTERM");
  expect(await looks.ended).toBe(0);
  const drive = await second.waymark("drive", run, "--agent", "fake");
  expect(drive).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_FOLDER_ELSEWHERE") });
  expect(drive.stderr).toContain("Continue the run on the computer `first`");
  const status = await second.waymark("status", run);
  expect(status.stdout).toMatch(/^Worktree: .*\. It is on the computer `first`, and the run continues there\.$/m);
  for (const { stdout, stderr } of [drive, status]) expect(stdout + stderr).not.toMatch(/removed|waymark abort/);
  // There it is known to be gone.
  expect((await first.waymark("drive", run, "--agent", "fake")).stderr).toContain("CLI_NO_WORKTREE");
  const next = await second.waymark("next", run);
  expect(next.stderr).toContain("ENGINE_FOLDER_ELSEWHERE");
  expect(await turns(second)).toEqual([]);
  // Its driver is dead, which another computer knows when the lease is over, at the latest.
  const removed = await second.waymark("rm", run, "--yes", "--force");
  expect(removed.stdout).toMatch(
    /^Its worktree \S+ is on the computer `first` and stays there\. To remove it there:\n {2}git worktree remove /m,
  );
});

test("a worker that cannot work at all does not wait for work: it says why and ends", async () => {
  const refused = await openMachine({
    name: "third",
    files: {},
    url: "postgres://ada@127.0.0.1:9/runs",
    env: { WAYMARK_STORE_WAIT_MS: "100" },
  });
  machines.push(refused);
  const [withoutDatabase, withoutAgent] = await Promise.all([refused.waymark("work"), refused.waymark("work", "--agent", "nobody")]);
  expect(withoutDatabase).toMatchObject({ code: 5, stderr: expect.stringContaining("STORE_UNREACHABLE") });
  expect(withoutAgent).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no agent `nobody`.") });
  for (const { stdout } of [withoutDatabase, withoutAgent]) expect(stdout).not.toContain("Waiting for work");
});
