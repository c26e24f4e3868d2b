/** A person's retry of the run: a task that failed continues at the step that failed, and what it has done is not done again. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const begin = `default_state: { raw: { paid: [], done: [], cleaned: [] } }\nsteps:`;
const pay = (what: string): string => `{ id: pay, type: state_update, path: raw.paid, operation: append, value: "${what}" }`;
const step = (id: string, what: string): string =>
  `{ id: ${id}, type: agent_shell_command, command: "${id} ${what}", state_update: { path: raw.done, operation: append, value: "${id} ${what}" } }`;
const group = (more = ""): string => `
  - { id: p, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: job${more} }`;
const job = (...steps: string[]): string => `
  job:
    steps:${steps.map((one) => `\n      - ${one}`).join("")}`;
const plain = job(pay("{{ item.id }}"), step("look", "{{ item.id }}"), step("check", "{{ item.id }}"), step("last", "{{ item.id }}"));
const flow = (steps: string, tasks: string): string => `${begin}${steps}\nsub_agent_tasks:${tasks}`;
const atEnd = ", on_sub_agent_error: { strategy: retry_failed, max_retries: 0 }";

const workflows = {
  "again:once": flow(group(", on_sub_agent_error: { strategy: fail_all }"), plain),
  "again:end": flow(group(atEnd), plain),
  "again:tries": flow(group(", on_sub_agent_error: { strategy: retry_failed, max_retries: 1 }"), plain),
  "again:group": flow(group(`${atEnd}, on_error: retry, retry_count: 1, retry_delay: 0`), plain),
  "again:nested": flow(
    `\n  - { id: all, type: parallel_foreach, items: [{ id: X }], sub_agent_task: around }`,
    `
  around:
    steps:
      - ${pay("{{ item.id }}")}
      - { id: p, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: job${atEnd} }
      - ${step("last", "{{ item.id }}")}${plain}`,
  ),
  "again:loop": flow(
    group(atEnd),
    job(
      pay("{{ item.id }}"),
      `{ id: each, type: foreach, items: [1, 2, 3], variable_name: n, steps: [${pay("{{ n }}")}, ${step("look", "{{ n }}")}, ${step("check", "{{ n }}")}] }`,
    ),
  ),
  "again:called": flow(
    group(atEnd),
    job(pay("{{ item.id }}"), `{ id: sub, type: include_workflow, workflow: "again:inner" }`, step("last", "{{ item.id }}")),
  ),
  "again:inner": `
default_state: { raw: { seen: [] } }
steps:
  - { id: note, type: state_update, path: raw.seen, operation: append, value: once }
  - { id: look, type: agent_shell_command, command: "look" }
  - { id: check, type: agent_shell_command, command: "check {{ raw.seen.length }}" }`,
  "again:errors": flow(
    group(atEnd),
    `${plain}
    error_handling: { cleanup_on_error: [{ id: clean, type: state_update, path: raw.cleaned, operation: append, value: "{{ item.id }}" }, { id: tell, type: user_message, message: clean }] }`,
  ),
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const startOf = async (workflow: string, serial = false): Promise<string> =>
  (await call("workflow_start", { workflow, ...(serial ? { serial } : {}) })).data.run_id as string;
const rawOf = async (run: string): Promise<Record<string, unknown>> =>
  (await call("workflow_state_read", { workflow_id: run })).data as Record<string, unknown>;
const statusOf = async (run: string): Promise<string> => (await call("workflow_status", { run_id: run })).data.status as string;
const authors = (id: unknown): string =>
  String(id)
    .replace(/@.*$/u, "")
    .replace(/^.*[./]/u, "");

/** Does steps of a task, or of the run itself; the one with `!` behind its name fails. Each must be the one that is handed out. */
async function act(run: string, task: string | undefined, ...steps: readonly string[]): Promise<void> {
  const at = task === undefined ? {} : { task_id: task };
  for (const wanted of steps) {
    const { data, text } = await call("workflow_next", { run_id: run, ...at });
    expect(authors(data.step?.id), text).toBe(wanted.replace("!", ""));
    const outcome = wanted.endsWith("!") ? { status: "failed", error: "no" } : data.step.type === "user_message" ? {} : { result: "ok" };
    const reply = await call("workflow_progress", { run_id: run, ...at, action_id: data.action_id, ...outcome });
    expect(reply.isError, reply.text).toBe(false);
  }
}

