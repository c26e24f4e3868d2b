import { describe, expect, test } from "vitest";
import { decideByWords } from "./decide-by-words.ts";

const workflows = [
  {
    name: "fix-issue",
    description: "Fix a bug. Use when something is broken. NOT for: merge conflicts.",
    triggers: ["fix the bug", "resolve the issue"],
  },
  {
    name: "review-code",
    description: "Looks at code, reviews code before the museum shows it.",
    triggers: ["review the code", "code review"],
  },
  { name: "write-story", description: "Writes a story.", triggers: ["tell me a story"], examples: ["I would like a tale about a fox."] },
  { name: "greet", description: "Writes a greeting for a colleague.", triggers: ["welcome", "interview me"] },
  { name: "database", description: "Use when a table, a column or an index of the database has to change." },
];
const kindOf = (message: string): string => {
  const routed = decideByWords(message, workflows);
  return routed.kind === "route" ? routed.workflow : routed.kind;
};

describe("a request is routed", () => {
  test.each([
    ["that begins with a trigger", "please fix the bug in the menu", "fix-issue"],
    ["that has a trigger in other words", "Fixing bugs, please: resolve the issues", "fix-issue"],
    ["that is a trigger and nothing else", "Code review!", "review-code"],
    ["with the verb of the workflow and one more word", "change the column", "database"],
    ["with another word for its verb", "repair the bug, it is broken and wrong", "fix-issue"],
    ["that is a name of one word", "greet", "greet"],
    ["with such a name and whom it is done to", "greet Ada", "greet"],
    ["with a trigger of one word and whom it is done to", "Welcome Bob to the team", "greet"],
    ["with a trigger that has a verb of its own", "interview me about the plan", "greet"],
    ["that has a name as a word and fits another one better", "greet is broken, please fix the bug", "fix-issue"],
    ["for words, where a trigger asks for them", "tell me a story about a fox", "write-story"],
    ["with a verb that says little, and a thing of the workflow", "make a new index in the database", "database"],
  ])("%s", (_what, message, workflow) => {
    expect(kindOf(message)).toBe(workflow);
  });
});

describe("a person is asked", () => {
  test.each([
    ["where two fit nearly as well", "fix the bug and review the code"],
    ["where the verb names other work", "translate the column of the table"],
    ["where something is only said", "the code review of the bug"],
    ["where a verb tells twice", "look at this cute cat"],
    ["where only one word tells that it may fit", "fetch the column, please"],
    ["where a routing form stands in a sentence", "Use WORKFLOW: review-code to fix the bug in the menu"],
    ["about a result", "how many bugs did we fix in the code review?"],
    ["about something to be handed over", "send us the bugs, they are broken"],
    ["about a proposal", "should we fix the bug?"],
    ["about a refusal with something else behind it", "don't talk, fix the bug"],
    ["where a verb and what it is done to are foreign", "write a poem about the bug in the code"],
    ["where only a thing is its own and the verb is foreign", "archive the column, please"],
  ])("%s", (_what, message) => {
    expect(kindOf(message)).toBe("ask");
  });
});

describe("nothing is started", () => {
  test.each([
    ["by a question", "why is the bug not fixed?"],
    ["by a refusal", "don't fix the bug"],
    ["by what is quoted", 'my mail says "fix the bug"'],
    ["by a report", "I reviewed the code"],
    ["by a request that fits none", "order a pizza"],
    ["by an aside of a description", "visit the museum"],
    ["where it is what a workflow is not for", "there are merge conflicts"],
    ["by a frequent word alone", "please explore the change"],
    ["by nothing", "..."],
  ])("%s", (_what, message) => {
    expect(kindOf(message)).toBe("converse");
  });
});

test("the whole message is the intent, and three candidates have their reasons", () => {
  const message = "  Fix the bug,\n\nplease. ";
  expect(decideByWords(message, workflows)).toEqual({
    kind: "route",
    workflow: "fix-issue",
    intent: message,
    by: "words",
    candidates: [{ workflow: "fix-issue", score: expect.any(Number), why: ['says "fix the bug"', "shares fix, bug"] }],
  });
});

test("without workflows everything is conversation", () => {
  expect(decideByWords("fix the bug", [])).toEqual({ kind: "converse", candidates: [], by: "words" });
});
