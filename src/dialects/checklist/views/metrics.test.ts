import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { madeFacts, madeFiles, madeMigration } from "../../../../test/support/made-facts.ts";
import { checklistMetrics, metricsData, metricTable } from "./metrics.ts";

describe("measures of a run", () => {
  test("a review half done is measured by what was counted", () => {
    const facts = madeFacts({
      files: madeFiles({ total: 40, completed: 20, skipped: 5, blocked: 5, inProgress: 0 }),
      entries: { total: 60, by: { pending: 15, in_progress: 5, completed: 35, skipped: 5, failed: 0 } },
      topics: { applied: 31, pending: 20, skipped: 11, failed: 0, suggested: 60, byAgent: 50 },
      findings: { total: 30, bySeverity: { info: 0, warning: 30, error: 0, critical: 0 } },
      behaviour: {
        handedOut: 100,
        reported: 90,
        refused: 10,
        refusals: { wrong_file: 4, repeated: 6 },
        analyses: 20,
        analysesWithTopics: 15,
        findingsByTenth: [12, 6, 3, 2, 1, 1, 1, 1, 2, 1],
      },
    });
    expect(checklistMetrics(facts)).toEqual({
      coverage: 0.5,
      topicApplication: 0.5,
      findingDensity: 1.5,
      frontLoading: 0.8,
      completion: 0.65,
      confirmed: null,
      instructionCompliance: 0.9,
      progressReporting: 0.9,
      checklistExpansion: 0.75,
      drift: 0.04,
    });
  });

  test("instances count towards completion, failed ones do not", () => {
    expect(checklistMetrics(madeMigration(true)).completion).toBeCloseTo((623 + 1876) / (847 + 2341));
  });

  test("of judged instances the share of confirmed ones is measured", () => {
    const { instances } = madeMigration(true);
    const judged = { ...instances, judged: { confirmed: 3, dismissed: 9 } } as NonNullable<typeof instances>;
    expect(checklistMetrics(madeFacts({ instances: judged })).confirmed).toBe(0.25);
  });

  test("even findings give one half, findings at the start give one", () => {
    const front = (findingsByTenth: readonly number[]): number | null =>
      checklistMetrics(madeFacts({ behaviour: { ...madeFacts().behaviour, findingsByTenth } })).frontLoading;
    expect(front([3, 3, 3, 3, 3, 3, 3, 3, 3, 3])).toBe(0.5);
    expect(front([9, 1, 0, 0, 0, 0, 0, 0, 0, 0])).toBe(1);
    expect(front([2, 2, 2])).toBe(0.5);
    expect(front([5])).toBeNull();
    expect(front([0, 0])).toBeNull();
  });

  test("where there is nothing to measure the value is null", () => {
    const empty = madeFacts({ files: madeFiles({ total: 0, completed: 0, inProgress: 0 }) });
    expect(Object.values(checklistMetrics(empty))).toEqual(metricTable.map(() => null));
  });

  test("every measure is in the table once, with one sentence", () => {
    expect(metricTable.map(({ id }) => id).sort()).toEqual(Object.keys(checklistMetrics(madeFacts())).sort());
    expect(new Set(metricTable.map(({ key }) => key)).size).toBe(metricTable.length);
    for (const { meaning } of metricTable) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  test("shares stay between 0 and 1 and are never NaN", () => {
    const count = fc.nat(1000);
    fc.assert(
      fc.property(fc.array(count, { minLength: 14, maxLength: 14 }), fc.array(count, { maxLength: 12 }), (n, findingsByTenth) => {
        const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0, m = 0, o = 0] = n;
        const facts = madeFacts({
          files: madeFiles({ total: a + b + c + d, completed: a, skipped: b, blocked: c, inProgress: d }),
          topics: { applied: e, pending: f, skipped: g, failed: 0, suggested: h, byAgent: i },
          findings: { total: j, bySeverity: { info: j, warning: 0, error: 0, critical: 0 } },
          behaviour: {
            handedOut: k,
            reported: l,
            refused: m,
            refusals: { late: o, x: m },
            analyses: o,
            analysesWithTopics: b,
            findingsByTenth,
          },
        });
        for (const [key, value] of Object.entries(metricsData(facts))) {
          const most = key === "finding_density" ? Infinity : 1;
          expect(value === null || (Number(value) >= 0 && Number(value) <= most), `${key} ${JSON.stringify(value)}`).toBe(true);
        }
      }),
    );
  });
});
