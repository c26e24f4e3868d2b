import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { connect, makeClient, openWorld, serverParts, type McpWorld, type TestClient, type User } from "../../test/process/mcp-client.ts";
import { createMcpEndpoint } from "./serve-clients.ts";
import { handedOut } from "../../test/support/handed-out.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const relay = `
steps:
  - { id: colour, type: user_input, prompt: "Which colour?", validation: { pattern: "^[a-z]+$", error_message: "Lower case, please." }, state_update: { path: raw.colour } }
  - { id: tell, type: user_message, message: "{{ colour }}" }
`;
const gate = `
steps:
  - { id: ship, type: user_input, prompt: "Ship it?", answer_by: person, options: [{ value: "yes", label: "Ship" }, { value: "no" }], state_update: { path: raw.ship } }
  - { id: tell, type: user_message, message: "{{ ship }}" }
`;

/** More than a form of a client shows: the answer would allow what nobody saw. */
const commands = Array.from({ length: 123 }, (_, at) => `- node scripts/check-${at}.mjs --all`);
const longGate = `
steps:
  - id: allow
    type: user_input
    answer_by: person
    prompt: ${JSON.stringify(["May these commands run?", ...commands].join("\n"))}
    options: ["yes", "no"]
    state_update: { path: raw.allow }
