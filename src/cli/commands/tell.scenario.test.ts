/** A note waits for a name that something in the run has or can have. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const steps = `name: fixed
description: Two steps of an agent and a question.
version: "1.0.0"
steps:
  - { id: build, type: agent_shell_command, command: make }
  - { id: look, type: user_input, prompt: "Is it good?" }
  - { id: review_it, type: agent_shell_command, command: make check }
`;
const tasks = `name: shared
description: A task for each file.
version: "1.0.0"
default_state: { raw: { files: [a.ts, b.ts] } }
steps:
  - { id: each, type: parallel_foreach, items: "{{ raw.files }}", sub_agent_task: part }
sub_agent_tasks:
  part: { description: One, steps: [{ id: edit, type: agent_shell_command, command: make }] }
`;
const graph = `name: graph
description: Two nodes.
nodes:
  - { id: plan, prompt: Plan it. }
  - { id: write, prompt: Write it., depends_on: [plan] }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/fixed.yaml": steps,
    ".waymark/workflows/shared.yaml": tasks,
    ".archon/workflows/graph.yaml": graph,
  });
});
afterEach(() => bench.close());

const begin = async (workflow: string): Promise<string> => String((await bench.json(["start", workflow]))["run_id"]);

test("a note for a step that the workflow does not have is refused, with the name that is near", async () => {
  const run = await begin("fixed");
  const wrong = await bench.run(["tell", run, "--for", "reviev_it", "lost"]);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain(
    "`fixed` has no step, task or node `reviev_it` with which an agent could read a note. Nothing was changed.",
  );
  expect(wrong.stderr).toContain("Did you mean `review_it`?");
  expect(wrong.stderr).toContain("→ Name one of build, review_it, or nothing for the next step.");
  // It is for a person, so no agent would read it.
  expect((await bench.run(["tell", run, "--for", "look", "lost"])).code).toBe(2);
  expect(await bench.json(["status", run])).toMatchObject({ notes: [] });
  expect((await bench.run(["tell", run, "--for", "review_it", "mind the gap"])).stdout).toBe("Noted. It is delivered with `review_it`.\n");
  expect((await bench.run(["tell", run, "for", "any"])).stdout).toBe("Noted. It is delivered with the next step.\n");
});

test("nodes of a graph are known", async () => {
  const run = await begin("graph");
  expect((await bench.run(["tell", run, "--for", "write", "briefly"])).stdout).toBe("Noted. It is delivered with `write`.\n");
  expect((await bench.run(["tell", run, "--for", "wrote", "briefly"])).stderr).toContain("Did you mean `write`?");
});

test("where names come while a run works, another name is accepted, and this is said", async () => {
  const run = await begin("shared");
  await bench.run(["next", run]);
  for (const known of ["each.1", "each.edit", "each"])
    expect((await bench.run(["tell", run, "--for", known, "x"])).stdout).toBe(`Noted. It is delivered with \`${known}\`.\n`);
  const later = await bench.run(["tell", run, "--for", "each.7", "x"]);
  expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is called `each.7` yet") });
  expect(await bench.json(["tell", run, "--for", "each.7", "x"])).toMatchObject({ noted: true, known: false });
});
