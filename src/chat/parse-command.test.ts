import { expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

test.each([
  ["/help", "help", []],
  ["  /workflow list", "workflow", ["list"]],
  [`/command-invoke plan "dark mode" 'two words' x`, "command-invoke", ["plan", "dark mode", "two words", "x"]],
  ["/setcwd ''", "setcwd", [""]],
  ["/a 'open", "a", ["'open"]],
])("%s", (text, name, args) => {
  expect(parseCommand(text)).toMatchObject({ name, args });
});

test("what follows the name is kept as it was written", () => {
  expect(parseCommand(`/workflow run x  "a"\nb`)?.rest).toBe(`run x  "a"\nb`);
});

test("other texts are not commands", () => {
  for (const text of ["help", "", "/", "a /help", "/ help"]) expect(parseCommand(text)).toBeUndefined();
});
