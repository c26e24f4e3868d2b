import { afterEach, describe, expect, test } from "vitest";
import { answer } from "../../src/engine/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench;
afterEach(() => bench.close());

const release = `name: ship-it
description: Ships a version.
nodes:
  - id: check
    approval: { message: "Ship $ARGUMENTS?", on_reject: { prompt: "Rework: $REJECTION_REASON", max_attempts: 3 } }
  - id: publish
    prompt: Publish it.
    depends_on: [check]
`;
const script = {
  turns: [
    { match: "^Rework", do: [{ say: "Reworked." }] },
    { match: "^Publish", do: [{ say: "Published." }] },
  ],
};

async function asked(more: Parameters<typeof openChat>[1] = {}): Promise<readonly string[]> {
  bench = await openChat({ ".archon/workflows/ship-it.yaml": release }, { script, allow: ["ship-it"], ...more });
  return bench.say("/workflow run ship-it 1.2");
}

const inTurn = `name: in-turn
description: Ships a version.
nodes:
  - { id: tests, approval: { message: "Run the tests?" } }
  - { id: drop, approval: { message: "Drop the data?" }, depends_on: [tests] }
  - { id: publish, prompt: "Publish it.", depends_on: [drop] }
`;

const published = ["Published.", "**Workflow complete**: ship-it"];

