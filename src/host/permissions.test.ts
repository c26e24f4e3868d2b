import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PermissionFile } from "./permissions.ts";

let base: string;
let workspace: string;
let dataFolder: string;
let warnings: string[];

function permissions(of = workspace): PermissionFile {
  return new PermissionFile({ workspace: of, dataFolder, log: (_level, message) => void warnings.push(message) });
}
const grant = (hash: string, of = workspace) => ({ hash, workflow: "standards:fix", workspace: of, runs: ["npm test"], unattended: false });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-allow-")));
  workspace = join(base, "project");
  dataFolder = join(base, "data", "waymark");
  mkdirSync(workspace);
  warnings = [];
});
afterEach(() => rmSync(base, { recursive: true }));

test("what was granted is found again, also by another process' object, until it is revoked", async () => {
  expect(await permissions().find("h1")).toBeUndefined();
  const granted = await permissions().grant(grant("h1"));
  expect(await permissions().find("h1")).toEqual(granted);
  expect(granted).toMatchObject({ hash: "h1", runs: ["npm test"], unattended: false });
  expect(Number.isNaN(Date.parse(granted.at))).toBe(false);
  expect(await permissions().revoke("h1")).toBe(true);
  expect(await permissions().find("h1")).toBeUndefined();
  expect(await permissions().revoke("h1")).toBe(false);
  await permissions().grant(grant("h1"));
  expect(await permissions().find("h1")).toBeDefined();
  expect((await permissions().list()).length).toBe(1);
});

test("a permission counts only in its workspace, is listed everywhere and revoked in its own", async () => {
  const other = join(base, "other");
  mkdirSync(other);
  await permissions().grant(grant("h1"));
  expect(await permissions(other).find("h1")).toBeUndefined();
  await permissions(other).grant(grant("h1", other));
  expect((await permissions().list()).map((held) => held.workspace)).toEqual([workspace, other]);
  await permissions().revoke("h1");
  expect((await permissions().list()).map((held) => held.workspace)).toEqual([other]);
  await permissions(other).revoke("h1");
  expect(await permissions(other).list()).toEqual([]);
});

test.skipIf(process.platform === "win32")("folder and file belong to the user alone", async () => {
  await permissions().grant(grant("h1"));
  expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataFolder, "permissions.jsonl")).mode & 0o777).toBe(0o600);
});

test.skipIf(process.platform === "win32")("a folder or file that others can write is not believed", async () => {
  await permissions().grant(grant("h1"));
  chmodSync(join(dataFolder, "permissions.jsonl"), 0o620);
  await expect(permissions().find("h1")).rejects.toMatchObject({ code: "HOST_DATA_UNSAFE" });
  chmodSync(join(dataFolder, "permissions.jsonl"), 0o600);
  chmodSync(dataFolder, 0o777);
  await expect(permissions().list()).rejects.toMatchObject({ code: "HOST_DATA_UNSAFE" });
  await expect(permissions().grant(grant("h2"))).rejects.toMatchObject({ code: "HOST_DATA_UNSAFE" });
});

test("a data folder inside the workspace is refused for reading and writing, also through a link", async () => {
  mkdirSync(join(workspace, "data"));
  symlinkSync(join(workspace, "data"), join(base, "link"));
  for (const folder of [join(workspace, "data"), join(workspace, "not", "yet"), workspace, join(base, "link")]) {
    dataFolder = folder;
    await expect(permissions().find("h1")).rejects.toMatchObject({ code: "HOST_DATA_INSIDE_WORKSPACE" });
    await expect(permissions().grant(grant("h1"))).rejects.toMatchObject({ code: "HOST_DATA_INSIDE_WORKSPACE" });
  }
});

test("a torn or foreign line costs only itself", async () => {
  await permissions().grant(grant("h1"));
  const path = join(dataFolder, "permissions.jsonl");
  appendFileSync(path, '{"type":"allow","hash":"h2","workfl');
  await permissions().grant(grant("h3"));
  appendFileSync(path, '{"type":"constructor","at":"x"}\n[]\nnull\n{"type":"allow","hash":"h4","workflow":"w","workspace":"p","at":"x"}\n');
  expect((await permissions().list()).map((held) => held.hash)).toEqual(["h1", "h3"]);
  expect(warnings.length).toBeGreaterThan(0);
});

test("a file that cannot be written is an error that names it", async () => {
  writeFileSync(join(base, "data"), "a file stands where the folder should be");
  await expect(permissions().grant(grant("h1"))).rejects.toMatchObject({ code: "HOST_WRITE_FAILED" });
  expect(readFileSync(join(base, "data"), "utf8")).toContain("stands");
});

test("any order of granting and revoking leaves what a set would hold", async () => {
  const step = fc.record({ hash: fc.constantFrom("a", "b", "c"), on: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      dataFolder = mkdtempSync(join(base, "set-"));
      const model = new Set<string>();
      for (const { hash, on } of steps) {
        const changed = on ? await permissions().grant(grant(hash)) : await permissions().revoke(hash);
        expect(Boolean(changed)).toBe(on || model.has(hash));
        if (on) model.add(hash);
        else model.delete(hash);
      }
      expect((await permissions().list()).map((held) => held.hash).sort()).toEqual([...model].sort());
    }),
    { numRuns: 25 },
  );
});
