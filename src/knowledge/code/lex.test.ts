import fc from "fast-check";
import { expect, test } from "vitest";
import { languageOf, languages, lex } from "./lex.ts";
import { argumentsAt, constructsOf, structureOf } from "./structure.ts";

const texts = (code: string, language = "al") => lex(code, language).tokens.map(({ kind, text }) => `${kind} ${text}`);

test("AL: texts, doubled quotes, quoted names, comments and directives", () => {
  const code = "#region Don't\n// it's Error('x')\nError('It''s (not) here', \"No. Series\"); /* Commit */ A := @'two\nlines';";
  expect(texts(code)).toEqual([
    "name Error",
    "sign (",
    "string It''s (not) here",
    "sign ,",
    "name No. Series",
    "sign )",
    "sign ;",
    "name A",
    "sign :=",
    "string two\nlines",
    "sign ;",
  ]);
  expect(lex(code, "al").comments.map(({ line }) => line)).toEqual([1, 2, 3]);
});

test("a text that is never closed ends with its line", () => {
  expect(texts("A := 'open;\nB := 1;").slice(-4)).toEqual(["name B", "sign :=", "number 1", "sign ;"]);
});

test.each([
  [
    "typescript",
    "const a = `x ${b} // no`; // c\nf('it\\'s')",
    ["name const", "name a", "sign =", "string x ${b} // no", "sign ;", "name f", "sign (", "string it\\'s", "sign )"],
  ],
  ["python", 'x = """a # no\nb"""  # c\nprint(x)', ["name x", "sign =", "string a # no\nb", "name print", "sign (", "name x", "sign )"]],
  ["sql", "select 'a''b' -- c\nfrom \"T x\"", ["name select", "string a''b", "name from", "name T x"]],
])("%s", (language, code, expected) => {
  expect(texts(code, language)).toEqual(expected);
});

test("whatever the text, lexing ends, lines ascend and nothing is outside the text", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    "`",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "\n",
    "\r\n",
    " ",
    "a",
    "Error",
    "(",
    ")",
    "@'",
    ":=",
    "'''",
    "--",
    "ß",
    "1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom(...languages, "text"), (pieces, language) => {
      const text = pieces.join("");
      const { tokens, comments } = lex(text, language);
      const lines = text.split("\n").length;
      let last = 1;
      for (const token of tokens) {
        expect(token.line).toBeGreaterThanOrEqual(last);
        expect(token.line).toBeLessThanOrEqual(lines);
        last = token.line;
      }
      const size = [...tokens, ...comments].reduce((sum, { text: part }) => sum + part.length, 0);
      expect(size).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("constructs are names and joined names; texts and comments do not count", () => {
  const code = "Codeunit.Run(1); // FindSet\nA('FindFirst');\n\"Sales Order\".Run(); Codeunit::Run(2);";
  expect([...constructsOf(lex(code, "al").tokens)]).toEqual([
    "Codeunit",
    "Codeunit.Run",
    "Run",
    "A",
    "Sales Order",
    "Sales Order.Run",
    "Codeunit::Run",
  ]);
});

test("the language comes from the ending, else from the look", () => {
  expect(languageOf("a/B.Codeunit.al", "")).toBe("al");
  expect(languageOf("x.tsx", "")).toBe("typescript");
  expect(languageOf(undefined, "if Rec.FindSet() then")).toBe("al");
  expect(languageOf(undefined, "let x = 1")).toBeUndefined();
});

test("loops, routines and arguments of AL", () => {
  const code = lex(
    "[EventSubscriber(ObjectType::Table, 1)]\nlocal procedure A()\nbegin\n  for i := 1 to 9 do begin B(1, (2, 3)); end;\n  while x do C();\n  D();\nend;\ntrigger OnRun()\nbegin repeat E(); until true; end;",
    "al",
  );
  const structure = structureOf(code);
  expect(structure.routines.map(({ name, kind, attributes }) => [name, kind, attributes.includes("eventsubscriber")])).toEqual([
    ["A", "procedure", true],
    ["OnRun", "trigger", false],
  ]);
  const inside = (name: string) => {
    const at = code.tokens.findIndex(({ text }) => text === name);
    return structure.loops.some(({ from, to }) => from < at && at < to);
  };
  expect(["B", "C", "D", "E"].map(inside)).toEqual([true, true, false, true]);
  const open = code.tokens.findIndex(({ text }) => text === "B") + 1;
  expect(argumentsAt(code.tokens, open)).toHaveLength(2);
});
