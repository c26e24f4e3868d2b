import { expect, test } from "vitest";
import { memoryFiles } from "../../test/support/memory-topics.ts";
import { openKnowledge } from "./open-knowledge.ts";

const topic = (title: string, extra = ""): string => `---\ntitle: ${title}\n${extra}---\nText of ${title}.\n`;

/** Many topics as a harvest gives them, and a few of another kind among them. */
function manyTopics(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let n = 0; n < count; n++) {
    const version = 15 + (n % 12);
    files[`topics/bc${version}-to-bc${version + 1}/object-${n}.md`] = [
      "---",
      `title: "Object ${n} - 2 Obsoletions"`,
      'domain: "victor-versioning"',
      'difficulty: "intermediate"',
      'migration_type: "obsoletion"',
      `bc_versions: "${version}->${version + 1}"`,
      `tags: ["bc${version + 1}-migration", "breaking-change"]`,
      "",
      "relevance_signals:",
      `  constructs: ["Object ${n}", "Object${n}", "FindSet"]`,
      "  keywords: []",
      `  anti_pattern_indicators: ["Object ${n}.GetName"]`,
      "applicable_object_types: [page]",
      "relevance_threshold: 0.6",
      "---",
      `# Object ${n}`,
      "",
      `\`GetName\` moved. ${"Further text. ".repeat(20)}`,
    ].join("\n");
  }
  return files;
}

test("12,000 topics: opening reads nothing, an id reads one file, the first search reads each once, the next process none", async () => {
  const files = memoryFiles({ bundled: { ...manyTopics(12_000), "topics/performance/findset.md": topic("FindSet for loops") } });
  const knowledge = openKnowledge({ files });
  const none = { list: 0, read: 0, readAll: 0, readCache: 0, writeCache: 0 };
  expect(files.counts).toEqual(none);

  const exact = await knowledge.retrieve({ topic_id: "bc20-to-bc21/object-5" });
  expect(exact).toMatchObject({ match: "exact", topic_id: "bc20-to-bc21/object-5" });
  expect(files.counts).toEqual({ ...none, read: 1 });

  const found = await knowledge.retrieve({ query: "FindSet" });
  expect(found).toMatchObject({ match: "search", topics: [{ topic_id: "performance/findset" }], hidden_migration_topics: 12_000 });
  expect(files.counts).toMatchObject({ readAll: 12_001, writeCache: 1 });

  const later = files.reopen();
  const again = openKnowledge({ files: later });
  expect(await again.retrieve({ query: "FindSet" })).toEqual(found);
  expect(later.counts).toMatchObject({ read: 0, readAll: 0, readCache: 1, writeCache: 0 });
});

test("all who ask while the index is built wait for the same one", async () => {
  const files = memoryFiles({ bundled: manyTopics(50) });
  const knowledge = openKnowledge({ files });
  await Promise.all([
    knowledge.topics(),
    knowledge.retrieve({ query: "object" }),
    knowledge.specialists(),
    knowledge.analyse({ code: "x" }),
    knowledge.problems(),
  ]);
  expect(files.counts).toMatchObject({ list: 4, readAll: 50 });
});

test("only changed, new and vanished files count in the next process", async () => {
  const files = memoryFiles({
    project: { "topics/a/one.md": topic("One"), "topics/a/two.md": topic("Two"), "topics/a/three.md": topic("Three") },
  });
  await openKnowledge({ files }).topics();
  files.put("project", "topics/a/one.md", topic("Uno"));
  files.put("project", "topics/a/four.md", topic("Four"));
  files.remove("project", "topics/a/two.md");
  const later = files.reopen();
  const titles = (await openKnowledge({ files: later }).topics()).map(({ title }) => title).sort();
  expect(titles).toEqual(["Four", "Three", "Uno"]);
  expect(later.counts).toMatchObject({ readAll: 2, writeCache: 1 });
});

test.each([
  ["cut off", (text: string) => text.slice(0, -10)],
  ["changed in one place", (text: string) => text.replace("One", "Onf")],
  ["of another form", (text: string) => text.replace("waymark-topics-1", "waymark-topics-0")],
  ["no cache at all", () => "{}"],
  ["empty", () => ""],
])("a cache that is %s is ignored and replaced", async (_title, damage) => {
  const files = memoryFiles({ project: { "topics/a/one.md": topic("One") } });
  await openKnowledge({ files }).topics();
  const good = files.caches.get("project")!;
  files.caches.set("project", damage(good));
  const later = files.reopen();
  expect((await openKnowledge({ files: later }).topics()).map(({ title }) => title)).toEqual(["One"]);
  expect(later.counts).toMatchObject({ readAll: 1, writeCache: 1 });
  expect(files.caches.get("project")).toBe(good);
});

