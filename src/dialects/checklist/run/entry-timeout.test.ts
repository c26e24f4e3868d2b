import { afterEach, expect, test } from "vitest";
import { begin, inHand, review } from "../../../../test/support/checklist-sample.ts";
import { DrivenTime } from "../../../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { journal, next } from "../../../engine/index.ts";
import { reportCheck } from "./commands/check-report.ts";
import { gatherFacts } from "./commands/gather-facts.ts";

let engine: TestEngine;
afterEach(() => engine.close());

test("an entry that takes longer than its `timeout` fails, and the run continues by its rules", async () => {
  const time = new DrivenTime();
  const limited = review.replace('"Analyse it", required: true', '"Analyse it", required: true, timeout: 90');
  engine = await openTestEngine({ ".waymark/workflows/review.workflow.yaml": limited, "a.js": "1", "b.js": "2" }, {}, time);
  const { context, caller } = engine;
  const at = await begin(engine, "review");
  const { run } = at;
  expect(inHand(at)).toMatchObject({ file: "a.js", item: "analyze" });
  const { shown } = at.standing as Extract<typeof at.standing, { kind: "action" }>;
  expect(shown.step).toMatchObject({ instructions: expect.stringContaining("Time limit: 90 s.") as string, definition: { timeout: 90 } });
  await time.advance(89_999);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", item: "analyze" });
  await time.advance(1);
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", item: "review_complete" });
  expect(await context.store.readItem(run, "files", "a.js#analyze")).toMatchObject({
    status: "failed",
    reason: "`a.js#analyze` took longer than its limit of 90 s.",
  });
  expect(JSON.stringify(await journal(context, run, 0, 500))).toContain('"code":"TIMEOUT"');
  // The other entry has no limit.
  await time.advance(10 * 60_000);
  await reportCheck(context, caller, { run, item: "review_complete", status: "completed", result: "read" });
  const second = await next(context, caller, { run });
  expect(inHand(second)).toMatchObject({ file: "b.js", item: "analyze" });
  await reportCheck(context, caller, { run, item: "analyze", status: "completed", result: "read" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js", item: "review_complete" });
  expect((await gatherFacts(context, run)).files).toMatchObject({ blocked: 1, inProgress: 1 });
});

test("an entry with a `timeout` that is reported as failed or skipped is settled as reported", async () => {
  const limited = review.replace('"Analyse it", required: true', '"Analyse it", required: true, timeout: 90');
  engine = await openTestEngine({ ".waymark/workflows/review.workflow.yaml": limited, "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await reportCheck(context, caller, { run, item: "analyze", status: "failed", error: "cannot read it" });
  expect(await context.store.readItem(run, "files", "a.js#analyze")).toMatchObject({ status: "failed", reason: "cannot read it" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "b.js", item: "analyze" });
  await reportCheck(context, caller, { run, item: "analyze", status: "skipped", skipReason: "generated" });
  expect(await context.store.readItem(run, "files", "b.js#analyze")).toMatchObject({ status: "skipped", reason: "generated" });
  expect((await gatherFacts(context, run)).files).toMatchObject({ blocked: 1, inProgress: 1 });
});

test("entries with a `timeout` may be called as the parts of others", async () => {
  const entry = (id: string): string => `  - { id: ${id}, type: custom, description: d, required: true, timeout: 30 }\n`;
  const names = ["skip", "naming", "naming.skip", "naming.fail", "naming.reported", "in_time", "review_complete"];
  const [analyze = ""] = /^ {2}- \{ id: analyze,.*\n/m.exec(review) ?? [];
  const limited = review.replace(analyze, names.slice(0, -1).map(entry).join(""));
  engine = await openTestEngine({ ".waymark/workflows/review.workflow.yaml": limited, "a.js": "1" });
  const { context, caller } = engine;
  let at = await begin(engine, "review");
  for (const item of names) {
    expect(inHand(at)).toMatchObject({ file: "a.js", item });
    await reportCheck(context, caller, { run: at.run, item, status: "completed", result: "read" });
    at = await next(context, caller, { run: at.run });
  }
  expect((await gatherFacts(context, at.run)).files).toMatchObject({ completed: 1, inProgress: 0 });
});

test("a limit that passed while no process ran counts before the next step is shown or a report is taken", async () => {
  const time = new DrivenTime();
  const limited = review.replace('"Analyse it", required: true', '"Analyse it", required: true, timeout: 90');
  engine = await openTestEngine({ ".waymark/workflows/review.workflow.yaml": limited, "a.js": "1", "b.js": "2" }, {}, time);
  // No process has the run open while the time passes: an alarm of its own would ring there.
  const during = async <T>(work: (opened: TestEngine) => Promise<T>): Promise<T> => {
    const opened = await engine.again();
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  };
  const { run } = await during((opened) => begin(opened, "review"));
  await time.advance(100_000);
  const { holder, late } = await during(async ({ context, caller }) => {
    const shown = await next(context, caller, { run, takeOver: true });
    expect(inHand(shown)).toMatchObject({ file: "a.js", item: "review_complete" });
    await reportCheck(context, caller, { run, item: "review_complete", status: "completed", result: "read" });
    return { holder: caller.holder, late: await next(context, caller, { run }) };
  });
  expect(inHand(late)).toMatchObject({ file: "b.js", item: "analyze" });
  const actionId = late.standing.kind === "action" ? late.standing.action.id : "";
  await time.advance(100_000);
  const findings = [{ severity: "info", description: "late" }] as const;
  for (const report of [{ status: "open", findings }, { status: "completed" }] as const)
    await during(({ context, caller }) =>
      expect(reportCheck(context, { ...caller, holder }, { run, actionId, ...report })).rejects.toThrow(
        `The time of \`${actionId}\` ran out before this report (TIMEOUT), so it does not count. \`${actionId}\` is not open`,
      ),
    );
  expect(await engine.context.store.readItem(run, "files", "b.js#analyze")).toMatchObject({ status: "failed" });
});
