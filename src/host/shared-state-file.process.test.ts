import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSharedState, sharedStatePaths, type SharedState } from "./shared-state-file.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-shared-"));
const child = join(folder, "child.mjs");

/** Counts up under its own name, through the file. */
const source = `import { createSharedState } from "./shared-state-file.ts";
const [path, name, times] = process.argv.slice(2);
for (let count = 1; count <= Number(times); count++) {
  const state = createSharedState({
    paths: [path],
    delayMs: 0,
    log: (level, message) => console.error(level, message),
    changeOf: async () => ({ merge: (existing) => ({ text: JSON.stringify({ ...JSON.parse(existing ?? "{}"), [name]: count }) }) }),
  });
  state.moved("run");
  await state.close();
  console.log(count);
}`;

beforeAll(async () => {
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: "ts" },
    outfile: child,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function counter(path: string, into: string[] = []): SharedState {
  return createSharedState({
    paths: [path],
    delayMs: 1,
    log: (_level, message) => into.push(message),
    changeOf: async (run) => ({ merge: (existing) => ({ text: `${existing ?? ""}${run}\n` }) }),
  });
}

test("several processes lose nothing of each other, and the file is whole at every moment", async () => {
  const path = join(folder, "many.json");
  const children = ["a", "b", "c", "d"].map((name) =>
    spawn(process.execPath, [child, path, name, "25"], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  const ended = Promise.all(children.map(async (each) => (await once(each, "exit"))[0] as number));
  let over = false;
  void ended.then(() => (over = true));
  let looks = 0;
  while (!over) {
    if (existsSync(path)) JSON.parse(readFileSync(path, "utf8"));
    looks += 1;
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  expect(await ended).toEqual([0, 0, 0, 0]);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ a: 25, b: 25, c: 25, d: 25 });
  expect(looks).toBeGreaterThan(5);
  expect(readdirSync(folder).filter((name) => name.startsWith("many.json"))).toEqual(["many.json"]);
});

test("processes killed at any moment leave a whole file, and do not hold up the others", async () => {
  const path = join(folder, "killed.json");
  for (let round = 0; round < 8; round++) {
    const victim = spawn(process.execPath, [child, path, `v${round}`, "1000000"], { stdio: ["ignore", "pipe", "inherit"] });
    const gone = once(victim, "exit");
    let seen = 0;
    victim.stdout.on("data", () => (seen += 1) === round + 1 && victim.kill("SIGKILL"));
    await gone;
  }
  const before = Object.keys(JSON.parse(readFileSync(path, "utf8")) as object).length;
  expect(before).toBe(8);
  const last = spawn(process.execPath, [child, path, "last", "2"], { stdio: ["ignore", "ignore", "inherit"] });
  expect(await once(last, "exit")).toEqual([0, null]);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ last: 2 });
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("the lock of a process that died is taken away at once", async () => {
  const path = join(folder, "dead.txt");
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: dead.pid, host: hostname(), id: "x" }));
  const state = counter(path);
  state.moved("one");
  await state.close();
  expect(readFileSync(path, "utf8")).toBe("one\n");
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("changes close together are written once, the last of them when it is closed, none afterwards", async () => {
  const path = join(folder, "together.txt");
  let asked = 0;
  const state = createSharedState({
    paths: [path],
    delayMs: 60_000,
    log: () => undefined,
    changeOf: async () => ({ merge: () => ({ text: String((asked += 1)) }) }),
  });
  for (let count = 0; count < 50; count++) state.moved("run");
  expect(existsSync(path)).toBe(false);
  await state.close();
  state.moved("run");
  await state.close();
  expect({ asked, text: readFileSync(path, "utf8") }).toEqual({ asked: 1, text: "1" });
});

test("what cannot be written is logged and harms nothing", async () => {
  writeFileSync(join(folder, "plain"), "");
  const said: string[] = [];
  const state = counter(join(folder, "plain", "below.txt"), said);
  state.moved("one");
  await state.close();
  expect(said).toEqual([expect.stringContaining("run one could not be written")]);
});

test("the file is named by either variable; both may be set", () => {
  expect(sharedStatePaths({})).toEqual([]);
  expect(sharedStatePaths({ WAYMARK_STATE_PATH: " " })).toEqual([]);
  expect(sharedStatePaths({ WAYMARK_STATE_PATH: "/a", BC_INTEL_WORKFLOW_STATE_PATH: "/b" })).toEqual(["/b", "/a"]);
  expect(sharedStatePaths({ WAYMARK_STATE_PATH: "/a", BC_INTEL_WORKFLOW_STATE_PATH: "/a" })).toEqual(["/a"]);
});
