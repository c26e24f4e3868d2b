import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shellQuoting } from "./shell-quoting.ts";

/** How each `@` of a command is quoted. */
function quotings(text: string): string[] {
  const quoting = shellQuoting(text);
  return [...text.matchAll(/@/g)].map(({ index }) => quoting(index));
}

test.each([
  ["v=@", ["bare"]],
  ['echo "@" @', ["double", "bare"]],
  ["echo '@' @", ["single", "bare"]],
  ['echo "\\"@" @', ["double", "bare"]],
  ["echo \\\"@ \\'@", ["bare", "bare"]],
  ["echo $'\\'@' @", ["single", "bare"]],
  [`echo "it's @" @`, ["double", "bare"]],
  [`echo '"' @ '"'`, ["bare"]],
  ['x="$(cat @)" @', ["bare", "bare"]],
  ['x="$(cat "@" @) @"', ["double", "bare", "double"]],
  ['x="`cat @` @"', ["bare", "double"]],
  [`x="\${y:-@}" @`, ["double", "bare"]],
  [`x=\${y:-'@'} @`, ["single", "bare"]],
  ["# it's @\n@", ["comment", "bare"]],
  ["echo a#'@' @", ["single", "bare"]],
  ['bash <<EOF\n"@"\nEOF\n@', ["here-document", "bare"]],
  ["cat <<'A B' | x '@'\n@\nA B\n@", ["single", "here-document", "bare"]],
  ["bash <<-EOF\n\t@\n\tEOF\n@", ["here-document", "bare"]],
  ["bash <<A <<B\n@\nA\n@\nB\n@", ["here-document", "here-document", "bare"]],
  ['cat <<<"@" @\n@', ["double", "bare", "bare"]],
  ["x=$((1 << 2)) @\n@", ["bare", "bare"]],
  ["case x in a) echo @;; esac\n@", ["bare", "bare"]],
  ['f() { echo "@"; }\n(cd @)', ["double", "bare"]],
  ['[ "@" = true ] && echo @', ["double", "bare"]],
  ['echo "@', ["double"]],
  ["echo '@", ["single"]],
  ["bash <<EOF\n@", ["here-document"]],
  ["cat <<EOF\n'@'\nEOF\n'@'", ["bare", "single"]],
])("%j", (text, expected) => {
  expect(quotings(text)).toEqual(expected);
});

test("any text can be read, to its end", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    "\\",
    "$(",
    "$((",
    "${",
    "`",
    ")",
    "}",
    "))",
    "<<E",
    "<<-E",
    "<<<",
    "\n",
    "E",
    "#",
    " ",
    "$'",
    "(",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      expect(["bare", "single", "double", "here-document", "comment"]).toContain(shellQuoting(text)(text.length));
    }),
  );
});
