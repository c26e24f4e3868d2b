import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, type Caller } from "../../src/engine/index.ts";
import { GraphBench, type GraphRun } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open();
});
afterAll(() => bench.close());

const person: Caller = { holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };

/** Answers the open question of a node, whichever others are open. */
async function reply(run: GraphRun, node: string, word: string, reason?: string): Promise<void> {
  const { id: decision = "" } = run.questions.find(({ id }) => id.startsWith(node)) ?? {};
  await answer(bench.engine.context, person, {
    run: run.id,
    decision,
    answer: word,
    relayed: false,
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Drives a run and keeps every prompt. */
function listener(): { readonly heard: string[]; readonly says: (prompt: string) => string } {
  const heard: string[] = [];
  return { heard, says: (prompt) => (heard.push(prompt.split("\n")[0] ?? ""), "said") };
}

const loop = (id: string): string => `- id: ${id}
  loop: { prompt: "${id} <$LOOP_USER_INPUT>", until: DONE, max_iterations: 3, interactive: true, gate_message: "${id}, after <$LOOP_USER_INPUT>?" }
`;

describe("$LOOP_USER_INPUT is what was said in the loop that the text is in", () => {
  test("of two loops that ask at the same time each has its own", async () => {
    const { heard, says } = listener();
    const run = await bench.run(`${loop("one")}${loop("two")}`, says);
    expect(heard.toSorted()).toEqual(["one <>", "two <>"]);
    await reply(run, "one", "words for one");
    await reply(run, "two", "words for two");
    heard.length = 0;
    await run.drive(says);
    expect(heard.toSorted()).toEqual(["one <words for one>", "two <words for two>"]);
    const asked = run.questions.map(({ question }) => question.split("\n", 1).join());
    expect(asked.toSorted()).toEqual(["one, after <words for one>?", "two, after <words for two>?"]);
  });

  test("nodes of a group, its check and loops without a question in it have that of the group", async () => {
    const group = `- id: round
  loop_group:
    max_iterations: 3
    interactive: true
    gate_message: And now?
    until_bash: printf '%s' "$LOOP_USER_INPUT" > checked; false
    nodes:
      - { id: inner, prompt: "inner <$LOOP_USER_INPUT>" }
      - { id: shell, bash: printf '<%s>' "$LOOP_USER_INPUT" }
      - { id: again, loop: { prompt: "again <$LOOP_USER_INPUT>", until: SAID, max_iterations: 2 } }
`;
    const { heard, says } = listener();
    const all = (prompt: string): string => (prompt.startsWith("again") ? (says(prompt), "SAID") : says(prompt));
    const run = await bench.run(`${loop("other")}${group}`, all);
    await reply(run, "round", "for the group");
    await reply(run, "other", "for the other");
    heard.length = 0;
    await run.drive(all);
    expect(heard.toSorted()).toEqual(["again <for the group>", "inner <for the group>", "other <for the other>"]);
    expect((await run.nodes())["round/shell"]?.output).toBe("<for the group>");
  });

  test("a loop that is done again begins without it", async () => {
    const nodes = `- id: plan
  prompt: plan
${loop("work").replace("- id: work\n", "- id: work\n  depends_on: [plan]\n")}- id: ok
  depends_on: [work]
  approval: { message: Good?, on_reject: { reopens: [plan] } }`;
    const { heard, says } = listener();
    const ends = (prompt: string): string => (prompt.startsWith("work <more>") ? (says(prompt), "DONE") : says(prompt));
    const run = await bench.run(nodes, ends);
    await reply(run, "work", "more");
    await run.drive(ends);
    await reply(run, "ok", "reject", "no");
    heard.length = 0;
    await run.drive(ends);
    expect(heard).toEqual(["plan", "work <>"]);
  });
});

describe("$REJECTION_REASON is that of the approval which the text is about", () => {
  const approval = (id: string, more: string): string => `- id: ${id}
  depends_on: [draft-${id}]
  approval: { message: "${id} <$REJECTION_REASON>?", on_reject: { ${more}, max_attempts: 5 } }
`;
  const draft = (id: string): string => `- { id: draft-${id}, prompt: "draft ${id} <$REJECTION_REASON>" }\n`;

  test("two at the same time do not mix their reasons, in reworks and in what they open again", async () => {
    const nodes = `${draft("one")}${draft("two")}${approval("one", "prompt: 'rework one <$REJECTION_REASON>'")}${approval("two", "reopens: [draft-two]")}`;
    const { heard, says } = listener();
    const run = await bench.run(nodes, says);
    expect(heard.toSorted()).toEqual(["draft one <>", "draft two <>"]);
    await reply(run, "one", "reject", "because of one");
    await reply(run, "two", "reject", "because of two");
    heard.length = 0;
    await run.drive(says);
    expect(heard.toSorted()).toEqual(["draft two <because of two>", "rework one <because of one>"]);
    const asked = run.questions.map(({ question }) => question);
    expect(asked.toSorted()).toEqual(["one <because of one>?", "two <because of two>?"]);
  });

  test("what two approvals may open again has the reason of the one that did", async () => {
    const gate = (id: string, after: string): string =>
      `- { id: ${id}, depends_on: [${after}], approval: { message: "${id}?", on_reject: { reopens: [draft-one], max_attempts: 5 } } }\n`;
    const shell = `- { id: shell, depends_on: [draft-one], bash: "printf '<%s>' \\"$REJECTION_REASON\\"" }\n`;
    const { heard, says } = listener();
    const run = await bench.run(`${draft("one")}${shell}${gate("a", "shell")}${gate("b", "a")}`, says);
    await reply(run, "a", "reject", "from a");
    await run.drive(says);
    expect(await run.output("shell")).toBe("<from a>");
    await reply(run, "a", "approve");
    await run.drive(says);
    await reply(run, "b", "reject", "from b");
    await run.drive(says);
    expect(heard).toEqual(["draft one <>", "draft one <from a>", "draft one <from b>"]);
    expect(await run.output("shell")).toBe("<from b>");
  });

  test("elsewhere it is the newest, and nodes of a group that is opened again have that of the one that did", async () => {
    const nodes = `${draft("one")}${approval("one", "prompt: 'rework <$REJECTION_REASON>'")}- id: group
  depends_on: [one]
  loop_group: { until: SAID, max_iterations: 2, nodes: [{ id: inner, prompt: "inner <$REJECTION_REASON>" }] }
- { id: beside, depends_on: [one], prompt: "beside <$REJECTION_REASON>" }
- { id: last, depends_on: [group, beside], approval: { message: Good?, on_reject: { reopens: [group] } } }`;
    const { heard, says } = listener();
    const ends = (prompt: string): string => (prompt.startsWith("inner") ? (says(prompt), "SAID") : says(prompt));
    const run = await bench.run(nodes, ends);
    await reply(run, "one", "reject", "first");
    await run.drive(ends);
    await reply(run, "one", "approve");
    heard.length = 0;
    await run.drive(ends);
    expect(heard.toSorted()).toEqual(["beside <first>", "inner <>"]);
    await reply(run, "last", "reject", "second");
    heard.length = 0;
    await run.drive(ends);
    expect(heard).toEqual(["inner <second>"]);
  });
});

test("a node that runs again after a rejection without a reason says so without an empty place for one", async () => {
  const run = await bench.run(
    `- { id: plan, prompt: plan }\n- { id: ok, depends_on: [plan], approval: { message: Good?, on_reject: { reopens: [plan] } } }`,
  );
  await reply(run, "ok", "reject");
  const { store } = bench.engine.context;
  const [list = ""] = await store.itemLists(run.id);
  const [plan] = await store.selectItems(run.id, { list, query: {}, limit: 1 });
  expect(plan).toMatchObject({ id: "plan", reason: "`ok` was rejected." });
});
