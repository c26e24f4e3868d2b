import { test } from "vitest";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleChild } from "../crash/bundle-child.ts";
import { growBatchTree } from "../crash/batch-tree.ts";
test("t", async () => {
  const program = await bundleChild("batch-child.ts");
  const base = mkdtempSync(join(tmpdir(), "wb-"));
  growBatchTree(join(base, "work"));
  let run = "";
  const go = (more: object): void => {
    const t = performance.now();
    const r = spawnSync(process.execPath, ["--cpu-prof", "--cpu-prof-dir=/tmp/prof", program, JSON.stringify({ base, run, leaseTtlMs: 250, ...more })], { encoding: "utf8" });
    console.log(JSON.stringify(more), (performance.now() - t).toFixed(0), r.stdout.slice(0, 100).replaceAll("\n", " "), r.stderr.slice(0, 300));
    const m = /"run":"([^"]+)"/.exec(r.stdout);
    if (m) run = m[1]!;
  };
  go({ what: "prepare" }); go({ what: "apply" }); go({ what: "undo" }); go({ what: "apply" }); go({ what: "undo" });
  rmSync(base, { recursive: true });
}, 120000);
