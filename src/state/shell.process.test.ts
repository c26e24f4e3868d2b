import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { checkExpr } from "./check-expr.ts";
import { createEvaluator } from "./evaluator.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-shell-"));
afterAll(() => rmSync(folder, { recursive: true }));
const shells = ["/bin/sh", "/bin/bash", "/bin/dash"].filter((shell) => existsSync(shell));

/** Values are plain names here, so nothing is ever run. */
const evaluator = createEvaluator({ runner: { evaluate: () => Promise.reject(new Error("no code may run")) } });
async function render(command: string, locals: Record<string, Json>): Promise<string> {
  const outcome = await evaluator.evaluate({
    run: "r",
    program: { version: 1, name: "", dialect: "", main: "", parts: {}, blocks: {}, places: {} },
    scopes: {},
    scope: "run",
    exprs: { c: { as: "command", of: command } },
    locals,
    globals: {},
    functions: { now: () => "", uuid: () => "" },
  });
  return outcome.ok ? (outcome.values["c"] as string) : `${outcome.code}: ${outcome.message}`;
}

/** What a command printed, taken apart at NUL; fails if it left a file behind. */
function words(shell: string, command: string): string[] {
  const { stdout, stderr, status } = spawnSync(shell, ["-c", command], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nowhere" },
  });
  expect([stderr, status], command).toEqual(["", 0]);
  expect(readdirSync(folder), command).toEqual([]);
  return stdout.split("\0").slice(0, -1);
}

