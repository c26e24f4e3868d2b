import { describe, expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/memory-topics.ts";
import { openKnowledge } from "../open-knowledge.ts";
import { guideSection } from "./find-guides.ts";
import { patternsOf } from "./guide-patterns.ts";

const numbers = `---
title: Numbers
tags: [conversion-guide, bc24-migration]
specialist: logan-legacy
related_topics: [upgrade/numbers]
---
# Numbers

- **Search Patterns**: \`NumberMgt\`, \`"Number Setup"\`, \`OnBefore*\`

#### Code Discovery

\`\`\`al
Mgt: Codeunit NumberManagement;
Old: Codeunit 396;
Rec.Modify();
\`\`\`

## Mapping

| Legacy Method | New Method | Conversion Notes |
|---|---|---|
| \`InitNumber(A, B)\` | \`TakeNumber(A)\` | See "Taking a number". |
| \`PeekNumber\` | none | Redesign. |
| \`TestNumber\` | \`TestNumber\` | Same. |
| \`Lookup\\|Find\` | two statements | |

## Taking a number

**Before (BC14-23)**:

\`\`\`al
Mgt.InitNumber(A, B);
Mgt.Legacy(X);
\`\`\`

**After (BC24+)**:

\`\`\`al
Numbers.TakeNumber(A);
\`\`\`

### Details

Deep text.

## Obsolete events

- \`OnAfterInitNumber\`: gone.
- Use \`TakeNumber\` instead of \`NotAnEvent\`.

\`\`\`al
// \`OnInsideCode\`
\`\`\`
`;

const bundled = {
  "guides/bc24-numbers-conversion-guide.md": numbers,
  "topics/upgrade/numbers.md": "Text.",
  "topics/victor-versioning/bc22-pages-conversion-guide.md":
    "---\ntitle: Pages\npriority: 2\n---\n**Search Patterns**:\n\n- `OldPage`\n- `OlderPage`\n",
  "guides/bc22-first-conversion-guide.md":
    "---\ntitle: First\npriority: 1\n---\n| Legacy Method | New Method |\n|---|---|\n| `A1` | `B1` |\n",
  "topics/upgrade/by-tag.md":
    "---\ntitle: By tag\ntags: [conversion-guide]\ntarget_version: 25.0\nfinder: al-special\n---\n- **Search Patterns**: `Ignored`\n\n## Removed events\n\n`OnGoneEvent`\n",
  "topics/upgrade/harvested.md": '---\ntitle: Harvested\ntags: [breaking-changes, bc24-migration]\nbc_versions: "23->24"\n---\nText.\n',
  "guides/bc26-empty-conversion-guide.md": "---\ntitle: Empty\n---\n# Empty\n\nOnly prose about Search Patterns.\n",
  "guides/some-conversion-guide.md": "---\ntitle: Which\n---\nText.\n",
  "guides/bc30-later-conversion-guide.md": "Text.",
};
const knowledge = openKnowledge({ files: memoryFiles({ bundled }) });

describe("discovery", () => {
  test("by range, name and tags, in sequence; steps without a guide are named", async () => {
    const plan = await knowledge.guides({ source_version: "BC21", target_version: "27.0" });
    expect(plan.steps.map(({ step, guides }) => [step, guides])).toEqual([
      ["BC21-BC22", ["bc22-first-conversion-guide", "bc22-pages-conversion-guide"]],
      ["BC22-BC23", []],
      ["BC23-BC24", ["bc24-numbers-conversion-guide"]],
      ["BC24-BC25", ["by-tag"]],
      ["BC25-BC26", ["bc26-empty-conversion-guide"]],
      ["BC26-BC27", []],
    ]);
    expect(plan.steps_without_guide).toEqual(["BC22-BC23", "BC26-BC27"]);
    expect(plan.guides.map(({ name }) => name)).toEqual(plan.steps.flatMap(({ guides }) => guides));
    expect(plan).toMatchObject({ source_version: "BC21", target_version: "BC27" });
  });

  test("a guide without markers and one without a version are problems that name the file and what was looked for", async () => {
    const { problems } = await knowledge.guides({ source_version: 21, target_version: 27 });
    expect(problems).toMatchObject([
      { code: "KNOWLEDGE_GUIDE_VERSION", place: { file: "/layers/bundled/guides/some-conversion-guide.md" } },
      { code: "KNOWLEDGE_GUIDE_MARKERS", place: { file: "/layers/bundled/guides/bc26-empty-conversion-guide.md", line: 4 } },
    ]);
    for (const word of ["`Search Patterns`", "`Code Discovery`", "`Before (BC`", "`Legacy Method` and `New Method`", "`finder`"])
      expect(problems[1]!.message).toContain(word);
  });

  test("another name pattern and other tags", async () => {
    const named = await knowledge.guides({
      source_version: 21,
      target_version: 27,
      conversion_guide_pattern: "bc{version}-pages-*",
      conversion_guide_tags: [],
    });
    expect(named.guides.map(({ name }) => name)).toEqual(["bc22-pages-conversion-guide"]);
    const tagged = await knowledge.guides({
      source_version: 21,
      target_version: 27,
      conversion_guide_pattern: "none",
      conversion_guide_tags: ["conversion-guide"],
    });
    expect(tagged.guides.map(({ name }) => name)).toEqual(["bc24-numbers-conversion-guide", "by-tag"]);
  });

  test("versions that are none, and a range that leads nowhere, are refused", async () => {
    await expect(knowledge.guides({ source_version: "old", target_version: 27 })).rejects.toMatchObject({ code: "KNOWLEDGE_VERSION" });
    await expect(knowledge.guides({ source_version: 27, target_version: 21 })).rejects.toMatchObject({ code: "KNOWLEDGE_VERSION_ORDER" });
  });

  test("one guide by name or id", async () => {
    expect((await knowledge.guide("bc24-numbers-conversion-guide"))?.step).toBe("BC23-BC24");
    expect((await knowledge.guide("guides/bc24-numbers-conversion-guide"))?.title).toBe("Numbers");
    expect(await knowledge.guide("upgrade/numbers")).toBeUndefined();
  });
});

describe("extraction", () => {
  const guide = async () => (await knowledge.guide("bc24-numbers-conversion-guide"))!;

  test("names from lists, code and tables, each with the section that helps; what the new code uses too is left out", async () => {
    const names = (await guide()).patterns.map(({ search_patterns, section }) => [search_patterns[0], section]);
    expect(names).toEqual([
      ["NumberMgt", "Numbers"],
      ['"Number Setup"', "Numbers"],
      ["OnBefore*", "Numbers"],
      ["NumberManagement", "Numbers"],
      ["Codeunit 396", "Numbers"],
      ["InitNumber", "Taking a number"],
      ["Legacy", "Taking a number"],
      ["PeekNumber", "Mapping"],
    ]);
  });

  test("mappings, examples, events, sections and metadata", async () => {
    const found = await guide();
    expect(found).toMatchObject({
      id: "guides/bc24-numbers-conversion-guide",
      source_version: "BC23",
      target_version: "BC24",
      specialist: "logan-legacy",
      related_topics: ["upgrade/numbers"],
      problems: [],
    });
    expect(found.method_mappings).toEqual([
      {
        legacy_method: "InitNumber(A, B)",
        new_method: "TakeNumber(A)",
        conversion_notes: 'See "Taking a number".',
        auto_convertible: false,
        section: "Mapping",
      },
      { legacy_method: "PeekNumber", new_method: "", conversion_notes: "Redesign.", auto_convertible: false, section: "Mapping" },
      { legacy_method: "TestNumber", new_method: "TestNumber", conversion_notes: "Same.", auto_convertible: false, section: "Mapping" },
      { legacy_method: "Lookup|Find", new_method: "two statements", conversion_notes: "", auto_convertible: false, section: "Mapping" },
    ]);
    expect(found.examples).toEqual([
      { before: "Mgt.InitNumber(A, B);\nMgt.Legacy(X);", after: "Numbers.TakeNumber(A);", language: "al", section: "Taking a number" },
    ]);
    expect(found.obsolete_events).toEqual([{ name: "OnAfterInitNumber", section: "Obsolete events" }]);
    expect(guideSection(found, "Taking a number")?.text).toContain("Deep text.");
    expect(guideSection(found, "taking-a-number")?.text).not.toContain("OnAfterInitNumber");
    expect(guideSection(found, "details")?.text).toBe("Deep text.");
    expect(guideSection(found, "nothing")).toBeUndefined();
  });

  test("a list below its marker", async () => {
    const found = await knowledge.guide("bc22-pages-conversion-guide");
    expect(found?.patterns.map(({ search_patterns }) => search_patterns[0])).toEqual(["OldPage", "OlderPage"]);
  });

  test("other markers", async () => {
    const own = openKnowledge({
      files: memoryFiles({
        project: {
          "guides/bc24-own-conversion-guide.md":
            "**Find these**: `Alpha`\n\n| Old | Now |\n|---|---|\n| `Beta` | `Gamma` |\n\n**Was**:\n```al\nX.Delta();\n```\n**Is**:\n```al\nX.Epsilon();\n```\n",
        },
      }),
    });
    const markers = { search_pattern_markers: ["Find these"], transformation_markers: ["Was", "Is", "Old", "Now"] };
    const plan = await own.guides({ source_version: 23, target_version: 24, ...markers });
    expect(plan.guides[0]).toMatchObject({
      patterns: [{ search_patterns: ["Alpha"] }, { search_patterns: ["Beta"] }],
      method_mappings: [{ legacy_method: "Beta", new_method: "Gamma" }],
      examples: [{ before: "X.Delta();", after: "X.Epsilon();" }],
    });
    expect((await own.guides({ source_version: 23, target_version: 24 })).problems).toMatchObject([{ code: "KNOWLEDGE_GUIDE_MARKERS" }]);
  });
});

describe("patterns for a scan", () => {
  test("names are whole words in code, all of them for review, with guide, step, section and topic", async () => {
    const patterns = patternsOf((await knowledge.guide("bc24-numbers-conversion-guide"))!);
    expect(patterns.every(({ rules }) => rules.every(({ auto }) => !auto))).toBe(true);
    expect(patterns.every(({ transformations }) => transformations.every(({ review }) => review))).toBe(true);
    expect(patterns.find(({ name }) => name === "InitNumber")).toEqual({
      id: "bc24-numbers-conversion-guide/initnumber",
      name: "InitNumber",
      description: '`InitNumber` becomes `TakeNumber(A)`. See "Taking a number".',
      regex: "InitNumber",
      flags: "gi",
      in: "code",
      wholeWord: true,
      rules: [{ name: "initnumber", pattern: "[\\s\\S]", action: expect.any(String), auto: false }],
      transformations: [{ type: "initnumber", template: "TakeNumber", review: true }],
      contextLines: 2,
      category: "upgrade",
      guide: "bc24-numbers-conversion-guide",
      step: "BC23-BC24",
      topic: "guides/bc24-numbers-conversion-guide",
      section: "Taking a number",
      specialist: "logan-legacy",
    });
    expect(new Set(patterns.map(({ id }) => id)).size).toBe(patterns.length);
  });

  test("their expressions match the code they mean", async () => {
    const patterns = patternsOf((await knowledge.guide("bc24-numbers-conversion-guide"))!);
    const matches = (name: string, text: string) => new RegExp(patterns.find((pattern) => pattern.name === name)!.regex!, "i").test(text);
    expect(matches('"Number Setup"', 'S: Record "Number Setup";')).toBe(true);
    expect(matches("Codeunit 396", "M: Codeunit  396;")).toBe(true);
    expect(matches("OnBefore*", "OnBeforeAnything")).toBe(true);
    expect(
      matches("Subscriber to OnAfterInitNumber", "[EventSubscriber(ObjectType::Codeunit, 1, 'OnAfterInitNumber', '', false, false)]"),
    ).toBe(true);
    expect(matches("Subscriber to OnAfterInitNumber", "procedure OnAfterInitNumber()")).toBe(false);
  });

  test("a verified finder takes the place of the names; events stay", async () => {
    const patterns = patternsOf((await knowledge.guide("by-tag"))!);
    expect(patterns.map(({ finder, name }) => [finder, name])).toEqual([
      ["al-special", "By tag"],
      [undefined, "Subscriber to OnGoneEvent"],
    ]);
  });
});
