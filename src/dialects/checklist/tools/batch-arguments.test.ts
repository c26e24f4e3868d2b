import { describe, expect, test } from "vitest";
import { isWaymarkError } from "../../../base/index.ts";
import { batchCommand, batchFilter, confirmationToken } from "./batch-arguments.ts";

function problemOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isWaymarkError(error)) return `${error.code} ${error.message}`;
  }
  return "";
}

describe("filters of a batch", () => {
  test("all spellings come to one form, in which order does not matter", () => {
    const form = { instance_types: ["getlasterror", "literal"], file_patterns: ["src/**"], auto_fixable_only: true };
    expect(batchFilter({ instance_types: ["literal", "system_function"], file_patterns: ["src/**"], auto_fixable_only: true })).toEqual(
      form,
    );
    expect(batchFilter({ instance_type: ["system_function", "literal", "literal"], file_pattern: "src/**", auto_fixable: "true" })).toEqual(
      form,
    );
  });

  test.each(["BC23-BC24", "BC23→BC24", "23->24", "BC23-24", "23.0 → 24.0"])("the version step %s is BC23-BC24", (version_step) => {
    expect(batchFilter({ version_step })).toEqual({ version_step: "BC23-BC24" });
  });

  test.each([
    [{ instance_typs: ["a"] }, "the nearest is `instance_type`"],
    [{ instance_type: "a", instance_types: ["b"] }, "given twice"],
    [{ auto_fixable: "yes" }, "must be true or false"],
    [{ status: "done" }, "pending, in_progress, failed"],
    [{ file_patterns: [1] }, "a list of texts"],
    [{ version_step: "BC24" }, "two versions"],
    [{ guide: " " }, "must be text"],
  ])("%j is refused", (given, said) => {
    const problem = problemOf(() => batchFilter(given));
    expect(problem).toContain("MCP_BAD_ARGUMENT");
    expect(problem).toContain(said);
  });
});

test("operations have two names more, and none means to fix", () => {
  expect([undefined, "apply_all", "skip_all", "undo"].map(batchCommand)).toEqual(["apply_fixes", "apply_fixes", "skip_instances", "undo"]);
  expect(problemOf(() => batchCommand("delete"))).toContain("apply_fixes, skip_instances, flag_for_review, group_by_type, undo");
});

test("what a person types to confirm is the token", () => {
  expect([undefined, "", "t1", " confirm t1 ", "Confirm t1"].map(confirmationToken)).toEqual([undefined, undefined, "t1", "t1", "t1"]);
});
