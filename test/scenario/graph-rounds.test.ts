import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphBench, type Says } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open({ ".archon/commands/more.md": "One more of $ARGUMENTS." });
});
afterAll(() => bench.close());

/** What the agent says round by round, the last one again and again; and its prompts and sessions. */
function rounds(answers: readonly string[]): {
  readonly says: Says;
  readonly prompts: string[];
  readonly sessions: (string | undefined)[];
} {
  const [prompts, sessions]: [string[], (string | undefined)[]] = [[], []];
  return {
    prompts,
    sessions,
    says: (prompt, turn) => {
      sessions.push(turn.session);
      return answers[Math.min(prompts.push(prompt), answers.length) - 1]!;
    },
  };
}

describe("loop", () => {
  test.each([["<promise>DONE</promise> It is."], ["It is.\nDONE"], ["It <PROMISE>DONE</PROMISE> is."]])(
    "ends with the signal as %j, which is taken out of the output",
    async (last) => {
      const { says, prompts } = rounds(["not yet DONE", last]);
      const run = await bench.run("- id: a\n  loop: { prompt: Do $LOOP_PREV_OUTPUT., until: DONE, max_iterations: 5 }", says);
      expect(run.end).toMatchObject({ kind: "completed" });
      expect(prompts).toHaveLength(2);
      expect(prompts[1]).toContain("Do not yet DONE.");
      expect((await run.output("a"))?.replace(/\s+/g, " ")).toMatch(/^It (?:is\.|is\.)$/);
    },
  );

  test("ends when a command succeeds, which has the last output", async () => {
    const { says, prompts } = rounds(["one", "two"]);
    const run = await bench.run(
      `- id: a\n  loop: { command: more, until_bash: 'test "$LOOP_PREV_OUTPUT" = two', max_iterations: 5 }`,
      says,
      {
        message: "it",
      },
    );
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).toContain("One more of it.");
  });

  test("ends when a field is true", async () => {
    const { says, prompts } = rounds(['{"ok": false}', '{"ok": true}']);
    const run = await bench.run(
      "- id: a\n  output_format: { type: object, required: [ok], properties: { ok: { type: boolean } } }\n  loop: { prompt: Do., until_field: ok, max_iterations: 5 }\n- id: b\n  depends_on: [a]\n  bash: printf %s $a.output.ok",
      says,
    );
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(prompts).toHaveLength(2);
    expect(await run.output("b")).toBe("true");
  });

  test("too many rounds fail the node", async () => {
    const { says, prompts } = rounds(["more"]);
    const run = await bench.run("- id: a\n  loop: { prompt: Do., until: DONE, max_iterations: 2 }", says);
    expect(run.end).toMatchObject({ kind: "failed" });
    expect(prompts).toHaveLength(2);
    expect((await run.nodes())["a"]).toMatchObject({ status: "failed", error: "2 rounds without `DONE`." });
  });

  test.each([
    [false, [false, true, true]],
    [true, [false, false, false]],
  ])("with fresh_context %s its rounds continue each other: %j", async (fresh, continued) => {
    const { says, sessions } = rounds(["1", "2", "<promise>DONE</promise>"]);
    await bench.run(`- id: a\n  loop: { prompt: Do., until: DONE, max_iterations: 5, fresh_context: ${fresh} }`, says);
    expect(sessions.map((each) => each !== undefined)).toEqual(continued);
  });

  test("an interactive one asks a person between rounds, and its prompt has what they said", async () => {
    const { says, prompts } = rounds(["first", "second <promise>DONE</promise>"]);
    const run = await bench.run(
      "- id: a\n  loop: { prompt: 'Do <$LOOP_USER_INPUT>.', until: DONE, max_iterations: 5, interactive: true, gate_message: 'So far: $LOOP_PREV_OUTPUT?' }",
      says,
    );
    expect(run.questions).toMatchObject([{ question: "So far: first?" }]);
    await run.answer("shorter");
    await run.drive(says);
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(prompts[0]).toContain("Do <>.");
    expect(prompts[1]).toContain("Do <shorter>.");
  });

  const asking = "- id: a\n  loop: { prompt: Do., until: DONE, max_iterations: 5, interactive: true, gate_message: Go on? }";

  test("the question of an interactive one has what the agent said at the end, of a long text its beginning and its end", async () => {
    const short = await bench.run(asking, () => " Shall I do A or B?\n");
    expect(short.questions).toMatchObject([{ question: "Go on?\n\nThe agent said at the end:\nShall I do A or B?" }]);
    const long = `First.${"x".repeat(1000)}Shall I do A or B?`;
    const run = await bench.run(asking, () => long);
    const way = `\\n... \\(424 characters left out; to read all: waymark transcript ${run.id}\\)\\n...`;
    expect(run.questions[0]?.question).toMatch(new RegExp(`:\\nFirst\\.x{244}${way}x{332}Shall I do A or B\\?$`));
  });

  test("the question of an interactive group has what its round ended with, unless the message names that", async () => {
    const group = (message: string, command = "echo 3 of 5 pass"): string =>
      `- id: g\n  loop_group: { until: DONE, max_iterations: 3, interactive: true, gate_message: "${message}", nodes: [{ id: x, bash: "${command}" }] }`;
    expect((await bench.run(group("And now?"))).questions).toMatchObject([{ question: "And now?\n\nThe round ended with:\n3 of 5 pass" }]);
    expect((await bench.run(group("And now?", "true"))).questions[0]?.question.trim()).toBe("And now?");
    expect((await bench.run(group("So <$x.output>?"))).questions).toMatchObject([{ question: "So <3 of 5 pass>?" }]);
    expect((await bench.run(group("So <$LOOP_PREV_OUTPUT>?"))).questions).toMatchObject([{ question: "So <3 of 5 pass>?" }]);
  });
});

