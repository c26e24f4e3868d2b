/** The dialect of docs/adding-a-dialect.md: one folder and one line, built and used as the page says, in a copy of the sources. */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/adding-a-dialect.md"), "utf8");
/** Files of the page by their paths, as the first line of each block names them. */
const files = new Map([...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = "", text = ""]) => [path, text]));
const index = "src/dialects/index.ts";

let base: string;
let copy: string;
let work: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-dialect-")));
  [copy, work] = [join(base, "waymark"), join(base, "work")];
  const kept = ["src", "scripts", "workflows", "knowledge", "package.json", "tsconfig.base.json", "tsconfig.json"];
  for (const name of kept) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [path, text] of files) {
    if (path === index) writeFileSync(join(copy, index), `${readFileSync(join(copy, index), "utf8")}${text}`);
    else if (path.startsWith("src/dialects/postcards/")) write(join(copy, path), text);
  }
  mkdirSync(join(work, ".git"), { recursive: true });
  write(join(work, ".waymark/workflows/notice.postcard.yaml"), files.get("notice.postcard.yaml") ?? "");
  // What a killed process worked on is free when its lease has run out.
  write(join(work, ".waymark/config.yaml"), "lease: { ttl_ms: 5000, beat_ms: 1000 }\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: join(base, "home"),
  TMPDIR: join(base, "none"),
  WAYMARK_ALLOW_UNATTENDED: "1",
});
const product = (): string => join(copy, "dist/waymark.js");

function waymark(...argv: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [product(), ...argv], { cwd: work, env: env(), encoding: "utf8", timeout: 120_000 });
}

/** Resolves when the file is there. */
async function appears(path: string): Promise<void> {
  if (existsSync(path)) return;
  await new Promise<void>((done) => {
    const look = (): void => {
      if (!existsSync(path)) return;
      watcher.close();
      done();
    };
    const watcher = watch(dirname(path), look);
    look();
  });
}

test("the page changes one line of what there is, and adds one folder", () => {
  expect([...files.keys()].filter((path) => path.includes("/") && !path.startsWith("src/dialects/postcards/"))).toEqual([index]);
  expect(files.get(index)?.trim().split("\n")).toHaveLength(1);
});

describe("the dialect of the page", () => {
  test("builds, each part with what it may see", () => {
    const tsc = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, encoding: "utf8", timeout: 280_000 });
    expect(`${tsc.stdout}${tsc.stderr}`).toContain("Built dist/waymark.js");
    expect(tsc.status).toBe(0);
  });

  test("is validated, explained and allowed as all others are", () => {
    expect(waymark("validate", "notice").stdout).toContain("1 workflow, 0 errors");
    write(join(work, ".waymark/workflows/empty.postcard.yaml"), "postcard: empty\nto: nobody\n");
    const broken = waymark("validate", "empty");
    expect(broken).toMatchObject({ status: 1, stdout: expect.stringContaining("A postcard needs `words`.") });
    rmSync(join(work, ".waymark/workflows/empty.postcard.yaml"));
    expect(waymark("explain", "notice").stdout).toContain("prepare [postcards_prepare] by engine");
    const refused = waymark("start", "notice");
    expect(refused.stderr).toContain("ENGINE_NOT_ALLOWED");
    expect(refused.stderr).toContain("command: echo ready");
    expect(waymark("allow", "notice", "--yes").status).toBe(0);
  });

  test("runs: the effect is performed, the view is its own, and a report that is too long does not count", () => {
    const started = waymark("start", "notice", "--json");
    expect(started.status, started.stderr).toBe(0);
    const { run_id: run } = JSON.parse(started.stdout) as { run_id: string };
    expect(started.stdout).toContain("Write a postcard to the team of at most 5 words.");
    const long = waymark("done", run, "--result", "this postcard has far too many words");
    expect(long.stderr).toContain("It has 7 words, and 5 are allowed.");
    expect(waymark("done", run, "--result", "all is well").stdout).toContain("is completed");
    expect(waymark("state", run, "--json").stdout).toContain("all is well");
  });

  test("is taken up again after its process was killed while the effect was at work", async () => {
    const begun = join(work, "begun");
    const wait = `touch '${begun}'; while [ ! -f '${join(work, "go")}' ]; do sleep 0.05; done`;
    write(join(work, ".waymark/workflows/slow.postcard.yaml"), `postcard: slow\nto: you\nwords: 3\nbefore: ${JSON.stringify(wait)}\n`);
    expect(waymark("allow", "slow", "--yes").status).toBe(0);
    const child = spawn(process.execPath, [product(), "start", "slow"], { cwd: work, env: env(), stdio: "ignore" });
    await appears(begun);
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
    write(join(work, "go"), "");
    const { runs } = JSON.parse(waymark("status", "--json").stdout) as { runs: { run_id?: string; id?: string; workflow: string }[] };
    const open = runs.find(({ workflow }) => workflow === "slow");
    const run = open?.run_id ?? open?.id ?? "";
    const next = waymark("resume", run);
    expect(`${next.stdout}${next.stderr}`).toContain("Write a postcard to you of at most 3 words.");
    expect(waymark("done", run, "--result", "here again").stdout).toContain("is completed");
    expect(waymark("doctor")).toMatchObject({ status: 0 });
  });

  test("is gone with its folder and its line", () => {
    rmSync(join(copy, "src/dialects/postcards"), { recursive: true });
    writeFileSync(join(copy, index), readFileSync(join(root, index), "utf8"));
    const built = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, encoding: "utf8", timeout: 280_000 });
    expect(built.status, `${built.stdout}${built.stderr}`).toBe(0);
    expect(waymark("validate", "notice").status).not.toBe(0);
  });
});
