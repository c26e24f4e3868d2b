import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GroupRecords } from "./group-records.ts";
import { groupRuns } from "./process-group.ts";
import { identify, isAlive } from "./process-identity.ts";
import { ShellCommands } from "./run-command.ts";

let base: string;
let groups: GroupRecords;
const started: number[] = [];
const never = new AbortController().signal;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-groups-")));
  groups = new GroupRecords(join(base, "store"), () => undefined);
});
afterEach(() => {
  for (const pid of started.splice(0)) if (groupRuns(pid)) process.kill(-pid, "SIGKILL");
  rmSync(base, { recursive: true, force: true });
});

const at = (name: string): string => join(base, name);
const records = (): string[] => (existsSync(at("store/groups")) ? readdirSync(at("store/groups")) : []);

/** A group that runs the command; `ready` is written by the command. */
async function group(command: string): Promise<{ readonly pid: number; readonly child: ChildProcess }> {
  const child = spawn("/bin/sh", ["-c", command], { cwd: base, detached: true, stdio: "ignore" });
  started.push(child.pid!);
  await until(() => existsSync(at("ready")));
  return { pid: child.pid!, child };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

/** Changes what is recorded, as if it had been written elsewhere or at another time. */
function rewrite(change: (record: Record<"leader" | "owner", Record<string, unknown>>) => void): void {
  for (const name of records()) {
    const record = JSON.parse(readFileSync(at(`store/groups/${name}`), "utf8")) as Record<"leader" | "owner", Record<string, unknown>>;
    change(record);
    writeFileSync(at(`store/groups/${name}`), JSON.stringify(record));
  }
}

const ownerDied = (): void => rewrite(({ owner }) => (owner["started"] = "0"));
const forever = "echo x > ready; while :; do sleep 0.1; done";

test("a group is ended with all its members, also those that ignore the polite signal, and its record goes", async () => {
  const { pid } = await group(`(trap "" TERM; ${forever}) & while :; do sleep 0.1; done`);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  expect(await groups.settle("run/e2", "end")).toBe(true);
  expect(groupRuns(pid)).toBe(true);
  expect(await groups.settle("run/e1", "end")).toBe(true);
  expect([groupRuns(pid), records()]).toEqual([false, []]);
});

test("the first record hides the store from git", async () => {
  const { pid } = await group(forever);
  groups.record(pid);
  expect(readdirSync(at("store")).toSorted()).toEqual([".gitignore", "groups"]);
});

test("what is left of a group whose leader is gone is ended, too", async () => {
  const { pid, child } = await group("sleep 300 & echo x > ready; until [ -e go ]; do sleep 0.02; done");
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  const exited = once(child, "exit");
  writeFileSync(at("go"), "");
  await exited;
  expect(groupRuns(pid)).toBe(true);
  await groups.settle("run/e1", "end");
  expect(groupRuns(pid)).toBe(false);
});

test("a group that is awaited comes to its own end", async () => {
  const { pid } = await group("echo x > ready; until [ -e go ]; do sleep 0.02; done; echo x > end");
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  const settled = groups.settle("run/e1", "await");
  writeFileSync(at("go"), "");
  expect(await settled).toBe(true);
  expect([existsSync(at("end")), groupRuns(pid), records()]).toEqual([true, false, []]);
});

test("a group that is awaited is ended when its time is over", async () => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 50 });
  expect(await groups.settle("run/e1", "await")).toBe(true);
  expect([groupRuns(pid), records()]).toEqual([false, []]);
});

test("a wait that is given up leaves group and record", async () => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  const stop = new AbortController();
  const settled = groups.settle("run/e1", "await", stop.signal);
  stop.abort();
  expect(await settled).toBe(false);
  expect([groupRuns(pid), records().length]).toEqual([true, 1]);
});

test("a process that has the number now is left alone", async () => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  rewrite(({ leader }) => (leader["started"] = "1"));
  expect(await groups.settle("run/e1", "end")).toBe(true);
  expect([groupRuns(pid), records()]).toEqual([true, []]);
});

test.each(["host", "namespace"])("a record of another %s is left alone, and forgotten after a week", async (which) => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  rewrite(({ leader, owner }) => (leader[which] = owner[which] = "elsewhere"));
  expect(await groups.settle("run/e1", "end")).toBe(true);
  expect(await groups.settleDead(never)).toEqual([]);
  expect([groupRuns(pid), records().length]).toEqual([true, 1]);
  const longAgo = Date.now() / 1000 - 8 * 24 * 60 * 60;
  utimesSync(at(`store/groups/${records()[0]}`), longAgo, longAgo);
  await groups.settleDead(never);
  expect([groupRuns(pid), records()]).toEqual([true, []]);
});

