import fc from "fast-check";
import { expect, test } from "vitest";
import { AlSymbols } from "./al-symbols.ts";
import { plainName } from "./al-tokens.ts";
import { readAlTokens } from "./lex-al.ts";

test("a directive inside a head or a list of variables is passed once", () => {
  const tokens = readAlTokens(`codeunit 1 A
{
    procedure P(var A: Text;
#if X
        var B: Text
#endif
    )
    var
        C: Text;
#if X
        D: Text;
#else
        D: Label 'x';
#endif
        E: Text;
    begin
    end;
}`);
  const routines = new AlSymbols(tokens).objects.flatMap((object) => object.routines);
  expect(routines.map(({ variables }) => variables.map(({ name, scope }) => `${scope} ${plainName(tokens, name)}`))).toEqual([
    ["parameter A", "parameter B", "local C", "local D", "local D", "local E"],
  ]);
});

test("marks only save time", () => {
  const part = fc.constantFrom(
    ..."{ } ( ) [ ] ; : = , . 1 'a' X Y codeunit page 50000 \n var begin end event Subtype Test trigger procedure local protected".split(
      " ",
    ),
    "\n#if A\n",
    "\n#else\n",
    "\n#endif\n",
    "\n",
    "controladdin",
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 80, size: "max" }).map((parts) => parts.join(" ")),
      (text) => {
        const tokens = readAlTokens(text);
        const all = Int32Array.from({ length: tokens.count }, (_, at) => at);
        expect(new AlSymbols(tokens).objects).toEqual(new AlSymbols({ ...tokens, marks: all }).objects);
      },
    ),
    { numRuns: 1000 },
  );
});
