import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FileScan, PatternSpec, ScanRules, Workspace } from "../ports/index.ts";
import { createWorkspace, type WorkspaceOptions } from "./create-workspace.ts";
import { hashOf } from "./read-regular.ts";

const program = resolve(import.meta.dirname, "../../node_modules/.cache/waymark-test/scan-worker.mjs");
const base = mkdtempSync(join(tmpdir(), "waymark-scan-"));
const open: Workspace[] = [];
let trees = 0;
let root = "";

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "scan-worker.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
  });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((workspace) => workspace.close()));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function make(options: WorkspaceOptions = {}): Workspace {
  const workspace = createWorkspace({ workers: 2, workerUrl: pathToFileURL(program), ...options });
  open.push(workspace);
  return workspace;
}

function grow(files: Readonly<Record<string, string | Uint8Array>>): string[] {
  root = join(base, String((trees += 1)));
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return Object.keys(files);
}

const pattern = (id: string, regex: string, more: Partial<PatternSpec> = {}): PatternSpec => ({
  id,
  name: id,
  description: id,
  regex,
  contextLines: 0,
  rules: [],
  transformations: [],
  ...more,
});
const plain: ScanRules = { patterns: [pattern("todo", "todo\\d+")] };

async function collect(scans: AsyncIterable<FileScan>): Promise<FileScan[]> {
  const all: FileScan[] = [];
  for await (const scan of scans) all.push(scan);
  return all;
}

const manyFiles = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index % 7}/f${index}.txt`, `todo${index}\n`.repeat(index % 5)]));

describe("threads", () => {
  test("give what one thread gives, in the order of the paths", async () => {
    const paths = grow(manyFiles(700));
    const threaded = await collect(make({ workers: 3 }).scan({ root, paths, rules: plain }));
    const single = await collect(make({ workers: 0 }).scan({ root, paths, rules: plain }));
    expect(threaded).toEqual(single);
    expect(threaded.map(({ path }) => path)).toEqual(paths);
    expect(threaded.flatMap(({ instances }) => instances).length).toBe(140 * (1 + 2 + 3 + 4));
  });

  test("serve several scans at once, each with its own rules", async () => {
    const paths = grow(manyFiles(200));
    const workspace = make();
    const other: ScanRules = { patterns: [pattern("five", "5")] };
    const [first, second, third] = await Promise.all([
      collect(workspace.scan({ root, paths, rules: plain })),
      collect(workspace.scan({ root, paths: paths.toReversed(), rules: other })),
      collect(workspace.scan({ root, paths: [], rules: other })),
    ]);
    expect(first).toEqual(await collect(make({ workers: 0 }).scan({ root, paths, rules: plain })));
    expect(new Set(first.flatMap(({ instances }) => instances.map((instance) => instance.pattern)))).toEqual(new Set(["todo"]));
    expect(second.map(({ path }) => path)).toEqual(paths.toReversed());
    expect(new Set(second.flatMap(({ instances }) => instances.map(({ text }) => text)))).toEqual(new Set(["5"]));
    expect(third).toEqual([]);
  });

  test("read on only as fast as results are taken", async () => {
    const paths = grow(manyFiles(2000));
    const scans = make().scan({ root, paths, rules: plain })[Symbol.asyncIterator]();
    expect((await scans.next()).value).toMatchObject({ path: paths[0] });
    // What lies far ahead was not begun: its change is seen.
    await new Promise((done) => setTimeout(done, 300));
    writeFileSync(join(root, paths[1999] ?? ""), "todo1 todo2 todo3 todo4 todo5");
    let last: FileScan | undefined;
    for (let next = await scans.next(); next.done !== true; next = await scans.next()) last = next.value;
    expect(last?.instances.length).toBe(5);
  });

  test("can be left early and used again", async () => {
    const paths = grow(manyFiles(500));
    const workspace = make();
    for await (const scan of workspace.scan({ root, paths, rules: plain })) if (scan.path === paths[40]) break;
    expect((await collect(workspace.scan({ root, paths, rules: plain }))).length).toBe(500);
  });

  test("stop at a signal and at closing", async () => {
    const paths = grow(manyFiles(500));
    const workspace = make();
    const stop = new AbortController();
    const stopped = (async () => {
      for await (const scan of workspace.scan({ root, paths, rules: plain, signal: stop.signal }))
        if (scan.path === paths[3]) stop.abort(new Error("enough"));
    })();
    await expect(stopped).rejects.toThrow("enough");
    const scans = workspace.scan({ root, paths, rules: plain })[Symbol.asyncIterator]();
    await scans.next();
    await workspace.close();
    await expect(collect({ [Symbol.asyncIterator]: () => scans })).rejects.toMatchObject({ code: "WORKSPACE_CLOSED" });
  });

  test("that cannot be started are an error, and so are a missing root and rules that do not compile", async () => {
    const paths = grow(manyFiles(3));
    const broken = make({ workerUrl: pathToFileURL(join(base, "no-such.mjs")) });
    await expect(collect(broken.scan({ root, paths, rules: plain }))).rejects.toMatchObject({ code: "WORKSPACE_WORKER" });
    const workspace = make();
    await expect(collect(workspace.scan({ root: join(root, "no"), paths, rules: plain }))).rejects.toMatchObject({
      code: "WORKSPACE_MISSING",
    });
    await expect(collect(workspace.scan({ root, paths, rules: { patterns: [pattern("bad", "(")] } }))).rejects.toMatchObject({
      code: "SCAN_BAD_PATTERN",
    });
  });

  test("do not keep the process alive when they are idle", async () => {
    grow({ "a.txt": "todo1" });
    const entry = join(base, "idle.mjs");
    await build({
      stdin: {
        contents: `import { createWorkspace } from "./index.ts";