test("a record of before the computer was started again goes, and nothing is ended for it", async () => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  rewrite(({ leader, owner }) => (leader["boot"] = owner["boot"] = "earlier"));
  expect(await groups.settleDead(never)).toEqual([]);
  expect([groupRuns(pid), records()]).toEqual([true, []]);
});

test("of a process that died, what nobody takes up is ended, and what somebody may is named", async () => {
  const [server, command] = [await group(forever), await group(forever)];
  groups.record(server.pid);
  groups.record(command.pid, { key: "run/e1", timeoutMs: 60_000 });
  expect(await groups.settleDead(never)).toEqual([]);
  expect([groupRuns(server.pid), groupRuns(command.pid)]).toEqual([true, true]);
  ownerDied();
  expect(await groups.settleDead(never)).toEqual(["run/e1"]);
  expect([groupRuns(server.pid), groupRuns(command.pid), records().length]).toEqual([false, true, 1]);
});

test("a record that was not written to its end counts for nothing", async () => {
  const { pid } = await group(forever);
  groups.record(pid, { key: "run/e1", timeoutMs: 60_000 });
  writeFileSync(at(`store/groups/${records()[0]}`), "{");
  expect(await groups.settle("run/e1", "end")).toBe(true);
  expect(await groups.settleDead(never)).toEqual([]);
  expect([groupRuns(pid), records().length]).toEqual([true, 1]);
});

test("a process is alive under its own identity only", async () => {
  const { pid, child } = await group(forever);
  const identity = identify(pid);
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, started: "1" })).toBe(false);
  expect(isAlive({ ...identity, boot: "earlier" })).toBe(false);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  expect(isAlive(identity)).toBe(false);
});

/** Commands of one effect. */
function run(command: string, isHeld: () => Promise<boolean>): ReturnType<ShellCommands["run"]> {
  const commands = new ShellCommands({ parallel: 1, storeFolder: at("store"), groups, env: process.env, log: () => undefined });
  return commands.run({ command, cwd: base, timeoutMs: 60_000, keepBytes: 1000, claim: { run: "run", effect: "e1", isHeld } });
}

test("a command is recorded when its claim is looked at, has not begun then, and its record goes with it", async () => {
  let seen: unknown;
  const outcome = await run("echo x > began; ls store/groups | wc -l", async () => {
    seen = [records().length, existsSync(at("began"))];
    return true;
  });
  expect([seen, outcome.stdout.text.trim(), existsSync(at("began")), records()]).toEqual([[1, false], "1", true, []]);
});

test("a command whose effect another process has by now does not begin", async () => {
  expect(await run("echo x > began", async () => false)).toMatchObject({ ended: "cancelled" });
  expect([existsSync(at("began")), records()]).toEqual([false, []]);
});

test("a command whose claim cannot be looked at does not begin", async () => {
  expect(await run("echo x > began", () => Promise.reject(new Error("locked")))).toMatchObject({ ended: "cancelled" });
  expect([existsSync(at("began")), records()]).toEqual([false, []]);
});

test("a command of an effect does not begin unrecorded", async () => {
  writeFileSync(at("store"), "a file stands where the folder should be");
  const outcome = await run("echo x > began", async () => true);
  expect(outcome).toMatchObject({ ended: "not_started", problem: expect.stringContaining("could not be started") });
  expect(existsSync(at("began"))).toBe(false);
});

test("a program whose Waymark is killed before it was let go never begins", async () => {
  const contents = `import { spawnGated } from "./spawn-gated.ts";
    const { child } = spawnGated("/bin/sh", ["-c", "echo x > began"], { stdio: ["ignore", "pipe", "pipe"] });
    console.log(child.pid);
    setInterval(() => undefined, 1000);`;
  const outfile = at("gated.mjs");
  const stdin = { contents, resolveDir: import.meta.dirname, loader: "ts" as const };
  await build({ stdin, bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
  const waymark = spawn(process.execPath, [outfile], { cwd: base, stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(waymark.stdout, "data")) as [Buffer];
  const pid = Number(String(said));
  expect(groupRuns(pid)).toBe(true);
  waymark.kill("SIGKILL");
  await until(() => !groupRuns(pid));
  expect(existsSync(at("began"))).toBe(false);
});
