import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Children } from "../ports/index.ts";
import { GroupRecords } from "./group-records.ts";
import { createChildren } from "./start-child.ts";

let store: string;
let groups: GroupRecords;
let children: Children;
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "waymark-children-"));
  groups = new GroupRecords(store, () => undefined);
  children = createChildren(groups);
});
afterEach(() => rmSync(store, { recursive: true, force: true }));

const records = (): string[] => readdirSync(join(store, "groups")).map((name) => join(store, "groups", name));

const start = (code: string, env: Record<string, string> = {}) =>
  children.start({ command: process.execPath, args: ["-e", code], cwd: tmpdir(), env });

test("what is written to a child comes back, with its exit and its last words", async () => {
  const child = await start(
    "process.stdin.pipe(process.stdout); process.stdin.on('end', () => { console.error('bye'); process.exitCode = 3; });",
  );
  await child.write("héllo\n");
  child.endInput();
  let said = "";
  for await (const text of child.output) said += text;
  expect(said).toBe("héllo\n");
  expect(await child.exited).toEqual({ code: 3, signal: null });
  expect(child.errors().trim()).toBe("bye");
  await child.end();
});

test("a child has exactly the environment that it is given", async () => {
  const child = await start("console.log(JSON.stringify(process.env))", { ONLY: "this" });
  let said = "";
  for await (const text of child.output) said += text;
  expect(JSON.parse(said)).toEqual({ ONLY: "this" });
  await child.end();
});

test("the end of a child is the end of what it started", async () => {
  const inner = "setInterval(() => undefined, 1000)";
  const child = await start(
    `const { pid } = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}]); console.log(pid); ${inner}`,
  );
  const [line = ""] = (await child.output[Symbol.asyncIterator]().next()).value?.split("\n") ?? [];
  const pid = Number(line);
  expect(isRunning(pid)).toBe(true);
  await child.end();
  expect(isRunning(pid)).toBe(false);
  await expect(child.write("x")).rejects.toThrow("destroyed");
});

/** A process that is dead and only waits to be collected does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("a program that does not exist is the system's reason", async () => {
  await expect(children.start({ command: "/nowhere/x", args: [], cwd: tmpdir(), env: {} })).rejects.toThrow("ENOENT");
});

test("what a Waymark that was killed has left is ended by who looks for it; what a living one started is not", async () => {
  const forever = "setInterval(() => undefined, 1000); console.log(process.pid)";
  const pidOf = async ({ output }: { output: AsyncIterable<string> }): Promise<number> =>
    Number((await output[Symbol.asyncIterator]().next()).value);
  const left = await start(forever);
  const leftPid = await pidOf(left);
  const [record = ""] = records();
  const facts = JSON.parse(readFileSync(record, "utf8")) as { owner: Record<string, unknown> };
  writeFileSync(record, JSON.stringify({ ...facts, owner: { ...facts.owner, started: "0" } }));
  const next = await start(forever);
  const nextPid = await pidOf(next);
  await groups.settleDead(new AbortController().signal);
  expect([isRunning(leftPid), isRunning(nextPid)]).toEqual([false, true]);
  for (const child of [left, next]) await child.end();
  expect(records()).toEqual([]);
});
