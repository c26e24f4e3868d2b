/** What an agent is told to write or show exactly as given is whole: a reply over its size says where the rest is, beside valid data. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isList, isObject, type Json } from "../../../src/base/index.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";
import { listOf, type Call } from "../../support/whole-data.ts";

const entries = Array.from({ length: 2000 }, (_, at) => `entry-${String(at).padStart(4, "0")}`);
const known: ReadonlySet<Json> = new Set(entries);
const longText = Array.from({ length: 9000 }, (_, at) => `w${String(at).padStart(5, "0")}`).join(" ");
const held = `default_state: { raw: { from: ${JSON.stringify(entries)} } }`;
const workflows = {
  "list:update": `${held}\nsteps: [{ id: s, type: state_update, by: agent, path: raw.out, value: "{{ from }}" }]`,
  "list:params": `${held}\nsteps: [{ id: s, type: mcp_call, mcp: { method: m, params: { files: "{{ from }}" } }, state_update: { path: raw.out } }]`,
  "list:hints": `${held}\nsteps: [{ id: s, type: apply_hints, file: a.ts, hints: "{{ from }}", state_update: { path: raw.out } }]`,
  "text:message": `steps: [{ id: s, type: user_message, message: "${longText}" }]`,
  "text:prompt": `steps: [{ id: s, type: user_input, prompt: "${longText}", state_update: { path: raw.out } }]`,
  "text:rounds": `
steps: [{ id: each, type: foreach, items: [r1, r2], steps: [{ id: both, type: parallel_foreach, items: [a], sub_agent_task: tell }] }]
sub_agent_tasks: { tell: { steps: [{ id: s, type: agent_shell_command, command: "${longText}" }] } }`,
  "text:command": `steps: [{ id: s, type: agent_shell_command, command: "${longText}", state_update: { path: raw.out } }]`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

interface Truncated {
  readonly path: string;
  readonly total: number;
  readonly next: Call;
}

/** What a reply says is missing; first what the step itself misses. */
function missing(data: { readonly truncated?: unknown }, wanted = "definition"): readonly Truncated[] {
  const all = listOf(data.truncated as Json | undefined) as unknown as readonly Truncated[];
  return all.toSorted((a, b) => Number(b.path.includes(wanted)) - Number(a.path.includes(wanted)));
}

/** Every part that a reply and the calls for its rest bring, in order. */
async function gathered<T>(first: ToolReply, partOf: (data: Json) => T | undefined, wanted?: string): Promise<T[]> {
  const parts: T[] = [];
  for (let reply: ToolReply | undefined = first; reply !== undefined;) {
    expect(reply.isError, reply.text).toBe(false);
    const part = partOf(reply.data as Json);
    if (part !== undefined) parts.push(part);
    expect(parts.length).toBeLessThan(200);
    const [rest] = missing(reply.data, wanted);
    reply = rest === undefined ? undefined : await call(rest.next.tool, rest.next.arguments);
  }
  return parts;
}

function partsOf(data: Json): readonly Json[] {
  const inner = isList(data) ? data : isObject(data) ? Object.values(data) : [];
  return [data, ...inner.flatMap(partsOf)];
}

/** The list with the most entries of the long one, anywhere in a reply; a strange entry in it is part of it. */
function listIn(data: Json): readonly Json[] | undefined {
  const found = partsOf(data).flatMap((part) => (isList(part) ? [part] : []));
  return found.filter((list) => list.some((entry) => known.has(entry))).toSorted((a, b) => b.length - a.length)[0];
}

/** The longest piece of the long text anywhere in a reply. */
function textIn(data: Json): string | undefined {
  const found = partsOf(data).flatMap((part) => (typeof part === "string" && /w\d{5}/.test(part) ? [part] : []));
  return found.toSorted((a, b) => b.length - a.length)[0];
}

/** A reply without the state beside its step. */
function withoutState(data: Json): Json {
  return isObject(data) ? Object.fromEntries(Object.entries(data).filter(([key]) => key !== "state")) : data;
}

const lists: readonly [string, string][] = [
  ["a value to write", "list:update"],
  ["parameters of a tool", "list:params"],
  ["hints for a file", "list:hints"],
];
const texts: readonly [string, string][] = [
  ["a message to show", "text:message"],
  ["a question to ask", "text:prompt"],
  ["a command to run", "text:command"],
];

