/**
 * Examples of what makes each language hard. Every lexer must get all of its own right, and each of its rules, switched off,
 * must make at least one wrong: a rule that no example needs may not work at all. The rules are read from the sources, so that none
 * is left out.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Token } from "../token.ts";
import { lexCsharp } from "./csharp.ts";
import type { RulesOff } from "./cursor.ts";
import { grammars, lexGeneric } from "./generic.ts";
import { lexPython } from "./python.ts";
import { lexSql } from "./sql.ts";
import { lexTypeScript } from "./typescript.ts";
import { lexYaml } from "./yaml.ts";

/** Source, then what is not code in it, in order: `s` string, `c` comment, `q` quoted name, `d` directive, `n` a name with a mark. */
type Example = readonly [source: string, ...notCode: string[]];
interface Language {
  readonly lex: (text: string, off: RulesOff) => readonly Token[];
  readonly examples: readonly Example[];
}

const letters: Readonly<Record<string, string>> = { string: "s", comment: "c", quoted_name: "q", directive: "d" };

function notCode(text: string, tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, start, end }) => {
    const piece = text.slice(start, end);
    if (kind === "name" && /^[@#]/.test(piece)) return [`n ${piece}`];
    return letters[kind] === undefined ? [] : [`${letters[kind]} ${piece}`];
  });
}

