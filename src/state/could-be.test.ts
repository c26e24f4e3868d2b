import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import type { Expr } from "../program/index.ts";
import { couldBe } from "./could-be.ts";
import { fillCommand, fillPlaceholders } from "./placeholders.ts";
import { renderCommand } from "./shell-words.ts";

const value = (of: Json): Expr => ({ as: "value", of });
const text = (of: string): Expr => ({ as: "text", of });
const command = (of: string): Expr => ({ as: "command", of });
const filled = (of: string, names: readonly string[], quote?: "shell"): Expr => ({
  as: "filled",
  of,
  with: Object.fromEntries(names.map((name) => [name, value(null)])),
  ...(quote === undefined ? {} : { quote }),
});

const rows: readonly [string, Expr, Json, boolean][] = [
  ["a value without holes is itself", value({ level: "read", list: [1, null] }), { list: [1, null], level: "read" }, true],
  ["and nothing else", value({ level: "read" }), { level: "all" }, false],
  ["a key may not come to it", value({ level: "read" }), { level: "read", commands: ["sh"] }, false],
  ["a key may not go", value({ a: 1, b: 2 }), { a: 1 }, false],
  ["an entry may not come to it", value(["a"]), ["a", "b"], false],
  ["a hole alone may be anything", value({ a: "{{ x }}" }), { a: { b: [true] } }, true],
  ["a hole in a text may be any text", value("a {{ x }} c"), "a b b c", true],
  ["what is around a hole stays", value("a {{ x }} c"), "a b", false],
  ["a name with a hole may be any name", value({ "{{ x }}": 1 }), { other: 1 }, true],
  ["a text stays a text", text("make"), ["make"], false],
  ["a text without holes is itself", text("make"), "make it", false],
  ["holes may be empty", text("{{ x }}-{{ y }}"), "-", true],
  ["two parts are not the same place", text("ab{{ x }}ba"), "aba", false],
  ["parts keep their order", text("{{ x }}a{{ y }}b{{ z }}"), "ba", false],
  ["a command without holes is itself", command("echo 'safe'"), "echo 'safe'; sh", false],
  ["a command keeps its beginning", command("echo {{ x }}"), "sh x", false],
  ["a command with a value in it", command("echo {{ x }} | wc"), "echo 'a b' | wc", true],
  ["a value that is not quoted", command("echo {{ x }} | wc"), "echo a; sh | wc", false],
  ["a value that is quoted for another place", command("echo '{{ x }}'"), "echo ''; sh; ''", false],
  ["a value that ends its quotes", command('echo "{{ x }}"'), 'echo "a"; sh; ""', false],
  ["a value that the shell expands in its quotes", command('echo "{{ x }}"'), 'echo "$(sh)"', false],
  ["a value in double quotes that is quoted in part", command('echo "{{ x }}"'), `echo "a "'$(sh) '\\'' "'" b"`, true],
  ["a value in double quotes", command('echo "{{ x }}."'), `echo ""'$(sh) '\\'' "'"."`, true],
  ["words of a list", command("rm {{ x }}.txt"), "rm a 'b c' d.txt", true],
  ["a value where the shell calculates", command("[[ {{ x }} -eq 1 ]]"), "[[ 'a[$(sh)]' -eq 1 ]]", false],
  [
    "a quote that is left open where the shell calculates",
    command("[[ {{ x }} -eq 1 ]] && echo {{ x }}"),
    "[[ ' -eq 1 ]] && echo ';sh;'",
    false,
  ],
  ["a number where the shell calculates", command("[[ {{ x }} -eq 1 ]]"), "[[ 17 -eq 1 ]]", true],
  ["a number behind a variable there", command('let "$y{{ x }}"'), `let "$y"'17'""`, true],
  ["and nothing but a number", command('let "$y{{ x }}"'), `let "$y"'a[$(sh)]'""`, false],
  ["a value behind a comment", command("make # {{ x }}"), "make # a\nsh", false],
  ["a raw value may be anything", command("{{ x | raw }}"), "sh", true],
  ["a placeholder that is not quoted", filled("echo $x", ["x"], "shell"), "echo $(sh)", false],
  ["a placeholder without a value", filled("echo $x", ["x"], "shell"), "echo $x", true],
  ["two dollars before a name", filled("echo $$x'$y'", ["x", "y"], "shell"), "echo $$x'a'", true],
  ["a here-document may be written in another way", command("cat <<E\n{{ x }}\nE"), "v='1'\ncat <<E\n${v}\nE", true],
  ["a here-document without values is itself", command("cat <<E\nx\nE"), "cat <<E\ny\nE", false],
  ["a text for placeholders without any is itself", filled("Go $HOME.", []), "Go $HOME.", true],
  ["a dollar that is meant as one", filled("\\$5 {{ x }}", []), "$5 {{ x }}", true],
  ["a shell keeps it", filled("echo \\$5", [], "shell"), "echo \\$5", true],
  ["a placeholder may be anything", filled("Say $a.b to $c.", ["a.b"]), "Say {{ hello }} to $c.", true],
  ["what is around a placeholder stays", filled("Say $a.", ["a"]), "Evil $a.", false],
  ["code may come to anything", { as: "js", of: "1" }, "x", true],
];

test.each(rows)("%s", (_name, expr, held, wanted) => expect(couldBe(expr, held)).toBe(wanted));

describe("what an expression comes to is always what it could be", () => {
  const literals = "echo |'|\"| |;|$|\\|a|$x|${HOME}|$(|)|$((|\n|#|{{ x }}|[[ | -eq |(|<|0|.5|-|let ".split("|");
  const piece = fc.constantFrom(...literals, "{{ x }}");
  const text = fc.oneof(fc.string(), fc.constantFrom("", "a b", "'", '"', "$x", "\\", "; sh", "\n", "if", "=", "~", "17", "-3"));
  const given = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer(), fc.double({ noNaN: true }));

  test("for commands", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), given, (pieces, held) => {
        const of = pieces.join("");
        const parts = of.split(/(\{\{ x \}\})/).map((each) => (each === "{{ x }}" ? { text: each, value: held, raw: false } : each));
        const rendered = renderCommand(parts);
        expect("problem" in rendered || couldBe(command(of), rendered.command)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("for placeholders", () => {
    const names = ["x", "a.b"];
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.constant("$a.b")), { maxLength: 8 }), given, (pieces, held) => {
        const of = pieces.join("");
        expect(couldBe(filled(of, names), fillPlaceholders(of, { x: held, "a.b": null }))).toBe(true);
        const rendered = fillCommand(of, { x: null, "a.b": held });
        expect("problem" in rendered || couldBe(filled(of, names, "shell"), rendered.command)).toBe(true);
      }),
      { numRuns: 1000, examples: [[["$", "$x", "'", "$a.b"], []]] },
    );
  });
});
