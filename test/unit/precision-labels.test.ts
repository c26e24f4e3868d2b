import { join } from "node:path";
import { expect, test } from "vitest";
import { compareWithLabels, readLabels, type Label } from "../../scripts/precision/compare-with-labels.mjs";

const root = join(import.meta.dirname, "../..");

test("there are at least 300 labels, each place once, each judged twice", async () => {
  const labels = await readLabels(join(root, "test/precision/labels.tsv"));
  expect(labels.length).toBeGreaterThanOrEqual(300);
  expect(new Set(labels.map(({ repository, file, line, rule }) => `${repository} ${file} ${line} ${rule}`)).size).toBe(labels.length);
  expect(new Set(labels.map(({ repository }) => repository)).size).toBeGreaterThanOrEqual(3);
});

test("what is found is compared with the labels; a wrong critical and a place without a label are named", () => {
  const place = (line: number, rule = "secret") => ({ repository: "a", file: "a.ts", line, rule, severity: "critical" });
  const label = (line: number, verdict: Label["verdict"]): Label => ({ ...place(line), verdict });
  const labels = [label(1, "right"), label(2, "wrong"), label(3, "right"), { ...label(4, "right"), repository: "absent" }];
  const compared = compareWithLabels([place(1), place(2), place(9, "debugger")], labels, new Set(["a"]));
  expect(compared).toMatchObject({ right: 1, wrong: 1, missed: 1, critical: ["a/a.ts:2 secret"], unlabelled: ["a/a.ts:9 debugger"] });
  expect(compared.rows.get("secret")).toEqual({ found: 2, right: 1, wrong: 1, unlabelled: 0, missed: 1 });
});
