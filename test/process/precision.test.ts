import { expect, test } from "vitest";
import { runNode } from "../../scripts/run-tool.mjs";

test("a repository that is absent is a row with its name, and the measurement ends with 1", async () => {
  const { code, output } = await runNode(["scripts/precision.mjs", "--trees", "no-such-folder"]);
  expect(code).toBe(1);
  expect(output).toMatch(/^frappe: absent\. Get it: git clone https:\/\/github\.com\/frappe\/frappe /m);
  expect(output).toContain("verdaccio is absent");
});
