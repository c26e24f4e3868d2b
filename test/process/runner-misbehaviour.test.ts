import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { groupRuns } from "../../src/host/process-group.ts";
import { spawnClient } from "./mcp-client.ts";
import type { Child } from "./mcp-package.ts";
import { oldCalls } from "../support/checklist-sample.ts";
import { openDrivenPackage, planPrompt, twoPrompts, writesPlan, type DrivenPackage, type FakeAgent } from "../support/driven-package.ts";
import { lookInto } from "../support/look-into.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const finish = { do: [{ say: "Finished." }] };
/** Does the work of both steps, and something before it. */
const works = (...before: readonly object[]): FakeAgent => ({
  script: [{ match: planPrompt, do: [...before, writesPlan, { say: "Planned." }] }, finish],
});
const kind = (name: string, ...more: readonly string[]): FakeAgent => ({ args: [`--kind=${name}`, ...more] });

async function openTwo(fake: FakeAgent, idle = 1500): Promise<void> {
  built = await openDrivenPackage(twoPrompts, { agents: { fake }, allow: ["two"], drive: { idle_ms: idle } });
}

const run = () => built.waymark(["run", "two", "--agent", "fake"]);
const again = "Trying again";
const missing = /^It was asked once more, and still: `plan` is not done: \S+\/plan\.md is missing or empty\.(?! Nothing was recorded)/;

describe("work that is not there is never success", () => {
  test.each<[string, FakeAgent, RegExp, number]>([
    ["a turn that hangs ends when the agent was silent for too long", kind("hang"), /^The agent was silent for 1\.5 seconds\.$/, 1],
    ["an agent that never starts up counts as silent", kind("slow-start"), /^The agent was silent for 1\.5 seconds\.$/, 0],
    [
      "a turn that ends without work is not done",
      kind("empty-turn"),
      /^It was asked once more, and still: The turn ended without a word/,
      2,
    ],
    ["a turn that ends with words alone lacks its artifact", { script: [{ do: [{ say: "Done." }] }] }, missing, 2],
    ["a false report lacks its artifact", kind("false-report"), missing, 2],
    ["an agent that was denied and left it there lacks its artifact", { script: [{ do: [{ run: "touch ran.txt" }] }] }, missing, 2],
    [
      "an agent that fails when it is asked for its artifact fails with what is missing as well",
      { script: [{ match: "is missing or empty", do: [{ stop: "refusal" }] }, { do: [{ say: "Planned." }] }] },
      /^The agent refused to continue\. It was asked once more: `plan` is not done: \S+\/plan\.md is missing or empty\./,
      2,
    ],
    ["endless text is stopped", kind("endless-text"), /^The agent wrote more than \d+ characters in one turn\.$/, 1],
  ])("%s", async (_title, fake, why, asked) => {
    await openTwo(fake);
    const { code, stdout, run: id } = await run();
    const { status, error } = (await built.status(id)) as { status: string; error: { message: string } };
    expect([code, status, error.message]).toEqual([1, "failed", expect.stringMatching(why)]);
    expect(stdout).toContain(`Run ${id} failed: ${error.message}`);
    expect(stdout).not.toContain(again);
    const prompts = await built.prompts();
    expect(prompts).toHaveLength(asked);
    expect(new Set(prompts.map(({ session }) => session)).size).toBe(Math.min(asked, 1));
    expect(existsSync(join(built.workspace, "ran.txt"))).toBe(false);
  });

  const died = "The agent `fake` ended with code 7. Its last words: fake agent: out of memory";

  test("an agent that dies in mid-turn gets the step's own prompt again in its session, twice, then the step has failed", async () => {
    await openTwo(kind("death"));
    const { code, stdout, run: id } = await run();
    expect([code, await built.status(id)]).toMatchObject([1, { status: "failed", error: { message: died } }]);
    expect(stdout.split(again)).toHaveLength(3);
    const prompts = await built.prompts();
    expect(prompts).toHaveLength(3);
    expect(new Set(prompts.map(({ session, text }) => `${session} ${text}`)).size).toBe(1);
  });

  test("where that session is gone with the agent, a fresh one gets it, as often", async () => {
    await openTwo(kind("death", "--no-resume", "--no-load"));
    const { code, run: id } = await run();
    expect([code, await built.status(id)]).toMatchObject([1, { status: "failed", error: { message: died } }]);
    const prompts = await built.prompts();
    expect(new Set(prompts.map(({ session }) => session)).size).toBe(3);
    expect([prompts.length, new Set(prompts.map(({ text }) => text)).size]).toEqual([3, 1]);
  });

  test("a conversation that the next step continues and that is lost fails that step; nothing is asked in another one", async () => {
    const script = [{ match: planPrompt, do: [writesPlan, { signal: "SIGINT" }] }, finish];
    await openTwo({ args: ["--kind=lost-session"], script });
    const { code, run: id } = await run();
    expect([code, await built.status(id)]).toMatchObject([4, { status: "running" }]);
    const driven = await built.waymark(["drive", id, "--agent", "fake"]);
    const why = expect.stringMatching(/^The agent cannot continue the conversation of the last step. \(RUNNER_LOST_SESSION\) /) as string;
    expect([driven.code, await built.status(id)]).toMatchObject([1, { status: "failed", error: { message: why } }]);
    expect(await built.prompts()).toHaveLength(1);
  });

  test("a limit with a time parks the run until then", async () => {
    const said = "You've hit your usage limit. Try again at 2099-01-02T03:04:05Z.";
    await openTwo({ script: [{ do: [{ say: said }] }] });
    const { code, stdout, run: id } = await built.waymark(["run", "two", "--agent", "fake", "--no-wait"]);
    expect([code, await built.status(id)]).toMatchObject([4, { status: "running", strands: [{ at: `blocked: ${said}` }] }]);
    expect(stdout).toContain(`Run ${id} is parked: ${said} Until 2099-01-02T03:04:05.000Z.`);
  });

  test("refused credentials fail the step and are not waited for as a limit, whatever else the message says", async () => {
    const said = "HTTP 401 Unauthorized: rate limit info unavailable, try again in 5 minutes";
    await openTwo({ script: [{ do: [{ error: { code: -32_603, message: said } }] }] });
    const { code, stdout } = await run();
    expect([code, stdout]).toEqual([1, expect.stringContaining(`failed: ${said}`)]);
    expect(await built.prompts()).toHaveLength(1);
  });

  test("a limit that is the whole answer, with a time of day in a zone, parks the run until then", async () => {
    const said = "5-hour limit reached ∙ resets 3:07am (Asia/Calcutta)";
    await openTwo({ script: [{ do: [{ say: said }] }] });
    const { code, stdout } = await built.waymark(["run", "two", "--agent", "fake", "--no-wait"]);
    expect([code, stdout]).toEqual([4, expect.stringMatching(/is parked: 5-hour limit reached .* Until [\d-]+T21:37:00.000Z\.$/m)]);
  });
});

