import { expect, test } from "vitest";
import { parseRoles } from "./parse-roles.ts";

test("an agent, a model and a permission, each where it is given", () => {
  expect(parseRoles(["Reviewer=codex,model=gpt-5,permission=read", "Coder=script:team/coder.yaml", "QA=permission=edit"])).toEqual({
    Reviewer: { agent: "codex", model: "gpt-5", permission: { level: "read" } },
    Coder: { agent: "script:team/coder.yaml" },
    QA: { permission: { level: "edit" } },
  });
});

test.each([
  ["Reviewer", "names a role and who plays it"],
  ["=codex", "names a role and who plays it"],
  ["Reviewer=", "names a role and who plays it"],
  ["Reviewer=,model=x", "names no agent"],
  ["Reviewer=codex,permision=read", "Did you mean `permission`?"],
  ["Reviewer=codex,permission=write", "one of read, edit, all"],
  ["Reviewer=codex,model=", "`model` has one value"],
])("%s is refused", (given, why) => {
  expect(() => parseRoles([given])).toThrow(why);
});

test("a role is bound once", () => {
  expect(() => parseRoles(["QA=a", "QA=b"])).toThrow("The role `QA` is bound twice.");
});
