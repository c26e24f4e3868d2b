import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryFiles } from "../../test/support/memory-topics.ts";
import { openKnowledge } from "./open-knowledge.ts";

const files = memoryFiles({
  bundled: {
    "topics/performance/setloadfields.md":
      "---\ntitle: Load fewer fields\nbc_versions: 17+\ntags: [partial-records]\nrelated_topics: [locking, errors/labels, gone/away]\n---\n# H\n\nBody of load.\n",
    "topics/performance/locking.md": "---\ntitle: Locks\nbc_versions: ..20\n---\nBody of locks.\n",
    "topics/errors/labels.md": "---\ntitle: Labels for errors\ncategory: quality\n---\nBody of labels.\n",
    "topics/errors/naming.md": "---\ntitle: Naming of errors\n---\nBody.\n",
    "topics/style/naming.md": "---\ntitle: Naming\n---\nBody.\n",
    "topics/broken/front.md": "---\ntitle: [\n---\nReadable all the same.\n",
    "topics/bc23-to-bc24/old-thing.md": '---\ntitle: Old Thing - Obsoletion\nmigration_type: removal\nbc_versions: "18->19"\n---\nGone.\n',
    "topics/bc23-to-bc24/new-thing.md": '---\ntitle: New Thing - Obsoletion\nmigration_type: removal\nbc_versions: "23->24"\n---\nGone.\n',
    "guides/bc24-x-conversion-guide.md": "---\ntitle: Guide for X\n---\nGuide.\n",
    "specialists.yaml": "- specialist_id: dean-debug\n  title: Performance\n  domains: [performance]\n",
  },
});
const knowledge = openKnowledge({ files });

describe("one topic", () => {
  test("by its id, with front matter, text and what to do with it in a run", async () => {
    expect(await knowledge.retrieve({ topic_id: "errors/labels" })).toEqual({
      match: "exact",
      note: "Topic `errors/labels` of the bundled layer.",
      topic_id: "errors/labels",
      title: "Labels for errors",
      metadata: { title: "Labels for errors", category: "quality" },
      topic_content: "Body of labels.",
      workflow_integration: {
        instruction: expect.stringContaining("workflow_progress"),
        finding_template: {
          severity: "info|warning|error|critical",
          category: "quality",
          description: expect.any(String),
          suggestion: expect.any(String),
          related_topic: "errors/labels",
        },
      },
    });
  });

  test.each(["labels", "LABELS", "Errors/Labels", "errors/labels.md", " labels ", "eva-errors/labels"])("by %j", async (id) => {
    expect((await knowledge.retrieve({ topic_id: id })).topic_id).toBe("errors/labels");
  });

  test("with related topics; one that does not exist is left out", async () => {
    const { related_topics } = await knowledge.retrieve({ topic_id: "setloadfields", include_related: true });
    expect(related_topics?.map(({ topic_id, content }) => [topic_id, content])).toEqual([
      ["performance/locking", "Body of locks."],
      ["errors/labels", "Body of labels."],
    ]);
    expect((await knowledge.retrieve({ topic_id: "setloadfields" })).related_topics).toBeUndefined();
  });

  test("with broken front matter its text is complete and the problem is told", async () => {
    const answer = await knowledge.retrieve({ topic_id: "broken/front" });
    expect(answer.topic_content).toBe("Readable all the same.");
    expect(answer.note).toContain("not valid YAML");
  });
});

describe("several, never none", () => {
  const idsOf = (answer: { readonly topics?: readonly { readonly topic_id: string }[] }) => answer.topics?.map(({ topic_id }) => topic_id);

  test("a bare name that two topics have", async () => {
    const answer = await knowledge.retrieve({ topic_id: "naming" });
    expect(answer.match).toBe("partial");
    expect(idsOf(answer)).toEqual(["errors/naming", "style/naming"]);
  });

  test("a part of a name, a longer name, a slip", async () => {
    expect(idsOf(await knowledge.retrieve({ topic_id: "loadfields" }))).toEqual(["performance/setloadfields"]);
    expect(idsOf(await knowledge.retrieve({ topic_id: "dean-debug/setloadfields-optimization" }))).toEqual(["performance/setloadfields"]);
    expect(idsOf(await knowledge.retrieve({ topic_id: "setlodfields" }))).toEqual(["performance/setloadfields"]);
  });

  test("an id whose folder is a domain or a specialist", async () => {
    expect(await knowledge.retrieve({ topic_id: "style/qqqqqqq" })).toMatchObject({
      match: "domain",
      topics: [{ topic_id: "style/naming" }],
    });
    expect(await knowledge.retrieve({ topic_id: "dean-debug/qqqqqqq" })).toMatchObject({
      match: "specialist",
      topics: [{ topic_id: "performance/locking" }, { topic_id: "performance/setloadfields" }],
    });
  });

  test("by domain, by specialist, by version, by tag, by words", async () => {
    expect(idsOf(await knowledge.retrieve({ domain: "Errors" }))).toEqual(["errors/labels", "errors/naming"]);
    expect(idsOf(await knowledge.retrieve({ specialist: "dean-debug", bc_version: "BC24" }))).toEqual(["performance/setloadfields"]);
    expect(idsOf(await knowledge.retrieve({ query: "fields", tags: ["partial-records"] }))).toEqual(["performance/setloadfields"]);
    expect(idsOf(await knowledge.retrieve({ query: "errors labels" }))?.[0]).toBe("errors/labels");
  });

  test("nothing at all gives the domains with their counts", async () => {
    const answer = await knowledge.retrieve({});
    expect(answer.groups?.map(({ domain, count }) => [domain, count])).toEqual([
      ["broken", 1],
      ["errors", 2],
      ["performance", 2],
      ["style", 1],
    ]);
    expect(answer.hidden_migration_topics).toBe(3);
  });

  test("migration topics come only with an upgrade, by the versions in the file and not by their folder", async () => {
    expect(idsOf(await knowledge.retrieve({ query: "thing obsoletion" }))).toBeUndefined();
    expect(idsOf(await knowledge.retrieve({ query: "thing", source_version: "BC23", target_version: "24" }))).toEqual([
      "bc23-to-bc24/new-thing",
    ]);
    expect(idsOf(await knowledge.retrieve({ query: "thing", source_version: 18, target_version: "19.0" }))).toEqual([
      "bc23-to-bc24/old-thing",
    ]);
    expect((await knowledge.retrieve({ topic_id: "old-thing" })).topic_content).toBe("Gone.");
  });

  test("any request has an answer with a note and something to read", async () => {
    const word = fc.constantFrom("naming", "errors", "x", "performance/lock", "☃", "", "a/b/c", "dean-debug", "..", "load fewer");
    const request = fc.record({ topic_id: word, query: word, domain: word, specialist: word }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const answer = await knowledge.retrieve(asked);
        expect(answer.note).not.toBe("");
        expect((answer.topic_content ?? "").length + (answer.topics ?? []).length + (answer.groups ?? []).length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });

  test("what is no version is refused", async () => {
    await expect(knowledge.retrieve({ query: "x", bc_version: "new" })).rejects.toMatchObject({ code: "KNOWLEDGE_VERSION" });
  });

  test("without any topic the note says where to put some", async () => {
    const empty = openKnowledge({ files: memoryFiles({}) });
    expect(await empty.retrieve({ topic_id: "x" })).toMatchObject({ match: "list", note: expect.stringContaining(".waymark/knowledge") });
  });
});
