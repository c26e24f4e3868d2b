import { expect, test } from "vitest";
import { findIndicator, isUsableSign, parseIndicator } from "./indicator.ts";
import { lex } from "./lex.ts";
import { structureOf } from "./structure.ts";

const code = `codeunit 50100 Sample
{
    [EventSubscriber(ObjectType::Codeunit, Codeunit::X, 'OnY', '', false, false)]
    local procedure Subscriber()
    begin
        Commit();
    end;

    trigger OnAfterGetRecord()
    begin
        Rec.CalcFields(Balance);
        if Rec.Find('-') then // Find('+')
            repeat
                Rec.Modify(true);
            until Rec.Next() = 0;
    end;

    procedure Reads()
    var
        Buffer: Record "Sales Order";
    begin
        Buffer.LockTable();
        if Confirm('Sure? TODO') then
            Client.Send(Request, Response);
        Buffer.SeeFlows();
        if Buffer.Count > 0 then; // TODO: ask
    end;

    procedure Checks()
    begin
        Client.Send(Request, Response);
        if Response.IsSuccessStatusCode() then;
    end;
}`;
const lexed = lex(code, "al");
const structure = structureOf(lexed);
const linesOf = (sign: string, language = "al", text = code) => {
  const subject = language === "al" && text === code ? lexed : lex(text, language);
  const indicator = parseIndicator(sign, language);
  return indicator === undefined ? undefined : findIndicator(indicator, subject, subject === lexed ? structure : structureOf(subject));
};

test.each([
  ["commit", [6]],
  ["Commit inside an event subscriber", [6]],
  ["Commit in a trigger", []],
  ["Commit inside repeat", []],
  ["Modify inside repeat", [14]],
  ["CalcFields in OnAfterGetRecord", [11]],
  ["CalcFields in OnOpenPage", []],
  ["Find('-')", [12]],
  ["Find('+')", []],
  ["Find('-') followed by repeat", [12]],
  ["Confirm after LockTable", [23]],
  ["Confirm after Commit", []],
  ["Send without IsSuccessStatusCode", [24]],
  ["LockTable without any reason", []],
  ["Sales Order.SeeFlows", [25]],
  ["Sales Invoice.SeeFlows", []],
  ["Count() > 0", [26]],
  ["TODO", [26]],
  ["/Client\\.Send/", [24, 31]],
  ["/client\\.send/i", [24, 31]],
  ["/TODO: ask/", []],
  ["/sure/i", [23]],
  ["silent failure of the whole thing", []],
])("%s", (sign, lines) => {
  expect(linesOf(sign)).toEqual(lines);
});

test("case counts where the language says so", () => {
  expect(linesOf("eval(", "typescript", "Eval(1);\neval(2);\n// eval(3)\n'eval(4)'")).toEqual([2]);
  expect(linesOf(": any", "typescript", "let a: any;\nlet b: Any;")).toEqual([1]);
  expect(linesOf("@ts-ignore", "typescript", "// @ts-ignore\nlet a = 1;")).toEqual([1]);
});

test("a regular expression that nests repetitions, looks around or does not compile is not used", () => {
  for (const sign of ["/(a+)+$/", "/(a|b)*c/", "/((a)+)+/", "/a*b*c*d*e/", "/(?<=a)b/", "/(a)\\1/", "/[/", `/${"a".repeat(400)}/`]) {
    expect(isUsableSign(sign), sign).toBe(false);
    expect(parseIndicator(sign, "al")).toBeUndefined();
  }
  expect(isUsableSign("/Find\\w*\\(/")).toBe(true);
  expect(isUsableSign("no regex")).toBe(true);
});
