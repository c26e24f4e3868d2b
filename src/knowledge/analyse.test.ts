import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certainChecks } from "./code/certain-checks.ts";
import { memoryFiles } from "../../test/support/memory-topics.ts";
import { openKnowledge } from "./open-knowledge.ts";

const files = memoryFiles({
  bundled: {
    "topics/performance/partial-records.md": `---
title: Load fewer fields with SetLoadFields
bc_versions: 17+
tags: [setloadfields]
relevance_signals:
  constructs: [FindSet, SetLoadFields]
  keywords: [ledger]
  anti_pattern_indicators: [FindSet without SetLoadFields]
  positive_pattern_indicators: [SetLoadFields]
applicable_object_types: [Codeunit, Page]
---
Name the fields.
`,
    "topics/performance/old-platform.md":
      '---\ntitle: FindSet of old\nbc_versions: "14..16"\nrelevance_signals:\n  constructs: [FindSet]\n---\nOld.\n',
    "topics/security/rights.md":
      "---\ntitle: Rights\nseverity: critical\nrelevance_signals:\n  constructs: [Permissions]\n  anti_pattern_indicators: ['InherentPermissions = RIMDX']\n---\nLess.\n",
    "topics/web/dangerous-html.md":
      "---\ntitle: HTML from input\ntags: [typescript, security]\nrelevance_signals:\n  constructs: [innerHTML]\n  anti_pattern_indicators: ['innerHTML =']\n---\nEscape.\n",
    "topics/bc23-to-bc24/sales-order.md":
      '---\ntitle: FindSet FindSet - Obsoletions\nmigration_type: removal\nbc_versions: "23->24"\nrelevance_signals:\n  constructs: [FindSet, "Sales Order", SeeFlows]\n  anti_pattern_indicators: [Sales Order.SeeFlows]\nrelevance_threshold: 0.1\n---\nGone.\n',
  },
});
const knowledge = openKnowledge({ files });

const loop = `codeunit 50100 Sample
{
    procedure Total(): Decimal
    var
        CustLedgerEntry: Record "Cust. Ledger Entry";
        Total: Decimal;
    begin
        // CustLedgerEntry.SetLoadFields(Amount);
        if CustLedgerEntry.FindSet() then
            repeat
                Total += CustLedgerEntry.Amount;
            until CustLedgerEntry.Next() = 0;
    end;
}`;

