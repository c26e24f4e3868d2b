import { expect, test } from "vitest";
import { routingTexts } from "./routing-texts.ts";

const textsOf = (description: string) => routingTexts({ name: "any", description });

test("lines with a heading are read as what they say, to the next blank line", () => {
  const texts = textsOf(
    [
      "Writes notes.",
      "",
      "Use when: User wants notes",
      "of a release.",
      'Triggers: "write notes", “what changed”',
      "Does: Reads commits.",
      "NOT for: plans, tags.",
      "",
      "More.",
    ].join("\n"),
  );
  expect(texts).toMatchObject({ phrases: ["write notes", "what changed"], not: ["plans", " tags."] });
  expect(texts.use).toBe("User wants notes of a release.");
  expect(texts.rest).toMatch(/^Writes notes\. .*Does: Reads commits\. +More\.$/);
});

test("a heading may be in the middle of a line, bold, or without a colon", () => {
  expect(textsOf("Fixes it. Use when it is broken. NOT for questions.")).toMatchObject({
    rest: "Fixes it. ",
    use: "it is broken. ",
    not: ["questions."],
  });
  expect(textsOf("- **Use this workflow when**: it is broken\n- **Triggers**: fix it, repair it")).toMatchObject({
    use: "it is broken",
    phrases: ["fix it", " repair it"],
  });
});

test("keys come first, and texts without a letter are nothing", () => {
  const workflow = { name: "any", description: 'Triggers: "a b", "..."', triggers: ["c d", "!"], examples: ["E f."], notFor: ["g", "1"] };
  expect(routingTexts(workflow)).toMatchObject({ phrases: ["c d", "E f.", "a b"], not: ["g"] });
});

test("what comes before or after what it does is not what it does", () => {
  expect(textsOf("Reviews code before it is merged, and rests. Use when a release is out, after the tests ran.")).toMatchObject({
    rest: "Reviews code , and rests. ",
    use: "a release is out, .",
  });
});