describe("loop_group", () => {
  const group = (end: string): string => `- id: g
  loop_group:
    max_iterations: 3
    ${end}
    nodes:
      - id: improve
        prompt: "Improve <$LOOP_PREV.check.output>."
      - id: check
        depends_on: [improve]
        prompt: Check $improve.output.
- id: after
  depends_on: [g]
  bash: printf %s $g.output`;

  test.each(["until: DONE", "until_bash: 'test $check.output = good'"])(
    "ends by %s; its output is its last node's in the last round",
    async (end) => {
      const { says, prompts } = rounds(["i1", "bad", "i2", end.includes("bash") ? "good" : "good <promise>DONE</promise>"]);
      const run = await bench.run(group(end), says);
      expect(run.end).toMatchObject({ kind: "completed" });
      expect(prompts).toHaveLength(4);
      expect(prompts[0]).toContain("Improve <>.");
      expect(prompts[2]).toContain("Improve <bad>.");
      expect(prompts[3]).toContain("Check i2.");
      expect(await run.output("after")).toBe("good");
    },
  );

  test("too many rounds fail it, and so does a node of it that fails", async () => {
    const spent = await bench.run(group("until: DONE"), rounds(["x"]).says);
    expect((await spent.nodes())["g"]).toMatchObject({ status: "failed", error: "3 rounds without `DONE`." });
    const broken = await bench.run(
      "- id: g\n  loop_group:\n    max_iterations: 3\n    until_bash: 'true'\n    nodes:\n      - id: a\n        bash: exit 3",
    );
    expect(broken.end).toMatchObject({ kind: "failed" });
    expect((await broken.nodes())["g"]).toMatchObject({ status: "failed" });
  });

  test("a run that was interrupted in the middle of a round continues there", async () => {
    const run = await bench.begin(group("until: DONE"));
    const prompts: string[] = [];
    const stop = new AbortController();
    await run.drive(
      (prompt) => {
        prompts.push(prompt);
        if (prompts.length === 3) stop.abort();
        return ["i1", "bad", "i2"][prompts.length - 1]!;
      },
      { finish: stop.signal },
    );
    expect(run.end).toMatchObject({ kind: "parked" });
    const { says, prompts: later } = rounds(["good <promise>DONE</promise>"]);
    await run.drive(says);
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(later).toHaveLength(1);
    expect(later[0]).toContain("Check i2.");
  });
});

test("a group that is done again begins as in its first round: nothing was said before", async () => {
  const prompts: string[] = [];
  const says = (prompt: string): string => (prompts.push(/Try <(.*)>/.exec(prompt)?.[1] ?? ""), "x");
  const run = await bench.run(
    `- id: plan
  bash: echo plan
- id: rounds
  depends_on: [plan]
  loop_group:
    max_iterations: 3
    until_bash: test $try.output = x
    nodes: [{ id: try, prompt: "Try <$LOOP_PREV.try.output>." }]
- id: ok
  depends_on: [rounds]
  approval: { message: Good?, on_reject: { reopens: [plan], max_attempts: 3 } }`,
    says,
  );
  await run.answer("reject", "no");
  await run.drive(says);
  expect(prompts).toEqual(["", ""]);
});