const nasty = fc.oneof(
  fc.constantFrom(
    "'",
    '"',
    "`touch a`",
    "$(touch a)",
    "${HOME}",
    "$HOME",
    "; touch a",
    "| touch a",
    "&& touch a",
    "\n touch a \n",
    "#",
    "\\",
    "\\'",
    "'\\''",
    "a b",
    "*",
    "~",
    "-n",
    "!",
    "if",
    "done",
    "}",
    "{a,b}",
    "2",
    "A=b",
    "<<EOF",
    "\nEOF\ntouch a\n",
    ")",
    "((",
    "\t",
    "é ü",
    "%s",
    "\\n",
    "$'\\n'",
    "'; touch a; '",
    '"; touch a; "',
    '\\"; touch a #',
    "",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0")),
);
const text = fc.array(nasty, { maxLength: 3 }).map((parts) => parts.join(""));

describe("values in commands reach the program as they are", () => {
  /** A command with one hole, and the words that must arrive for a value. */
  const places: Record<string, [command: string, arrives: (value: string) => string[]]> = {
    "a word": ["printf '%s\\0' {{ x }}", (x) => [x]],
    "a part of a word": ["printf '%s\\0' --a={{ x }}.ts", (x) => [`--a=${x}.ts`]],
    "double quotes": ['printf "%s\\0" "a {{ x }} b"', (x) => [`a ${x} b`]],
    "single quotes": ["printf '%s\\0' 'a {{ x }} b'", (x) => [`a ${x} b`]],
    "quotes around all of it": ["printf '%s\\0' \"{{ x }}\" '{{ x }}'", (x) => [x, x]],
    "a substitution": ["printf '%s\\0' \"$(printf '%s.' {{ x }})\"", (x) => [`${x}.`]],
    "quotes in a substitution in quotes": ["printf '%s\\0' \"$(printf '%s.' \"<{{ x }}>\")\"", (x) => [`<${x}>.`]],
    "a subshell in a substitution": ["printf '%s\\0' \"$( (true); printf '%s.' {{ x }})\"", (x) => [`${x}.`]],
    "behind a comment": ["# it's a comment\nprintf '%s\\0' {{ x }}", (x) => [x]],
    "in a comment": ["# {{ x }}\nprintf '%s\\0' ok", () => ["ok"]],
    "a comment behind a continued line": ["printf '%s\\0' ok \\\n# {{ x }}\n", () => ["ok"]],
    "beside a redirection": ["printf '%s\\0' {{ x }}>&1", (x) => [x]],
    "behind escapes": ["printf '%s\\0' \\' \\\" {{ x }}", (x) => ["'", '"', x]],
    "behind a simple expansion": [
      'printf \'%s\\0\' "${HOME} {{ x }}" $HOME{{ x }} "$HOME{{ x }}$HOME"',
      (x) => [`/nowhere ${x}`, `/nowhere${x}`, `/nowhere${x}/nowhere`],
    ],
    "behind arithmetic": ["printf '%s\\0' $((1 + 2)) {{ x }} \"$(( (1 + 2) * 2 ))\" {{ x }}", (x) => ["3", x, "6", x]],
    "in a pipe": ["printf '%s' {{ x }} | { cat; printf '\\0'; }", (x) => [x]],
    "before a word": ["printf '%s\\0' {{ x }}#b", (x) => [`${x}#b`]],
    "a here-document": ["cat <<EOF; printf '\\0'\na '\"$HOME\" {{ x }}.\nEOF", (x) => [`a '"/nowhere" ${x}.\n`]],
    "a here-document in which nothing is expanded": [
      "cat <<'EOF'; printf '\\0'\n$HOME `a` \\ $(b) {{ x }}\\\n{{ x }}\nEOF",
      (x) => [`$HOME \`a\` \\ $(b) ${x}\\\n${x}\n`],
    ],
    "a here-document with tabs in a substitution in quotes, and behind it": [
      "printf '%s\\0' \"$(cat <<-'EOF'\n\t{{ x }} $(\n\tEOF\n)\" {{ x }} \"{{ x }}\"",
      (x) => [`${x} $(`, x, x],
    ],
    "behind here-documents": ["cat <<A >/dev/null; cat <<'B' >/dev/null\n'\nA\n\"\nB\nprintf '%s\\0' {{ x }}", (x) => [x]],
    "behind a case": ["case a in a) printf '%s\\0' {{ x }};; esac", (x) => [x]],
  };
  test.each(Object.entries(places))("%s", async (_name, [command, arrives]) => {
    expect(checkExpr({ as: "command", of: command })).toEqual([]);
    await fc.assert(
      fc.asyncProperty(text, async (x) => {
        const rendered = await render(command, { x });
        for (const shell of shells) expect(words(shell, rendered), rendered).toEqual(arrives(x));
      }),
      { numRuns: 25, examples: [["a'b\"c$(touch a)`touch a`\\"], ["2"], ["if"], [""]] },
    );
  });

  test("a list is one word per entry, objects are JSON, null in a list is an empty word", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (list) => {
        const rendered = await render("printf '%s\\0' {{ list }} \"{{ list }}\"", { list });
        for (const shell of shells) expect(words(shell, rendered)).toEqual([...list, list.join(" ")]);
      }),
      { numRuns: 25 },
    );
    expect(
      words(
        "/bin/sh",
        await render("printf '%s\\0' {{ o }} {{ n }} {{ b }} {{ l }} {{ p }}>&1", {
          o: { a: "it's" },
          n: 5,
          b: true,
          l: [{ a: 1 }, null],
          p: [1, 2],
        }),
      ),
    ).toEqual(['{"a":"it\'s"}', "5", "true", '{"a":1}', "", "1", "2"]);
    expect(words("/bin/sh", `${await render("set -- {{ none }}", { none: [] })}; printf '%s\\0' "$#"`)).toEqual(["0"]);
  });

  test("null itself is refused in every place, since the rest of the command would mean something else", async () => {
    for (const text of [
      "rm -r {{ z }}/tmp",
      'rm -r "{{ z }}/tmp"',
      "rm -r '{{ z }}/tmp'",
      "rm -r {{ z | raw }}/tmp",
      "echo $((1 + {{ z }}))",
    ])
      expect(await render(text, { z: null })).toMatch(/^EXPRESSION_FAILED: .*null.*not run/);
  });

  test("arithmetic takes numbers only", async () => {
    expect(words("/bin/sh", await render("printf '%s\\0' $((5 -{{ n }}))", { n: -3 }))).toEqual(["8"]);
    for (const n of ["a[$(touch a)]", "1; touch a", "x", ""])
      expect(await render("echo $((1 + {{ n }}))", { n })).toMatch(/^EXPRESSION_SHELL/);
  });

  test("raw is the author's text, and quoting behind it still holds", async () => {
    expect(
      words(
        "/bin/sh",
        await render("printf '%s\\0' {{ flags | raw }} {{ x }}", { flags: 'a "b c', x: '"; touch a; "' }).then((made) => `${made}"`),
      ),
    ).toEqual(["a", 'b c "; touch a; "']);
    expect(await render("echo {{ l | raw }}", { l: ["-a", "-b"] })).toBe("echo -a -b");
    expect(await render("echo {{ x | q }}", { x: "a b" })).toBe("echo 'a b'");
  });
});

