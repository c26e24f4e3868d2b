import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { good, samples, folder as session } from "../../../../test/support/broken-sessions.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { inspectSessions, planRepairs, repairSession, type SessionRepair } from "./inspect-sessions.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const marked = `\uFEFF${good["spec.md"]}`;

async function withSessions(sessions: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<TestEngine> {
  const files = Object.entries(sessions).flatMap(([name, texts]) =>
    Object.entries(texts).map(([file, text]) => [`.agents-work/${name}/${file}`, text] as const),
  );
  engine = await openTestEngine(Object.fromEntries(files));
  return engine;
}

async function repairs(only?: string): Promise<SessionRepair[]> {
  const found = await inspectSessions(engine.context, only);
  return (await Promise.all(found.map((each) => planRepairs(engine.context, each)))).flat();
}

const textOf = (path: string): Promise<string> => readFile(join(engine.folder, path), "utf8");
const held = async (): Promise<string[]> => (await readdir(join(engine.folder, ".agents-work", session))).toSorted();

test("every session is looked at, or only the one that is named", async () => {
  const { context } = await withSessions({ [session]: good, "2026-03-03_other": { ...good, "spec.md": marked } });
  const [first, second] = await inspectSessions(context);
  expect(first).toEqual({ session, folder: `.agents-work/${session}`, defects: [] });
  expect(second?.defects.map(({ kind, file }) => `${kind} ${file}`)).toContain("MACHINE_BYTE_MARK spec.md");
  expect((await inspectSessions(context, session)).map((each) => each.session)).toEqual([session]);
  expect(await inspectSessions(context, "2026-03-04_none")).toEqual([]);
});

test("a session of a machine with states of its own is not held to the documented form", async () => {
  const { context } = await withSessions({ [session]: { "status.json": '{"machine":"triage"}', "spec.md": marked } });
  expect(await inspectSessions(context)).toMatchObject([{ session, defects: [] }]);
});

test("a status that cannot be read is a defect", async () => {
  const { context } = await withSessions({ [session]: samples["MACHINE_SYNTAX"]![0].files });
  expect((await inspectSessions(context))[0]?.defects).toMatchObject([{ kind: "MACHINE_SYNTAX", file: "status.json" }]);
  expect(await repairs()).toEqual([]);
});

test("a repair is shown as a difference, and nothing is written before it is asked for", async () => {
  await withSessions({ [session]: { ...good, "spec.md": marked } });
  const [plan, ...others] = await repairs();
  expect(others).toEqual([]);
  expect(plan).toMatchObject({ session, path: `.agents-work/${session}/spec.md`, removes: ["MACHINE_BYTE_MARK"], text: good["spec.md"] });
  expect(plan?.difference.split("\n")).toEqual(expect.arrayContaining(["-\uFEFF# Login", "+# Login"]));
  expect(await held()).toEqual(Object.keys(good).toSorted());
});

test("a repair writes the file again and keeps what stood there, each time under a name of its own", async () => {
  const { context } = await withSessions({ [session]: { ...good, "spec.md": marked } });
  const [plan] = await repairs();
  expect(await repairSession(context, plan!)).toBe(`${plan!.path}.before-repair`);
  expect([await textOf(plan!.path), await textOf(`${plan!.path}.before-repair`)]).toEqual([good["spec.md"], marked]);
  expect(await inspectSessions(context)).toMatchObject([{ defects: [] }]);
  await engine.write(plan!.path, marked);
  const [again] = await repairs();
  expect(await repairSession(context, again!)).toBe(`${plan!.path}.before-repair-2`);
});

test("a file that has changed since the repair was shown is left as it is", async () => {
  const { context } = await withSessions({ [session]: { ...good, "spec.md": marked } });
  const [plan] = await repairs();
  await engine.write(plan!.path, `${marked}more\n`);
  await expect(repairSession(context, plan!)).rejects.toMatchObject({ code: "MACHINE_REPAIR_STALE" });
  expect(await textOf(plan!.path)).toBe(`${marked}more\n`);
  expect(await held()).toEqual(Object.keys(good).toSorted());
});
