import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { WorkflowPlace } from "../ports/index.ts";
import { WorkflowFolders, workflowName } from "./find-workflows.ts";
import type { Log } from "./log.ts";

let base: string;
let warnings: string[];
let codes: unknown[];
let workflows: WorkflowFolders;

function put(path: string, text: string | Uint8Array = "name: x\n"): string {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
  return join(base, path);
}

const endings = [".yaml", ".workflow.yaml", ".yml"];

function places(extraFolders: readonly string[] = [], more: readonly WorkflowPlace[] = []): WorkflowFolders {
  const log: Log = (_level, message, facts) => {
    warnings.push(message);
    codes.push(facts?.["code"]);
  };
  return new WorkflowFolders({
    workspace: join(base, "project"),
    home: join(base, "home"),
    bundledFolder: join(base, "bundled"),
    extraFolders,
    places: () => Promise.resolve([{ endings }, ...more]),
    log,
  });
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-find-")));
  mkdirSync(join(base, "project"));
  warnings = [];
  codes = [];
  workflows = places();
});
afterEach(() => rmSync(base, { recursive: true }));

test("finds all files, project before user before bundled, .waymark before .aromcp", async () => {
  const files = [
    "bundled/a.yaml",
    "home/.aromcp/workflows/a.yaml",
    "home/.waymark/workflows/a.yaml",
    "project/.aromcp/workflows/a.yaml",
    "project/.waymark/workflows/a.yaml",
  ];
  for (const file of files) put(file, `# ${file}\n`);
  const found = await workflows.find();
  expect(found.map(({ path }) => path)).toEqual(files.toReversed().map((file) => join(base, file)));
  expect(found.map(({ source }) => source)).toEqual(["project", "project", "global", "global", "bundled"]);
  expect(found.map(({ name }) => name)).toEqual(["a", "a", "a", "a", "a"]);
  expect(found[0]!.text).toBe("# project/.waymark/workflows/a.yaml\n");
  expect(found[0]!.folder).toBe(join(base, "project/.waymark/workflows"));
  expect(workflows.folders().length).toBe(5);
});

test("further folders of the project come after its own", async () => {
  put("project/flows/b.yaml");
  put("project/.aromcp/workflows/a.yaml");
  const found = await places(["flows"]).find();
  expect(found.map(({ name, source }) => [name, source])).toEqual([
    ["a", "project"],
    ["b", "project"],
  ]);
});

test("a name is the same with a colon, two underscores or a folder, and in every extension", () => {
  for (const way of [
    "standards:fix.yaml",
    "standards__fix.yaml",
    "standards/fix.yaml",
    "standards/fix.yml",
    "standards__fix.workflow.yaml",
  ]) {
    expect(workflowName(way, endings)).toBe("standards:fix");
  }
  expect(workflowName("a/b__c.yml", endings)).toBe("a:b:c");
  expect(workflowName("Standards.yaml", endings)).toBe("Standards");
  expect(workflowName("notes.md", endings)).toBeUndefined();
  expect(workflowName(".yaml", endings)).toBeUndefined();
});

test("files of other kinds and hidden ones are not workflows", async () => {
  put("project/.waymark/workflows/readme.md");
  put("project/.waymark/workflows/.draft.yaml");
  put("project/.waymark/workflows/.git/x.yaml");
  expect(await workflows.find()).toEqual([]);
  expect(warnings).toEqual([]);
});

test("links out of the folder are refused and do not hide the other files", async () => {
  const secret = put("elsewhere/secret.yaml", "password: x\n");
  put("project/.waymark/workflows/good.yaml");
  symlinkSync(secret, join(base, "project/.waymark/workflows/evil.yaml"));
  symlinkSync(join(base, "elsewhere"), join(base, "project/.waymark/workflows/folder"));
  symlinkSync("nowhere.yaml", join(base, "project/.waymark/workflows/lost.yaml"));
  const found = await workflows.find();
  expect(found.map(({ name }) => name)).toEqual(["good"]);
  expect(codes).toEqual(["HOST_PATH_OUTSIDE", "HOST_PATH_OUTSIDE", "HOST_FILE_UNREADABLE"]);
  expect(warnings.length).toBe(3);
  expect(warnings.join()).not.toContain("password");
});

test("a link that stays in the folder is followed, also one that goes round", async () => {
  put("project/.waymark/workflows/real.yaml");
  symlinkSync("real.yaml", join(base, "project/.waymark/workflows/alias.yaml"));
  symlinkSync(".", join(base, "project/.waymark/workflows/round"));
  const found = await workflows.find();
  expect(found.map(({ name }) => name)).toEqual(["alias", "real"]);
});

