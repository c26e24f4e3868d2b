import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessId } from "./process-id.ts";
import { removeDeadFiles } from "./remove-dead-files.ts";

test("files of dead processes are removed, those of living ones are kept, and those of others for a week", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-dead-"));
  const own = createProcessId("abcdefgh");
  const { pid } = spawnSync("true");
  const names = {
    own: `${own}.json`,
    dead: `${own.replace(/^p\d+/, `p${pid}`)}.json`,
    elsewhere: `${own.replace(/\.[a-z0-9]+\./, ".0123456789.")}.json`,
    old: `${own.replace(/\.[a-z0-9]+\./, ".9876543210.")}.json`,
  };
  for (const name of Object.values(names)) writeFileSync(join(folder, name), "{}");
  const longAgo = Date.now() / 1000 - 8 * 86_400;
  utimesSync(join(folder, names.old), longAgo, longAgo);
  removeDeadFiles(folder);
  expect(readdirSync(folder).sort()).toEqual([names.own, names.elsewhere].sort());
  rmSync(folder, { recursive: true });
  expect(() => removeDeadFiles(folder)).not.toThrow();
});
