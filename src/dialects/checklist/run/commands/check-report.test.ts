import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, inHand, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { gatherFacts } from "./gather-facts.ts";
import { next, start } from "../../../../engine/index.ts";
import { reportCheck, type CheckReport } from "./check-report.ts";

let engine: TestEngine;
let run: string;
afterEach(() => engine.close());

async function reviewing(files: Readonly<Record<string, string>> = { "a.js": "1", "b.js": "2" }, workflow = review): Promise<void> {
  engine = await withWorkflow(workflow, files);
  ({ run } = await begin(engine, "review"));
}
const say = (request: Partial<CheckReport>) =>
  reportCheck(engine.context, engine.caller, { run, status: "completed", result: "read", ...request });
const hand = async () => inHand(await next(engine.context, engine.caller, { run }));
const openId = async (): Promise<string> => {
  const { standing } = await next(engine.context, engine.caller, { run });
  return standing.kind === "action" ? standing.action.id : "";
};

test.each<[string, Partial<CheckReport>, string]>([
  ["wrong_file", { file: "b.js" }, "b.js is not the file you are working on."],
  ["wrong_item", { item: "review_complete" }, "`review_complete` is not the checklist item you are working on."],
  ["wrong_action", { action: "convert_instance" }, "`convert_instance` is not what is open."],
  ["no_action", { actionId: "a999" }, "`a999` is not open in run"],
  ["skip", { status: "skipped" }, "A skip needs its reason."],
  ["skip", { status: "skipped", skipReason: "  " }, "A skip needs its reason."],
  ["failure", { status: "failed", error: " " }, "A failure needs its reason."],
])("a report that does not fit what is open is refused as %s and changes nothing", async (kind, request, message) => {
  await reviewing();
  await expect(say(request)).rejects.toMatchObject({
    code: "ENGINE_OFF_COURSE",
    details: { kind },
    message: expect.stringContaining(message) as string,
  });
  expect(await hand()).toMatchObject({ file: "a.js", item: "analyze" });
  expect((await gatherFacts(engine.context, run)).behaviour).toMatchObject({ reported: 0, refused: 1, refusals: { [kind]: 1 } });
});

test("what does not fit in a report is named, and the rest of it is recorded", async () => {
  await reviewing();
  const finding = { severity: "info", description: "d" } as const;
  const said = await say({
    findings: [
      { ...finding, file: "c.js" },
      { ...finding, file: "a.js#analyze" },
      { ...finding, file: "a.js" },
    ],
    topics: [{ topic: "general/async-error" }, { topic: "general/async-errors" }],
  });
  expect(said).toMatchObject({
    recorded: "now",
    expanded: ["general/async-errors"],
    dropped: [{ topic: "general/async-error", why: expect.stringContaining("did you mean `general/async-errors`?") as string }],
    leftOut: [
      { part: "findings[0]", why: "`c.js` is not a file of this run" },
      { part: "findings[1]", why: "`a.js#analyze` is not a file of this run" },
    ],
  });
  expect(await gatherFacts(engine.context, run)).toMatchObject({ findings: { total: 1 }, behaviour: { reported: 1, refused: 0 } });
});

test("a file, an item and an action may be named in the ways that clients name them", async () => {
  await reviewing();
  await say({ file: ".\\a.js", item: "a.js#analyze", action: "analyze_file" });
  expect(await hand()).toMatchObject({ file: "a.js", item: "review_complete" });
  await say({ file: "", item: "review_complete", action: "check" });
  expect(await hand()).toMatchObject({ file: "b.js", item: "analyze" });
});

test("the same report again is known by its action's id, or by its item once that is settled so", async () => {
  await reviewing();
  const id = await openId();
  expect(await say({ actionId: id })).toMatchObject({ recorded: "now", action: id });
  expect(await say({ actionId: id })).toEqual({ recorded: "before", action: id, step: id, expanded: [], dropped: [] });
  expect(await say({ actionId: id, item: "analyze" })).toMatchObject({ recorded: "before", step: "analyze" });
  expect(await say({ file: "a.js", item: "analyze" })).toMatchObject({ recorded: "before", action: "a.js#analyze" });
  await expect(say({ file: "a.js", item: "analyze", status: "skipped", skipReason: "r" })).rejects.toMatchObject({
    details: { kind: "wrong_item" },
  });
  expect(await hand()).toMatchObject({ file: "a.js", item: "review_complete" });
});

