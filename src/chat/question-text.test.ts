import { expect, test } from "vitest";
import { answerIn, approving, mayMeanNo, questionText, rejecting, type Question } from "./question-text.ts";

const plain = { id: "d1", step: "review", question: "Ship it?", kind: "gate", revision: 1 } as const;
const choice: Question = {
  ...plain,
  options: [
    { value: "approve", label: "Approve" },
    { value: "reject", label: "Send it back" },
  ],
  reasons: true,
  reasonsFor: ["reject"],
};

test("a question names its run, its choices, and what to write", () => {
  expect(questionText({ run: "wf-1", workflow: "ship" }, choice)).toBe(
    [
      "**Question** from ship (run `wf-1`, `review`)",
      "Ship it?",
      "1. approve\n2. reject - Send it back",
      "Write one of the choices, or its number. To give a reason, write `/workflow approve <reason>` or `/workflow reject <reason>`.",
    ].join("\n\n"),
  );
  expect(questionText({ run: "wf-1", workflow: "ship" }, plain)).toMatch(/Write your answer as a message\.$/);
});

test("a question whose approval is used says that words are wanted", () => {
  const { reasonsFor: _, ...captures } = choice;
  expect(questionText({ run: "wf-1", workflow: "ship" }, captures)).toMatch(
    /2\. reject - Send it back\n\nYour words are wanted: write `\/workflow approve <your answer>`, or `\/workflow reject <reason>`\./,
  );
});

test.each(["approve", "Approve", " APPROVE ", "1"])("%s approves", (text) => {
  expect(answerIn(choice, text)).toBe("approve");
});

test.each([
  "no, stop",
  "yes",
  "yes but fix the tests first",
  "approve.",
  "approve please",
  "don't approve",
  "3",
  "0",
  "1 2",
  "01x",
  "",
  "ok",
  "👍",
])("%s answers nothing", (text) => {
  expect(answerIn(choice, text)).toBeUndefined();
});

test("a question in words takes the text, and a budget a number", () => {
  expect(answerIn(plain, " no, stop ")).toBe("no, stop");
  expect(answerIn(plain, "  ")).toBeUndefined();
  const budget: Question = { ...plain, kind: "budget", options: [{ value: "double" }, { value: "stop" }] };
  expect([answerIn(budget, "700"), answerIn(budget, "double"), answerIn(budget, "1"), answerIn(budget, "much")]).toEqual([
    700,
    "double",
    "double",
    undefined,
  ]);
});

test("a choice that is a number is meant by that number", () => {
  const numbers: Question = { ...plain, options: [{ value: "2" }, { value: "1" }] };
  expect([answerIn(numbers, "1"), answerIn(numbers, "2")]).toEqual(["1", "2"]);
});

test("which choices approve and reject", () => {
  expect([approving(choice.options!), rejecting(choice.options!)]).toEqual(["approve", "reject"]);
  expect([approving([{ value: "go" }]), rejecting([{ value: "a", label: "No" }])]).toEqual([undefined, "a"]);
});

test.each(["no", "No, stop", "not yes", "don't approve", "ok but no", "approve? no", "wait."])("%s may mean no", (reason) => {
  expect(mayMeanNo(reason)).toBe(true);
});

test.each(["", "the notes are fine", "nobody objects", "nothing to add", "stop-gap for 1.2", "it is not perfect, but good"])(
  "%j is a reason to approve",
  (reason) => {
    expect(mayMeanNo(reason)).toBe(false);
  },
);