`;

async function answeredBy(run: string): Promise<unknown> {
  const { state } = await world!.engine.context.runs.open(run);
  const records = await world!.engine.context.store.readRecords(run, 0, 200);
  const events = records.flatMap((record) => JSON.parse(record.events) as { type: string; by?: unknown }[]);
  expect(state.id).toBe(run);
  return events.find((event) => event.type === "decision_closed")?.by;
}

async function started(client: TestClient, workflow: string): Promise<{ run_id: string; action_id: string; step: unknown }> {
  return (await client.call("workflow_start", { workflow })).data;
}

describe("a question that an agent may relay", () => {
  test("is answered with what the user said, and recorded as relayed", async () => {
    world = await openWorld({ "demo:ask": relay });
    const client = await world.client();
    const { run_id, step } = await started(client, "demo:ask");
    expect(step).toMatchObject({ type: "user_input", definition: { prompt: "Which colour?", validation: { pattern: "^[a-z]+$" } } });
    const reply = await client.call("workflow_decide", { run_id, answer: "blue" });
    expect(reply.data).toMatchObject({
      recorded: "now",
      status: "action",
      step: { id: handedOut("tell"), definition: { message: "blue" } },
    });
    expect(await answeredBy(run_id)).toMatchObject({ kind: "agent", relayed: true, surface: "mcp-stdio" });
  });

  test("is answered by a report as well", async () => {
    world = await openWorld({ "demo:ask": relay });
    const client = await world.client();
    const { run_id, action_id } = await started(client, "demo:ask");
    expect((await client.call("workflow_progress", { run_id, action_id, result: "blue" })).data).toMatchObject({
      step: { id: handedOut("tell") },
    });
  });

  test("refuses a wrong answer with the question's own message and stays open", async () => {
    world = await openWorld({ "demo:ask": relay });
    const client = await world.client();
    const { run_id, action_id } = await started(client, "demo:ask");
    const wrong = await client.call("workflow_decide", { run_id, decision_id: action_id, answer: "BLUE" });
    expect(wrong).toMatchObject({
      isError: true,
      data: {
        error: { code: "ANSWER_REFUSED", message: expect.stringContaining("Lower case, please.") },
        next_call: { tool: "workflow_next" },
      },
    });
    expect((await client.call("workflow_decide", { run_id, decision_id: action_id, answer: "blue" })).isError).toBe(false);
    expect((await client.call("workflow_decide", { run_id, decision_id: action_id, answer: "red" })).data).toMatchObject({
      recorded: "before",
      step: { definition: { message: "blue" } },
    });
  });

  test("without an answer and without a client that can ask, the agent is told to ask", async () => {
    world = await openWorld({ "demo:ask": relay });
    const client = await world.client();
    const { run_id } = await started(client, "demo:ask");
    expect(await client.call("workflow_decide", { run_id })).toMatchObject({
      isError: true,
      data: { error: { code: "MCP_NO_ANSWER", message: expect.stringContaining("Which colour?") } },
    });
  });
});

describe.each(["legacy", "modern"] as const)("a question that only a person may answer, in the %s era", (mode) => {
  test("is refused from an agent, with the question and the command for the person", async () => {
    world = await openWorld({ "demo:gate": gate });
    const client = await world.client({}, mode);
    const { run_id, action_id } = await started(client, "demo:gate");
    for (const args of [{ answer: "yes" }, {}]) {
      const refused = await client.call("workflow_decide", { run_id, decision_id: action_id, ...args });
      expect(refused).toMatchObject({
        isError: true,
        data: {
          error: {
            code: "DECISION_FOR_PERSON",
            message: expect.stringContaining("Ship it?"),
            fix: expect.stringContaining(`waymark decide ${run_id} ${action_id}`),
          },
        },
      });
      expect(refused.text).toContain(`Do this: Ask your user to run \`waymark decide ${run_id} ${action_id}\` in a terminal of their own`);
      // Nothing that could be called now would do more than show the question again.
      expect(refused.data).not.toHaveProperty("next_call");
      expect(refused.data.later).toEqual({ when: "when they have answered", tool: "workflow_next", arguments: { run_id } });
    }
    expect(await client.call("workflow_progress", { run_id, action_id, result: "yes" })).toMatchObject({
      isError: true,
      data: { error: { code: "DECISION_FOR_PERSON" }, later: { when: "when they have answered", tool: "workflow_next" } },
    });
    expect((await client.call("workflow_status", { run_id })).data.questions).toMatchObject([
      { decision_id: action_id, answer_by: "person", options: ["yes", "no"] },
    ]);
  });

  test("is answered by a line that names the folder of the server, wherever a reply has it", async () => {
    world = await openWorld({ "demo:gate": gate });
    const client = await world.client({ place: "-C /there --store /kept" }, mode);
    const { run_id, action_id } = await started(client, "demo:gate");
    const replies = [
      await client.call("workflow_next", { run_id }),
      await client.call("workflow_status", { run_id }),
      await client.call("workflow_decide", { run_id, decision_id: action_id, answer: "yes" }),
    ];
    for (const { text, data } of replies) {
      const lines = `${text}\n${JSON.stringify(data)}`.match(/waymark [^`"\n]*decide [^`"\n]*/g) ?? [];
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => !line.startsWith(`waymark -C /there --store /kept decide ${run_id} ${action_id}`))).toEqual([]);
    }
  });

  test("is not put to the client's user when a form cannot show all of it", async () => {
    const asked: unknown[] = [];
    const user: User = (message) => {
      asked.push(message);
      return { action: "accept", content: { answer: "yes" } };
    };
    world = await openWorld({ "demo:long": longGate });
    const client = await world.client({}, mode, user);
    const { run_id, action_id, ...shown } = (await client.call("workflow_start", { workflow: "demo:long" })).data;
    expect(shown).not.toHaveProperty("ask_person_call");
    const reply = await client.call("workflow_decide", { run_id });
    expect(asked).toEqual([]);
    expect(reply).toMatchObject({ isError: true, data: { error: { code: "DECISION_FOR_PERSON" } } });
    expect(reply.text).toContain(`waymark decide ${run_id} ${action_id}`);
    expect(reply.text).toContain("too long for a form of this client");
    const { state } = await world.engine.context.runs.open(run_id);
    expect(state.decisions[action_id]?.status).toBe("pending");
  });

  test("is put to the client's user, whose answer counts as a person's", async () => {
    const asked: unknown[] = [];
    const user: User = (message, schema) => {
      asked.push([message, schema]);
      return { action: "accept", content: { answer: "yes" } };
    };
    world = await openWorld({ "demo:gate": gate });
    const client = await world.client({}, mode, user);
    const { run_id, action_id } = await started(client, "demo:gate");
    expect(asked, "nobody is asked before the agent calls for it").toEqual([]);
    const { next_call: call } = (await client.call("workflow_decide", { run_id, answer: "yes" })).data;
    expect(call, "the call that asks them").toEqual({ tool: "workflow_decide", arguments: { run_id, decision_id: action_id } });
    const reply = await client.call(call.tool, call.arguments);
    expect(reply.data).toMatchObject({
      recorded: "now",
      decision_id: action_id,
      step: { id: handedOut("tell"), definition: { message: "yes" } },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject([
      expect.stringContaining("Ship it?"),
      {
        properties: {
          answer: {
            oneOf: [
              { const: "yes", title: "Ship" },
              { const: "no", title: "no" },
            ],
          },
        },
      },
    ]);
    expect(await answeredBy(run_id)).toMatchObject({ kind: "person", relayed: false, surface: "elicitation", name: "user of test-client" });
  });

  test("that takes a reason has an optional place for it in the form, and the reason is recorded", async () => {
    const schemas: unknown[] = [];
    const said = [{ answer: "reject", reason: " too dear " }, { answer: "reject", reason: "" }, { answer: "approve" }];
    const user: User = (_message, schema) => {
      schemas.push(schema);
      return { action: "accept", content: said[schemas.length - 1] ?? {} };
    };
    world = await openWorld({ "demo:gate": gate });
    const approval = "{ message: 'Go?', on_reject: { prompt: 'Rework <$REJECTION_REASON>.' } }";
    await world.engine.write(".archon/workflows/g.yaml", `name: g\ndescription: d\nnodes: [{ id: ok, approval: ${approval} }]\n`);
    await world.engine.allow("g");
    const client = await world.client({}, mode, user);
    const { run_id } = await started(client, "g");
    for (const reason of ["too dear", ""]) {
      await client.call("workflow_decide", { run_id });
      const { state } = await world.engine.context.runs.open(run_id);
      expect(Object.values(state.scopes)[0]?.raw).toMatchObject({ rejection: reason });
      await client.call("workflow_next", { run_id, task_id: "ok" });
      await client.call("workflow_progress", { run_id, task_id: "ok", result: "better" });
    }
    expect((await client.call("workflow_decide", { run_id })).data).toMatchObject({ recorded: "now" });
    const form = { properties: { reason: { type: "string", title: "Why (optional)" } }, required: ["answer"] };
    expect(schemas).toMatchObject([form, form, form]);
    await client.call("workflow_decide", { run_id: (await started(client, "demo:gate")).run_id });
    expect(schemas[3]).not.toHaveProperty("properties.reason");
  });

  test("is put to them with everything spelled out that a form would obey or hide", async () => {
    const asked: unknown[] = [];
    const user: User = (message, schema) => {
      asked.push([message, schema]);
      return { action: "accept", content: { answer: "y\u200bes" } };
    };
    const options = JSON.stringify(["y\u200bes", { value: "no", label: "n\u202eo" }]);
    const prompt = JSON.stringify("rm -rf /\u001b[2K\rls\u200b ⚠\ufe0f");
    world = await openWorld({
      "demo:hidden": `steps: [{ id: ask, type: user_input, answer_by: person, prompt: ${prompt}, options: ${options} }]\n`,
    });
    const client = await world.client({}, mode, user);
    const { run_id } = (await client.call("workflow_start", { workflow: "demo:hidden" })).data;
    expect((await client.call("workflow_decide", { run_id })).data).toMatchObject({ recorded: "now" });
    const [message, schema] = asked[0] as [string, { properties: { answer: { oneOf: unknown } } }];
    expect(message).toContain("rm -rf /\\u001b[2K\\u000dls\\u200b ⚠\ufe0f\n");
    expect(schema.properties.answer.oneOf).toEqual([
      { const: "y\u200bes", title: "y\\u200bes" },
      { const: "no", title: "n\\u202eo" },
    ]);
  });

  test.each(["decline", "cancel"] as const)("stays open when the user chooses to %s", async (action) => {
    world = await openWorld({ "demo:gate": gate });
    const client = await world.client({}, mode, () => ({ action }));
    const { run_id } = await started(client, "demo:gate");
    expect(await client.call("workflow_decide", { run_id })).toMatchObject({
      isError: true,
      data: { error: { code: "MCP_NO_ANSWER", message: expect.stringContaining("It stays open.") } },
    });
    expect((await client.call("workflow_status", { run_id })).data.questions).toHaveLength(1);
  });
});

