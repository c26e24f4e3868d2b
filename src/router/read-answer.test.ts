import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRouterResponse, routerResultOf } from "./parse-router-response.ts";
import { AnswerReader } from "./read-answer.ts";

const asked = { message: "see WORKFLOW: story-bot", workflows: [{ name: "fix-issue" }, { name: "story-bot" }, { name: "Fix-CI" }] };

/** Answers made of what routing lines are made of. */
const answers = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "WORKFLOW:",
        "WORKFLOW",
        "/invoke-workflow",
        "/Invoke-Workflow ",
        "WORKFLOW: fix-issue",
        "WORKFLOW: nope",
        "WORKFLOW: story-bot",
      ),
      fc.constantFrom("\n", "\r\n", "\r", "\u2028", " ", "\t", "\n\n", "```", "~~~", "```\n", "\n```\n", "`", "**", "__", "> ", "."),
      fc.constantFrom("fix-issue", "`fix-ci`", "story-bot", "Do it.", "hello", "W", "/", "/in", "\u{1F600}"),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(""));

function readInPieces(answer: string, cuts: readonly number[]) {
  const reader = new AnswerReader(asked);
  const at = [0, ...cuts.map((cut) => cut % (answer.length + 1)).toSorted((a, b) => a - b), answer.length];
  const shown = at.slice(1).map((end, n) => reader.add(answer.slice(at[n], end)));
  return { shown: [...shown, reader.end()].join(""), result: routerResultOf(reader, answer, asked) };
}

test("an answer comes to the same in pieces of any size, and what is shown of it is the same", () => {
  fc.assert(
    fc.property(answers, fc.array(fc.nat({ max: 200 }), { maxLength: 30 }), (answer, cuts) => {
      const whole = readInPieces(answer, []);
      expect(readInPieces(answer, cuts)).toEqual(whole);
      expect(
        readInPieces(
          answer,
          Array.from(answer, (_, n) => n),
        ),
      ).toEqual(whole);
      expect(parseRouterResponse(answer, asked)).toEqual(whole.result);
    }),
    { numRuns: 2000 },
  );
});

test("a conversational answer is shown byte for byte, and of another one nothing from its routing line on", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const { shown, result } = readInPieces(answer, [3, 5, 8]);
      const held = answer.slice(shown.length);
      expect(answer.startsWith(shown)).toBe(true);
      expect(held).toMatch(result.workflow === null ? /^$/ : /^\s*(?:[`~]{3,}[^\n]*\s*)?[*_`]{0,3}(?:WORKFLOW:|\/invoke-workflow\s)/i);
    }),
    { numRuns: 2000 },
  );
});

test("text is passed on at once unless it may become a routing line", () => {
  const reader = new AnswerReader(asked);
  expect(reader.add("He")).toBe("He");
  expect(reader.add("llo WORK")).toBe("llo WORK");
  expect(reader.add("\nW")).toBe("\n");
  expect(reader.add("ORKFLOW")).toBe("");
  expect(reader.add("S are useful")).toBe("WORKFLOWS are useful");
  expect(reader.add(".\n/inv")).toBe(".\n");
  expect(reader.add("oice\n")).toBe("/invoice\n");
  expect(reader.add("WORKFLOW: fix-")).toBe("");
  expect(reader.add("issue")).toBe("");
  expect(reader.workflow).toBeUndefined();
  expect(reader.add("\nRepair")).toBe("");
  expect(reader.workflow).toBe("fix-issue");
  expect(reader.add(" it.")).toBe("");
  expect(reader.end()).toBe("");
  expect(reader.rest).toBe("Repair it.");
});

test("a routing line that never gets a name is shown in the end", () => {
  const reader = new AnswerReader(asked);
  expect(reader.add("WORKFLOW:  ")).toBe("");
  expect(reader.end()).toBe("WORKFLOW:  ");
});

test("spaces after the form are not held back without end", () => {
  const reader = new AnswerReader(asked);
  const spaces = `WORKFLOW:${" ".repeat(5000)}fix-issue`;
  const shown = Array.from(spaces, (character) => reader.add(character)).join("") + reader.end();
  expect(shown).toBe(spaces);
  expect(reader.workflow).toBeUndefined();
});
