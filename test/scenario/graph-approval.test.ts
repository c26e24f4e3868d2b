import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeRows } from "../../src/dialects/prompts/run/index.ts";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open();
});
afterAll(() => bench.close());

const gate = (more = ""): string => `- id: plan
  prompt: Plan.
- id: ok
  depends_on: [plan]
  approval:
    message: "Do $plan.output?"
    ${more}
- id: do
  depends_on: [ok]
  bash: printf '<%s>' $ok.output`;

test("the person is asked with the message filled in; without capture_response the output is empty", async () => {
  const run = await bench.run(gate(), () => "this");
  expect(run.questions).toMatchObject([{ question: "Do this?" }]);
  await run.answer("approve", "fine");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("do")).toBe("<>");
});

test("with capture_response what the person writes is the output", async () => {
  const run = await bench.run(gate("capture_response: true"));
  await run.answer("approve", "it's $(fine)");
  await run.drive();
  expect(await run.output("do")).toBe("<it's $(fine)>");
});

test("decisions are offered instead of yes and no, and the run continues with the one that was taken", async () => {
  const run = await bench.run(gate("decisions: [{ id: ship, label: Ship it }, { id: wait }]"));
  await run.answer("wait", "until monday");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("do")).toBe('<{"decision":"wait","text":"until monday"}>');
});

test("a rejection without on_reject cancels the run", async () => {
  const run = await bench.run(gate());
  await run.answer("reject", "too dear");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "cancelled", why: expect.stringContaining("too dear") as string });
  expect((await run.nodes())["do"]).toBeUndefined();
});

test("an approval as the first node works, also rejected", async () => {
  const nodes =
    "- id: ok\n  approval: { message: Begin?, on_reject: { prompt: 'Think: $REJECTION_REASON', max_attempts: 2 } }\n- id: b\n  depends_on: [ok]\n  bash: echo b";
  const run = await bench.run(nodes);
  const prompts: string[] = [];
  await run.answer("reject", "why");
  await run.drive((prompt) => (prompts.push(prompt), "thought"));
  expect(prompts[0]).toContain("Think: why");
  expect(run.questions).toHaveLength(1);
  await run.answer("approve", "");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
});

test("a node that was approved after a rejection has no reason any more", async () => {
  const run = await bench.run(
    "- id: plan\n  bash: echo plan\n- id: ok\n  depends_on: [plan]\n  approval: { message: Good?, on_reject: { reopens: [plan], max_attempts: 3 } }",
  );
  const reasons = async (): Promise<readonly unknown[]> =>
    (await nodeRows(bench.engine.context, await bench.engine.context.runs.open(run.id)))?.map(({ reason }) => reason) ?? [];
  await run.answer("reject", "no");
  await run.drive();
  expect(await reasons()).toEqual([undefined, "`ok` was rejected: no"]);
  await run.answer("approve", "");
  await run.drive();
  expect(await reasons()).toEqual([undefined, undefined]);
});

describe("on_reject", () => {
  test("max_attempts 2: the first rejection reworks and asks again, the second cancels", async () => {
    const run = await bench.run(gate("on_reject: { prompt: 'Rework: $REJECTION_REASON', max_attempts: 2 }"));
    const prompts: string[] = [];
    await run.answer("reject", "too short");
    await run.drive((prompt) => (prompts.push(prompt), "longer"));
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("Rework: too short");
    expect(run.questions).toHaveLength(1);
    await run.answer("reject", "still");
    await run.drive();
    expect(run.end).toMatchObject({ kind: "cancelled" });
  });

  test("reopens: what is reworked runs again with what consumed it, the question has the new content and a new revision, and the old answer does not count", async () => {
    const nodes = `- id: plan
  prompt: Plan <$REJECTION_REASON>.
- id: summary
  depends_on: [plan]
  bash: printf 'sum of %s' $plan.output
- id: ok
  depends_on: [summary]
  approval: { message: "Do $summary.output?", on_reject: { reopens: [plan], max_attempts: 3 } }
- id: do
  depends_on: [ok]
  bash: printf 'did %s' $plan.output`;
    let times = 0;
    const says = (): string => `plan ${(times += 1)}`;
    const run = await bench.run(nodes, says);
    const [first] = run.questions;
    expect(first).toMatchObject({ question: "Do sum of plan 1?" });
    await run.answer("reject", "no");
    await run.drive(says);
    const [second] = run.questions;
    expect(second).toMatchObject({ question: "Do sum of plan 2?" });
    expect(second!.id === first!.id && second!.revision > first!.revision).toBe(true);
    await expect(run.answer("approve", "", first!.revision)).rejects.toThrow(/has changed since it was shown/);
    await run.answer("approve", "");
    await run.drive(says);
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await run.output("do")).toBe("did plan 2");
  });
});

test("an approval holds back what depends on it and nothing else", async () => {
  const run = await bench.run(`- id: ok
  approval: { message: Go? }
- id: other
  bash: echo other
- id: more
  depends_on: [other]
  prompt: More.
- id: after
  depends_on: [ok]
  bash: echo after`);
  expect(run.end).toMatchObject({ kind: "waits" });
  const nodes = await run.nodes();
  expect(nodes["more"]).toMatchObject({ status: "completed" });
  expect(nodes["after"]).toBeUndefined();
  await run.answer("approve", "");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
});
