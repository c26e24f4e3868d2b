import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { createHost, type LocalHost } from "./create-host.ts";

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-host-")));
  mkdirSync(join(base, "project"));
  symlinkSync(join(base, "project"), join(base, "link"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function host(workspace: string): Promise<LocalHost> {
  const env = { HOME: join(base, "home") };
  const { config } = await loadConfig({ workspace, env, flags: {} });
  return await createHost({
    workspace,
    config,
    bundledFolder: join(base, "bundled"),
    places: () => Promise.resolve([]),
    storeFolder: config.store,
    log: () => undefined,
    env,
  });
}

test("creating a host touches no file", async () => {
  await host(join(base, "project"));
  expect([readdirSync(base).sort(), readdirSync(join(base, "project"))]).toEqual([["link", "project"], []]);
});

test("the workspace is its real place, and must be a folder", async () => {
  expect((await host(join(base, "link"))).workspace).toBe(join(base, "project"));
  writeFileSync(join(base, "file"), "");
  for (const path of ["nowhere", "file"]) await expect(host(join(base, path))).rejects.toMatchObject({ code: "HOST_WORKSPACE_MISSING" });
});

test("names, texts and hashes", async () => {
  const one = await host(join(base, "project"));
  const two = await host(join(base, "project"));
  expect(one.processId).not.toBe(two.processId);
  expect(one.sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(one.uuid()).toMatch(/^[0-9a-f-]{36}$/);
  for (const length of [0, 1, 6, 500]) expect(one.randomText(length)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`));
  expect(new Set(one.randomText(5000)).size).toBe(36);
});

test("the parts work on the same workspace, and closing is safe without any use", async () => {
  const one = await host(join(base, "project"));
  await one.permissions.grant({ hash: "h", workflow: "w", workspace: one.workspace, runs: [], unattended: true });
  expect(await (await host(join(base, "link"))).permissions.find("h")).toMatchObject({ unattended: true });
  expect(one.tools.configured).toBe(false);
  expect(await one.tools.call("anything", {}, { timeoutMs: 1000 })).toBeUndefined();
  expect(await one.definitions.find()).toEqual([]);
  await one.close();
});
