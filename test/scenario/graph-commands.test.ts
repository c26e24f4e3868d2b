/** Graphs by the command line: without any agent, and with a person who answers. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const terminal = { terminal: true };
const graph = (nodes: string): Record<string, string> => ({
  ".archon/workflows/g.yaml": `name: g\ndescription: A case.\nnodes:\n${nodes}\n`,
});

test("a graph in which no node needs an agent runs, and is driven, without one; `allow` shows that bash runs it", async () => {
  bench = await openCliBench(graph("  - id: a\n    bash: '[[ $ARGUMENTS == m* ]] && echo fine'"));
  const allowed = await bench.run(["allow", "g"], { terminal: true, typed: ["y"] });
  expect(allowed.stdout).toContain("commands are run by bash");
  const ran = await bench.run(["run", "g", "me"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("is complete") as string });
});

test("an empty message on the command line is a message", async () => {
  bench = await openCliBench(graph('  - id: a\n    bash: \'printf "<%s>" "${ARGUMENTS-}" > said.txt\''));
  await bench.run(["allow", "g", "--yes"], terminal);
  expect((await bench.run(["run", "g"])).stderr).toContain("`user_message` (string) is required");
  expect(await bench.run(["run", "g", ""])).toMatchObject({ code: 0 });
  expect(await bench.read("said.txt")).toBe("<>");
});

test("decide takes the reason of a rejection, which the rework names; other questions take none, nor does an agent's relay count", async () => {
  bench = await openCliBench(
    graph("  - id: ok\n    approval: { message: 'Go?', on_reject: { prompt: 'Rework <$REJECTION_REASON>.', max_attempts: 2 } }"),
  );
  await bench.run(["allow", "g", "--yes"], terminal);
  const run = String((await bench.json(["start", "g"]))["run_id"]);
  expect((await bench.run(["decide", run, "ok", "reject", "--reason", "too dear"])).stderr).toContain("CLI_PERSON_ONLY");
  expect((await bench.run(["decide", run, "--reason", "too dear"], terminal)).stderr).toContain("`--reason` says why an answer is given");
  expect(await bench.json(["decide", run, "ok", "reject", "--reason", "it's $too dear"], terminal)).toMatchObject({ answer: "reject" });
  expect((await bench.run(["next", run])).stdout).toContain("Rework <it's $too dear>.");
});

test("a question without reasons refuses one, and on a terminal a person is asked for the reason", async () => {
  bench = await openCliBench({
    ...graph("  - id: ok\n    approval: { message: 'Go?' }"),
    ".waymark/workflows/ask.yaml":
      'name: ask\ndescription: d\nversion: "1.0"\nsteps: [{ id: q, type: user_input, prompt: Well?, state_update: { path: raw.q } }]\n',
  });
  await bench.run(["allow", "g", "--yes"], terminal);
  const ask = String((await bench.json(["start", "ask"]))["run_id"]);
  expect((await bench.run(["decide", ask, "q", "fine", "--reason", "x"], terminal)).stderr).toContain("takes no reason");
  const run = String((await bench.json(["start", "g"]))["run_id"]);
  await bench.run(["decide", run], { terminal: true, typed: ["reject", "too dear"] });
  expect((await bench.run(["status", run])).stdout).toContain("`ok` was rejected: too dear");
});

test("done without a task is about the only open node, or the one that is held; of several it says which there are", async () => {
  bench = await openCliBench(
    graph("  - { id: a, prompt: A }\n  - { id: b, prompt: B, depends_on: [a] }\n  - { id: c, prompt: C, depends_on: [a] }"),
  );
  const run = String((await bench.json(["start", "g"]))["run_id"]);
  expect(await bench.json(["done", run, "--result", "ok"])).toMatchObject({ task_id: "a", status: "task_done" });
  const several = await bench.run(["done", run, "--result", "ok"]);
  expect(several).toMatchObject({ code: 2, stderr: expect.stringMatching(/could be about 2 open steps.*b@\w+, c@\w+/) as string });
  await bench.run(["next", run]);
  expect(await bench.json(["done", run, "--result", "ok"])).toMatchObject({ task_id: "b", status: "task_done" });
  expect((await bench.run(["done", run, "--result", "ok"])).stdout).toContain("Task c of run");
  expect((await bench.run(["next", run])).stdout).toContain("is completed");
});

test("what is allowed is shown with the names that a file can use", async () => {
  bench = await openCliBench(graph("  - { id: a, prompt: Say it. }"));
  const { stdout } = await bench.run(["allow", "g"], { terminal: true, typed: ["y"] });
  expect(stdout).toContain("Say it.$CONTEXT");
  expect(stdout).not.toContain("GIVEN");
});
