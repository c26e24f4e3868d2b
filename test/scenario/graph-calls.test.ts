import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open({ ".archon/steps/say.md": "Say $ARGUMENTS." });
  await bench.define(
    "- id: a\n  bash: printf 'a of %s' \"$ARGUMENTS\"\n- id: b\n  depends_on: [a]\n  bash: printf 'b of %s' \"$ARGUMENTS\"",
    "returns: a",
    "with-returns",
  );
  await bench.define(
    "- id: a\n  bash: echo a\n- id: b\n  depends_on: [a]\n  bash: printf 'last of %s' \"$ARGUMENTS\"",
    "",
    "without-returns",
  );
  await bench.define('- id: a\n  bash: \'[ "$ARGUMENTS" != bad ] && printf "did %s" "$ARGUMENTS"\'', "", "may-fail");
  await bench.define("- id: a\n  prompt: Work on <$ARGUMENTS>.", "", "works");
  await bench.define("- id: a\n  bash: printf %s $INPUTS.what", "inputs: { what: { type: any } }", "with-input");
  await bench.define("- id: a\n  bash: printf '%s of %s' $INPUTS.what \"$ARGUMENTS\"", "inputs: { what: { type: any } }", "with-both");
});
afterAll(() => bench.close());

test("cancel ends the run as cancelled, with its reason filled in, and begins nothing new", async () => {
  const run = await bench.run(
    "- id: a\n  bash: echo empty\n- id: stop\n  depends_on: [a]\n  when: \"$a.output == 'empty'\"\n  cancel: 'Nothing to do, it is $a.output.'\n- id: b\n  depends_on: [stop]\n  trigger_rule: all_done\n  bash: echo b",
  );
  expect(run.end).toMatchObject({ kind: "cancelled", why: expect.stringContaining("Nothing to do, it is empty.") as string });
  expect((await run.nodes())["b"]).toBeUndefined();
});

