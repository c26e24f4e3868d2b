import { expect, test } from "vitest";
import { parseTopic } from "./parse-topic.ts";

const parse = (text: string, id = "performance/sample") =>
  parseTopic({ id, text, file: `/layers/project/topics/${id}.md`, layer: "project" });

const full = `---
title: "Add up in the database"
domain: [performance, database]
difficulty: advanced
bc_versions: "14..23"
tags: [SIFT, performance]
samples: samples/sums.md
related_topics: ["../performance/locking.md", errors/labels]
prerequisites: [al-tables]
relevance_signals:
  constructs: [CalcSums, "Codeunit.Run"]
  keywords: [Total]
  anti_pattern_indicators: ["+= inside repeat"]
  positive_pattern_indicators: [CalcSums]
applicable_object_types: [Codeunit, Table Extension]
relevance_threshold: 0.55
category: Performance
severity: high
pattern_type: bad
specialist: dean-debug
house_rule: { owner: team }
---
# Heading

\`CalcSums\` adds. A second sentence.
`;

test("all fields are read, and unknown ones are kept", () => {
  const topic = parse(full);
  expect(topic).toMatchObject({
    title: "Add up in the database",
    domains: ["performance", "database"],
    difficulty: "advanced",
    versions: [{ from: 14, to: 23 }],
    tags: ["sift", "performance"],
    samples: "samples/sums.md",
    related: ["performance/locking", "errors/labels"],
    prerequisites: ["al-tables"],
    constructs: ["CalcSums", "Codeunit.Run"],
    keywords: ["total"],
    antiPatterns: ["+= inside repeat"],
    goodPatterns: ["CalcSums"],
    objectTypes: ["codeunit", "tableextension"],
    threshold: 0.55,
    category: "performance",
    severity: "error",
    specialist: "dean-debug",
    languages: ["al"],
    mentions: ["calcsums"],
    description: "CalcSums adds.",
    problems: [],
  });
  expect(topic.fields).toMatchObject({ pattern_type: "bad", house_rule: { owner: "team" } });
  expect(topic.migration).toBeUndefined();
});

test("byte order mark and CRLF change nothing", () => {
  const { body, bodyLine, ...plain } = parse(full);
  const { body: otherBody, bodyLine: otherLine, ...other } = parse(`\uFEFF${full.replaceAll("\n", "\r\n")}`);
  expect(other).toEqual(plain);
  expect([otherBody, otherLine]).toEqual([body, bodyLine]);
});

test("without front matter the file is all text, with defaults", () => {
  const topic = parse("# Locks\n\nKeep them short.\n");
  expect(topic).toMatchObject({ title: "Locks", domains: ["performance"], threshold: 0.3, versions: [], languages: [], problems: [] });
  expect(topic.body).toContain("Keep them short.");
  expect(parse("Just text.").title).toBe("Sample");
});

test("broken front matter is a problem with its place, and the text stays readable", () => {
  const topic = parse('---\ntitle: "open\ntags: [a\n---\n# Still here\n\nText.\n');
  expect(topic.problems[0]).toMatchObject({
    code: "KNOWLEDGE_FRONT_MATTER",
    place: { file: "/layers/project/topics/performance/sample.md", line: expect.any(Number), column: expect.any(Number) },
  });
  expect(topic.problems[0]!.place!.line).toBeGreaterThan(1);
  expect(topic.body).toBe("# Still here\n\nText.\n");
  expect(topic.title).toBe("Still here");
});

test("front matter that never ends, and front matter that is no map", () => {
  expect(parse("---\ntitle: a\n\n# Text\n").problems).toMatchObject([{ code: "KNOWLEDGE_FRONT_MATTER", place: { line: 1, column: 1 } }]);
  expect(parse("---\n- a\n---\nText\n").problems).toMatchObject([{ code: "KNOWLEDGE_FRONT_MATTER" }]);
  expect(parse("---\n\nA rule above is no front matter.\n").problems).toEqual([]);
});

test("a field of the wrong form is a problem at its line, and the topic is used without it", () => {
  const topic = parse("---\ntitle: a\nbc_versions: soon\nrelevance_threshold: 7\nrelevance_signals: [x]\ntags: {a: 1}\n---\nText.\n");
  expect(topic.problems.map(({ code, place }) => [code, place?.line])).toEqual(
    expect.arrayContaining([
      ["KNOWLEDGE_FIELD", 3],
      ["KNOWLEDGE_FIELD", 4],
      ["KNOWLEDGE_FIELD", 5],
      ["KNOWLEDGE_FIELD", 6],
    ]),
  );
  expect(topic).toMatchObject({ versions: [], threshold: 0.3, constructs: [], tags: [] });
});

test("a regular expression that could take very long is refused by name", () => {
  const topic = parse('---\ntitle: a\nrelevance_signals:\n  anti_pattern_indicators: ["/(a+)+b/", "/fine\\\\(/", "/[/"]\n---\nText.\n');
  expect(topic.problems).toMatchObject([
    { code: "KNOWLEDGE_INDICATOR", message: expect.stringContaining("(a+)+b"), place: { line: 4 } },
    { code: "KNOWLEDGE_INDICATOR", message: expect.stringContaining("/[/") },
  ]);
});

test("topics about steps between versions and conversion guides are told apart", () => {
  expect(parse('---\nbc_versions: "18->19"\n---\n').migration).toBe(true);
  expect(parse("---\nurgency: immediate\n---\n").migration).toBe(true);
  expect(parse("---\nmigration_type: removal\n---\n", "bc21-to-bc22/x").migration).toBe(true);
  expect(parse("Text.", "bc21-to-bc22/x").migration).toBeUndefined();
  expect(parse("Text.", "guides/bc24-no-series-conversion-guide").guide).toEqual({ target: 24 });
  expect(parse('---\nbc_versions: "22->23"\ntags: [conversion-guide]\npriority: 2\n---\n').guide).toEqual({
    target: 23,
    source: 22,
    priority: 2,
  });
  expect(parse("---\ntags: [conversion-guide, bc25-migration]\n---\n").guide).toEqual({ target: 25 });
});
