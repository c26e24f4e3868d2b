/** The content that comes with the package, read by the real adapter. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTopicLayers } from "../host/index.ts";
import { certainChecks } from "./code/certain-checks.ts";
import { openKnowledge, type Knowledge } from "./open-knowledge.ts";
import { patternsOf } from "./guides/guide-patterns.ts";

let folder: string;
let knowledge: Knowledge;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-bundled-"));
  const bundledFolder = join(import.meta.dirname, "../../knowledge");
  const files = createTopicLayers({
    workspace: folder,
    bundledFolder,
    configFolder: join(folder, "config"),
    extraFolders: [],
    cacheFolder: join(folder, "cache"),
  });
  knowledge = openKnowledge({ files });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every topic, guide and specialist is read without a problem", async () => {
  expect(await knowledge.problems()).toEqual([]);
  const topics = await knowledge.topics();
  expect(topics.length).toBeGreaterThan(30);
  for (const { id, title, description, domains } of topics) {
    expect([id, title, description, domains.length > 0]).toEqual([id, expect.stringMatching(/\S/), expect.stringMatching(/\S/), true]);
  }
});

test("every related topic and prerequisite exists, and every specialist that a topic names", async () => {
  const missing: string[] = [];
  for (const { id, related, prerequisites, specialist } of await knowledge.topics()) {
    for (const reference of [...related, ...prerequisites])
      if ((await knowledge.topic(reference)) === undefined) missing.push(`${id}: ${reference}`);
    if (specialist !== undefined && (await knowledge.specialist(specialist)) === undefined) missing.push(`${id}: ${specialist}`);
  }
  expect(missing).toEqual([]);
});

test("every step from BC21 to BC27 has a guide, and each gives patterns, mappings, an example and sections", async () => {
  const plan = await knowledge.guides({ source_version: "BC21", target_version: "BC27" });
  expect(plan.steps_without_guide).toEqual([]);
  expect(plan.problems).toEqual([]);
  for (const guide of plan.guides) {
    expect([guide.name, guide.patterns.length, guide.method_mappings.length, guide.examples.length].map((value) => value !== 0)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const patterns = patternsOf(guide);
    expect(patterns.length).toBeGreaterThan(0);
    const headings = guide.sections.map(({ heading }) => heading);
    for (const { regex = "", flags } of patterns) expect(() => new RegExp(regex, flags)).not.toThrow();
    expect(headings).toEqual(expect.arrayContaining(patterns.flatMap(({ section }) => section ?? [])));
  }
  const ids = plan.guides.flatMap((guide) => patternsOf(guide).map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test("the guide for number series names its verified finder", async () => {
  expect((await knowledge.guide("bc24-no-series-conversion-guide"))?.finder).toBe("al-no-series");
});

test("every topic that a check points to is there", async () => {
  const ids = new Set((await knowledge.topics()).map(({ id }) => id));
  expect(certainChecks.flatMap(({ topic }) => (topic === undefined || ids.has(topic) ? [] : [topic]))).toEqual([]);
});

test("code with a loop over records is led to the topics about loops", async () => {
  const code =
    'codeunit 1 X\n{\n    procedure A(var L: Record "Sales Line")\n    begin\n        if L.FindSet() then\n            repeat\n                L.CalcFields("Reserved Quantity");\n            until L.Next() = 0;\n    end;\n}';
  const { issues, suggested_topics } = await knowledge.analyse({ code, analysis_type: "performance", bc_version: "BC26" });
  expect(issues.map(({ check, related_topic }) => [check, related_topic?.split("/")[0]])).toContainEqual([
    "calcfields_in_loop",
    "performance",
  ]);
  expect(suggested_topics.map(({ topic_id }) => topic_id)).toContain(
    issues.find(({ check }) => check === "calcfields_in_loop")?.related_topic,
  );
});