test("topics below the relevance that is asked for are left out with the reason", async () => {
  await reviewing();
  const topics = [
    { topic: "general/async-errors", relevance: 0.6 },
    { topic: "general/input-validation", relevance: 0.59 },
  ];
  expect(await say({ topics })).toMatchObject({
    expanded: ["general/async-errors"],
    dropped: [{ topic: "general/input-validation", why: "relevance 0.59 is below 0.6" }],
  });
});

test("what is added to an entry leaves it open, once, and is still known when the entry is reported", async () => {
  await reviewing();
  const added: Partial<CheckReport> = { status: "open", findings: [{ severity: "warning", description: "odd" }] };
  const id = await openId();
  expect(await say(added)).toMatchObject({ recorded: "now", action: id, open: expect.stringContaining("a.js") as string });
  expect(await say(added)).toMatchObject({ recorded: "before" });
  expect(await gatherFacts(engine.context, run)).toMatchObject({ findings: { total: 1 }, behaviour: { reported: 0 } });
  await say({ actionId: id });
  await next(engine.context, engine.caller, { run });
  expect(await say({ ...added, actionId: id })).toEqual({ recorded: "before", action: id, step: id, expanded: [], dropped: [] });
  await expect(say({ status: "open", actionId: id })).rejects.toMatchObject({ details: { kind: "no_action" } });
  expect((await gatherFacts(engine.context, run)).findings.total).toBe(1);
});

test("nothing is added to an entry of the run's own strand by somebody who does not hold it", async () => {
  await reviewing();
  const { context, caller } = engine;
  ({ run } = await start(context, caller, { workflow: "review", serial: true }));
  const other = { ...caller, holder: { ...caller.holder, session: "another" } };
  const added: Partial<CheckReport> = { status: "open", actionId: await openId(), findings: [{ severity: "warning", description: "odd" }] };
  await expect(reportCheck(context, other, { run, status: "open", ...added })).rejects.toMatchObject({ code: "HOLDER_LOST" });
  expect((await gatherFacts(context, run)).findings.total).toBe(0);
  expect(await say(added)).toMatchObject({ recorded: "now" });
});

test("a file that blocks the run may be given up with a reason, and nothing else may", async () => {
  await reviewing();
  await driveToEnd(engine, run, () => ({ status: "failed", error: "no" }));
  expect((await gatherFacts(engine.context, run)).status).toBe("blocked");
  await expect(say({ status: "skipped", file: "a.js" })).rejects.toMatchObject({ details: { kind: "no_action" } });
  await expect(say({ status: "skipped", file: "a.js#analyze", skipReason: "r" })).rejects.toMatchObject({ details: { kind: "no_action" } });
  expect(await say({ status: "skipped", file: "a.js", skipReason: "not ours" })).toMatchObject({ recorded: "now", action: "a.js" });
  expect((await hand()).what).toBe("complete_workflow");
  expect((await gatherFacts(engine.context, run)).files).toMatchObject({ skipped: 1, blocked: 1 });
  await expectSound(engine.context, run);
});

test("a workflow without skips lets only what is optional be skipped", async () => {
  const strict = review
    .replace("allow_skip_with_reason: true", "allow_skip_with_reason: false")
    .replace('description: "Analyse it", required: true', 'description: "Analyse it", required: false');
  await reviewing({ "a.js": "1" }, strict);
  await say({ status: "skipped", skipReason: "r" });
  expect(await hand()).toMatchObject({ item: "review_complete" });
  await expect(say({ status: "skipped", skipReason: "r" })).rejects.toMatchObject({
    details: { kind: "skip" },
    message: expect.stringContaining("This workflow allows no skips.") as string,
  });
});
