import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild } from "../../test/crash/bundle-child.ts";
import type { FileEdit } from "../ports/index.ts";
import { createWorkspace } from "./create-workspace.ts";
import { hashOf } from "./read-regular.ts";
import type { WritePoint } from "./replace-file.ts";

const base = mkdtempSync(join(tmpdir(), "waymark-crash-"));
let child = "";
const files = 60;
let tree = 0;

beforeAll(async () => {
  child = await bundleChild("edits-child.ts");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Tree {
  readonly root: string;
  readonly plans: readonly FileEdit[];
  readonly plansFile: string;
}

/** Files in three folders, with the plans to edit each of them. */
async function grow(): Promise<Tree> {
  const root = join(base, String((tree += 1)));
  const workspace = createWorkspace({ workers: 0 });
  const plans: FileEdit[] = [];
  for (let index = 0; index < files; index += 1) {
    const path = `d${index % 3}/f${index}.al`;
    const bytes = Buffer.from(`\ufeffcodeunit ${index}\r\n{ Error('${"x".repeat(index * 97)}'); }\r\n`);
    mkdirSync(join(root, `d${index % 3}`), { recursive: true });
    writeFileSync(join(root, path), bytes);
    const planned = await workspace.planEdit(root, path, hashOf(bytes), [
      { start: 3, end: 11, text: "CODEUNIT" },
      { start: bytes.length, end: bytes.length, text: "// done\r\n" },
    ]);
    if (planned !== undefined) plans.push(planned);
  }
  const plansFile = join(base, `${tree}.json`);
  writeFileSync(plansFile, JSON.stringify(plans));
  return { root, plans, plansFile };
}

interface Ended {
  readonly signal: string | null;
  readonly outcomes: readonly { readonly status: string }[] | undefined;
  /** How long it wrote. */
  readonly took: number;
}

/** `killAfter`: milliseconds from the moment at which the child begins to write. */
function run({ root, plansFile }: Tree, what: "apply" | "undo", fault: readonly string[] = [], killAfter?: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const started = spawn(process.execPath, [child, root, plansFile, what, ...fault], { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    let begun = 0;
    started.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (printed === "" && killAfter !== undefined) setTimeout(() => started.kill("SIGKILL"), killAfter);
      if (printed === "") begun = performance.now();
      printed += text;
    });
    started.on("error", reject);
    started.on("close", (_code, signal) => {
      const [, line] = printed.split("\n");
      resolve({ signal, outcomes: line ? (JSON.parse(line) as Ended["outcomes"]) : undefined, took: performance.now() - begun });
    });
  });
}

/** How many files are old and how many new; anything else fails. */
function count({ root, plans }: Tree): { old: number; changed: number } {
  const hashes = plans.map((plan) => ({ plan, hash: hashOf(readFileSync(join(root, plan.path))) }));
  const torn = hashes.filter(({ plan, hash }) => hash !== plan.before && hash !== plan.after);
  expect(torn.map(({ plan }) => plan.path)).toEqual([]);
  const old = hashes.filter(({ plan, hash }) => hash === plan.before).length;
  return { old, changed: files - old };
}

function strays({ root }: Tree): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"));
}

const allDone = Array.from({ length: files }, () => expect.objectContaining({ status: "done" }) as unknown);

const points: WritePoint[] = ["read", "temporary_created", "temporary_written", "temporary_synced", "renamed", "folder_synced"];
const borders = points.flatMap((point) => (point === "folder_synced" ? [1, 3] : [1, 30, files]).map((nth) => [point, nth] as const));

/** How many files may have been written when the n-th of them came to this border: exactly n once it is renamed. */
function written(point: WritePoint, nth: number): readonly [least: number, most: number] {
  if (point === "renamed") return [nth, nth];
  // Files are written side by side, so of those that came to an earlier border before this one any number may be renamed.
  return point === "folder_synced" ? [files, files] : [0, nth - 1];
}

test.each(borders)("killed at %s, crossing %d: old or new, then completed, then undone", async (point, nth) => {
  const grown = await grow();
  expect((await run(grown, "apply", [point, String(nth)])).signal).toBe("SIGKILL");
  const [least, most] = written(point, nth);
  const { changed } = count(grown);
  expect(changed).toBeGreaterThanOrEqual(least);
  expect(changed).toBeLessThanOrEqual(most);

  expect((await run(grown, "apply")).outcomes).toEqual(allDone);
  expect(count(grown)).toEqual({ old: 0, changed: files });
  expect(strays(grown)).toEqual([]);

  expect((await run(grown, "undo", [point, String(nth)])).signal).toBe("SIGKILL");
  const { old } = count(grown);
  expect(old).toBeGreaterThanOrEqual(least);
  expect(old).toBeLessThanOrEqual(most);
  expect((await run(grown, "undo")).outcomes).toEqual(allDone);
  expect(count(grown)).toEqual({ old: files, changed: 0 });
  expect(strays(grown)).toEqual([]);
});

test("killed at random moments, again and again, until it is done; undo the same way", async () => {
  const grown = await grow();
  const { took } = await run(grown, "apply");
  let halfway = 0;
  for (let round = 0; round < 24; round += 1) {
    const what = count(grown).old < files / 2 ? "undo" : "apply";
    await run(grown, what, [], Math.random() * took);
    const { old, changed } = count(grown);
    if (old > 0 && changed > 0) halfway += 1;
  }
  expect((await run(grown, "apply")).outcomes).toEqual(allDone);
  expect(count(grown)).toEqual({ old: 0, changed: files });
  expect((await run(grown, "undo")).outcomes).toEqual(allDone);
  expect(count(grown)).toEqual({ old: files, changed: 0 });
  expect(strays(grown)).toEqual([]);
  // Otherwise the moments were all before or after the writing, and nothing was tried.
  expect(halfway).toBeGreaterThan(0);
});
