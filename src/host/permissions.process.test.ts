import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { PermissionFile } from "./permissions.ts";

test("several processes that grant and revoke at once lose nothing", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-allow-")));
  onTestFinished(() => rmSync(base, { recursive: true }));
  mkdirSync(join(base, "project"));
  const outfile = join(base, "writer.mjs");
  const contents = `import { PermissionFile } from "./permissions.ts";
    const [workspace, dataFolder, name] = process.argv.slice(2);
    const permissions = new PermissionFile({ workspace, dataFolder, log: () => undefined });
    const runs = ["x".repeat(5000)];
    for (let index = 0; index < 60; index++) {
      const hash = name + index;
      await permissions.grant({ hash, workflow: "w", workspace, runs, unattended: false });
      if (index % 3 === 0) await permissions.revoke(hash);
    }`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  const workspace = join(base, "project");
  const dataFolder = join(base, "data");
  const ended = ["a", "b", "c"].map(
    (name) =>
      new Promise((done) => spawn(process.execPath, [outfile, workspace, dataFolder, name], { stdio: "inherit" }).once("close", done)),
  );
  expect(await Promise.all(ended)).toEqual([0, 0, 0]);

  const warnings: string[] = [];
  const permissions = new PermissionFile({ workspace, dataFolder, log: (_level, message) => void warnings.push(message) });
  const held = (await permissions.list()).map(({ hash }) => hash).sort();
  const wanted = ["a", "b", "c"].flatMap((name) =>
    Array.from({ length: 60 }, (_, index) => index)
      .filter((index) => index % 3 !== 0)
      .map((index) => name + index),
  );
  expect(held).toEqual(wanted.sort());
  expect(warnings).toEqual([]);
});
