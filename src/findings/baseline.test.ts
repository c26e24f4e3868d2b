import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BaselineCounter, readBaseline, renderBaseline, type BaselineEntry } from "./baseline.ts";
import type { ReportedFinding } from "./write/reported-finding.ts";

const entry: BaselineEntry = { file: "a.ts", rule: "debugger", fingerprint: "i1", count: 2 };
const entryOf = fc.record({
  file: fc.string({ minLength: 1 }),
  rule: fc.constantFrom("r", "s"),
  fingerprint: fc.string({ minLength: 1 }),
  count: fc.integer({ min: 1 }),
});

function finding(facts: Partial<ReportedFinding> = {}): ReportedFinding {
  return { file: "a.ts", rule: "debugger", severity: "warning", message: "m", autoFixable: false, fingerprint: "x", text: "i1", ...facts };
}
const counter = (known: readonly BaselineEntry[]): BaselineCounter => new BaselineCounter(known, ({ text = "" }) => text);

describe("the file", () => {
  test("reads as it was written, whatever the order of its entries was", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(entryOf, { selector: ({ file, rule, fingerprint }) => JSON.stringify([file, rule, fingerprint]) }),
        (entries) => {
          const text = renderBaseline(entries);
          expect(renderBaseline([...entries].reverse())).toBe(text);
          expect(renderBaseline(readBaseline(text) as readonly BaselineEntry[])).toBe(text);
        },
      ),
    );
  });

  test("has an entry a line, so that a difference shows what came and went", () => {
    expect(renderBaseline([entry, { ...entry, file: "A.ts" }])).toBe(
      '{\n  "waymark_baseline": 1,\n  "findings": [\n    {"file":"A.ts","rule":"debugger","fingerprint":"i1","count":2},\n    {"file":"a.ts","rule":"debugger","fingerprint":"i1","count":2}\n  ]\n}\n',
    );
  });

  test.each([
    ["{", "it is not JSON"],
    ["[]", "it has no `waymark_baseline`"],
    ['{"waymark_baseline":2,"findings":[]}', "it is of version 2, and this Waymark reads version 1"],
    ['{"waymark_baseline":1}', "its `findings` are not a list"],
    ['{"waymark_baseline":1,"findings":[{"file":"a","rule":"r","fingerprint":"f","count":1},{"file":"a"}]}', "entry 2 of `findings`"],
    ['{"waymark_baseline":1,"findings":[{"file":"a","rule":"r","fingerprint":"f","count":0}]}', "entry 1 of `findings`"],
  ])("%s is refused", (text, problem) => {
    expect(readBaseline(text)).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});

describe("what is new", () => {
  test("as many as are known are known, one more is new, and so is another text, rule or file", () => {
    const known = counter([entry]);
    expect([finding(), finding(), finding()].map((each) => known.isNew(each))).toEqual([false, false, true]);
    expect([{ text: "i2" }, { rule: "other" }, { file: "b.ts" }].map((facts) => known.isNew(finding(facts)))).toEqual([true, true, true]);
  });

  test("what was counted is the next baseline", () => {
    const fresh = counter([]);
    for (const facts of [{}, { file: "b.ts" }, {}]) fresh.isNew(finding(facts));
    expect([...fresh.entries]).toEqual([entry, { ...entry, file: "b.ts", count: 1 }]);
  });
});
