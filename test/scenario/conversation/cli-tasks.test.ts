/** Tasks on the command line: those that nobody waits for are shown beside the step at hand, and the end of a task is not a way into the run around it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../process/cli-world.ts";
import { wordsOf } from "../../support/literal-lines.ts";

const workflow = (name: string, wait: boolean, more = ""): string => `name: ${name}
description: d
version: "1.0.0"
default_state: { raw: { done: {} } }
steps:
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], wait_for_all: ${wait}, sub_agent_task: job${more} }
  - { id: own, type: agent_shell_command, command: own, state_update: { path: raw.own } }
  - { id: ask, type: user_input, prompt: "Ship?", state_update: { path: raw.ship } }
sub_agent_tasks:
  job: { steps: [{ id: do_it, type: agent_shell_command, command: "do {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] }`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/beside.yaml": workflow("beside", false),
    ".waymark/workflows/awaited.yaml": workflow("awaited", true),
    ".waymark/workflows/prompted.yaml": workflow("prompted", false, ', sub_agent_prompt_override: "Use the red pen."'),
  });
});
afterEach(() => bench.close());

interface Shown {
  readonly run_id: string;
  readonly status: string;
  readonly action_id: string;
  readonly step: { readonly id: string; readonly type: string } | null;
  readonly instruction?: string;
  readonly next_command?: string;
  readonly later_command?: string;
  readonly tasks_beside?: readonly { readonly task_id: string; readonly running?: boolean; readonly command: string }[];
}
const shown = (...line: string[]): Promise<Shown> => bench.json<Shown>(line);
const text = async (...line: string[]): Promise<string> => {
  const { code, stdout, stderr }: CliResult = await bench.run(line);
  expect(code, stderr).toBe(0);
  return stdout;
};

describe("tasks that nobody waits for", () => {
  test("are shown beside the step at hand from the start, each with the line that shows it", async () => {
    const first = await text("start", "beside");
    const run = /Started run (\S+)\./.exec(first)?.[1] ?? "";
    expect(first).toContain("Step  own");
    expect(first).toContain("Beside this step 2 tasks are open:");
    for (const task of ["one", "two"]) expect(first).toContain(`  waymark next ${run} --task ${task}\n`);
    expect(first).toContain(`→ waymark done ${run} --action`);
    expect(await text("next", run)).toContain(`  waymark next ${run} --task one\n`);
  });

  test("are marked while they run, and gone when they are over", async () => {
    const { run_id: run, step, tasks_beside: beside } = await shown("start", "beside");
    const line = (task: string): string => `waymark next ${run} --task ${task}`;
    expect([step?.id.split("@")[0], beside]).toEqual([
      "own",
      [
        { task_id: "one", command: line("one") },
        { task_id: "two", command: line("two") },
      ],
    ]);
    const { action_id: action } = await shown(...wordsOf(beside?.[0]?.command ?? "").slice(1));
    expect((await shown("next", run)).tasks_beside).toEqual([
      { task_id: "one", running: true, command: line("one") },
      { task_id: "two", command: line("two") },
    ]);
    expect(await text("next", run)).toContain(`  ${line("one")}   (running)\n`);
    await shown("done", run, "--task", "one", "--action", action, "--result", "did one");
    expect((await shown("next", run)).tasks_beside).toEqual([{ task_id: "two", command: line("two") }]);
    expect(await text("next", run)).toContain("Beside this step 1 task is open:");
  });

  test("stand beside a question too, and are the step itself once nothing else is left", async () => {
    const { run_id: run } = await shown("start", "beside");
    const question = await shown("done", run, "--result", "of my own");
    expect([question.status, question.tasks_beside?.length]).toEqual(["question", 2]);
    await shown("decide", run, question.action_id, "yes");
    const left = await shown("next", run);
    expect([left.step?.type, left.tasks_beside]).toEqual(["parallel_tasks", undefined]);
  });

  test("bring the author's prompt with their first step, and not the standard one", async () => {
    const { run_id: run } = await shown("start", "prompted");
    expect(await text("next", run, "--task", "one")).toContain("Prompt of this task: Use the red pen.");
    expect(await shown("next", run, "--task", "one")).toMatchObject({ task_prompt: "Use the red pen." });
    const { run_id: other } = await shown("start", "beside");
    expect(await text("next", other, "--task", "one")).not.toContain("Prompt of this task");
  });

  test("are not shown to who works on one of them", async () => {
    const { run_id: run } = await shown("start", "beside");
    expect((await shown("next", run, "--task", "one")).tasks_beside).toBeUndefined();
  });
});

test("a step with tasks tells sub-agents the lines to run, and no tools", async () => {
  const { run_id: run } = await shown("start", "awaited");
  const said = await text("next", run);
  expect(said).toContain(`run \`waymark next ${run} --task\` with your task_id`);
  expect(said).toContain("waymark done");
  expect(said).toContain(`one  Begin with: waymark next ${run} --task one`);
  expect(said).not.toMatch(/workflow_(?!id)\w+/);
  const { step } = await shown("next", run);
  expect(JSON.stringify(step)).toContain(`waymark next ${run} --task`);
  expect(JSON.stringify(step)).not.toMatch(/workflow_(?!id)\w+/);
});

test("the end of a task says that its agent is done, and marks the way back for who works without sub-agents", async () => {
  const { run_id: run } = await shown("start", "awaited");
  const first = await shown("next", run, "--task", "one");
  const over = await shown("done", run, "--task", "one", "--action", first.action_id, "--result", "did one");
  expect(over).toMatchObject({ status: "task_done", later_command: `waymark next ${run}` });
  expect(over.next_command).toBeUndefined();
  const said = await text("next", run, "--task", "one");
  expect(said).toContain("Task one of run");
  expect(said).toContain("is completed. You are done; report this to the agent that started you.");
  expect(said).toContain(`If you do the tasks yourself, without sub-agents: waymark next ${run}`);
  expect(said).not.toContain("→");
});
