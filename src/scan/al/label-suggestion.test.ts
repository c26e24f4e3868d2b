import { expect, test } from "vitest";
import { findErrorCalls } from "./al-error-call.ts";
import { labelSuggestion } from "./label-suggestion.ts";
import { readAlTokens } from "./lex-al.ts";

function suggest(call: string): unknown {
  const text = `codeunit 1 A
{
    procedure P()
    begin
        ${call};
    end;

    var
        TakenErr: Label 'x', Locked = true;
        Format: Label 'x %1';
        Txt: Text;
}`;
  const [found] = findErrorCalls(readAlTokens(text), { runtime: 15, test: false });
  return found === undefined ? "nothing found" : labelSuggestion(found, { text });
}

test("a literal becomes a label whose name comes from its words", () => {
  expect(suggest("Error('Date is missing')")).toEqual({
    name: "DateIsMissingErr",
    declaration: "DateIsMissingErr: Label 'Date is missing';",
    call: "Error(DateIsMissingErr)",
  });
});

test("a comment explains each placeholder, with quotes doubled", () => {
  expect(suggest("Dialog.ERROR('It''s %1 of %2', F('a'), Cust.\"No.\")")).toEqual({
    name: "ItsOfErr",
    declaration: "ItsOfErr: Label 'It''s %1 of %2', Comment = '%1 = F(''a''), %2 = Cust.\"No.\"';",
    call: "Dialog.ERROR(ItsOfErr, F('a'), Cust.\"No.\")",
  });
});

test("a name that is taken gets a number, and one without words a stand-in", () => {
  expect(suggest("Error('taken')")).toMatchObject({ name: "Taken2Err" });
  expect(suggest("Error('%1', X)")).toMatchObject({ name: "TextErr" });
  expect(suggest("Error('1 error')")).toMatchObject({ name: "Text1Err" });
});

test("a format string moves out of StrSubstNo", () => {
  expect(suggest("Error(StrSubstNo('No %1', X))")).toEqual({
    name: "NoErr",
    declaration: "NoErr: Label 'No %1', Comment = '%1 = X';",
    call: "Error(NoErr, X)",
  });
  expect(suggest("Error(StrSubstNo(Format, X))")).toEqual({ name: "Format", call: "Error(Format, X)" });
});

test("parts become placeholders", () => {
  expect(suggest("Error('No ' + Txt + ' in ' + F(1 + 2))")).toEqual({
    name: "NoInErr",
    declaration: "NoInErr: Label 'No %1 in %2', Comment = '%1 = Txt, %2 = F(1 + 2)';",
    call: "Error(NoInErr, Txt, F(1 + 2))",
  });
});

test("a call that uses a Label already is left as it is", () => {
  for (const call of ["Error(TakenErr)", "Error(Format, 1)"]) expect([call, suggest(call)]).toEqual([call, undefined]);
});

test("pieces whose seam would read as another placeholder become no Label", () => {
  for (const call of [
    "Error('50%' + '1 x' + Txt)",
    "Error('50%' + Txt)",
    "Error(Txt + '0 left')",
    "Error('a#' + Txt)",
    "Error('%' + '1' + 'x')",
  ])
    expect([call, suggest(call)]).toEqual([call, undefined]);
  expect(suggest("Error('50 % ' + Txt)")).toMatchObject({ declaration: expect.stringContaining("Label '50 % %1'") });
});

test("nothing is said where nothing is certain", () => {
  for (const call of [
    "Error('')",
    "Error(Txt)",
    "Error(F())",
    "Error('a %1' + Txt)",
    "Error(Txt + Txt)",
    "Error(@'a')",
    "Error('a' + Txt, 1)",
  ]) {
    expect([call, suggest(call)]).toEqual([call, undefined]);
  }
});
