import { describe, expect, test } from "vitest";
import { excerptOf } from "./ask.ts";
import { memoryFiles } from "../../test/support/memory-topics.ts";
import { openKnowledge } from "./open-knowledge.ts";

const specialists = `specialists:
  - specialist_id: dean-debug
    title: Performance
    role: Finds slow code.
    persona: A cheerful detective.
    expertise: { primary: [database reads, locking], secondary: [telemetry] }
    domains: [performance]
    when_to_use: [A page is slow.]
  - specialist_id: eva-errors
    title: Error handling
    domains: [errors]
    expertise: { primary: [labels] }
`;
const texts = {
  bundled: {
    "specialists.yaml": specialists,
    "topics/performance/locking.md":
      "---\ntitle: Keep locks short\ntags: [locking]\n---\n# Locks\n\nA lock ends with the transaction.\n\n## Asking\n\nNever ask the user while a lock is held.\n\nUnrelated words stand here.\n",
    "topics/errors/labels.md": "---\ntitle: Labels for errors\nbc_versions: 14+\n---\nA label is translated.\n",
    "topics/bc23-to-bc24/locks.md": '---\ntitle: Lock locking locks\nbc_versions: "23->24"\n---\nGone.\n',
  },
};
const knowledge = openKnowledge({ files: memoryFiles(texts) });

describe("specialists", () => {
  test("are listed and found by id, with what they are for", async () => {
    expect((await knowledge.specialists()).map(({ specialist_id, title }) => [specialist_id, title])).toEqual([
      ["dean-debug", "Performance"],
      ["eva-errors", "Error handling"],
    ]);
    expect(await knowledge.specialist("EVA-errors")).toMatchObject({
      expertise: { primary: ["labels"], secondary: [] },
      domains: ["errors"],
    });
    expect(await knowledge.specialist("nobody")).toBeUndefined();
  });

  test("the same id in a stronger layer replaces the whole entry; a plain list and a map by id are read too", async () => {
    const layered = openKnowledge({
      files: memoryFiles({
        ...texts,
        user: { "specialists.yaml": "- specialist_id: eva-errors\n  title: Our errors\n" },
        project: { "specialists.yaml": "own-field:\n  title: Our field\n" },
      }),
    });
    expect((await layered.specialists()).map(({ title, domains }) => [title, domains])).toEqual([
      ["Performance", ["performance"]],
      ["Our errors", []],
      ["Our field", []],
    ]);
  });

  test("a broken list and an entry without id are problems", async () => {
    const broken = openKnowledge({
      files: memoryFiles({ bundled: { "specialists.yaml": "- a: [\n" }, user: { "specialists.yaml": "- title: X\n- specialist_id: y\n" } }),
    });
    expect(await broken.problems()).toMatchObject([
      { code: "KNOWLEDGE_SPECIALISTS", place: { file: "/layers/bundled/specialists.yaml", line: expect.any(Number) } },
      { code: "KNOWLEDGE_SPECIALISTS", message: expect.stringContaining("Entry 1") },
    ]);
    expect(await broken.specialists()).toHaveLength(1);
  });
});

describe("a question", () => {
  test("is answered by excerpts of topics and the field that fits, with nobody's words", async () => {
    const answer = await knowledge.ask({ question: "May I ask the user while a lock is held, or does locking slow the page?" });
    expect(answer).toMatchObject({
      answered_from: "topics",
      note: expect.stringContaining("excerpts of topics"),
      specialists: [{ specialist_id: "dean-debug", title: "Performance" }],
      topics: [{ topic_id: "performance/locking", excerpt: expect.stringContaining("Never ask the user while a lock is held.") }],
    });
    expect(answer.topics).toHaveLength(1);
    expect(JSON.stringify(answer)).not.toContain("detective");
    expect(JSON.stringify(answer)).not.toContain("Unrelated");
  });

  test("to a specialist names that field only; an unknown one is refused with the known ids", async () => {
    const answer = await knowledge.ask({ question: "What about locks?", specialist: "eva-errors" });
    expect(answer.specialists.map(({ specialist_id }) => specialist_id)).toEqual(["eva-errors"]);
    await expect(knowledge.ask({ question: "x", specialist: "eva-error" })).rejects.toMatchObject({
      code: "KNOWLEDGE_SPECIALIST_UNKNOWN",
      message: expect.stringContaining("eva-errors"),
    });
    await expect(knowledge.ask({ question: "  " })).rejects.toMatchObject({ code: "KNOWLEDGE_NO_QUESTION" });
  });

  test("that no topic speaks of is said to have no answer", async () => {
    expect(await knowledge.ask({ question: "Zebra crossing?" })).toMatchObject({
      topics: [],
      note: expect.stringContaining("No topic speaks of this"),
    });
  });

  test("brings topics of version steps only for an upgrade", async () => {
    const ids = async (versions: object) =>
      (await knowledge.ask({ question: "locking", ...versions })).topics.map(({ topic_id }) => topic_id);
    expect(await ids({})).toEqual(["performance/locking"]);
    expect(await ids({ source_version: "23", target_version: "24" })).toContain("bc23-to-bc24/locks");
  });
});

test("an excerpt keeps blocks of code whole and has a limit", () => {
  const body = `Intro.\n\n\`\`\`al\nA();\n\nB();\n\`\`\`\n\n${"lock word. ".repeat(300)}`;
  expect(excerptOf(body, new Set(["intro"]))).toBe("Intro.");
  expect(excerptOf("```al\nLock();\n\nB();\n```", new Set(["lock"]))).toBe("```al\nLock();\n\nB();\n```");
  expect(excerptOf(body, new Set(["lock"])).length).toBeLessThan(1000);
});