describe("no command template lets a value out", () => {
  const fragment = fc.constantFrom(
    "'",
    '"',
    "$(",
    ")",
    "(",
    "`",
    "\\",
    "\\\n",
    "#",
    " #",
    "\n",
    "<<E\n",
    "cat <<E\n",
    "cat <<-'E' ",
    "\nE\n",
    "<<<",
    "${A}",
    "${A:-b}",
    "${A:-",
    "}",
    "$((",
    "))",
    "$",
    "$'",
    '$"',
    "$A",
    "a",
    " ",
    "; ",
    " | ",
    " && ",
    "case a in a) ",
    ";; esac",
    "1",
    "{ ",
    "; }",
    "!",
    "if true; then ",
    "; fi",
    "[ a = ",
    " ]",
    "=",
    "~",
    "%",
    "for a in ",
    "; do ",
    "; done",
    "eval_ ",
    "function f() ",
  );
  const payload = fc.constantFrom(
    "$(touch canary)",
    "`touch canary`",
    "; touch canary;",
    "\n touch canary\n",
    "'; touch canary; '",
    '"; touch canary; "',
    "') ; touch canary #",
    '") ; touch canary #',
    "}; touch canary #",
    "\\'; touch canary #",
    "'\"$(touch canary)\"'",
    "a[$(touch canary)]",
    "E\ntouch canary\n",
    "))\ntouch canary\n",
    "'`touch canary`'",
    "(touch canary)",
    "x\n'\ntouch canary\n'",
    "\\\n; touch canary\n",
  );
  const broken = fc
    .tuple(fc.array(fragment, { maxLength: 7 }), fc.array(fragment, { maxLength: 5 }))
    .map(([before, after]) => `true ${before.join("")}{{ x }}${after.join("")}`);
  /** Commands a shell accepts, with holes anywhere in them. */
  const { command: valid } = fc.letrec<{ command: string; word: string; quoted: string }>((tie) => ({
    quoted: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("{{ x }}", "a'b", "$A", "${A}", '\\"', "(", "#", "$((1+2))", "\n"),
      tie("command").map((inner) => `$(${inner})`),
      tie("command").map((inner) => `$( (${inner}) )`),
    ),
    word: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("{{ x }}", "{{ x }}", "a", "'b # c'", "'{{ x }}'", "\\'", "$A", "${A:-d}", "$((1 + 2))", "a#b", "\\\n"),
      fc.array(tie("quoted"), { maxLength: 3 }).map((parts) => `"${parts.join(" ")}"`),
      tie("command").map((inner) => `$(${inner})`),
      fc.tuple(tie("word"), tie("word")).map((parts) => parts.join("")),
    ),
    command: fc.oneof(
      { depthSize: "small" },
      fc.array(tie("word"), { maxLength: 3 }).map((words) => `true ${words.join(" ")}`),
      fc
        .tuple(tie("command"), fc.constantFrom("; ", " && ", " | ", "\n", " # it's {{ x }}\n"), tie("command"))
        .map((parts) => parts.join("")),
      tie("command").map((inner) => `(${inner})`),
      tie("command").map((inner) => `if true; then ${inner}; fi`),
      tie("word").map((word) => `case ${word} in a) true;; *) true ${word};; esac`),
      tie("word").map((word) => `for a in ${word}; do true "$a"; done`),
    ),
  }));
  const template = fc.oneof({ weight: 1, arbitrary: broken }, { weight: 3, arbitrary: valid });

  test("whatever stands around the hole", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(template, payload, async (command, x) => {
        const rendered = await render(command, { x });
        if (rendered.startsWith("EXPRESSION_")) return;
        run += 1;
        for (const shell of shells) {
          spawnSync(shell, ["-c", rendered], {
            cwd: folder,
            timeout: 2000,
            input: "",
            stdio: "pipe",
            env: { PATH: process.env["PATH"] ?? "", A: "v" },
          });
          const left = readdirSync(folder);
          for (const file of left) rmSync(join(folder, file), { recursive: true });
          expect(left, `${shell}: ${rendered}`).toEqual([]);
        }
      }),
      { numRuns: Number(process.env["FUZZ"] ?? 40) },
    );
    expect(run).toBeGreaterThan(0);
  });
});