describe("work that is there counts, whatever else the agent does", () => {
  const done = async (): Promise<{ readonly id: string; readonly facts: object }> => {
    const { code, stdout, run: id } = await run();
    const prompts = (await built.prompts()).length;
    return { id, facts: { code, prompts, said: stdout.includes(`Run ${id} is complete.`), ...(await built.status(id)) } };
  };
  const success = { code: 0, prompts: 2, said: true, status: "completed", artifacts: { files: [{ path: "plan.md" }] } };
  const transcript = async (id: string): Promise<string> => (await lookInto(built, ["transcript", id, "--jsonl"])).stdout;

  test("garbage on stdout", async () => {
    await openTwo(works({ kind: "garbage" }));
    expect((await done()).facts).toMatchObject(success);
  });

  test("messages of a foreign session, which are not kept", async () => {
    await openTwo(works({ kind: "foreign-session" }));
    const { id, facts } = await done();
    expect(facts).toMatchObject(success);
    const kept = await transcript(id);
    expect(kept).toContain("Mine.");
    expect(kept).not.toContain("not yours");
  });

  test("updates that come twice", async () => {
    await openTwo(works({ kind: "duplicate-updates" }));
    const { id, facts } = await done();
    expect(facts).toMatchObject(success);
    const kept = await transcript(id);
    expect(kept.split('"text":"Once."')).toHaveLength(2);
  });

  test("a tool that is denied, which is in the outcome of the step", async () => {
    await openTwo(works({ write: { file: "../outside.txt", text: "no" } }, { run: "touch ran.txt" }));
    const { id, facts } = await done();
    expect(facts).toMatchObject(success);
    expect([existsSync(built.beside("outside.txt")), existsSync(join(built.workspace, "ran.txt"))]).toEqual([false, false]);
    const journal = await built.journal(id);
    const denied = journal.flatMap(({ events }) => events.flatMap(({ denied: held }) => (held as string[] | undefined) ?? []));
    expect(denied).toHaveLength(2);
    expect(denied.join("\n")).toMatch(/outside\.txt[^]*touch ran\.txt/);
  });

  test.runIf(process.platform !== "win32")("a start that is slow", async () => {
    // It begins when somebody writes to the pipe, which opens when it waits there.
    await openTwo({ ...works(), start: ["/bin/sh", "-c", 'read -r line < ../gate && exec "$@"', "sh", process.execPath] });
    spawnSync("mkfifo", [built.beside("gate")]);
    const ending = done();
    const gate = await open(built.beside("gate"), "w");
    await gate.write("go\n");
    await gate.close();
    expect((await ending).facts).toMatchObject(success);
  });
});

