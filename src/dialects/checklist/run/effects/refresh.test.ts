import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, oldCalls, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { gatherFacts } from "../commands/gather-facts.ts";
import { journal, progress } from "../../../../engine/index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const skip = () => ({ status: "skipped" as const, skipReason: "not now" });

async function migration(files: Readonly<Record<string, string>>): Promise<string> {
  engine = await withWorkflow(oldCalls, files);
  const { run } = await begin(engine, "old-calls");
  await progress(engine.context, engine.caller, { run, result: "review_by_file" });
  return run;
}

/** Files that something was done with after their rows were made. */
async function touched(run: string): Promise<readonly string[]> {
  const events = (await journal(engine.context, run, 0, 10_000)).flatMap((entry) => entry.events);
  return [...new Set(events.flatMap((event) => (event.type === "item_moved" ? [event.move.root] : [])))].toSorted();
}

test("a file that appears is open when something is found in it, and complete from the beginning when nothing is", async () => {
  const run = await migration({ "a.js": "old(y);\n" });
  await engine.write("found.js", "old(z);\n");
  await engine.write("quiet.js", "nothing();\n");
  const seen: string[] = [];
  await driveToEnd(engine, run, ({ file }) => (seen.push(file), skip()));
  expect(seen).toEqual(["a.js", "found.js"]);
  expect(await touched(run)).toEqual(["a.js", "found.js"]);
  expect(await gatherFacts(engine.context, run)).toMatchObject({ files: { total: 3, completed: 3 }, instances: { total: 2, skipped: 2 } });
  await expectSound(engine.context, run);
});

test("what stays as it was is not opened again, and what changed is looked at again", async () => {
  const run = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const seen: string[] = [];
  await driveToEnd(engine, run, async ({ file }) => {
    seen.push(file);
    if (seen.length === 2) await engine.write("a.js", "old(y);\nold(more);\n");
    return skip();
  });
  expect(seen).toEqual(["a.js", "b.js", "a.js"]);
  expect(await gatherFacts(engine.context, run)).toMatchObject({ files: { total: 2, completed: 2 }, instances: { total: 3 } });
  await expectSound(engine.context, run);
});

test("a file that is gone is settled with everything in it", async () => {
  const run = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\nold(w);\n" });
  const seen: string[] = [];
  await driveToEnd(engine, run, async ({ file }) => {
    seen.push(file);
    await rm(join(engine.folder, "b.js"), { force: true });
    return skip();
  });
  expect(seen).toEqual(["a.js"]);
  expect(await gatherFacts(engine.context, run)).toMatchObject({
    files: { total: 2, completed: 1, skipped: 1 },
    instances: { total: 3, skipped: 3 },
  });
  await expectSound(engine.context, run);
});