describe("answers that nobody was asked for", () => {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "forger", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };

  async function send(endpoint: ReturnType<typeof createMcpEndpoint>, params: Record<string, unknown>) {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "workflow_decide",
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "workflow_decide", ...params, _meta: envelope },
    });
    const response = await endpoint.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    return (await response.json()) as {
      result?: { resultType?: string; requestState?: string; isError?: boolean; structuredContent?: unknown };
      error?: { code: number };
    };
  }

  test("an accepted form without the server's seal is not taken, and a seal of another question neither", async () => {
    world = await openWorld({ "demo:gate": gate });
    const endpoint = createMcpEndpoint({ context: world.engine.context, ...serverParts });
    const client = await connect(
      makeClient("modern"),
      new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: (url, init) => endpoint.fetch(new Request(url, init)) }),
    );
    const first = await started(client, "demo:gate");
    const second = await started(client, "demo:gate");
    const inputResponses = { answer: { action: "accept", content: { answer: "yes" } } };

    const unasked = await send(endpoint, { arguments: { run_id: first.run_id }, inputResponses });
    expect(unasked.result).toMatchObject({ resultType: "input_required" });
    const forged = await send(endpoint, { arguments: { run_id: first.run_id }, inputResponses, requestState: "v1.e30.AAAA" });
    expect(forged.error).toMatchObject({ code: -32602 });
    const sealed = unasked.result?.requestState;
    const elsewhere = await send(endpoint, { arguments: { run_id: second.run_id }, inputResponses, requestState: sealed });
    expect(elsewhere.result).toMatchObject({ resultType: "input_required" });
    for (const { run_id } of [first, second]) expect((await client.call("workflow_status", { run_id })).data.questions).toHaveLength(1);

    const honest = await send(endpoint, { arguments: { run_id: first.run_id }, inputResponses, requestState: sealed });
    expect(honest.result?.structuredContent).toMatchObject({ recorded: "now" });
    await client.close();
    await endpoint.close();
  });
});

test("a spent budget asks a person, who raises it through the client", async () => {
  const steps = `
steps:
  - { id: a, type: user_message, message: one }
  - { id: b, type: user_message, message: two }
  - { id: c, type: user_message, message: three }
`;
  world = await openWorld({ "demo:three": steps });
  const client = await world.client({}, "legacy", () => ({ action: "accept", content: { answer: "5" } }));
  const first = (await client.call("workflow_start", { workflow: "demo:three", budget: { steps: 1 } })).data;
  const stopped = await client.call("workflow_progress", { run_id: first.run_id, action_id: first.action_id });
  expect(stopped.data).toMatchObject({
    status: "question",
    ask_person_call: { tool: "workflow_decide" },
    command_for_person: expect.stringContaining("waymark decide"),
  });
  const raised = await client.call("workflow_decide", { run_id: first.run_id });
  expect(raised.data).toMatchObject({ status: "action", step: { id: handedOut("b") } });
});
