import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAgents } from "../../src/runner/index.ts";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open({ ".archon/commands/look.md": "Look at $ARGUMENTS and $first.output." });
});
afterAll(() => bench.close());

test("prompts and commands get what they name, and their output is what the agent said last, with one line end cut off", async () => {
  const prompts: string[] = [];
  const run = await bench.run(
    `- id: first
  prompt: Begin with $1 of $ARGUMENTS for $USER_MESSAGE.
- id: second
  depends_on: [first]
  command: look`,
    (prompt) => {
      prompts.push(prompt);
      return "It is $& and $ARGUMENTS.\n\n";
    },
    { message: "blue 'big sky'" },
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(prompts[0]).toContain("Begin with blue of blue 'big sky' for blue 'big sky'.");
  expect(prompts[1]).toContain("Look at blue 'big sky' and It is $& and $ARGUMENTS.");
  expect(await run.output("second")).toBe("It is $& and $ARGUMENTS.\n");
});

describe("output_format", () => {
  const graph = `- id: judge
  prompt: Judge.
  output_format: { type: object, required: [ok, n], properties: { ok: { type: boolean }, n: { type: number }, note: { type: string } } }
- id: use
  depends_on: [judge]
  prompt: "ok=$judge.output.ok n=$judge.output.n note=<$judge.output.note> all=$judge.output"`;

  test("the final text is read as JSON, and its fields can be named", async () => {
    let used = "";
    const run = await bench.run(graph, (prompt) => {
      used = prompt;
      return prompt.includes("Judge.") ? '```json\n{"ok": true, "n": 3}\n```' : "done";
    });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(used).toContain('ok=true n=3 note=<> all={"ok":true,"n":3}');
  });

  test("prose is asked for once more, and then the node fails", async () => {
    const prompts: string[] = [];
    const run = await bench.run(graph, (prompt) => (prompts.push(prompt), "It is fine."));
    expect(run.end).toMatchObject({ kind: "failed" });
    expect(prompts).toHaveLength(2);
    expect((await run.nodes())["judge"]).toMatchObject({ status: "failed" });
  });

  test("an answer that does not fit is asked for once more", async () => {
    const answers = ['{"ok": "yes"}', '{"ok": false, "n": 1}', "done"];
    const run = await bench.run(graph, () => answers.shift()!);
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await run.output("judge")).toBe('{"ok":false,"n":1}');
  });
});

describe("references", () => {
  test.each([
    ["a missing field", "bash: echo '{\"a\":1}'", "$a.output.b"],
    ["an output that is no JSON", "bash: echo text", "$a.output.b"],
    ["a field of a skipped node", "when: \"$x.output == 'no'\"\n  bash: echo text", "$a.output.b"],
    ["a failed node", "bash: exit 3", "$a.output"],
  ])("%s fails the node that names it", async (_what, node, ref) => {
    for (const use of [`prompt: Use ${ref}.`, `bash: echo ${ref}`, `runtime: bun\n  script: console.log(${ref})`]) {
      const run = await bench.run(
        `- id: x\n  bash: echo yes\n- id: a\n  depends_on: [x]\n  ${node}\n- id: b\n  depends_on: [a]\n  trigger_rule: all_done\n  ${use}`,
      );
      const { b } = await run.nodes();
      expect(b, use).toMatchObject({ status: "failed", error: expect.stringContaining("`$a.output") as string });
      expect(run.end?.kind).toBe("failed");
    }
  });

  test("the output of a skipped node is the empty text", async () => {
    let seen = "";
    const run = await bench.run(
      `- id: x
  bash: echo yes
- id: a
  depends_on: [x]
  when: "$x.output == 'no'"
  bash: echo text
- id: b
  depends_on: [a]
  trigger_rule: all_done
  prompt: Use <$a.output>.
- id: c
  depends_on: [a]
  trigger_rule: all_done
  bash: printf '<%s>' $a.output`,
      (prompt) => (seen = prompt),
    );
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(seen).toContain("Use <>.");
    expect(await run.output("c")).toBe("<>");
  });
});

describe("when", () => {
  const ran = async (output: string, when: string): Promise<boolean> => {
    const run = await bench.run(
      `- id: a\n  bash: |\n    cat <<'E'\n    ${output}\n    E\n- id: b\n  depends_on: [a]\n  when: ${JSON.stringify(when)}\n  bash: "true"`,
    );
    return (await run.nodes())["b"]?.status === "completed";
  };
  test.each([
    ['{"n":"10"}', "$a.output.n > '9'", true],
    ['{"n":10}', "$a.output.n >= 10", true],
    ['{"n":"x"}', "$a.output.n < '9'", false],
    ["a && b", "$a.output == 'a && b'", true],
    ["a || b", "$a.output != 'a || b'", false],
    ['{"n":1}', "$a.output.n == '2' && $a.output.n == '2' || $a.output.n == '1'", true],
  ])("of %s, %s is %s", async (output, when, holds) => {
    expect(await ran(output, when)).toBe(holds);
  });
});

