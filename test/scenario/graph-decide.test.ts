/** How a person answers approvals on the command line: the choice alone, why, an earlier asking, and what follows. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../process/cli-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const terminal = { terminal: true };
const rework = "on_reject: { prompt: 'Rework <$REJECTION_REASON>.', max_attempts: 3 }";

async function begun(approval: string, id = "gate"): Promise<string> {
  bench = await openCliBench({
    "agent.yaml": "turns: [{ do: [{ say: Said. }] }]\n",
    ".archon/workflows/g.yaml": `name: g\ndescription: A case.\nnodes:\n  - { id: ${id}, approval: { message: 'Go?', ${approval} } }\n`,
  });
  await bench.run(["allow", "g", "--yes"], terminal);
  return String((await bench.json(["start", "g"]))["run_id"]);
}

const decide = (run: string, words: readonly string[], typed: readonly string[] = []): Promise<CliResult> =>
  bench.run(["decide", run, ...words], { terminal: true, typed });

/** Rejects once and reworks, so that the question is open again. */
async function askedAgain(): Promise<string> {
  const run = await begun(rework);
  await decide(run, ["reject", "--reason", "no"]);
  await bench.json(["done", run, "--task", "gate", "--result", "better"]);
  return run;
}

test("a choice alone answers the only question, with its reason too", async () => {
  for (const [approval, choice] of [
    [rework, "reject"],
    ["decisions: [{ id: ship }, { id: wait }]", "ship"],
  ] as const) {
    const run = await begun(approval);
    expect(await bench.json(["decide", run, choice, "--reason", "no"], terminal)).toMatchObject({ answer: choice, recorded: "now" });
    await bench.close();
  }
  const run = await begun(rework);
  expect((await decide(run, ["gate", "--reason", "no"])).stderr).toContain("`--reason` says why an answer is given, and there is none.");
  expect((await decide(run, ["release", "--reason", "no"])).stderr).toContain(`waymark decide ${run} gate '<approve | reject>'`);
});

test("on a terminal a line without a reason is asked for one, which may be empty, and no reason is recorded where the input ends", async () => {
  const run = await begun(rework);
  expect((await decide(run, ["reject"])).stderr).toContain("CLI_NO_ANSWER");
  expect(await bench.json(["status", run])).toMatchObject({ questions: [{ decision: "gate" }] });
  const { stdout } = await decide(run, ["reject"], ["too dear"]);
  expect(stdout).toMatch(/Go\?\nWhy\? [^]*Recorded: "reject"\./);
  expect((await bench.run(["next", run])).stdout).toContain("Rework <too dear>.");
  await bench.close();
  const other = await begun(rework);
  expect(await decide(other, ["gate", "reject"], [""])).toMatchObject({ code: 0 });
});

test("nobody is asked why for an answer that is refused", async () => {
  const run = await begun(rework);
  const wrong = await decide(run, ["gate", "release"]);
  expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([
    2,
    expect.not.stringContaining("Why?"),
    expect.stringContaining("`approve`, `reject`"),
  ]);
  const { stdout } = await decide(run, [], ["release", "reject", "too dear"]);
  expect(stdout).toMatch(/> [^]*must be one of `approve`, `reject`\.\n> Why\? /);
});

test("a person is asked why only where the answer is read, and may say it everywhere", async () => {
  const asked = { stdout: expect.stringContaining("Why?") as string, code: 0 };
  const quiet = { stdout: expect.not.stringContaining("Why?") as string, code: 0 };
  for (const [approval, word, what] of [
    [rework, "approve", quiet],
    ["capture_response: false", "approve", quiet],
    ["capture_response: false", "reject", asked],
    ["capture_response: true", "approve", asked],
    ["decisions: [{ id: approve }, { id: wait }]", "approve", asked],
  ] as const) {
    const run = await begun(approval);
    expect(await decide(run, [word], what === asked ? ["fine"] : []), approval).toMatchObject(what);
    await bench.close();
  }
  const run = await begun(rework);
  expect(await decide(run, ["approve", "--reason", "so be it"])).toMatchObject({ code: 0 });
  expect((await bench.run(["status", run, "--json"])).stdout).toContain("completed");
});

test("a word that is the name of the question asks it, also where it is a choice: a printed line that shows a question answers nothing", async () => {
  const asked = await begun(rework, "approve");
  expect(await decide(asked, ["approve"], ["reject", "too big"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"reject"') as string,
  });
  await bench.close();
  const open = await begun(rework, "approve");
  const { code, stdout } = await bench.run(["decide", open, "approve"]);
  expect([code, stdout]).toEqual([2, ""]);
  await bench.close();
  for (const words of [
    ["approve", "--reason", "so be it"],
    ["approve", "approve"],
  ]) {
    const run = await begun(rework, "approve");
    expect(await bench.json(["decide", run, ...words], terminal)).toMatchObject({
      decision: "approve",
      answer: "approve",
      recorded: "now",
    });
    await bench.close();
  }
  const run = await begun(rework, "approve");
  expect(await bench.json(["decide", run, "reject", "--reason", "no"], terminal)).toMatchObject({ decision: "approve", answer: "reject" });
});

test("a line that shows a question answers no other one when that question is answered", async () => {
  bench = await openCliBench({
    ".archon/workflows/g.yaml":
      "name: g\ndescription: A case.\nnodes:\n  - { id: approve, approval: { message: 'Go?' } }\n  - { id: release, depends_on: [approve], approval: { message: 'Out?' } }\n",
  });
  await bench.run(["allow", "g", "--yes"], terminal);
  const run = String((await bench.json(["start", "g"]))["run_id"]);
  await decide(run, ["approve", "approve"]);
  const late = await decide(run, ["approve"]);
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("has no open question `approve`") as string });
  expect(late.stderr).toContain(`waymark decide ${run} release '<approve | reject>'`);
  expect(await bench.json(["status", run])).toMatchObject({ status: "running", questions: [{ decision: "release" }] });
  expect(await bench.json(["decide", run, "reject"], terminal)).toMatchObject({ decision: "release", answer: "reject" });
});