/** Removes a link as soon as a call of the file system on a path has answered for the n-th time, while nothing else has run. */
function vanishes(link: string, call: "readdir" | "realpath" | "stat", path: string, nth = 1): void {
  const real = files[call] as (...args: readonly unknown[]) => Promise<unknown>;
  let left = nth;
  const hooked = async (...args: readonly unknown[]): Promise<unknown> => {
    const answer = await real(...args);
    if (args[0] === path && --left === 0) unlinkSync(link);
    return answer;
  };
  const put = (held: unknown): void => {
    Object.assign(files, { [call]: held });
    syncBuiltinESMExports();
  };
  put(hooked);
  onTestFinished(() => put(real));
}

test.each([
  ["its folder was listed", "readdir", ""],
  ["it was followed", "realpath", "link.yaml"],
  ["it was known to be a file", "stat", "real.yaml"],
] as const)("a link that vanishes after %s causes no problem", async (_when, call, path) => {
  const folder = join(base, "project/.waymark/workflows");
  put("project/.waymark/workflows/real.yaml");
  const link = join(folder, "link.yaml");
  symlinkSync("real.yaml", link);
  vanishes(link, call, join(folder, path));
  expect((await workflows.find()).map(({ name }) => name)).toEqual(["real"]);
  expect(existsSync(link)).toBe(false);
  expect(warnings).toEqual([]);
});

test.each([1, 2])("a link to a folder that vanishes after it was followed %d times causes no problem", async (nth) => {
  const folder = join(base, "project/.waymark/workflows");
  put("project/.waymark/workflows/real/a.yaml");
  const link = join(folder, "link");
  symlinkSync("real", link);
  vanishes(link, "realpath", link, nth);
  expect((await workflows.find()).map(({ name }) => name)).toEqual(["real:a"]);
  expect(existsSync(link)).toBe(false);
  expect(warnings).toEqual([]);
});

test("a workflows folder that is itself a link out of the workspace is not read; the user's own may be", async () => {
  put("elsewhere/a.yaml");
  for (const place of ["project/.waymark", "home/.waymark"]) {
    mkdirSync(join(base, place), { recursive: true });
    symlinkSync(join(base, "elsewhere"), join(base, place, "workflows"));
  }
  const found = await workflows.find();
  expect(found.map(({ source }) => source)).toEqual(["global"]);
  expect(codes).toEqual(["HOST_PATH_OUTSIDE"]);
});

test("a workspace that is the home folder lists its files once", async () => {
  put("project/.waymark/workflows/a.yaml");
  const log = (): void => undefined;
  const found = await new WorkflowFolders({
    workspace: join(base, "project"),
    home: join(base, "project"),
    bundledFolder: join(base, "bundled"),
    extraFolders: [],
    places: () => Promise.resolve([{ endings }]),
    log,
  }).find();
  expect(found.map(({ source }) => source)).toEqual(["project"]);
});

test("files that are too large or not text are problems", async () => {
  put("project/.waymark/workflows/huge.yaml", Buffer.alloc(5 * 1024 * 1024 + 1, "a"));
  put("project/.waymark/workflows/latin.yaml", Uint8Array.from([0x6e, 0xe9, 0x0a]));
  put("project/.waymark/workflows/most.yaml", Buffer.alloc(5 * 1024 * 1024, "a"));
  const found = await workflows.find();
  expect(found.map(({ name }) => name)).toEqual(["most"]);
  expect(codes).toEqual(["HOST_FILE_TOO_LARGE", "HOST_FILE_NOT_TEXT"]);
  await workflows.find();
  expect(codes.length).toBe(4);
});

test("an import is looked for beside the file first, then in the workflows folder", async () => {
  const folder = join(base, "project/.waymark/workflows");
  put("project/.waymark/workflows/sub/a.yaml");
  put("project/.waymark/workflows/sub/near.yaml", "near");
  put("project/.waymark/workflows/near.yaml", "far");
  put("project/.waymark/workflows/shared/types.yaml", "types");
  const from = join(folder, "sub/a.yaml");
  expect((await workflows.read("near.yaml", from, folder))?.text).toBe("near");
  expect((await workflows.read("../near.yaml", from, folder))?.text).toBe("far");
  expect(await workflows.read("shared\\types.yaml", from, folder)).toEqual({ path: join(folder, "shared/types.yaml"), text: "types" });
  expect(await workflows.read("missing.yaml", from, folder)).toBeUndefined();
  expect(await workflows.read("shared", from, folder)).toBeUndefined();
  expect(await workflows.read("near.yaml/x", from, folder)).toBeUndefined();
});