describe("places where no quoting is safe are refused, at load and at run", () => {
  test.each([
    ["echo `cat {{ x }}`"],
    ["echo \\{{ x }}"],
    ['echo "\\{{ x }}"'],
    ["echo ${{ x }}"],
    ['echo "${{ x }}"'],
    ["echo ${A:-{{ x }}}"],
    ['echo "${A:-"b"}" {{ x }}'],
    ["cat <<'E F'\n{{ x }}\nE F"],
    ["bash <<EOF\n{{ x }}\nEOF"],
    ["cat <<EOF | sh\n{{ x }}\nEOF"],
    ["cat <<EOF > run.sh\n{{ x }}\nEOF"],
    ['eval "$(cat <<EOF\n{{ x }}\nEOF\n)"'],
    ["cat <<EOF\n\\{{ x }}\nEOF"],
    ["cat <<EOF\n${{ x }}\nEOF"],
    ["cat <<EOF\n$(echo {{ x }})\nEOF"],
    ["cat <<EOF\n`echo {{ x }}`\nEOF"],
    ["cat <<EOF\n${A:-{{ x }}}\nEOF"],
    ["cat <<EOF\nline\\\nEOF\n{{ x }}\nEOF"],
    ["cat <<EOF\nEOF)\n{{ x }}\nEOF"],
    ['cat <<EOF "a\nb" {{ x }}\nEOF'],
    ['cat <<E"O"F\n{{ x }}\nEOF'],
    ["echo $[1 <<EOF ]\necho {{ x }}"],
    ["echo $'a {{ x }}'"],
    ["echo $'a\\'b' {{ x }}"],
    ['echo "$(case a in a) echo {{ x }};; esac)"'],
    ["echo $((${A} + {{ x }}))"],
    ["((n = {{ x }}))"],
  ])("%j", async (command) => {
    expect(checkExpr({ as: "command", of: command })).toMatchObject([{ offset: command.indexOf("{{ x") }]);
    expect(await render(command, { x: "$(touch a)" })).toMatch(/^EXPRESSION_SHELL: /);
  });

  test("a value no command can carry is refused", async () => {
    expect(await render("echo {{ x }}", { x: "a\0b" })).toMatch(/^EXPRESSION_SHELL: .*NUL/);
  });
});

test("the shell that tests run in is a real one", () => {
  expect(shells).toContain("/bin/sh");
  expect(execFileSync("/bin/sh", ["-c", "printf '%s' \"$((1 + 1))\""], { encoding: "utf8" })).toBe("2");
});