/** The test's end of a pipe that an agent writes to in mid-turn; and what it writes: its group, and what it started in it. */
const midway = { run: "sleep 300 > /dev/null 2>&1 & echo $PPID > ../midway", ask: false };

describe.runIf(process.platform !== "win32")("a drive that is stopped", () => {
  /** Begins a run whose first turn never ends by itself; answers when it is in the middle of it. */
  async function hangs(how: string | true): Promise<{ readonly child: Child; readonly id: string; readonly group: number }> {
    await openTwo({ script: [{ match: planPrompt, do: [midway, { hang: how }] }, finish] }, 60_000);
    spawnSync("mkfifo", [built.beside("midway")]);
    const child = built.start(["run", "two", "--agent", "fake"]);
    child.process.stdin.end();
    const group = Number(await readFile(built.beside("midway"), "utf8"));
    expect(groupRuns(group)).toBe(true);
    return { child, group, id: await child.says(/wf-[\w-]+/) };
  }

  test("Ctrl-C once: the open turn comes to its end, and the next drive begins with the next step", async () => {
    await openTwo(works({ signal: "SIGINT" }));
    const { code, stdout, run: id } = await run();
    expect([code, await built.status(id)]).toMatchObject([4, { status: "running", strands: [{ at: "finish (task)" }] }]);
    expect(stdout).toContain(`Run ${id} is parked: It was interrupted.\n→ waymark drive ${id}`);
    const driven = await built.waymark(["drive", id, "--agent", "fake"]);
    expect([driven.code, (await built.prompts()).map(({ text }) => text.slice(0, 9))]).toEqual([0, ["Write the", "Finish it"]]);
  });

  test.each<[string, object, number, string, string]>([
    ["complete", { say: "Finished." }, 0, "completed", "is complete."],
    ["failed", { error: { code: 1, message: "No." } }, 1, "failed", "failed: No."],
  ])("Ctrl-C once in the last turn: the run is %s, and Waymark says so", async (_how, last, code, status, said) => {
    await openTwo({ script: [{ match: planPrompt, do: [writesPlan] }, { do: [{ signal: "SIGINT" }, last] }] });
    const ended = await run();
    expect([ended.code, await built.status(ended.run)]).toMatchObject([code, { status }]);
    expect(ended.stdout).toContain(`Run ${ended.run} ${said}`);
  });

  test("Ctrl-C twice: the open turn is cancelled, nothing of the agent is left, and the next drive begins with its step", async () => {
    const { child, id, group } = await hangs(true);
    child.process.kill("SIGINT");
    await child.says(/Press Ctrl-C again to cancel it/);
    expect(groupRuns(group)).toBe(true);
    child.process.kill("SIGINT");
    expect([await child.ended, groupRuns(group)]).toEqual([4, false]);
    expect(child.stdout()).toContain(`Run ${id} is parked: \`plan\` was interrupted.\n→ waymark drive ${id}`);
    expect(await built.status(id)).toMatchObject({ status: "running", strands: [{ at: "plan (task)" }] });
  });

  test("Ctrl-C three times ends Waymark at once, with an agent that does not listen", async () => {
    const { child, group } = await hangs("deaf");
    child.process.kill("SIGINT");
    await child.says(/Press Ctrl-C again to cancel it/);
    child.process.kill("SIGINT");
    await child.says(/The open turn or command is cancelled/);
    child.process.kill("SIGINT");
    expect(await child.ended).toBe(130);
    // It was killed, and nobody waits for it any more: the computer takes a moment to put it away.
    await expect.poll(() => groupRuns(group), { timeout: 30_000 }).toBe(false);
  });

  test.each([true, "deaf"] as const)("SIGTERM cancels the open turn, and nothing of the agent is left (hang: %s)", async (how) => {
    const { child, id, group } = await hangs(how);
    child.process.kill("SIGTERM");
    expect([await child.ended, groupRuns(group)]).toEqual([4, false]);
    expect(await built.status(id)).toMatchObject({ status: "running", strands: [{ at: "plan (task)" }] });
  });

  test.each([true, "deaf"] as const)("`waymark abort` in another process ends the turn and the agent (hang: %s)", async (how) => {
    const { child, id, group } = await hangs(how);
    const aborted = await built.waymark(["abort", id]);
    const from = performance.now();
    const code = await child.ended;
    const ms = performance.now() - from;
    expect([aborted.code, code, groupRuns(group), await built.status(id)]).toMatchObject([0, 1, false, { status: "cancelled" }]);
    expect(child.stdout()).toContain(`Run ${id} was cancelled`);
    process.stdout.write(`The turn ended ${ms.toFixed(0)} ms after the abort (hang: ${String(how)}).\n`);
    // Two seconds are the rule, of which a busy machine takes its share.
    expect(ms).toBeLessThan(4000);
  });

  test("what an agent of a Waymark that was killed has started is ended by the next one before it starts its own", async () => {
    const { child, id, group } = await hangs(true);
    child.process.kill("SIGKILL");
    await child.ended;
    expect(groupRuns(group)).toBe(true);
    await writeFile(built.beside("fake.json"), JSON.stringify(works().script));
    const from = performance.now();
    const { code } = await built.waymark(["drive", id, "--agent", "fake"]);
    process.stdout.write(`The next drive did all of it in ${(performance.now() - from).toFixed(0)} ms.\n`);
    expect([code, groupRuns(group)]).toEqual([0, false]);
    expect((await built.prompts()).map(({ text }) => text.slice(0, 9))).toEqual(["Write the", "Write the", "Finish it"]);
  });

  test.each<[string, (id: string, action: string) => readonly [tool: string, args: Record<string, unknown>], object]>([
    ["has its step handed out", (run_id) => ["workflow_next", { run_id }], { status: "action" }],
    ["reports its step", (run_id, action_id) => ["workflow_progress", { run_id, action_id, result: "Planned." }], { recorded: "now" }],
    ["ends its run", (run_id) => ["workflow_abort", { run_id }], { status: "cancelled" }],
  ])("nothing is left of the agent of a Waymark that was killed when a client %s", async (_what, call, expected) => {
    const { child, id, group } = await hangs(true);
    const client = await spawnClient(built.command(["mcp"]), "legacy");
    const opened = (await built.journal(id)).flatMap(({ events }) => events).find(({ type }) => type === "action_opened");
    await writeFile((await built.prompts())[0]!.text.match(planPrompt)!.groups!["file"]!, "# The plan\n");
    child.process.kill("SIGKILL");
    await child.ended;
    expect(groupRuns(group)).toBe(true);
    const { data } = await client.call(...call(id, opened.action.id));
    expect([groupRuns(group), data]).toMatchObject([false, expected]);
    await client.close();
  });
});

test("a report on a checklist that the file does not bear out does not count: the place comes back twice, then it has failed", async () => {
  const report = { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", status: "completed", result: "read" } };
  const fake = { script: [{ match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"', do: [{ call: report }] }] };
  const workflow = oldCalls.replace(/.*batch_auto.*\n/, "");
  built = await openDrivenPackage(
    { ".waymark/workflows/old-calls.workflow.yaml": workflow, "a.js": "old(a, b);\n" },
    { agents: { fake }, allow: ["old-calls"] },
  );
  const { code, stdout, run: id } = await built.waymark(["run", "old-calls", "--agent", "fake"]);
  expect(code).toBe(4);
  expect(stdout).toContain(`Run ${id} is parked: 1 file failed, and none is left that could pass.`);
  const progress = { instances_total: 1, instances_completed: 0, instances_failed: 1, files_completed: 0 };
  expect(await built.status(id)).toMatchObject({ status: "running", checklist: { progress } });
  const prompts = (await built.prompts()).map(({ text }) => text);
  expect(prompts).toHaveLength(3);
  expect(prompts[1]).toContain("You reported it as converted, but it is still there");
});
