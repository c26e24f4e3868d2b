import fc from "fast-check";
import { expect, test } from "vitest";
import { fillPlaceholders, placeholdersIn } from "./placeholders.ts";

const prompt = "Run $WORKFLOW_ID: $USER_MESSAGE ($1), see $WORKFLOW_IDX, $HOME and \\$USER_MESSAGE.";

test("names are whole, unknown ones stay, and a dollar can be meant as one", () => {
  const values = { WORKFLOW_ID: "r1", USER_MESSAGE: "add a page", "1": "add" };
  expect(fillPlaceholders(prompt, values)).toBe("Run r1: add a page (add), see $WORKFLOW_IDX, $HOME and $USER_MESSAGE.");
  expect(placeholdersIn(prompt)).toEqual(["WORKFLOW_ID", "USER_MESSAGE", "1", "WORKFLOW_IDX", "HOME"]);
});

test("$12 is neither $1 nor $2, and a value of null leaves its placeholder", () => {
  expect(fillPlaceholders("$12 $1 $2", { "1": "one", "2": null })).toBe("$12 one $2");
});

test("what a value holds is never read again, whatever it is", () => {
  const odd = fc.constantFrom("$&", "$1", "$$", "$`", "$WORKFLOW_ID", "$WORKFLOW_IDX", "$USER_MESSAGE", "\\$", "\\$1", "{{ 1 + 1 }}");
  const text = fc.array(fc.oneof(odd, fc.string())).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (message, id) => {
      const filled = fillPlaceholders("<$USER_MESSAGE|$WORKFLOW_ID|$USER_MESSAGE>", { USER_MESSAGE: message, WORKFLOW_ID: id });
      expect(filled).toBe(`<${message}|${id}|${message}>`);
    }),
  );
});

test("names of every object's own kind are not values", () => {
  expect(fillPlaceholders("$constructor $toString", {})).toBe("$constructor $toString");
});