describe("a question in a chat", () => {
  test("is shown with its run and its choices, answered by exactly one of them, and recorded for the person", async () => {
    const shown = await asked();
    expect(shown[0]).toContain("**Starting workflow**: ship-it\n\nShips a version.\n\nSteps: check → publish");
    expect(shown.at(-1)).toMatch(
      /^\*\*Question\*\* from ship-it \(run `wf-ship-it-[^`]+`, `check`\)\n\nShip 1\.2\?\n\n1\. approve\n2\. reject\n\nWrite one of the choices/,
    );
    const answered = await bench.say("Approve");
    expect(answered).toEqual(["Recorded for `check`: approve", "**Node**: publish", ...published]);
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const { state } = await bench.engine.context.runs.open(run);
    expect(state.decisions["check"]).toMatchObject({
      answer: "approve",
      answeredBy: { kind: "person", name: "ann of the team", session: "test:ann", surface: "chat", relayed: false },
    });
  });

  test.each(["no, stop", "yes but only on Monday", "yes", "approve?", "WORKFLOW: ship-it", "ship-it: again"])(
    "%s decides nothing, and the question is shown again",
    async (text) => {
      const [, , question] = await asked();
      expect(await bench.say(text)).toEqual([
        `This is not one of the choices, so nothing was decided.\n\n${question}\n\nTo start another workflow meanwhile, write \`/workflow run <name> <what you want>\`.`,
      ]);
      expect(await bench.say("1")).toContain("**Workflow complete**: ship-it");
    },
  );

  test.each(["no, stop", "No.", "not yet", "don't", "don’t ship", "stop", "ok but no", "wait"])(
    "/workflow approve %s decides nothing either",
    async (words) => {
      const [, , question] = await asked();
      const unclear = `You approve with words that may mean no, so nothing was decided.\n\n${question}`;
      expect(await bench.say(`/workflow approve ${words}`)).toEqual([unclear]);
      expect(await bench.say("/workflow approve the notes have nothing to stop us with")).toContain("**Workflow complete**: ship-it");
    },
  );

  test("whose name is mistyped decides nothing, while a word that is none of its names is a reason", async () => {
    await asked();
    const unknown = [
      "No open question is called `chekc`, so nothing was decided.\n\nWrite `check` if you mean that question, or more than one word for a reason.",
    ];
    expect(await bench.say("/workflow approve chekc")).toEqual(unknown);
    expect(await bench.say("/workflow reject chekc")).toEqual(unknown);
    expect((await bench.say("/workflow approve finally"))[0]).toBe("Recorded for `check`: approve");
  });

  test("is rejected with a reason, reworked, and asked again: an answer to the first asking does not count for the second", async () => {
    await asked();
    const again = await bench.say("/workflow reject the notes are missing");
    expect(again[0]).toBe("Recorded for `check`: reject");
    expect(again).toContain("Reworked.");
    expect(again.at(-1)).toContain("**Question** from ship-it");
    expect(await bench.say("/workflow approve")).toContain("**Workflow complete**: ship-it");
  });

  test("the same command twice answers once: the second is about what was shown when it came", async () => {
    await asked();
    const { chat, adapter } = bench;
    for (const id of ["one", "two"]) await chat.receive(adapter, { conversation: "c", id, person: "ann", text: "/workflow reject again" });
    await chat.idle();
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const { state } = await bench.engine.context.runs.open(run);
    expect(state.decisions["check"]).toMatchObject({ status: "pending", revision: 2 });
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
  });

  test("is not answered by what was written before it was shown, however long that takes to be kept", async () => {
    bench = await openChat({ ".archon/workflows/in-turn.yaml": inTurn }, { script, allow: ["in-turn"] });
    const { chat, adapter, platform } = bench;
    await bench.say("/workflow run in-turn");
    let keep = (): void => undefined;
    const held = new Promise<void>((resolve) => (keep = resolve));
    adapter.ensureThread = async (id) => held.then(() => id);
    // Of two taps on a button the second is on its way when the next question is shown.
    const early = chat.receive(adapter, { conversation: "c", id: "early", person: "ann", text: "approve" });
    const { context, caller } = bench.engine;
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const person = { ...caller, holder: { kind: "person", name: "ada", session: "t" }, surface: "cli-terminal" } as const;
    await answer(context, person, { run, decision: "tests", answer: "approve", relayed: false });
    await expect.poll(() => platform.textsIn("c").at(-1), { timeout: 20_000 }).toContain("Drop the data?");
    keep();
    await early;
    await chat.idle();
    expect((await context.runs.open(run)).state.decisions["drop"]).toMatchObject({ status: "pending" });
    expect(await bench.say("approve")).toContain("**Workflow complete**: in-turn");
  });

  test("that could not be shown cannot be answered", async () => {
    const time = new DrivenTime();
    bench = await openChat({ ".archon/workflows/ship-it.yaml": release }, { script, allow: ["ship-it"], parts: { alarms: time.alarms } });
    let isDown = true;
    bench.platform.before = (_, text) => {
      if (isDown && text.startsWith("**Question**")) throw new Error("down");
    };
    await bench.say("/workflow run ship-it 1.2");
    expect(await bench.say("approve")).toEqual([expect.stringContaining("This asks for no workflow")]);
    expect(await bench.say("/workflow approve")).toEqual([expect.stringContaining("No question is open here.")]);
    isDown = false;
    while (!bench.platform.textsIn("c").some((text) => text.startsWith("**Question**"))) await time.advance(60_000);
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
  });

  test("is refused from people who may not decide, with who may and the line that does it; their other texts are requests", async () => {
    await asked({ people: { ann: ["start"], eve: ["start", "clone"], bob: ["decide"] } });
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const line = `waymark -C ${bench.engine.folder} decide ${run} check`;
    const not = [
      [
        "You may not decide questions here. Nothing was done.",
        "Who may: bob of the team.",
        "Who runs Waymark can add `decide` to what `test:eve` may do, under `people` of their configuration.",
        `In a terminal on the computer where Waymark runs a person answers with:\n\n${line}`,
      ].join("\n\n"),
    ];
    for (const text of ["/workflow approve", `/workflow reject ${run}`, "approve", " 1 "])
      expect(await bench.say(text, { by: "eve" }), text).toEqual(not);
    expect(await bench.say("fine with me", { by: "eve" })).toEqual([expect.stringContaining("This asks for no workflow")]);
    expect(await bench.say("approve", { by: "mallory" })).toEqual([expect.stringContaining("You are not known here")]);
    expect(await bench.say("approve", { by: "bob" })).toContain("**Workflow complete**: ship-it");
  });

  test("whose answer is used takes words only with a line that approves, which the refusal of bare ones shows", async () => {
    const named = `name: named
description: Greets somebody.
nodes:
  - id: who
    approval: { message: "Which name?", capture_response: true }
  - { id: greet, prompt: "Publish for $who.output", depends_on: [who] }
`;
    bench = await openChat({ ".archon/workflows/named.yaml": named }, { script, allow: ["named"] });
    const shown = await bench.say("/workflow run named");
    expect(shown.at(-1)).toContain("Your words are wanted: write `/workflow approve <your answer>`");
    expect((await bench.say("no, Ada is not here, wait"))[0]).not.toContain("To approve with this text");
    const [refused = ""] = await bench.say("Ada the great");
    const [, line = ""] = /To approve with this text, write `(.*)`\./.exec(refused) ?? [];
    expect(line).toBe("/workflow approve who Ada the great");
    expect(await bench.say(line)).toContain("**Workflow complete**: named");
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const said = Object.values((await bench.engine.context.runs.open(run)).state.scopes).map(({ raw }) => raw["answers"]);
    expect(said).toEqual([{ who: { answer: "approve", reason: "Ada the great" } }]);
  });

  test("is shown again, once, where what was sent before is not seen any more", async () => {
    const shown = await asked();
    const before = bench.platform.sent.length;
    Object.assign(bench.platform, { forgets: true });
    await bench.restart();
    await bench.chat.idle();
    expect(bench.platform.textsIn("c").slice(before)).toEqual([shown.at(-1)]);
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
  });

  test("that nobody there may answer says so, with the line that answers it in a terminal", async () => {
    const shown = await asked({ people: { ann: ["start"] } });
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    expect(shown.at(-1)).toMatch(
      new RegExp(
        `1. approve\\n2. reject\\n\\nNobody who writes here may answer it. A person .*: waymark -C ${bench.engine.folder} decide ${run} check$`,
      ),
    );
  });

  test("is no reason to start the chat's own workflow again: what a person who may not decide writes then is routed", async () => {
    await asked({ people: { ann: ["start"] }, parts: { workflow: "ship-it" } });
    expect(await bench.say("fine with me")).toEqual([expect.stringContaining("This asks for no workflow")]);
    expect(await bench.say("The weather is nice", { in: "other" })).toContainEqual(
      expect.stringContaining("**Starting workflow**: ship-it"),
    );
  });

  test("of another conversation cannot be answered, not by its run either", async () => {
    await asked();
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const other = { in: "other" };
    expect(await bench.say("approve", other)).toEqual([expect.stringContaining("This asks for no workflow")]);
    expect(await bench.say("/workflow approve", other)).toEqual([
      expect.stringContaining("No question is open here. Nothing was decided."),
    ]);
    for (const command of ["approve", "reject", "cancel", "resume", "status"])
      expect(await bench.say(`/workflow ${command} ${run}`, other)).toEqual([
        expect.stringContaining(`This conversation does not follow a run \`${run}\`. Nothing was done.`),
      ]);
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
  });

  test("two open ones: the message says which", async () => {
    await asked();
    const second = await bench.say("/workflow run ship-it 1.3");
    expect(second.at(-1)).toMatch(/Write `\/workflow approve wf-\S+ check <choice>`: other questions are open too\.$/);
    const [several = ""] = await bench.say("approve");
    const lines = [...several.matchAll(/`(\/workflow approve wf-\S+ check) <choice>`/g)].map(([, line = ""]) => line);
    expect(lines).toHaveLength(2);
    expect(several).not.toContain("Write one of the choices");
    expect(await bench.say(`${lines[1]} <choice>`)).toEqual([expect.stringContaining("`<choice>` marks what is to be filled in")]);
    // Which run a message is of is said as long as both are open.
    const [, run = ""] = / (wf-\S+) /.exec(lines[1] ?? "") ?? [];
    expect(await bench.say(`${lines[1]} approve`)).toContain(`Run \`${run}\`:\n\n**Workflow complete**: ship-it`);
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
    expect(await bench.say("approve")).toEqual([expect.stringContaining("This asks for no workflow")]);
  });

  test("one after the other: none of them is called one of several", async () => {
    bench = await openChat({ ".archon/workflows/in-turn.yaml": inTurn }, { script, allow: ["in-turn"] });
    const first = (await bench.say("/workflow run in-turn")).at(-1);
    const second = (await bench.say("approve")).at(-1);
    for (const question of [first, second]) expect(question).toMatch(/Write one of the choices, or its number\./);
    // A second run asks beside the first.
    expect((await bench.say("/workflow run in-turn")).at(-1)).toContain("other questions are open too");
  });

  test("is open after a restart, is not shown twice, and what came before the restart answers nothing", async () => {
    await asked();
    const before = bench.platform.sent.length;
    await bench.restart();
    await bench.chat.idle();
    expect(bench.platform.sent).toHaveLength(before);
    // Taken by a process that was killed before it came to it.
    const { id } = await place();
    for (const [key, text] of [
      ["k1", "approve"],
      ["k2", "/workflow approve"],
    ] as const)
      await bench.conversations.takeMessage({ conversation: id, key, person: "ann", text });
    await bench.restart();
    await bench.chat.idle();
    const said = bench.platform.textsIn("c").slice(before);
    expect(said).toEqual(
      Array(2).fill(
        expect.stringMatching(/^Waymark was restarted before it came to your last message, which decided nothing.*\*\*Question\*\*/s),
      ),
    );
    expect(await bench.say("approve")).toEqual(["Recorded for `check`: approve", "**Node**: publish", ...published]);
  });

  test("that is answered on the machine continues here", async () => {
    await asked();
    const { context, caller } = bench.engine;
    const [{ run } = { run: "" }] = await bench.conversations.runsFollowed((await place()).id);
    const person = { ...caller, holder: { kind: "person", name: "ada", session: "t" }, surface: "cli-terminal" } as const;
    await answer(context, person, { run, decision: "check", answer: "approve", relayed: false });
    await expect.poll(() => bench.platform.textsIn("c"), { timeout: 20_000 }).toContain("**Workflow complete**: ship-it");
    expect(bench.platform.textsIn("c")).toContain("The question `check` is answered by ada: approve");
  });
});

async function place() {
  return bench.conversations.openConversation({ platform: "test", platformId: "c" });
}