describe("contexts", () => {
  /** Which node's session each node's turn continued. */
  async function sessions(graph: string): Promise<Record<string, string>> {
    const first: Record<string, string> = {};
    const found: Record<string, string> = {};
    await bench.run(graph, (prompt, turn) => {
      const id = /<(\w+)>/.exec(prompt)?.[1] ?? "";
      const session = turn.session;
      found[id] = session === undefined ? "fresh" : `${turn.fork === true ? "fork of " : ""}${first[session] ?? session}`;
      const sessionId = session !== undefined && turn.fork !== true ? session : `of-${id}`;
      first[sessionId] ??= id;
      return { text: "done", sessionId, events: [{ type: "session", sessionId, resumed: "new" }] };
    });
    return found;
  }
  const node = (id: string, after = "", more = ""): string =>
    `- id: ${id}\n  prompt: <${id}>\n  depends_on: [${after}]${more === "" ? "" : `\n  ${more}`}`;

  test("one alone in its layer continues the last session, and shell nodes do not break that", async () => {
    expect(
      await sessions(
        [
          node("a"),
          "- id: s\n  depends_on: [a]\n  bash: 'true'",
          node("b", "s"),
          node("c", "b", "context: fresh"),
          node("d", "c", "context: shared"),
        ].join("\n"),
      ),
    ).toEqual({
      a: "fresh",
      b: "a",
      c: "fresh",
      d: "c",
    });
  });

  test("two in a layer are fresh, and so is what follows", async () => {
    expect(await sessions([node("a"), node("b", "a"), node("c", "a"), node("d", "b, c"), node("e", "d")].join("\n"))).toEqual({
      a: "fresh",
      b: "fresh",
      c: "fresh",
      d: "fresh",
      e: "d",
    });
  });

  test("resume forks: two nodes that resume the same one do not see each other", async () => {
    expect(
      await sessions([node("a"), node("b", "a", "context: { resume: a }"), node("c", "a", "context: { resume: a }")].join("\n")),
    ).toEqual({ a: "fresh", b: "fork of a", c: "fork of a" });
  });

  /** Of each turn, in order, the number of the turn whose session it continued. */
  async function continued(graph: string, answers: readonly string[] = []): Promise<readonly string[]> {
    const turns: string[] = [];
    const begun = new Map<string, number>();
    await bench.run(graph, (prompt, { session }) => {
      const at = turns.length + 1;
      const sessionId = session ?? `turn-${at}`;
      turns.push(`${/<(\w+)>/.exec(prompt)?.[1] ?? ""} ${begun.get(sessionId) ?? "fresh"}`);
      begun.set(sessionId, at);
      return { text: answers[at - 1] || "more", sessionId, events: [{ type: "session", sessionId, resumed: "new" }] };
    });
    return turns;
  }
  const last = "<promise>END</promise>";

  test.each([
    ["", ["a fresh", "l fresh", "l 2", "b 3"]],
    [", fresh_context: true", ["a fresh", "l fresh", "l fresh", "b 3"]],
  ])("the first round of a loop%s begins fresh, and what follows it continues its last one", async (more, turns) => {
    const loop = `- id: l\n  depends_on: [a]\n  loop: { prompt: <l>, until: END, max_iterations: 3${more} }`;
    expect(await continued([node("a"), loop, node("b", "l")].join("\n"), ["x", "more", last])).toEqual(turns);
  });

  const inside = (nodes: readonly string[], more = ""): string =>
    [
      node("a"),
      "- id: g",
      "  depends_on: [a]",
      "  loop_group:",
      `    until: END`,
      "    max_iterations: 4",
      ...(more === "" ? [] : [`    ${more}`]),
      "    nodes:",
      ...nodes.map((each) => each.replaceAll(/^/gm, "      ")),
      node("b", "g"),
    ].join("\n");
  const two = [node("x"), node("y", "x")];
  const twice = ["", "", "", "", last];

  test("a round of a group continues where the round before ended, and with fresh_context begins fresh", async () => {
    expect(await continued(inside(two), twice)).toEqual(["a fresh", "x fresh", "y 2", "x 3", "y 4", "b 1"]);
    expect(await continued(inside(two, "fresh_context: true"), twice)).toEqual(["a fresh", "x fresh", "y 2", "x fresh", "y 4", "b 1"]);
  });

  test("a round of a group begins fresh after nodes beside each other, and where a node asks for it", async () => {
    expect(await continued(inside([node("x"), node("z"), node("y", "x, z")]), ["", "", "", "", "", "", last])).toEqual([
      "a fresh",
      "x fresh",
      "z fresh",
      "y fresh",
      "x fresh",
      "z fresh",
      "y fresh",
      "b 1",
    ]);
    expect(await continued(inside([node("x", "", "context: fresh"), node("y", "x")]), twice)).toEqual([
      "a fresh",
      "x fresh",
      "y 2",
      "x fresh",
      "y 4",
      "b 1",
    ]);
  });

  describe("of another agent", () => {
    const graph = (more = ""): string =>
      `- id: a\n  prompt: Say it.\n- id: b\n  depends_on: [a]\n  provider: other\n  prompt: And now.\n${more}`;

    test("is given ahead of the prompt, and who watches is told", async () => {
      const run = await bench.run(graph(), (prompt) => (prompt.endsWith("Say it.") ? "It is said." : "done"));
      expect(run.end).toMatchObject({ kind: "completed" });
      const b = bench.driven.turns.at(-1);
      expect(b?.session).toBeUndefined();
      expect(b?.prompt).toMatch(/You were asked:\nSay it\.\n\nYou said:\nIt is said\.\n\nNow:\n\nAnd now\.$/);
      const told =
        "The conversation of the last step is with `scripted`. `b` begins a fresh one, with what was said before ahead of its prompt.";
      expect(bench.driven.events).toContainEqual({ type: "notice", text: told });
    });

    test("begins fresh, or fails the node, where the node says so", async () => {
      const fresh = await bench.run(graph("  on_lost_context: fresh"));
      expect(fresh.end).toMatchObject({ kind: "completed" });
      expect(bench.driven.turns.at(-1)?.prompt).toBe("And now.");
      for (const more of ["on_lost_context: fail", "context: { resume: a }"]) {
        const failed = await bench.run(graph(`  ${more}`));
        expect((await failed.nodes())["b"], more).toMatchObject({
          status: "failed",
          error: expect.stringContaining("The conversation of the last step is with `scripted`. (RUNNER_LOST_SESSION)") as string,
        });
      }
    });

    const warnings = async (nodes: string, request = {}): Promise<readonly string[]> => {
      const { context } = bench.engine;
      const { program } = await context.catalog.loadValid(await bench.define(nodes));
      const parts = { context, agents: bench.driven.agents };
      return checkAgents(parts, { agent: "scripted", permission: { level: "edit" }, ...request } as never, program, false);
    };
    const which = "`b` continues the conversation of `a`, which `scripted` has and `other` cannot continue:";

    test("is told before the run starts, with what becomes of it", async () => {
      const replayed = `${which} what was said in it is put ahead of its prompt. Let one agent do both, or add \`on_lost_context: fresh\` to \`b\`.`;
      expect(await warnings(graph())).toEqual([replayed]);
      for (const more of ["on_lost_context: fail", "context: { resume: a }"])
        expect(await warnings(graph(`  ${more}`))).toEqual([expect.stringContaining(`${which} it fails there.`)]);
      expect(await warnings(graph("  on_lost_context: fresh"))).toEqual([]);
      expect(await warnings(graph("  context: fresh"))).toEqual([]);
      expect(await warnings(graph(), { agent: "other" })).toEqual([]);
    });

    test("is told of shell nodes in between, of rounds, and inside of called workflows", async () => {
      const far =
        "- id: a\n  prompt: P\n- id: s\n  depends_on: [a]\n  bash: ls\n- id: b\n  depends_on: [s]\n  provider: other\n  prompt: Q";
      expect(await warnings(far)).toEqual([expect.stringContaining(which)]);
      const inner = await bench.define(far);
      const outer = await warnings(`- id: c\n  include: ${inner}`);
      expect(outer).toEqual([expect.stringMatching(/`[^`]*b` continues the conversation of `[^`]*a`, which `scripted` has/)]);
      const rounds = `- id: g\n  loop_group:\n    until: X\n    max_iterations: 2\n    nodes: [{ id: a, prompt: P, provider: other }, { id: b, prompt: Q, depends_on: [a], context: fresh }]`;
      expect(await warnings(rounds)).toEqual([expect.stringContaining("which `scripted` has and `other` cannot continue")]);
    });
  });

  test("a round of a group continues the last one in which something was said", async () => {
    const once = [`- { id: n, bash: "printf %s $LOOP_PREV.x.output" }`, node("x", "n", `when: "$n.output != 'once'"`)];
    expect(await continued(inside(once), ["", "once", last])).toEqual(["a fresh", "x fresh", "x 2", "b 1"]);
  });
});

test("tools, model, provider and idle time reach the turn; an empty list means no tools", async () => {
  const run = await bench.run(
    `- id: a
  prompt: Do.
  allowed_tools: []
  denied_tools: [Bash]
  model: small
  idle_timeout: 61000
- id: b
  depends_on: [a]
  prompt: Do.`,
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  const [a, b] = bench.driven.turns.slice(-2);
  expect(a).toMatchObject({ tools: { allowed: [], denied: ["Bash"] }, model: "small", idleMs: 61_000 });
  expect(b?.tools).toBeUndefined();
});
