import { expect, test } from "vitest";
import { alObjectType, isTestObject, isTestPath } from "./object-type.ts";

test.each([
  ["codeunit 50100 X {}", "Codeunit"],
  ['PAGE 1 "My Page" { }', "Page"],
  ["pageextension 1 A extends B {}", "PageExtension"],
  ["pagecustomization A customizes B {}", "PageCustomization"],
  ["table 1 A {}", "Table"],
  ["tableextension 1 A extends Microsoft.Sales.Customer {}", "TableExtension"],
  ["report 1 A {}", "Report"],
  ["reportextension 1 A extends B {}", "ReportExtension"],
  ["query 1 A {}", "Query"],
  ["xmlport 1 A {}", "XmlPort"],
  ["enum 1 A implements B, C {}", "Enum"],
  ["enumextension 1 A extends B {}", "EnumExtension"],
  ['interface "I A" {}', "Interface"],
  ["permissionset 1 A {}", "PermissionSet"],
  ["permissionsetextension 1 A extends B {}", "PermissionSetExtension"],
  ["profile A {}", "Profile"],
  ["profileextension A extends B {}", "ProfileExtension"],
  ["controladdin A {}", "ControlAddIn"],
  ["entitlement A {}", "Entitlement"],
  ["dotnet { assembly(mscorlib) { type(System.Page; Page) { } } }", "DotNet"],
  ["// page 1 A\n/* table 2 B */\nnamespace A.Page;\nusing System.Table;\n\ncodeunit 3 C {}", "Codeunit"],
  ["#if not CLEAN24\n#pragma warning disable\ntable 1 A {}\n#endif", "Table"],
  ['\ufeffnamespace A."B C";\nreport 1 A {}', "Report"],
  ["codeunit 1 A { var P: Page 2; }\npage 2 B {}", "Codeunit"],
])("%j is a %s", (text, type) => {
  expect(alObjectType(text, "x.al")).toBe(type);
});

test("the name of the file helps only where the text does not", () => {
  expect(alObjectType("// nothing", "src/Post.Codeunit.al")).toBe("Codeunit");
  expect(alObjectType("", "src/Post.PageExt.al")).toBe("PageExtension");
  expect(alObjectType("", "src/Codeunit.al")).toBeUndefined();
  expect(alObjectType("table 1 A {}", "src/Post.Codeunit.al")).toBe("Table");
  expect(alObjectType("codeunit.run(1);", "src/Post.al")).toBeUndefined();
});

test("a test object says so in a property of its own", () => {
  expect(isTestObject("codeunit 1 A { Subtype = Test; }")).toBe(true);
  expect(isTestObject("codeunit 1 A { SUBTYPE /* x */ =\n test; }")).toBe(true);
  expect(isTestObject("codeunit 1 A {} codeunit 2 B { subtype=Test; }")).toBe(true);
  expect(isTestObject("codeunit 1 A { Subtype = TestRunner; }")).toBe(false);
  expect(isTestObject("codeunit 1 A { // Subtype = Test;\n }")).toBe(false);
  expect(isTestObject("codeunit 1 A { Caption = 'Subtype = Test;'; }")).toBe(false);
});

test("folders of tests, in any case", () => {
  for (const path of ["Test/A.al", "src/TESTS/b/A.al", "Base Application Tests/A.al", ".altestrunner/A.al", "a\\test\\A.al"]) {
    expect([path, isTestPath(path)]).toEqual([path, true]);
  }
  for (const path of ["Test.al", "src/Tests.al", "Testing/A.al", "Latest/A.al", "Contests/A.al", "Test Library/A.al"]) {
    expect([path, isTestPath(path)]).toEqual([path, false]);
  }
});
