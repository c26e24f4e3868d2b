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
      expect(await bench.say(text)).toEqual([`This is not one of the choices, so nothing was decided.\n\n${question}`]);
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

  test("is refused from people who may not decide, and their texts are requests like others", async () => {
    await asked({ people: { ann: ["start"], eve: ["start", "clone"], bob: ["decide"] } });
    const not = [expect.stringContaining("You may not decide questions here. Nothing was done.")];
    expect(await bench.say("/workflow approve", { by: "eve" })).toEqual(not);
    expect(await bench.say("/workflow reject", { by: "eve" })).toEqual(not);
    expect(await bench.say("approve", { by: "eve" })).toEqual([expect.stringContaining("This asks for no workflow")]);
    expect(await bench.say("approve", { by: "mallory" })).toEqual([expect.stringContaining("You are not known here")]);
    expect(await bench.say("approve", { by: "bob" })).toContain("**Workflow complete**: ship-it");
  });

  test("is no reason to start the chat's own workflow again: what a person who may not decide writes then is routed", async () => {
    await asked({ people: { ann: ["start"] }, parts: { workflow: "ship-it" } });
    expect(await bench.say("approve")).toEqual([expect.stringContaining("This asks for no workflow")]);
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
    await bench.say("/workflow run ship-it 1.3");
    const [several = ""] = await bench.say("approve");
    const lines = [...several.matchAll(/`(\/workflow approve wf-\S+ check) <choice>`/g)].map(([, line = ""]) => line);
    expect(lines).toHaveLength(2);
    expect(await bench.say(`${lines[1]} approve`)).toContain("**Workflow complete**: ship-it");
    expect(await bench.say("approve")).toContain("**Workflow complete**: ship-it");
    expect(await bench.say("approve")).toEqual([expect.stringContaining("This asks for no workflow")]);
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