describe("issues and topics", () => {
  test("each issue has line, severity, category and topic; the payload is the one that expands a checklist", async () => {
    const result = await knowledge.analyse({ code: loop, analysis_type: "comprehensive", bc_version: "BC26", suggest_workflows: true });
    expect(result.issues).toEqual([
      {
        check: "missing_setloadfields",
        line: 9,
        severity: "info",
        category: "performance",
        description: expect.any(String),
        suggestion: expect.any(String),
        related_topic: "performance/partial-records",
      },
      expect.objectContaining({ check: "manual_summation", line: 11, severity: "warning", category: "performance" }),
    ]);
    const [first, ...others] = result.suggested_topics;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      topic_id: "performance/partial-records",
      matched_signals: expect.arrayContaining(["construct FindSet", "keyword ledger", "anti-pattern 1"]),
    });
    expect(first!.relevance_score).toBeGreaterThan(0.5);
    expect(result.workflow_integration).toEqual({
      instruction: expect.stringContaining("expand_checklist"),
      expand_checklist_payload: [
        { topic_id: "performance/partial-records", relevance_score: first!.relevance_score, description: "Name the fields." },
      ],
    });
    expect(result.suggested_workflows).toEqual([{ workflow_type: "performance-audit", reason: expect.any(String) }]);
  });

  test("a version filters topics and checks", async () => {
    const ids = async (bc_version: string) =>
      (await knowledge.analyse({ code: loop, bc_version })).suggested_topics.map(({ topic_id }) => topic_id);
    expect(await ids("16")).toEqual(["performance/old-platform"]);
    expect(await ids("26.0")).toEqual(["performance/partial-records"]);
    const old = await knowledge.analyse({ code: loop, bc_version: "16" });
    expect(old.issues.map(({ check }) => check)).toEqual(["manual_summation"]);
  });

  test("an object type that a topic does not apply to leaves it out; a piece without object keeps it", async () => {
    const has = async (code: string) =>
      (await knowledge.analyse({ code, language: "al" })).suggested_topics.some(
        ({ topic_id }) => topic_id === "performance/partial-records",
      );
    expect(await has(loop.replace("codeunit 50100", "report 50100"))).toBe(false);
    expect(await has("if A.FindSet() then A.SetLoadFields(B);")).toBe(true);
  });

  test("the kind of analysis filters issues and topics; an unknown kind is refused", async () => {
    const security = await knowledge.analyse({ code: loop, analysis_type: "security" });
    expect([security.issues, security.suggested_topics]).toEqual([[], []]);
    const performance = await knowledge.analyse({ code: loop, analysis_type: "performance" });
    expect(performance.issues).toHaveLength(2);
    await expect(knowledge.analyse({ code: loop, analysis_type: "beauty" })).rejects.toMatchObject({ code: "KNOWLEDGE_ANALYSIS_TYPE" });
    await expect(knowledge.analyse({ code: " \n" })).rejects.toMatchObject({ code: "KNOWLEDGE_NO_CODE" });
  });

  test("a declared sign gives an issue with the topic's severity", async () => {
    const result = await knowledge.analyse({ code: "codeunit 1 X\n{\n    InherentPermissions = RIMDX;\n}" });
    expect(result.issues).toMatchObject([
      { check: "indicator", line: 3, severity: "critical", category: "security", related_topic: "security/rights" },
    ]);
  });

  test("topics of one language are silent about another; paths tell the language", async () => {
    const code = "element.innerHTML = input;";
    expect((await knowledge.analyse({ code, path: "src/view.ts" })).issues).toMatchObject([
      { line: 1, related_topic: "web/dangerous-html" },
    ]);
    expect((await knowledge.analyse({ code, path: "src/view.py" })).issues).toEqual([]);
    expect((await knowledge.analyse({ code, language: "al" })).suggested_topics).toEqual([]);
  });

  test("migration topics come only with an upgrade", async () => {
    const code = 'codeunit 1 X { var S: Page "Sales Order"; procedure A() begin if R.FindSet() then S.SeeFlows(); end; }';
    const about = async (versions: object) =>
      (await knowledge.analyse({ code, ...versions })).suggested_topics.map(({ topic_id }) => topic_id);
    expect(await about({})).not.toContain("bc23-to-bc24/sales-order");
    expect(await about({ source_version: "BC21", target_version: "BC27" })).toContain("bc23-to-bc24/sales-order");
    expect(await about({ source_version: "BC24", target_version: "BC27" })).not.toContain("bc23-to-bc24/sales-order");
  });

  test("limit, least relevance and no workflows", async () => {
    expect((await knowledge.analyse({ code: loop, min_relevance_score: 1 })).suggested_topics).toEqual([]);
    expect((await knowledge.analyse({ code: loop, limit: 1 })).suggested_topics).toHaveLength(1);
    expect((await knowledge.analyse({ code: loop, suggest_workflows: false })).suggested_workflows).toEqual([]);
  });

  test("relevance lies between 0 and 1, and more signals never lower it", async () => {
    const name = fc.constantFrom("FindSet", "SetLoadFields", "Ledger", "Other", "Permissions");
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), name, async (names, more) => {
        const score = async (all: readonly string[]) =>
          (await knowledge.analyse({ code: all.join("\n"), language: "al", limit: 99 })).suggested_topics.find(
            ({ topic_id }) => topic_id === "performance/partial-records",
          )?.relevance_score ?? 0;
        const before = await score(names);
        const after = await score([...names, more]);
        expect(before).toBeLessThan(1);
        expect(after).toBeGreaterThanOrEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

/** Each check on a piece that has the fault and on one that has it not. */
const cases: readonly (readonly [check: string, faulty: string, fine: string, path?: string])[] = [
  [
    "missing_setloadfields",
    "procedure A() begin if R.FindSet() then; end;",
    "procedure A() begin R.SetLoadFields(B); if R.FindSet() then; end;",
  ],
  ["missing_setloadfields", "procedure A() begin if R.FINDSET then; end;", "procedure A() begin if R.FindSet() then R.Modify(); end;"],
  [
    "missing_setloadfields",
    "procedure A(R: Record X) begin R.FindSet(); end;",
    "procedure A(R: Record X temporary) begin R.FindSet(); end;",
  ],
  ["manual_summation", "repeat S += R.Amount; until R.Next() = 0;", "repeat S += R.Amount; B(R); until R.Next() = 0;"],
  ["manual_summation", "repeat S += R.Amount until R.Next = 0;", "repeat S += T.Amount; until R.Next() = 0;"],
  ["calcfields_in_loop", "repeat R.CalcFields(B); until X;", "R.CalcFields(B); repeat until X;"],
  ["commit_in_loop", "for i := 1 to 3 do begin Commit(); end;", "for i := 1 to 3 do begin end; Commit();"],
  ["commit_in_loop", "repeat Commit; until X;", "repeat Rec.Commit(); until X;"],
  ["dialog_in_loop", "while A do Message('x');", "while A do B(); Message('x');"],
  ["findfirst_then_loop", "if R.FindFirst() then repeat until R.Next() = 0;", "if R.FindSet() then repeat until R.Next() = 0;"],
  ["count_as_existence", "if R.Count > 0 then;", "if R.Count() > 10 then;"],
  ["count_as_existence", "exit(R.Count() = 0);", "exit(R.IsEmpty());"],
  ["error_literal", "Error('A %1', B);", "Error('');"],
  ["error_literal", "ERROR('A');", "R.FieldError('A'); asserterror Error('B'); // Error('C')"],
  ["error_concatenation", "Error('A' + B);", "Error(TextErr, A + B);"],
  ["error_strsubstno", "Error(StrSubstNo(A, B));", "Error(ErrorInfo.Create(StrSubstNo(A, B)));"],
  ["with_statement", "with Rec do A();", "Rec.A();"],
  ["filter_concatenation", "R.SetFilter(F, A + '*');", "R.SetFilter(F, '%1', A + B);"],
  ["secret_as_text", "procedure A(ApiKey: Text) begin end;", "procedure A(ApiKey: SecretText) begin end;"],
  ["hardcoded_secret", "Password := 'hunter22';", "Password := GetPassword(); Password := '';"],
  ["hardcoded_secret", "const apiKey = 'sk-0123456789';", "const apiKey = process.env.KEY; const label = 'password is wrong';", "a.ts"],
  [
    "insecure_address",
    "C.Get('http://api.contoso.com', R);",
    "C.Get('https://api.contoso.com', R); X.AddNamespace('a', 'http://contoso.com/ns');",
  ],
  ["empty_catch", "try { a() } catch (e) {}", "try { a() } catch (e) { log(e) }", "a.ts"],
  ["empty_catch", "try { a() } catch {}", "try { a() } catch {\n  // already gone\n}", "a.ts"],
  ["empty_catch", "try:\n  a()\nexcept ValueError:\n  pass", "try:\n  a()\nexcept ValueError:\n  raise", "a.py"],
];

describe("checks that need no topic", () => {
  const rows = cases.map(([check, faulty, fine, path = "a.al"]) => ({ check, faulty, fine, path }));
  test.each(rows)("$check: $faulty", async ({ check, faulty, fine, path }) => {
    const empty = openKnowledge({ files: memoryFiles({}) });
    const found = async (code: string) => (await empty.analyse({ code, path })).issues.filter((issue) => issue.check === check);
    expect(await found(faulty)).toHaveLength(1);
    expect(await found(fine)).toEqual([]);
  });

  test("every check has a case", () => {
    expect(new Set(cases.map(([check]) => check))).toEqual(new Set(certainChecks.map(({ id }) => id)));
  });

  test("no piece of code makes the analysis fail", async () => {
    const empty = openKnowledge({ files: memoryFiles({}) });
    const piece = fc.constantFrom(
      "repeat",
      "until",
      "Error",
      "(",
      ")",
      "[",
      "]",
      "'",
      '"',
      ".",
      ",",
      ";",
      "FindSet",
      "Count",
      "SetFilter",
      "+=",
      "+",
      "do",
      "for",
      "begin",
      "end",
      "procedure",
      "Next",
      "\n",
      "then",
      "catch",
      "{",
      "}",
      ":",
      "password",
      "http://x",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 25 }), fc.constantFrom("a.al", "a.ts", "a.py"), async (pieces, path) => {
        const result = await empty.analyse({ code: `x ${pieces.join(" ")}`, path });
        for (const { line } of result.issues) expect(line).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});