const workspace = createWorkspace({ workers: 2, workerUrl: new URL(${JSON.stringify(pathToFileURL(program).href)}) });
for await (const scan of workspace.scan({ root: ${JSON.stringify(root)}, paths: ["a.txt"], rules: ${JSON.stringify(plain)} })) console.log(scan.instances.length);`,
        resolveDir: import.meta.dirname,
        loader: "ts",
      },
      outfile: entry,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      banner: { js: 'import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);' },
    });
    expect(execFileSync(process.execPath, [entry], { encoding: "utf8", timeout: 30_000 })).toBe("1\n");
  });
});

describe("files", () => {
  test("come with size, hash and encoding; those that cannot be scanned come with the reason", async () => {
    grow({
      "a.txt": "todo1",
      "bin.dat": Buffer.from([0, 1, 2, 0, 5, 0, 0]),
      "big.txt": "todo1 ".repeat(1000),
      "dir/x.txt": "",
      "locked.txt": "todo2",
    });
    writeFileSync(join(base, "outside.txt"), "todo1");
    symlinkSync(join(base, "outside.txt"), join(root, "away.txt"));
    symlinkSync("a.txt", join(root, "link.txt"));
    symlinkSync(base, join(root, "up"));
    execFileSync("mkfifo", [join(root, "pipe.txt")]);
    chmodSync(join(root, "locked.txt"), 0);
    const paths = [
      "a.txt",
      "bin.dat",
      "big.txt",
      "dir",
      "gone.txt",
      "away.txt",
      "link.txt",
      "up/outside.txt",
      "../outside.txt",
      "pipe.txt",
    ];
    const scans = await collect(make().scan({ root, paths, rules: { ...plain, maxFileBytes: 2000 } }));
    expect(scans.map(({ path, problems }) => `${path} ${problems.map(({ code }) => code).join()}`)).toEqual([
      "a.txt ",
      "bin.dat SCAN_BINARY",
      "big.txt WORKSPACE_FILE_OVERSIZED",
      "dir WORKSPACE_FILE_NOT_REGULAR",
      "gone.txt WORKSPACE_FILE_ABSENT",
      "away.txt WORKSPACE_PATH_OUTSIDE",
      "link.txt ",
      "up/outside.txt WORKSPACE_PATH_OUTSIDE",
      "../outside.txt WORKSPACE_PATH_OUTSIDE",
      "pipe.txt WORKSPACE_FILE_NOT_REGULAR",
    ]);
    expect(scans[0]).toMatchObject({ size: 5, hash: hashOf(Buffer.from("todo1")), encoding: "utf-8" });
    expect(scans[2]).toMatchObject({ size: 6000, instances: [] });
    expect(scans[2]?.hash).toBeUndefined();
    expect(scans[6]?.instances.length).toBe(1);
  });

  test("come without a hash when nobody wants it, and else unchanged", async () => {
    const paths = grow({ "a.txt": "todo1", "b.dat": Buffer.from([0, 1, 2]), "c.al": "codeunit 1 A { }" });
    for (const workers of [0, 2]) {
      const workspace = make({ workers });
      const hashed = await collect(workspace.scan({ root, paths, rules: plain, hash: true }));
      expect(hashed.map(({ path, hash }) => [path, hash?.length])).toEqual(paths.map((path) => [path, 64]));
      expect(await collect(workspace.scan({ root, paths, rules: plain, hash: false }))).toEqual(
        hashed.map(({ hash: _hash, ...rest }) => rest),
      );
    }
  });

  test("are compiled for the runtime of the nearest app.json", async () => {
    const code = "codeunit 50100 A\n{\n    procedure P()\n    begin\n        Error('x');\n    end;\n}\n";
    const paths = grow({
      "top.al": code,
      "old/a.al": code,
      "old/deep/b.al": code,
      "new/c.al": code,
      "new/broken/d.al": code,
      "old/app.json": '{ "runtime": "7.0" }',
      "new/app.json": '\ufeff{ "runtime": "11.0" }',
      "new/broken/app.json": "{",
    }).filter((path) => path.endsWith(".al"));
    const rules: ScanRules = { patterns: [pattern("error", "", { finder: "al-error-call" })], bcVersion: "BC24" };
    const scans = await collect(make().scan({ root, paths, rules }));
    expect(scans.map(({ path, instances }) => `${path} ${instances.map(({ auto }) => auto).join()}`)).toEqual([
      "top.al true",
      "old/a.al false",
      "old/deep/b.al false",
      "new/c.al true",
      "new/broken/d.al true",
    ]);
  });
});

test("a file that needs more memory than a thread has is left out, and the rest is scanned", async () => {
  const files = { ...manyFiles(40), "huge.sql": `todo1 ${"a b ".repeat(2_500_000)}`, "last.sql": "select todo2" };
  const paths = grow(files);
  const rules: ScanRules = { patterns: [pattern("todo", "todo\\d+", { in: "code" })] };
  const scans = await collect(make({ patternMs: 100_000 }).scan({ root, paths, rules }));
  expect(scans.map(({ path }) => path)).toEqual(paths);
  const [huge, last] = scans.slice(-2);
  expect(huge).toMatchObject({ instances: [], problems: [{ code: "WORKSPACE_FILE_EXHAUSTED" }] });
  expect(last?.instances.length).toBe(1);
  expect(scans.slice(0, -2).flatMap(({ problems }) => problems)).toEqual([]);
});

describe("a pattern that does not end", () => {
  /** Harmless to look at, and hopeless on a long line of its letters. */
  const endless = pattern("endless", "a[^!]*b[^!]*c[^!]*d[^!]*e[^!]*f[^!]*!");
  const trap = "abcdef".repeat(2000);

  test("is cut off on the file, by name; its other patterns and all other files are scanned", async () => {
    const files = { ...manyFiles(90), "trap.txt": `todo7 ${trap}` };
    const paths = grow(files);
    const rules: ScanRules = { patterns: [pattern("todo", "todo\\d+"), endless, pattern("seven", "7")] };
    const scans = await collect(make({ patternMs: 150 }).scan({ root, paths, rules }));
    expect(scans.map(({ path }) => path)).toEqual(paths);
    const last = scans.at(-1);
    expect(last?.problems).toMatchObject([{ code: "SCAN_PATTERN_CUT_OFF", pattern: "endless" }]);
    expect(last?.instances.map(({ pattern: id }) => id).sort()).toEqual(["seven", "todo"]);
    expect(last?.hash).toBe(hashOf(Buffer.from(files["trap.txt"])));
    expect(scans.slice(0, -1).flatMap(({ problems }) => problems)).toEqual([]);
    expect(scans.filter(({ instances }) => instances.some(({ pattern: id }) => id === "todo")).length).toBe(73);
  });

  test("is given up after three files, also for later scans with the same rules, and says so each time", async () => {
    const traps = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`t${String(index).padStart(2, "0")}.txt`, `todo1 ${trap}`]));
    const paths = grow(traps);
    const workspace = make({ workers: 1, patternMs: 100 });
    const rules: ScanRules = { patterns: [endless, pattern("todo", "todo\\d+"), pattern("other", "x", { files: ["*.md"] })] };
    const scans = await collect(workspace.scan({ root, paths, rules }));
    const codes = scans.map(({ problems }) => problems.map(({ code }) => code).join());
    const cut = codes.filter((code) => code === "SCAN_PATTERN_CUT_OFF").length;
    expect(cut).toBeGreaterThanOrEqual(3);
    expect(cut).toBeLessThan(10);
    expect(codes.filter((code) => code === "SCAN_PATTERN_GIVEN_UP").length).toBe(40 - cut);
    expect(scans.every(({ instances }) => instances.length === 1)).toBe(true);
    const again = await collect(workspace.scan({ root, paths: paths.slice(0, 2), rules }));
    expect(again.map(({ problems }) => problems.map(({ code }) => code).join())).toEqual([
      "SCAN_PATTERN_GIVEN_UP",
      "SCAN_PATTERN_GIVEN_UP",
    ]);
  });

  test("does not hold up the stop", async () => {
    const paths = grow({ "trap.txt": trap });
    const workspace = make({ patternMs: 60_000 });
    const stop = new AbortController();
    const scanning = collect(workspace.scan({ root, paths, rules: { patterns: [endless] }, signal: stop.signal }));
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await expect(scanning).rejects.toThrow("enough");
    await workspace.close();
  });
});