test.each([
  ["with-returns", "a of it's x"],
  ["without-returns", "last of it's x"],
])("a called %s has what it is asked for, and its output is what it returns, else its last node's", async (workflow, output) => {
  const run = await bench.run(
    `- id: x\n  bash: echo "it's x"\n- id: call\n  depends_on: [x]\n  workflow: ${workflow}\n  input: $x.output\n- id: use\n  depends_on: [call]\n  bash: printf %s $call.output`,
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe(output);
});

test("inputs by name, and what is put in here is asked for the same as the workflow itself", async () => {
  const run = await bench.run(
    "- id: x\n  bash: echo x\n- id: call\n  depends_on: [x]\n  workflow: with-input\n  with: { what: 'got $x.output' }\n- id: put\n  depends_on: [call]\n  include: without-returns",
    undefined,
    { message: "me" },
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("call")).toBe("got x");
  expect(await run.output("put/b")).toBe("last of me");
});

test("a call whose workflow fails has failed", async () => {
  const run = await bench.run("- id: call\n  workflow: may-fail\n  input: bad\n- id: use\n  depends_on: [call]\n  bash: echo");
  expect(run.end).toMatchObject({ kind: "failed" });
  expect((await run.nodes())["call"]).toMatchObject({ status: "failed" });
});

describe("fan_out", () => {
  const fan = (items: string, more = "", workflow = "may-fail"): string => `- id: list
  bash: printf '%s' '${items}'
- id: each
  depends_on: [list]
  workflow: ${workflow}
  fan_out: { items: $list.output${more} }
- id: use
  depends_on: [each]
  bash: printf %s $each.output`;

  test("gives the outputs in the order of the items; a failed one is an object with its error", async () => {
    const run = await bench.run(fan('["one","bad","two"]'));
    expect(run.end?.kind).toBe("completed");
    const [one, bad, two] = JSON.parse((await run.output("use")) ?? "") as [string, { error: string }, string];
    expect([one, two]).toEqual(["did one", "did two"]);
    expect(bad.error).toContain("exit code 1");
    expect((await run.nodes())["each"]?.reason).toMatch(/^1 of 3 failed: item 2: .*exit code 1/);
  });

  test("all_success fails the node with one of them", async () => {
    const run = await bench.run(fan('["one","bad"]', ", join: all_success"));
    expect(run.end).toMatchObject({ kind: "failed" });
    expect((await run.nodes())["each"]).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^Item 2: .*exit code 1/) as string,
    });
    const more = await bench.run(fan('["bad","one","bad"]', ", join: all_success"));
    // In the order in which they failed.
    expect((await more.nodes())["each"]?.error).toMatch(/^2 of 3 items failed: (?:1, 3\. Item 1|3, 1\. Item 3): /);
  });

  test("items are given as the input that is named, objects too; none gives an empty list", async () => {
    const run = await bench.run(fan('[{"n":1},"x"]', ", as: what", "with-input"));
    expect(JSON.parse((await run.output("use")) ?? "")).toEqual([{ n: 1 }, "x"]);
    const both = await bench.run(fan('["x",{"n":1}]', ", as: what", "with-both"));
    expect(JSON.parse((await both.output("use")) ?? "")).toEqual(["x of x", '{"n":1} of {"n":1}']);
    expect(await (await bench.run(fan("[]"))).output("use")).toBe("[]");
  });

  test("an item that is null is given as that text, as a field of an output is", async () => {
    const run = await bench.run(fan("[null]", ", as: what", "with-input"));
    expect(await run.output("use")).toBe("[null]");
  });

  test("what is no list fails the node with the text", async () => {
    const run = await bench.run(fan("one, two"));
    expect((await run.nodes())["each"]).toMatchObject({ status: "failed", error: expect.stringContaining("one, two") as string });
  });

  test("max_parallel children run side by side with as many workers, and not more", async () => {
    const run = await bench.begin(fan("[1,2,3,4]", ", max_parallel: 2", "works"));
    let [now, most] = [0, 0];
    const waiting: (() => void)[] = [];
    await run.drive(
      async (prompt) => {
        most = Math.max(most, (now += 1));
        // The first of two waits for the second.
        if (now === 2) waiting.splice(0).forEach((go) => go());
        else if (most < 2) await new Promise<void>((go) => waiting.push(go));
        now -= 1;
        return `did ${/<(.*)>/.exec(prompt)?.[1]}`;
      },
      { workers: 4 },
    );
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(most).toBe(2);
    expect(await run.output("use")).toBe('["did 1","did 2","did 3","did 4"]');
  });
});

test("a called workflow that a cancel or a rejection ends as cancelled fails its node with the reason", async () => {
  await bench.define("- id: stop\n  cancel: Enough.", "", "stops");
  await bench.define("- id: q\n  approval: { message: Sure? }", "", "asks");
  const run = await bench.run(
    "- id: one\n  workflow: stops\n- id: two\n  workflow: asks\n- id: after\n  depends_on: [one, two]\n  trigger_rule: all_done\n  bash: echo after",
  );
  await run.answer("reject", "Never.");
  await run.drive();
  expect(run.end).toMatchObject({ kind: "failed" });
  expect(await run.nodes()).toMatchObject({
    one: { status: "failed", error: expect.stringContaining("Enough.") as string },
    two: { status: "failed", error: expect.stringContaining("`q` was rejected: Never.") as string },
    after: { status: "completed" },
  });
});

test("a group may be named like the workflow that its nodes call", async () => {
  await bench.define("- id: a\n  bash: echo called", "", "same");
  const run = await bench.run(
    "- id: same\n  loop_group:\n    until_bash: 'true'\n    max_iterations: 1\n    nodes: [{ id: a, workflow: same }, { id: b, depends_on: [a], bash: 'echo group' }]",
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("same/a")).toBe("called");
});