async function retry(run: string): Promise<void> {
  expect(await statusOf(run)).toBe("failed");
  const reply = await call("workflow_retry", { run_id: run });
  expect(reply.isError, reply.text).toBe(false);
}

test("the run fails at once with its task", async () => {
  const run = await startOf("again:once");
  await act(run, "B", "look");
  await act(run, "A", "look", "check!");
  await retry(run);
  await act(run, "A", "check", "last");
  await act(run, "B", "check", "last");
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({
    paid: ["A", "B"],
    done: ["look B", "look A", "check A", "last A", "check B", "last B"],
  });
});

test("the group fails when all others are done, and so it does a second time", async () => {
  const run = await startOf("again:end");
  await act(run, "A", "look", "check!");
  await act(run, "B", "look", "check", "last");
  await retry(run);
  await act(run, "A", "check!");
  await retry(run);
  await act(run, "A", "check", "last!");
  await retry(run);
  await act(run, "A", "last");
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({ paid: ["A", "B"] });
});

test.each(["again:once", "again:end"])("%s: tasks are done one after the other", async (workflow) => {
  const run = await startOf(workflow, true);
  await act(run, undefined, "look", "check!");
  if (workflow === "again:end") await act(run, undefined, "look", "check", "last!");
  await retry(run);
  await act(run, undefined, "check", "last", ...(workflow === "again:end" ? ["last"] : ["look", "check", "last"]));
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({ paid: ["A", "B"] });
});

test.each([false, true])("a task of a task fails, and the one around it with it (one after the other: %s)", async (serial) => {
  const run = await startOf("again:nested", serial);
  const [a, b, x] = serial ? [] : ["A", "B", "X"];
  await act(run, a, "look", "check!");
  await act(run, b, "look", "check", "last");
  await retry(run);
  await act(run, a, "check", "last");
  await act(run, x, "last!");
  await retry(run);
  await act(run, x, "last");
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({ paid: ["X", "A", "B"] });
});

test.each([false, true])("a loop inside the task keeps its item in hand (one after the other: %s)", async (serial) => {
  const run = await startOf("again:loop", serial);
  const [a, b] = serial ? [] : ["A", "B"];
  const rounds = ["look", "check", "look", "check", "look", "check"];
  await act(run, a, "look", "check", "look", "check!");
  await act(run, b, ...rounds);
  await retry(run);
  await act(run, a, "check", "look", "check");
  expect(await statusOf(run)).toBe("completed");
  const { done, paid } = await rawOf(run);
  expect((done as string[]).toSorted()).toEqual(["1", "1", "2", "2", "3", "3"].flatMap((n) => [`look ${n}`, `check ${n}`]).toSorted());
  expect(paid).toHaveLength(8);
});

test.each([false, true])("a workflow that the task calls continues with its own state (one after the other: %s)", async (serial) => {
  const run = await startOf("again:called", serial);
  const [a, b] = serial ? [] : ["A", "B"];
  await act(run, a, "look", "check!");
  await act(run, b, "look", "check", "last");
  await retry(run);
  const { step: shown } = (await call("workflow_next", { run_id: run, ...(a === undefined ? {} : { task_id: a }) })).data;
  expect(JSON.stringify(shown)).toContain("check 1");
  await act(run, a, "check", "last");
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({ paid: ["A", "B"] });
});

test.each([false, true])("error steps of the task are left, and begin with its next failure (one after the other: %s)", async (serial) => {
  const run = await startOf("again:errors", serial);
  const [a, b] = serial ? [] : ["A", "B"];
  await act(run, a, "look", "check!", "tell");
  await act(run, b, "look", "check", "last");
  await retry(run);
  await act(run, a, "check!", "tell");
  await retry(run);
  await act(run, a, "check", "last");
  expect(await statusOf(run)).toBe("completed");
  expect(await rawOf(run)).toMatchObject({ paid: ["A", "B"], cleaned: ["A", "A"] });
});

test.each(["again:tries", "again:group"])("%s: a try that the workflow makes by itself begins at the first step", async (workflow) => {
  const run = await startOf(workflow);
  if (workflow === "again:group") await act(run, "B", "look", "check", "last");
  await act(run, "A", "look", "check!", "look", "check!");
  if (workflow === "again:tries") await act(run, "B", "look", "check", "last");
  await retry(run);
  await act(run, "A", "check", "last");
  expect(await statusOf(run)).toBe("completed");
  expect((await rawOf(run))["paid"]).toEqual(["A", "B", "A"]);
});
