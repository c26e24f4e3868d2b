import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { InventoryRequest } from "../ports/index.ts";
import { takeInventory } from "./inventory.ts";

let base = "";
let root = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-inventory-"));
  root = join(base, "root");
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function take(request: Partial<InventoryRequest> = {}): ReturnType<typeof takeInventory> {
  return takeInventory({
    root,
    patterns: ["**/*"],
    exclusions: [],
    scope: { kind: "workspace" },
    priority: [],
    gitignore: true,
    ...request,
  });
}

async function paths(request: Partial<InventoryRequest> = {}): Promise<string[]> {
  return (await take(request)).files.map(({ path }) => path);
}

async function codes(request: Partial<InventoryRequest> = {}): Promise<string[]> {
  return (await take(request)).problems.map(({ code, message }) => `${code} ${/`(.*?)`/.exec(message)?.[1]}`).sort();
}

describe("which files", () => {
  test("globs take in, exclusions and a leading ! leave out, and sizes are told", async () => {
    put({ "src/a.al": "1", "src/b.al": "22", "src/test/c.al": "3", "d.txt": "4", "src/gen/e.al": "5" });
    const found = await take({ patterns: ["**/*.al", "!src/gen/**"], exclusions: ["**/test/**"] });
    expect(found.files).toEqual([
      { path: "src/a.al", size: 1, priority: 2 },
      { path: "src/b.al", size: 2, priority: 2 },
    ]);
    expect(found.problems).toEqual([]);
  });

  test("globs for AL ignore case, others do not", async () => {
    put({ "A.AL": "", "Src/b.Al": "", "c.TS": "", "d.ts": "" });
    expect(await paths({ patterns: ["**/*.al"] })).toEqual(["A.AL", "Src/b.Al"]);
    expect(await paths({ patterns: ["src/*.al"] })).toEqual(["Src/b.Al"]);
    expect(await paths({ patterns: ["**/*.ts"] })).toEqual(["d.ts"]);
  });

  test("exclusions and folders ignore case for AL files alone", async () => {
    put({ "Test/a.al": "", "TEST/deep/b.AL": "", "Test/c.ts": "", "src/d.al": "" });
    expect(await paths({ exclusions: ["**/test/**"] })).toEqual(["Test/c.ts", "src/d.al"]);
    expect(await paths({ patterns: ["SRC/**"] })).toEqual(["src/d.al"]);
  });

  test("an exclusion that matches a folder's name alone leaves the files in it", async () => {
    put({ "src/one.al": "", "src/deep/two.al": "" });
    expect(await paths({ exclusions: ["src/*"] })).toEqual(["src/deep/two.al"]);
    expect(await paths({ exclusions: ["src/deep/"] })).toEqual(["src/one.al"]);
  });

  test("of several paths a folder is what the globs take below it and a file is itself, each once, with globs from the root", async () => {
    put({ "src/a.ts": "", "src/deep/b.ts": "", "src/deep/c.md": "", "test/d.ts": "", "e.md": "", "lib/f.ts": "" });
    const scope = { kind: "paths", paths: ["src/deep", "src", "e.md", "src/a.ts", "./test"] } as const;
    expect(await paths({ patterns: ["src/**/*.ts", "test/**"], scope })).toEqual(["e.md", "src/a.ts", "src/deep/b.ts", "test/d.ts"]);
    expect(await codes({ scope: { kind: "paths", paths: ["src", "none.ts"] } })).toEqual(["WORKSPACE_FILE_ABSENT none.ts"]);
    expect(await paths({ patterns: ["**/*.md"], scope: { kind: "paths", paths: ["."] } })).toEqual(["e.md", "src/deep/c.md"]);
  });

  test("of a list only what is there and the globs take counts, whatever git ignores", async () => {
    put({ "a.ts": "", "b.md": "", "gen/c.ts": "", "deep/d.ts": "", ".gitignore": "a.ts\n", "node_modules/m.ts": "" });
    symlinkSync(join(root, "a.ts"), join(root, "link.ts"));
    const listed = ["a.ts", "b.md", "gen/c.ts", "gone.ts", "deep", "link.ts", "node_modules/m.ts", "../out.ts"];
    const request = { patterns: ["**/*.ts"], exclusions: ["gen/**"], scope: { kind: "paths", paths: listed, listed: true } } as const;
    expect(await paths(request)).toEqual(["a.ts", "deep/d.ts"]);
    expect(await codes(request)).toEqual([]);
  });

  test("hidden files are files; git, packages and the store never are", async () => {
    put({ ".github/ci.yml": "", ".git/config": "", "a/.git/x": "", "node_modules/m/i.js": "", "a/node_modules/j.js": "" });
    put({ ".waymark/config.yaml": "", ".waymark/store/runs.db": "", "a.al": "", "node_modules.al": "" });
    expect(await paths({ gitignore: false })).toEqual([".github/ci.yml", ".waymark/config.yaml", "a.al", "node_modules.al"]);
  });

  test("temporary files of an edit that was cut short are not files of a job", async () => {
    put({ "a.al": "", ".waymark-0123abcd-17-0123456789ab.tmp": "" });
    expect(await paths()).toEqual(["a.al"]);
  });

  test("an empty folder has no files, and no patterns mean all files", async () => {
    expect(await take()).toEqual({ files: [], outOfScope: [], problems: [] });
    put({ "a.al": "" });
    expect(await paths({ patterns: [] })).toEqual(["a.al"]);
  });

  test.each(["no-such", "a.al", "a.al/b"])("a root that is no folder is refused: %s", async (name) => {
    put({ "a.al": "" });
    await expect(take({ root: join(root, name) })).rejects.toMatchObject({ code: "WORKSPACE_MISSING" });
  });

  test.each([[""], ["/"], ["x".repeat(70_000)]])("a glob that cannot be one is refused by name", async (glob) => {
    await expect(take({ patterns: [glob] })).rejects.toMatchObject({ code: "WORKSPACE_GLOB" });
  });

  test("a signal ends the walk", async () => {
    await expect(take({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

describe("ignore rules", () => {
  test("rules of deeper folders overrule those above, and a folder taken back in is walked", async () => {
    put({ ".gitignore": "*.log\nbuild/\n/top.al\n", "top.al": "", "sub/top.al": "", "a.log": "", "build/x.al": "" });
    put({ "sub/.gitignore": "!keep.log\n!build/\n/only-here.al\ndeep/x.al\n", "sub/keep.log": "", "sub/b.log": "", "sub/build/y.al": "" });
    put({ "sub/only-here.al": "", "sub/deep/only-here.al": "", "sub/deep/x.al": "", "sub/more/deep/x.al": "" });
    expect(await paths({ exclusions: ["**/.gitignore"] })).toEqual([
      "sub/build/y.al",
      "sub/deep/only-here.al",
      "sub/keep.log",
      "sub/more/deep/x.al",
      "sub/top.al",
    ]);
    expect((await paths({ gitignore: false })).length).toBe(13);
  });

  test("the repository's own exclude file and rules above the root count", async () => {
    put({ ".git/info/exclude": "secret.al\n", ".gitignore": "/app/out/\n*.tmp\n" });
    put({ "app/a.al": "", "app/out/b.al": "", "app/secret.al": "", "app/c.tmp": "" });
    expect(await paths({ root: join(root, "app") })).toEqual(["a.al"]);
  });

  test("a root that its repository ignores is walked all the same", async () => {
    put({ ".git/HEAD": "", ".gitignore": "out/\n*.log\n", "out/app/a.al": "", "out/app/b.log": "", "out/app/out/c.al": "" });
    expect(await paths({ root: join(root, "out/app") })).toEqual(["a.al"]);
  });

  test("a folder with glob characters in its name keeps its rules to itself", async () => {
    put({ "a[b]*/.gitignore": "x.al\n", "a[b]*/x.al": "", "a[b]*/y.al": "", "ab1/x.al": "" });
    expect(await paths({ patterns: ["**/*.al"] })).toEqual(["a[b]*/y.al", "ab1/x.al"]);
  });

  test("a folder asked for by name is walked even when it is ignored", async () => {
    put({ ".gitignore": "out/\n*.log\n", "out/a.al": "", "out/b.log": "", "out/deep/c.al": "" });
    expect(await paths({ scope: { kind: "directory", path: "out" } })).toEqual(["out/a.al", "out/deep/c.al"]);
    expect(await paths({ scope: { kind: "directory", path: "out/deep/" } })).toEqual(["out/deep/c.al"]);
  });
});

describe("scope and order", () => {
  test("first what has priority, then by path in code units; the rest is out of scope", async () => {
    put({ "b.al": "", "B.al": "", "a-b/x.al": "", "a/x.al": "", "z/Codeunit/q.al": "", "ä.al": "" });
    const found = await take({ priority: ["**/Codeunit/**"], maxFiles: 3 });
    expect(found.files.map(({ path, priority }) => `${priority} ${path}`)).toEqual(["1 z/Codeunit/q.al", "2 B.al", "2 a-b/x.al"]);
    expect(found.outOfScope.map(({ path }) => path)).toEqual(["a/x.al", "b.al", "ä.al"]);
  });

  test("exactly the files named, each once, whatever the globs say", async () => {
    put({ "a.al": "", "b.txt": "12", ".gitignore": "b.txt\n", "dir/c.al": "" });
    const found = await take({
      patterns: ["**/*.al"],
      scope: { kind: "files", paths: ["b.txt", "./a.al", "a.al", "dir", "gone.al", "../x.al", join(root, "a.al"), ".git/config", ""] },
    });
    expect(found.files).toEqual([
      { path: "a.al", size: 0, priority: 2 },
      { path: "b.txt", size: 2, priority: 2 },
    ]);
    expect(found.problems.map(({ code }) => code)).toEqual([
      "WORKSPACE_FILE_NOT_REGULAR",
      "WORKSPACE_FILE_ABSENT",
      "WORKSPACE_PATH_OUTSIDE",
      "WORKSPACE_PATH_OUTSIDE",
      "WORKSPACE_FILE_ABSENT",
      "WORKSPACE_PATH_OUTSIDE",
    ]);
  });

  test.each([
    ["gone", "WORKSPACE_FILE_ABSENT gone"],
    ["a.al", "WORKSPACE_FILE_NOT_REGULAR a.al"],
    ["../", "WORKSPACE_PATH_OUTSIDE ../"],
    ["/", "WORKSPACE_PATH_OUTSIDE /"],
    ["node_modules/m", "WORKSPACE_PATH_RESERVED node_modules/m"],
  ])("a folder that cannot be walked is a problem: %s", async (path, expected) => {
    put({ "a.al": "", "node_modules/m/i.js": "" });
    expect(await codes({ scope: { kind: "directory", path } })).toEqual([expected]);
    expect(await paths({ scope: { kind: "directory", path } })).toEqual([]);
  });

  test.each(["", ".", "./"])("the root can be asked for as a folder: `%s`", async (path) => {
    put({ "a.al": "" });
    expect(await paths({ scope: { kind: "directory", path } })).toEqual(["a.al"]);
  });
});

describe("links and odd names", () => {
  test("links are not followed: inside they add nothing, outside they are problems", async () => {
    put({ "a.al": "", "dir/b.al": "" });
    mkdirSync(join(base, "else"));
    writeFileSync(join(base, "else/c.al"), "");
    symlinkSync(join(base, "else"), join(root, "out"));
    symlinkSync(join(base, "else/c.al"), join(root, "c.al"));
    symlinkSync(join(base, "else/c.al"), join(root, "c.txt"));
    symlinkSync(root, join(root, "dir/loop"));
    symlinkSync("a.al", join(root, "same.al"));
    symlinkSync("nowhere", join(root, "dangling.al"));
    symlinkSync("round.al", join(root, "round.al"));
    expect(await paths({ patterns: ["**/*.al"] })).toEqual(["a.al", "dir/b.al"]);
    expect(await codes({ patterns: ["**/*.al"] })).toEqual([
      "WORKSPACE_FILE_ABSENT dangling.al",
      "WORKSPACE_FILE_ABSENT round.al",
      "WORKSPACE_PATH_OUTSIDE c.al",
      "WORKSPACE_PATH_OUTSIDE out",
    ]);
    expect(await paths({ scope: { kind: "files", paths: ["same.al", "a.al", "out/c.al", "c.al"] } })).toEqual(["same.al"]);
  });

  test("a root that is itself a link is a root", async () => {
    put({ "a.al": "" });
    symlinkSync(root, join(base, "link"));
    expect(await paths({ root: join(base, "link") })).toEqual(["a.al"]);
  });

  test.skipIf(process.platform === "win32")("odd names are names, and one that is not text is a problem", async () => {
    const odd = ["a\nb.al", "c\\d.al", "e'f\".al", "#g.al", "!h.al", " i.al ", "$(j).al", "[k].al", "\u202el.al", "..m.al", "😀.al"];
    put(Object.fromEntries([...odd.map((name) => [name, ""]), [".gitignore", "\\#g.al\n\\!h.al\n"]]));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff]), Buffer.from(".al")]), "");
    const kept = odd.filter((name) => name !== "#g.al" && name !== "!h.al");
    expect(await paths({ exclusions: [".gitignore"] })).toEqual(kept.sort());
    expect(await codes()).toEqual(["WORKSPACE_FILE_NAME bad-\uFFFD.al"]);
  });

  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)("a folder that cannot be listed is a problem", async () => {
    put({ "a.al": "", "closed/b.al": "" });
    chmodSync(join(root, "closed"), 0);
    expect(await paths()).toEqual(["a.al"]);
    expect(await codes()).toEqual(["WORKSPACE_FOLDER_UNREADABLE closed"]);
    chmodSync(join(root, "closed"), 0o755);
  });
});

test("every file is either taken or left out, never both and never twice", async () => {
  const name = fc.stringMatching(/^[a-cA-C.]{1,4}$/).filter((text) => !/^\.+$/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 12, selector: (names) => names.join("/").toLowerCase() }),
      fc.constantFrom("**/a*", "a/**", "*", "**/*.{a,b}", "b/"),
      fc.nat({ max: 5 }),
      async (tree, exclusion, maxFiles) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(root);
        for (const names of tree) {
          try {
            put({ [names.join("/")]: "" });
          } catch {
            // A name is a file here and a folder there.
          }
        }
        const all = await paths();
        const kept = await take({ exclusions: [exclusion], maxFiles });
        const left = await paths({ patterns: [exclusion] });
        const listed = [...kept.files, ...kept.outOfScope].map(({ path }) => path);
        expect([...listed, ...left].sort()).toEqual(all.sort());
        expect(kept.files.length).toBe(Math.min(maxFiles, listed.length));
      },
    ),
    { numRuns: 60 },
  );
});