const languages: Readonly<Record<string, Language>> = {
  typescript: {
    lex: (text, off) => lexTypeScript(text, true, off),
    examples: [
      ["f('a\"b', \"c'd\")", "s 'a\"b'", 's "c\'d"'],
      ["f('it\\'s', x) // 'end'", "s 'it\\'s'", "c // 'end'"],
      ["a /* 'x' // */ b", "c /* 'x' // */"],
      ["`a ${b + `c ${d}` + '}'} e` + f", "s `a ${", "s `c ${", "s }`", "s '}'", "s } e`"],
      ["`${{ a: 1 }.a}` / 2 / 'x'", "s `${", "s }`", "s 'x'"],
      ["x = /[/'\"]\\/(/g.exec(y)", "s /[/'\"]\\/(/g"],
      ["x = a / b / 'c'", "s 'c'"],
      ["if (a) /'/.test(b)", "s /'/"],
      ["f(a) / 'x' / g", "s 'x'"],
      ["if (a) {}\n/'/.test(b)", "s /'/"],
      ["x = {} / 'a' / 2", "s 'a'"],
      ["return /'/.test(b)", "s /'/"],
      ["a.return / 'x' / 2", "s 'x'"],
      ["i++ / 'x' / 2", "s 'x'"],
      ["a! / 'x' / 2", "s 'x'"],
      ["#!/usr/bin/env node's\nf('x')", "c #!/usr/bin/env node's", "s 'x'"],
      ["this.#of / 'x' / 2", "n #of", "s 'x'"],
      ["x = <p title='a'>Don't {f('b')} stop</p>; g('c')", "s 'a'", "s Don't ", "s 'b'", "s  stop", "s 'c'"],
      ["x = <T,>(a: T) => 'it'", "s 'it'"],
      ["x = <A b={c}/> / 'd'", "s 'd'"],
      ["x = <number>y; f('a'); g('b')", "s 'a'", "s 'b'"],
      ["a < b && f('c > d')", "s 'c > d'"],
    ],
  },
  csharp: {
    lex: lexCsharp,
    examples: [
      ['f("a\\"b", c)', 's "a\\"b"'],
      ["f('\"', '\\'', \"x\")", "s '\"'", "s '\\''", 's "x"'],
      ['f(@"C:\\", "x")', 's @"C:\\"', 's "x"'],
      ['f(@"a ""b"" c", d)', 's @"a ""b"" c"'],
      ['f("""a "b" c""", d)', 's """a "b" c"""'],
      ['f($"a {b("x")} c", d)', 's $"a {', 's "x"', 's } c"'],
      ['f($"{{a}} {b}", c)', 's $"{{a}} {', 's }"'],
      ['f($"{a:N2} {b}", c)', 's $"{', "s :N2} {", 's }"'],
      ['f($"{(a ? b : c)} {global::D.E}", x)', 's $"{', "s } {", 's }"'],
      ['f($$"""{a} {{b}} "c" """, d)', 's $$"""{a} {{', 's }} "c" """'],
      ['f($@"a\\{b}"" c", d)', 's $@"a\\{', 's }"" c"'],
      ["a // it's\nb /* \" */ c", "c // it's", 'c /* " */'],
      ["#region Don't\nf();", "d #region Don't"],
      ["@class = 'x'; @if", "n @class", "s 'x'", "n @if"],
    ],
  },
  python: {
    lex: lexPython,
    examples: [
      ["f('a\"b', \"c'd\")", "s 'a\"b'", 's "c\'d"'],
      ["f('it\\'s') # 'end'", "s 'it\\'s'", "c # 'end'"],
      ["'''a 'b' \" c''' + d", "s '''a 'b' \" c'''"],
      ['f(r\'\\\', Rb"\\"x")', 's r\'\\\', Rb"\\"x")'],
      ["f(r'\\'', x)", "s r'\\''"],
      ["f'a {b} c' + d", "s f'a {", "s } c'"],
      ["f'{{a}} {b}'", "s f'{{a}} {", "s }'"],
      ["f'{a:{w}.{p}} {b:>10}'", "s f'{", "s :{", "s }.{", "s }} {", "s :>10}'"],
      ['f\'{a["x"]}\' + f("y")', "s f'{", 's "x"', "s }'", 's "y"'],
      ["f'{f({1: 2})[1:2]}' + d", "s f'{", "s }'"],
      ["x = 'open\ny = 'z'", "s 'open", "s 'z'"],
    ],
  },
  sql: {
    lex: lexSql,
    examples: [
      ["select 'it''s' -- 'x'\nfrom t", "s 'it''s'", "c -- 'x'"],
      ["select 'a\\' || 'b'", "s 'a\\'", "s 'b'"],
      ["select E'a\\'b', c", "s 'a\\'b'"],
      ['select "a""\'b", c', 'q "a""\'b"'],
      ["select [it's], [a]]b] from x", "q [it's]", "q [a]]b]"],
      ["select a['k'], b[1]", "s 'k'"],
      ["select `it's` from x", "q `it's`"],
      ["a /* x /* ' */ ' */ b", "c /* x /* ' */ ' */"],
      ["select $$it's$$, 'b' || $1", "s $$it's$$", "s 'b'"],
      ["as $body$ begin perform f('x'); end $body$ language plpgsql", "s 'x'"],
    ],
  },
  yaml: {
    lex: lexYaml,
    examples: [
      ["a: 'it''s # no' # yes", "s 'it''s # no'", "c # yes"],
      ['a: "x \\" # no" # yes', 's "x \\" # no"', "c # yes"],
      ["a: don't # isn't", "c # isn't"],
      ["a: b#c"],
      ["- 5\" pipe\n- 'x'", "s 'x'"],
      ["a: |\n  it's # text\n\n  more\nb: c", "s   it's # text\n\n  more\n"],
      ["a: >- # note\n  text # t\nb: 'c'", "c # note", "s   text # t\n", "s 'c'"],
      ["%YAML 1.2 'x\n---\na: b", "d %YAML 1.2 'x"],
      ["{a: 'b', 'c': [\"d\"]}", "s 'b'", "s 'c'", 's "d"'],
    ],
  },
  generic: {
    lex: (text, off) => {
      const [language = "", ...rest] = text.split(": ");
      const prefix = language.length + 2;
      const tokens = lexGeneric(rest.join(": "), grammars[language] ?? { line: [], quotes: [] }, off);
      return tokens.map(({ kind, start, end }) => ({ kind, start: start + prefix, end: end + prefix }));
    },
    examples: [
      ['go: f("a\\"b", `c"d`) // \'x\'', 's "a\\"b"', 's `c"d`', "c // 'x'"],
      ["rust: fn f<'a>(x: &'a str) { g('\"') }", "s '\"'"],
      ["rust: a /* b /* ' */ \" */ c", "c /* b /* ' */ \" */"],
      ['java: x = """a "b" c"""; /* \' */', 's """a "b" c"""', "c /* ' */"],
      ['c: #define X don\'t\nf("y");', "d #define X don't", 's "y"'],
      ["shell: echo 'a\\' # it's", "s 'a\\'", "c # it's"],
      ['powershell: f "a""b" <# it\'s #> c', 's "a""b"', "c <# it's #>"],
    ],
  },
};

/** What the source of a lexer asks to be on. */
function rulesOf(language: string): readonly string[] {
  const source = readFileSync(join(import.meta.dirname, `${language}.ts`), "utf8");
  return [...new Set([...source.matchAll(/\boff\.has\("(\w+)"\)/g)].map(([, rule = ""]) => rule))];
}

test("every lexer has rules", () => {
  const counts = Object.keys(languages).map((language) => [language, rulesOf(language).length]);
  expect(Object.fromEntries(counts)).toEqual({ typescript: 17, csharp: 14, python: 10, sql: 11, yaml: 10, generic: 9 });
});

describe.each(Object.entries(languages))("%s", (name, { lex, examples }) => {
  test.each(examples)("%s", (source, ...expected) => {
    expect(notCode(source, lex(source, new Set()))).toEqual(expected);
  });

  test.each(rulesOf(name))("without the rule %s an example goes wrong", (rule) => {
    const wrong = examples.filter(([source, ...expected]) => {
      const seen = notCode(source, lex(source, new Set([rule])));
      return JSON.stringify(seen) !== JSON.stringify(expected);
    });
    expect(wrong).not.toEqual([]);
  });
});