test("a cache that cannot be written is a problem and nothing else", async () => {
  const knowledge = openKnowledge({ files: memoryFiles({ project: { "topics/a/one.md": topic("One") } }, { readOnlyCache: true }) });
  expect(await knowledge.topics()).toHaveLength(1);
  expect(await knowledge.problems()).toMatchObject([{ code: "KNOWLEDGE_CACHE", severity: "warning" }]);
});

test("problems of topics are known in the next process too", async () => {
  const files = memoryFiles({ project: { "topics/a/one.md": "---\ntitle: [\n---\nText.\n" } });
  await openKnowledge({ files }).topics();
  const later = files.reopen();
  expect(await openKnowledge({ files: later }).problems()).toMatchObject([{ code: "KNOWLEDGE_FRONT_MATTER" }]);
  expect(later.counts.readAll).toBe(0);
});

test("the same id in a stronger layer replaces the topic wholly", async () => {
  const files = memoryFiles({
    bundled: { "topics/a/one.md": topic("Bundled", "tags: [kept]\n"), "topics/a/two.md": topic("Two") },
    user: { "topics/a/one.md": topic("User") },
    extra: { "domains/a/one.md": topic("Extra") },
    project: {},
  });
  let time = 0;
  const knowledge = openKnowledge({ files, now: () => time });
  expect((await knowledge.retrieve({ topic_id: "a/one" })).title).toBe("Extra");
  expect((await knowledge.topics()).map(({ id, title, tags }) => [id, title, tags])).toEqual([
    ["a/one", "Extra", []],
    ["a/two", "Two", []],
  ]);
  files.put("project", "topics/a/one.md", topic("Project"));
  time = 40_000;
  expect((await knowledge.topics()).find(({ id }) => id === "a/one")?.title).toBe("Project");
  expect((await knowledge.topic("one"))?.layer).toBe("project");
});

test("with a clock a search looks again after a while, without one it does not", async () => {
  const files = memoryFiles({ project: { "topics/a/one.md": topic("One") } });
  let time = 0;
  const clocked = openKnowledge({ files, now: () => time });
  const still = openKnowledge({ files: files.reopen() });
  await Promise.all([clocked.topics(), still.topics()]);
  files.put("project", "topics/a/two.md", topic("Two"));
  expect(await clocked.topics()).toHaveLength(1);
  time = 40_000;
  expect(await clocked.topics()).toHaveLength(2);
  expect(files.counts.readAll).toBe(2);
  expect(await still.topics()).toHaveLength(1);
});

test("samples, read-me files and other folders are no topics; a layer without `topics` is a folder of domains", async () => {
  const files = memoryFiles({
    bundled: {
      "topics/a/one.md": topic("One"),
      "topics/a/samples/one.md": "code",
      "topics/a/README.md": "x",
      "docs/x.md": "x",
      "topics/a/deep/two.md": "x",
    },
    extra: { "b/three.md": topic("Three"), "top.md": "x", "specialists/x.md": "---\nspecialist_id: x\n---\n" },
  });
  const knowledge = openKnowledge({ files });
  expect((await knowledge.topics()).map(({ id }) => id)).toEqual(["a/deep/two", "a/one", "b/three"]);
  expect((await knowledge.retrieve({ topic_id: "a/one", include_samples: true })).samples).toBe("code");
  expect((await knowledge.specialists()).map(({ specialist_id }) => specialist_id)).toEqual(["x"]);
});

test("an id cannot climb out of its layer", async () => {
  const files = memoryFiles({ bundled: { "topics/a/one.md": topic("One"), "secret.md": "secret" } });
  const asked: string[] = [];
  const read: typeof files.read = (layer, path) => {
    asked.push(path);
    return files.read(layer, path);
  };
  const knowledge = openKnowledge({ files: { ...files, read } });
  for (const id of ["../secret", "topics/../secret", "..", "a/../../secret", "/secret"]) {
    const answer = await knowledge.retrieve({ topic_id: id });
    expect(answer).toMatchObject({ note: expect.stringMatching(/^There is no topic /) as string });
    expect(answer).not.toHaveProperty("topic_content");
  }
  expect(asked.filter((path) => path.startsWith("/") || path.split("/").includes(".."))).toEqual([]);
  expect((await knowledge.retrieve({ topic_id: "a/one" })).topic_content).toContain("One");
  expect(asked).toContain("topics/a/one.md");
});