test("an import never leaves the workflows folder", async () => {
  const folder = join(base, "project/.waymark/workflows");
  const secret = put("project/secret.yaml");
  put("project/.waymark/workflows/sub/a.yaml");
  symlinkSync(secret, join(folder, "link.yaml"));
  symlinkSync(join(base, "project"), join(folder, "up"));
  const from = join(folder, "sub/a.yaml");
  for (const reference of [
    secret,
    "/etc/passwd",
    "C:\\x.yaml",
    "../../../secret.yaml",
    "..\\..\\..\\secret.yaml",
    "link.yaml",
    "up/secret.yaml",
    "a\0b",
  ]) {
    await expect(workflows.read(reference, from, folder)).rejects.toMatchObject({ code: "HOST_PATH_OUTSIDE" });
  }
});

test("an import that is too large or not text says so", async () => {
  const folder = join(base, "bundled");
  put("bundled/huge.yaml", Buffer.alloc(5 * 1024 * 1024 + 1, "a"));
  put("bundled/latin.yaml", Uint8Array.from([0xff]));
  await expect(workflows.read("huge.yaml", join(folder, "a.yaml"), folder)).rejects.toMatchObject({ code: "HOST_FILE_TOO_LARGE" });
  await expect(workflows.read("latin.yaml", join(folder, "a.yaml"), folder)).rejects.toMatchObject({ code: "HOST_FILE_NOT_TEXT" });
});

describe("a folder that is one workflow", () => {
  const kit: WorkflowPlace = {
    endings: [".json", ".md"],
    whole: { markers: ["kit.json", "config/kit.json"], beside: ["parts"], workspaceFiles: ["kit-settings.json"] },
  };
  const own = "project/.waymark/workflows";
  const find = () => places([], [kit]).find();

  test("has a marker, and brings every file that belongs to it and no other workflow", async () => {
    put(`${own}/sub/one/kit.json`, "{}");
    put(`${own}/sub/one/inner/a.MD`, "a");
    put(`${own}/sub/one/inner/b.yaml`);
    put(`${own}/sub/one/.hidden/c.md`);
    put(`${own}/two.yaml`);
    const [one, two, ...more] = await find();
    expect(one).toEqual({
      name: "sub:one",
      path: join(base, own, "sub/one/kit.json"),
      source: "project",
      text: "{}",
      folder: join(base, own),
      root: join(base, own, "sub/one"),
      files: [
        { path: "inner/a.MD", text: "a" },
        { path: "kit.json", text: "{}" },
      ],
    });
    expect([two?.name, more]).toEqual(["two", []]);
  });

  test("is known by a later marker too, and never the workflows folder itself", async () => {
    put(`${own}/kit.json`, "{}");
    put(`${own}/one/config/kit.json`, "{}");
    expect((await find()).map(({ name, root }) => [name, root])).toEqual([["one", join(base, own, "one")]]);
  });

  test("takes shared files from beside it unless it has such a folder itself", async () => {
    put(`${own}/parts/shared.md`, "shared");
    put(`${own}/one/kit.json`, "{}");
    put(`${own}/two/kit.json`, "{}");
    put(`${own}/two/parts/own.md`, "own");
    const found = await find();
    expect(found.map(({ files }) => files?.map(({ path }) => path))).toEqual([
      ["kit.json", "../parts/shared.md"],
      ["kit.json", "parts/own.md"],
    ]);
  });

  test("takes files of the workspace, and says why one cannot be read", async () => {
    put(`${own}/one/kit.json`, "{}");
    const settings = put("project/kit-settings.json", "{ }");
    expect((await find())[0]?.files).toContainEqual({ path: "../../../kit-settings.json", text: "{ }" });
    unlinkSync(settings);
    symlinkSync(put("elsewhere/kit-settings.json"), settings);
    const [one] = await find();
    expect(one?.problems).toMatchObject([{ code: "HOST_PATH_OUTSIDE", severity: "error", place: { file: settings } }]);
  });
});

test("a place may have folders of its own, in the project and in the user's home, and nothing else counts there", async () => {
  put("project/.notes/a.md");
  put("project/.notes/b.yaml");
  put("home/.notes/c.md");
  put("project/.waymark/workflows/d.md");
  const found = await places([], [{ endings: [".md"], folders: [".notes"] }]).find();
  expect(found.map(({ name, source }) => [name, source])).toEqual([
    ["a", "project"],
    ["c", "global"],
  ]);
});