describe.each(["workflow_start", "workflow_next", "workflow_get_next_step", "workflow_resume"])("%s", (tool) => {
  const handedOut = async (workflow: string): Promise<ToolReply> => {
    const started = await call("workflow_start", { workflow });
    return tool === "workflow_start" ? started : call(tool, { run_id: started.data.run_id });
  };

  test.each(lists)("brings %s of 2,000 entries whole, without a foreign entry", async (_, workflow) => {
    const parts = await gathered(await handedOut(workflow), (data) => listIn(withoutState(data)));
    expect(parts.flat()).toEqual(entries);
  });

  test("leaves values that have no room in it to the engine", async () => {
    const { data, text } = await handedOut("list:update");
    expect(data).not.toHaveProperty("write_call");
    expect(text).not.toContain("workflow_state_update");
    expect(text).not.toContain("before you act");
    expect(data.step.instructions).toContain("the engine writes them");
    await call(data.next_call.tool, data.next_call.arguments);
    expect((await call("workflow_state_read", { workflow_id: data.run_id, paths: ["out.length"] })).data).toEqual({ "out.length": 2000 });
  });

  test.each(texts)("brings %s of 63,000 characters whole", async (_, workflow) => {
    const parts = await gathered(await handedOut(workflow), (data) => textIn(withoutState(data)));
    expect(parts.join("") === longText, `${parts.length} parts of ${parts.join("").length} characters`).toBe(true);
  });
});

test.each(["workflow_next", "workflow_get_next_step"])(
  "a client of %s that only sends next_call has read a message when it closes it",
  async (tool) => {
    const { run_id } = (await call("workflow_start", { workflow: "text:message" })).data;
    const parts: string[] = [];
    let reply = await call(tool, { run_id });
    while (textIn(withoutState(reply.data as Json)) !== undefined) {
      expect(parts.length).toBeLessThan(200);
      parts.push(textIn(withoutState(reply.data as Json)) ?? "");
      reply = await call(reply.data.next_call.tool, reply.data.next_call.arguments);
    }
    expect(parts.join("") === longText, `${parts.length} parts of ${parts.join("").length} characters`).toBe(true);
    expect(reply.data.status).toBe("completed");
  },
);

test("a long step of a task whose name was used before in the run comes whole", async () => {
  const { run_id } = (await call("workflow_start", { workflow: "text:rounds" })).data;
  const names: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { task_id } = (await call("workflow_next", { run_id })).data.step.definition.tasks[0];
    names.push(task_id);
    const open = await call("workflow_next", { run_id, task_id });
    const parts = await gathered(open, (data) => textIn(withoutState(data)));
    expect(parts.join("") === longText, `${parts.length} parts of ${parts.join("").length} characters`).toBe(true);
    await call("workflow_progress", { run_id, task_id, action_id: open.data.action_id, result: "x" });
  }
  expect(new Set(names).size).toBe(2);
});

describe("a state of 2,000 entries", () => {
  test("is read whole with workflow_state_read", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "list:update" })).data;
    const parts = await gathered(await call("workflow_state_read", { workflow_id: run_id, paths: ["from"] }), listIn, "from");
    expect(parts.flat()).toEqual(entries);
  });

  test("says in `truncated` what is missing, and holds nothing foreign", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "list:update" })).data;
    const { data } = await call("workflow_state_read", { workflow_id: run_id, paths: ["from"] });
    const shown = listIn(data as Json) ?? [];
    expect(shown).toEqual(entries.slice(0, shown.length));
    const [cut] = listOf(data.truncated as Json);
    expect(cut).toMatchObject({ path: expect.stringContaining("from"), total: 2000, next: { tool: expect.any(String) } });
  });

  test("comes whole at the end of the run", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "list:update" })).data;
    await call("workflow_progress", { run_id, action_id });
    const final = await call("workflow_complete", { run_id, status: "success" });
    const [from] = missing(final.data, "from");
    expect(from).toMatchObject({ path: expect.stringContaining("from"), total: 2000 });
    const shown = listIn(final.data.final_state.from as Json) ?? [];
    const rest = await call(from?.next.tool ?? "", from?.next.arguments ?? {});
    expect([...shown, ...(await gathered(rest, listIn, "from")).flat()]).toEqual(entries);
  });
});

test("a reply of two long lists names both in `truncated`", async () => {
  const { run_id, action_id } = (await call("workflow_start", { workflow: "list:update" })).data;
  await call("workflow_progress", { run_id, action_id });
  const { data } = await call("workflow_state_read", { workflow_id: run_id, paths: ["from", "out"] });
  const cuts = missing(data);
  expect(cuts.map(({ total }) => total)).toEqual([2000, 2000]);
  for (const { next } of cuts) expect((await call(next.tool, next.arguments)).isError).toBe(false);
});
