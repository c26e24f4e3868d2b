import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { children } from "./start-child.ts";

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
