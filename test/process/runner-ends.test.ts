/** What a driver says at the end of a run, and what helps then: the built command with the fake agent. */
import { writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { oldCalls } from "../support/checklist-sample.ts";
import { openDrivenPackage, planPrompt, twoPrompts, writesPlan, type DrivenPackage } from "../support/driven-package.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const ids = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const report = (given: object) => ({ call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", ...given } } });
const files = {
  ".waymark/workflows/old-calls.workflow.yaml": oldCalls.replace(/.*batch_auto.*\n/, ""),
  "a.js": "old(a, 1);\n",
  "b.js": "old(b, 1);\n",
};
const convert = `convert_instance (?<file>\\S+?):\\d[^]*?\\nold\\((?<args>.*)\\)[^]*${ids}`;
const written = { write: { file: "$<file>", text: "fresh($<args>);\n" } };

const claimed = report({ status: "completed", result: "read" });
const agents = {
  claims: { script: [{ match: ids, do: [claimed] }] },
  half: {
    script: [
      { match: convert.replace("(?<file>", "(?<file>(?=a)"), do: [written, claimed] },
      { match: ids, do: [claimed] },
    ],
  },
  works: {
    script: [
      { match: convert, do: [written, claimed] },
      { match: ids, do: [claimed] },
    ],
  },
};

test("a checklist that is complete although an agent claimed what it did not do: the end names what failed, and the exit code is 1", async () => {
  built = await openDrivenPackage(files, { agents, allow: ["old-calls"] });
  const end = await built.waymark(["run", "old-calls", "--agent", "half"]);
  expect(end.stdout).toContain(`Run ${end.run} is complete, but not everything is done: 1 file is blocked, 1 instance failed.`);
  expect(end.stdout).toContain(`waymark report ${end.run}`);
  expect(end.stdout).toContain("A run that is complete has no retry. A new run does all of it again: waymark run old-calls --agent half\n");
  expect(end.code).toBe(1);
  const again = await built.waymark(["drive", end.run, "--agent", "works", "--jsonl"]);
  expect(again.code).toBe(1);
  const last = JSON.parse(again.stdout.trim().split("\n").at(-1) ?? "") as object;
  expect(last).toMatchObject({ type: "end", kind: "completed", undone: "1 file is blocked, 1 instance failed" });
  expect(await built.waymark(["run", "old-calls", "--agent", "works"])).toMatchObject({ code: 0 });
}, 240_000);

test("a checklist that is blocked names the retry that helps, and continues after it", async () => {
  built = await openDrivenPackage(files, { agents, allow: ["old-calls"] });
  const end = await built.waymark(["run", "old-calls", "--agent", "claims"]);
  expect(end.stdout).toContain(`Run ${end.run} is parked: 2 files failed`);
  expect(end.stdout).toContain(`→ when the cause is fixed: waymark retry ${end.run}, then waymark drive ${end.run} --agent claims`);
  expect(end.code).toBe(4);
  expect((await built.waymark(["retry", end.run])).code).toBe(0);
  const done = await built.waymark(["drive", end.run, "--agent", "works"]);
  expect(done.stdout).toContain(`Run ${end.run} is complete.`);
  expect(done.code).toBe(0);
}, 240_000);

test.each<[string, readonly string[], number]>([
  ["taken up", [], 1],
  ["lost", ["--no-resume", "--no-load"], 0],
])(
  "a step whose conversation is %s: only one that is taken up is said to continue, and a driver does not say that nobody works",
  async (_how, args, times) => {
    const stopped = [{ match: planPrompt, do: [{ signal: "SIGTERM" }, { hang: true }] }];
    built = await openDrivenPackage(twoPrompts, { agents: { fake: { script: stopped, args } }, allow: ["two"] });
    const { run, code } = await built.waymark(["run", "two", "--agent", "fake"]);
    expect(code).toBe(4);
    await writeFile(built.beside("fake.json"), JSON.stringify([{ match: planPrompt, do: [writesPlan] }, { do: [{ say: "Finished." }] }]));
    const end = await built.waymark(["drive", run, "--agent", "fake"]);
    expect((await built.prompts()).slice(0, 2).map(({ text }) => text.slice(0, 9))).toEqual(["Write the", "Write the"]);
    expect(end.stdout.split("`plan` continues in its conversation with fake.")).toHaveLength(times + 1);
    expect(end.stdout).not.toContain("nobody works on it");
  },
  240_000,
);