test("lines that show a question have its id alone, and lines that answer it have a place for the choice, also where the id is a choice", async () => {
  const run = await begun(rework, "approve");
  const shows = `waymark decide ${run} approve`;
  const answers = `${shows} '<approve | reject>'`;
  expect((await bench.run(["status", run])).stdout).toContain(`→ ${answers}\n`);
  const refused = await bench.run(["decide", run, "reject", "--reason", "no"]);
  expect(refused.stderr).toMatch(new RegExp(`: ${shows}\n`));
  await decide(run, ["reject", "--reason", "no"]);
  await bench.json(["done", run, "--task", "approve", "--result", "better"]);
  expect((await bench.run(["status", run])).stdout).toContain(`→ ${shows} --revision 2 '<approve | reject>'\n`);
  expect((await bench.run(["decide", run, "approve", "approve", "--revision", "2"])).stderr).toMatch(
    new RegExp(`: ${shows} --revision 2\n`),
  );
  expect(await decide(run, ["approve", "--revision", "2"], ["reject", "still no"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"reject"') as string,
  });
});

test("an answer to an earlier asking fails, whether it is the same or not, with the line that answers what is asked now", async () => {
  const run = await askedAgain();
  for (const words of [["gate", "reject"], ["reject"], ["gate", "approve"], ["approve"]]) {
    const { code, stdout, stderr } = await decide(run, words);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("revision 2 of it is open");
    expect(stderr).toContain("(DECISION_REVISED)");
    expect(stderr).toContain(`waymark decide ${run} gate --revision 2 ${words.at(-1)}\n`);
  }
  expect((await decide(run, ["approve", "--reason", "so be it"])).stderr).toContain("--revision 2 approve --reason 'so be it'");
  expect((await decide(run, ["gate", "--decline", "no"])).stderr).toContain("gate --revision 2 --decline '<why>'");
  expect(await bench.json(["decide", run, "gate", "--revision", "2", "approve"], terminal)).toMatchObject({ recorded: "now" });
});

test("the second of two people is told which answer counts, and fails unless it is theirs too", async () => {
  const run = await begun("decisions: [{ id: ship, label: Ship it }, { id: wait }]");
  await decide(run, ["gate", "ship"], [""]);
  const second = await decide(run, ["gate", "wait"]);
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`gate` was answered before with "ship", which counts.') as string,
  });
  for (const same of ["ship", "Ship it"])
    expect(await decide(run, ["gate", same])).toMatchObject({ code: 0, stdout: expect.stringContaining("was answered before") as string });
});

test("the few choices of a question are listed where it is shown, and their place is not an answer", async () => {
  const run = await begun(rework);
  const { stdout } = await bench.run(["status", run]);
  expect(stdout).toContain("? Go? (approve | reject)\n");
  expect(stdout).toContain(`→ waymark decide ${run} gate '<approve | reject>'\n`);
  expect((await bench.run(["drive", run, "--agent", "script:agent.yaml", "--permission", "all"])).stdout).toContain(
    "? Go? (approve | reject)\n",
  );
  expect((await decide(run, ["gate", "<approve | reject>"])).stderr).toContain("CLI_NOT_FILLED_IN");
});

test("a person who only looked at a driven run is led back to driving it, and one who took it over to its next step", async () => {
  const run = await begun("capture_response: false, on_reject: { prompt: 'Rework.', max_attempts: 9 }");
  const flags = ["--agent", "script:agent.yaml", "--permission", "all"];
  await bench.run(["drive", run, ...flags]);
  await bench.run(["next", run]);
  expect((await decide(run, ["reject"], [""])).stdout).toContain(`→ waymark drive ${run} --agent script:agent.yaml --permission all\n`);
  await bench.run(["next", run, "--task", "gate"]);
  await bench.run(["done", run, "--task", "gate", "--result", "by hand"]);
  expect((await decide(run, ["gate", "--revision", "2", "reject"], [""])).stdout).toContain(`→ waymark next ${run} --task gate\n`);
});

test("a rejection that cancels the run says so, and names nothing that would drive it", async () => {
  const run = await begun("capture_response: false");
  const { stdout, code } = await decide(run, ["reject", "--reason", "too dear"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Run ${run} is cancelled. \`gate\` was rejected: too dear`)]);
  expect(stdout).not.toContain("→");
});
