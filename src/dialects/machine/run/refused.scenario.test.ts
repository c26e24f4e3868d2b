import { afterEach, describe, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { samples } from "../../../../test/support/calling-samples.ts";
import { person } from "../../../../test/support/machine-world.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { isWaymarkError, type Json, type WaymarkError } from "../../../base/index.ts";
import { answer, next, progress, runWarnings, start, updateState, type Reported } from "../../../engine/index.ts";
import { handOutId } from "../../../kernel/index.ts";

let engine: TestEngine | undefined;
let client: TestClient | undefined;
afterEach(async () => {
  await client?.close();
  await engine?.close();
  client = undefined;
  engine = undefined;
});

const step = "Maker:meta";
const wrong = reported("NO_SUCH_WORD", "Made.");
const right = reported("OK", "Made.");

async function open() {
  const opened = await openTestEngine(samples.machine("make"));
  engine = opened;
  const { context, caller } = opened;
  const { run } = await start(context, caller, { workflow: "make" });
  const handedOut = async (): Promise<string> => {
    const { standing } = await next(context, caller, { run, waitMs: 20_000 });
    return standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : standing.kind;
  };
  const say = (named: { readonly action?: string; readonly step?: string }, result: Json): Promise<Reported | WaymarkError> =>
    progress(context, caller, { run, ...named, shownOnly: true, status: "success", result, waitMs: 0 }).then(
      (done) => done.reported,
      (error: unknown) => {
        if (isWaymarkError(error)) return error;
        throw error;
      },
    );
  return { opened, run, handedOut, say };
}

describe("a report of a role that was refused", () => {
  test("says how many tries are left, down to the last", async () => {
    const { handedOut, say } = await open();
    for (const [left, text] of [
      [2, "2 tries are left."],
      [1, "One try is left."],
      [0, "This was the last try: a person has to decide how it continues."],
    ] as const) {
      const refusal = await say({ action: await handedOut() }, wrong);
      expect(refusal).toMatchObject({
        code: "MACHINE_REPORT_REFUSED",
        fix: expect.stringContaining(text) as string,
        details: { tries_left: left },
      });
    }
    expect(await handedOut()).toBe("UD-1");
  });

  test.each([
    ["by its id", (id: string) => ({ action: id })],
    ["by its step and id", (id: string) => ({ step: handOutId(step, id) })],
    ["by its step", () => ({ step })],
  ])("is not recorded: named again %s it is refused with the new id, and no try is spent", async (_how, named) => {
    const { handedOut, say } = await open();
    const first = await handedOut();
    const refusal = await say({ action: first }, wrong);
    const [problem] = (refusal as WaymarkError).details["problems"] as readonly string[];
    for (const result of [wrong, wrong, wrong, right]) {
      const again = (await say(named(first), result)) as WaymarkError;
      expect(again).toMatchObject({
        code: "ENGINE_WRONG_STEP",
        message: expect.stringContaining(`The report of \`${first}\` was refused and does not count: ${problem ?? ""}`) as string,
        fix: expect.stringContaining("2 tries are left.") as string,
      });
      expect(again.message).toContain("Nothing was changed.");
      expect(again.details["action_id"]).not.toBe(first);
      expect(again.details["open_steps"]).toEqual([handOutId(step, String(again.details["action_id"]))]);
    }
    const second = await handedOut();
    expect(second).not.toBe(first);
    expect(await say({ action: second }, right)).toMatchObject({ recorded: "now", action: second });
    expect(await say({ action: second }, right)).toMatchObject({ recorded: "before", action: second });
    expect(await say({ action: first }, wrong)).toMatchObject({ code: "ENGINE_NO_ACTION" });
  });

  test("that was the last try is refused with the question that is open", async () => {
    const { opened, run, handedOut, say } = await open();
    const ids: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      ids.push(await handedOut());
      await say({ action: ids.at(-1)! }, wrong);
    }
    expect(await handedOut()).toBe("UD-1");
    expect((await opened.context.runs.open(run)).state.decisions["UD-1"]?.question).toMatch(/^Nothing can continue: /);
    for (const action of ids)
      expect(await say({ action }, right)).toMatchObject({ code: "ENGINE_WRONG_STEP", details: { action_id: "UD-1" } });
    await answer(opened.context, person, { run, decision: "UD-1", answer: "retry", relayed: false });
    const id = await handedOut();
    expect(await say({ action: ids[2]! }, right)).toMatchObject({ code: "ENGINE_WRONG_STEP", details: { action_id: id } });
    expect(await say({ action: id }, right)).toMatchObject({ recorded: "now", action: id });
    expect(await runWarnings(opened.context, await opened.context.runs.open(run))).toEqual([]);
  });

  /** Codes or words of what several reports at once come to. */
  const atOnce = async (all: readonly Promise<unknown>[]): Promise<readonly unknown[]> => {
    const ends = await Promise.all(all);
    return ends.map((end) => (isWaymarkError(end) ? end.code : (end as { readonly recorded: string }).recorded)).toSorted();
  };

  test("twice at once spends one try", async () => {
    const { handedOut, say } = await open();
    const action = await handedOut();
    expect(await atOnce([say({ action }, wrong), say({ action }, wrong)])).toEqual(["ENGINE_WRONG_STEP", "MACHINE_REPORT_REFUSED"]);
    expect(await say({ action: await handedOut() }, wrong)).toMatchObject({ details: { tries_left: 1 } });
  });

  test("at the same time as a right one: the first of them counts", async () => {
    const { handedOut, say } = await open();
    const action = await handedOut();
    const ends = await atOnce([say({ action }, wrong), say({ action }, right)]);
    expect([
      ["ENGINE_WRONG_STEP", "MACHINE_REPORT_REFUSED"],
      ["before", "now"],
    ]).toContainEqual(ends);
  });

  test("leads an agent to the next step over MCP", async () => {
    const { opened } = await open();
    client = await openClient({ context: opened.context, ...serverParts });
    const { run_id, action_id } = (await client.call("workflow_start", { workflow: "make" })).data;
    const refused = await client.call("workflow_progress", { run_id, action_id, result: wrong });
    expect(refused.text).toContain("2 tries are left.");
    const again = await client.call("workflow_progress", { run_id, action_id, result: right });
    expect(again.isError).toBe(true);
    expect(again.data).toMatchObject({
      error: { code: "ENGINE_WRONG_STEP" },
      next_call: { tool: "workflow_next", arguments: { run_id } },
    });
    expect(again.text).not.toContain("reported before");
    const shown = await client.call("workflow_next", again.data.next_call.arguments);
    expect(shown.data.action_id).toBe(again.data.error.details.action_id);
    const done = await client.call("workflow_progress", { run_id, action_id: shown.data.action_id, result: right });
    expect(done.data).toMatchObject({ recorded: "now", status: "completed" });
  });
});

test("the state of a machine's run is written by a person at a terminal alone", async () => {
  const { opened, run, handedOut } = await open();
  await handedOut();
  const updates = [{ path: "raw.settled_gate", value: "pass" }];
  const unattended = { ...person, surface: "cli" };
  for (const caller of [opened.caller, unattended])
    await expect(updateState(opened.context, caller, { run, updates })).rejects.toMatchObject({ code: "MACHINE_STATE_FIXED" });
  await expect(updateState(opened.context, { ...person, surface: "cli-terminal" }, { run, updates })).resolves.toMatchObject({
    recorded: "now",
  });
});
