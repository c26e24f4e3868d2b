import { describe, expect, test } from "vitest";
import { renderCommand } from "./shell-words.ts";

const rendered = (command: string, value: string): string => {
  const [before = "", after = ""] = command.split("@");
  const made = renderCommand([before, { text: "$x", value, raw: false }, after]);
  return "command" in made ? made.command : `refused: ${made.problem}`;
};
const evil = "a[$(touch broken)]";

describe("where a shell calculates, an index in a value could run commands, so only a number is put in", () => {
  test.each([
    "[[ @ -eq 1 ]]",
    "[[ 1 -lt @ ]]",
    '[[ "@" -ge 1 && x == y ]]',
    'if [[ x == y && 1 -ne "@" ]]; then :; fi',
    "[[ @+1 -eq 2 ]]",
    "[[ -v @ ]]",
    "[ -v @ ]",
    "x=1; test -v @",
    "let n=@",
    'let "n = @"',
    "list[@]=1",
    "! [[ x == y ||\n @ -eq 1 ]]",
  ])("%s", (command) => {
    expect(rendered(command, evil)).toContain("only a number is allowed");
    expect(rendered(command, "HOME")).toContain("only a number is allowed");
    expect(rendered(command, "42")).toBe(command.replace("@", "42"));
  });
});

test.each([
  "[[ @ == x ]]",
  '[[ 1 -eq 1 && "@" == x ]]',
  '[[ 1 -eq "1" && @ == x ]]',
  "[ @ -eq 1 ]",
  "test 1 -eq @",
  "grep -v @",
  "go test -v @",
  "echo let @",
  "[ x = y ]; echo @",
  "test x = y && echo -v @",
])("elsewhere it is quoted: %s", (command) => {
  expect(rendered(command, evil)).toContain(evil);
  expect(rendered(command, evil)).toMatch(/['"]/);
});

describe("a value in a comment changes nothing of how the line behind it is read", () => {
  const behindComment = (command: string, value: string): ReturnType<typeof renderCommand> => {
    const parts = command.split("@").flatMap((text, at) => (at === 0 ? [text] : [{ text: "$x", value, raw: false }, text]));
    return renderCommand(parts);
  };

  test("a `case` in a substitution is refused", () => {
    const made = behindComment('echo "$( # it\'s @\ncase a in a) echo @;; esac)"', "$(touch broken)");
    expect(made).toMatchObject({ problem: expect.stringContaining("behind a `case` inside `$(...)`") });
  });

  test.each(["# @\nlet n=@", "# @\n[[ @ -eq 1 ]]", "true x # @\ntest -v @"])(
    "only a number is put in where a shell calculates: %s",
    (command) => {
      expect(behindComment(command, evil)).toMatchObject({ problem: expect.stringContaining("only a number is allowed") });
      expect(behindComment(command, "42")).toEqual({ command: command.replaceAll("@", "42") });
    },
  );
});
