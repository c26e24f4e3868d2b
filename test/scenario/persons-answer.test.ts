import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WaymarkError } from "../../src/base/index.ts";
import { answer, doctor, removeRun, sealedText, type Caller } from "../../src/engine/index.ts";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { forgeAnswer } from "../support/machine-forge.ts";
import { openWorld, type McpWorld, type TestClient } from "../process/mcp-client.ts";

/** A person says whether the deploy runs; between the answer and the deploy an agent has a step of its own. */
function deploy(path: string, condition: string, more = ""): string {
  return `default_state: { raw: { review: {}, file: a.ts } }
${more}steps:
  - { id: ask, type: user_input, answer_by: person, prompt: "Deploy?", options: ["yes", "no"], state_update: { path: ${path} } }
  - { id: work, type: user_message, message: "Work." }
  - id: gate
    type: conditional
    condition: "{{ ${condition} }}"
    then: [{ id: deploy, type: shell_command, command: "touch deployed" }]
  - { id: last, type: user_message, message: "Done." }
`;
}

const asking = `steps:
  - { id: ask, type: user_input, answer_by: person, prompt: "Deploy?", options: ["yes", "no"], state_update: { path: raw.approved } }
`;

/** Passes on what the workflow that it includes was answered. */
const around = `steps:
  - { id: sub, type: include_workflow, workflow: "demo:asking" }
  - { id: copy, type: state_update, path: raw.ok, value: "{{ approved }}" }
`;

function including(condition: string, workflow = "demo:asking"): string {
  return `steps:
  - { id: sub, type: include_workflow, workflow: "${workflow}" }
  - { id: work, type: user_message, message: "Work." }
  - id: gate
    type: conditional
    condition: "{{ ${condition} }}"
    then: [{ id: deploy, type: shell_command, command: "touch deployed" }]
  - { id: last, type: user_message, message: "Done." }
`;
}

const computed = `state_schema:
  computed:
    agreed: { from: raw.approved, transform: "input === 'yes'" }
`;

interface Attack {
  readonly title: string;
  readonly workflow: string;
  readonly update: { readonly path: string; readonly operation?: string; readonly value: unknown };
}

const attacks: readonly Attack[] = [
  {
    title: "sets the very path",
    workflow: deploy("raw.approved", "approved == 'yes'"),
    update: { path: "raw.approved", value: "yes" },
  },
  {
    title: "sets the object around it",
    workflow: deploy("raw.review.approved", "raw.review.approved == 'yes'"),
    update: { path: "raw.review", value: { approved: "yes" } },
  },
  {
    title: "merges into the object around it",
    workflow: deploy("raw.review.approved", "review.approved == 'yes'"),
    update: { path: "raw.review", operation: "merge", value: { approved: "yes" } },
  },
  {
    title: "writes the name in a tier that is read first",
    workflow: deploy("state.approved", "approved == 'yes'"),
    update: { path: "raw.approved", value: "yes" },
  },
  {
    title: "writes the name of the tier itself",
    workflow: deploy("raw.approved", "raw.approved == 'yes'"),
    update: { path: "raw.raw", value: { approved: "yes" } },
  },
  {
    title: "writes the name of the computed tier",
    workflow: deploy("raw.approved", "computed.agreed", computed),
    update: { path: "state.computed", value: { agreed: true } },
  },
  {
    title: "writes a key that readers take for the answer's own",
    workflow: deploy("raw.review.a_ts", "review[file] == 'yes'"),
    update: { path: 'raw.review["a.ts"]', value: "yes" },
  },
  {
    title: "writes the name of the included workflow that asked",
    workflow: including("sub.approved == 'yes'"),
    update: { path: "raw.sub", value: { approved: "yes" } },
  },
  {
    title: "writes the name of the workflow around the included one that asked",
    workflow: including("sub.ok == 'yes'", "demo:around"),
    update: { path: "raw.sub", value: { ok: "yes" } },
  },
  {
    title: "writes a name that the included workflow brought",
    workflow: including("approved == 'yes'"),
    update: { path: "state.approved", value: "yes" },
  },
];

function person(session: string): Caller {
  return { holder: { kind: "person", name: "ada", session }, surface: "cli-terminal", leaseOwner: session };
}

describe("an agent cannot turn a person's no into a yes", () => {
  let world: McpWorld | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  async function answered(workflow: string, given: string): Promise<{ readonly client: TestClient; readonly run: string }> {
    world = await openWorld({ "demo:asking": asking, "demo:around": around, "demo:deploy": workflow });
    const client = await world.client({ toolsets: ["state"] });
    const { run_id: run, action_id: decision } = (await client.call("workflow_start", { workflow: "demo:deploy" })).data;
    await answer(world.engine.context, person("p"), { run, decision, answer: given, relayed: false });
    await client.call("workflow_next", { run_id: run });
    return { client, run };
  }

  function isDeployed(): boolean {
    return existsSync(join(world!.engine.folder, "deployed"));
  }

  test.each(attacks)("when it $title", async ({ workflow, update }) => {
    const { client, run } = await answered(workflow, "no");
    const written = await client.call("workflow_state_update", { workflow_id: run, updates: [update] });
    const next = await client.call("workflow_progress", { run_id: run, status: "success" });
    expect(next.data.step.definition.message).toBe("Done.");
    expect(isDeployed()).toBe(false);
    expect(written).toMatchObject({ isError: true, data: { error: { code: "STATE_OF_PERSON" } } });
    expect(written.text).toContain("Deploy?");
    expect(written.text).toContain(`waymark state ${run} --set`);
    const records = await world!.engine.context.store.readRecords(run, 0, 200);
    expect(records.some(({ events }) => events.includes('"refused"') && events.includes("STATE_OF_PERSON"))).toBe(true);
  });

  test.each(attacks)("and a yes still deploys ($title)", async ({ workflow }) => {
    const { client, run } = await answered(workflow, "yes");
    await client.call("workflow_progress", { run_id: run, status: "success" });
    expect(isDeployed()).toBe(true);
  });

  test("while the question is still open", async () => {
    world = await openWorld({ "demo:deploy": deploy("raw.approved", "approved == 'yes'") });
    const client = await world.client({ toolsets: ["state"] });
    const { run_id: run } = (await client.call("workflow_start", { workflow: "demo:deploy" })).data;
    const written = await client.call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.approved", value: "yes" }] });
    expect(written).toMatchObject({ isError: true, data: { error: { code: "STATE_OF_PERSON" } } });
  });

  test("by the result of a step that stores it there", async () => {
    const stores = deploy("raw.approved", "approved == 'yes'").replace(
      '{ id: work, type: user_message, message: "Work." }',
      '{ id: work, type: agent_shell_command, command: "true", state_update: { path: raw.approved } }',
    );
    const { client, run } = await answered(stores, "no");
    await client.call("workflow_progress", { run_id: run, result: "yes" });
    expect(isDeployed()).toBe(false);
    const { state } = await world!.engine.context.runs.open(run);
    expect(state).toMatchObject({ status: "failed", error: { code: "STATE_OF_PERSON" } });
  });

  test("by a field of its result that has the name of the answer", async () => {
    const reads = deploy("raw.approved", "go == 'yes'").replace(
      '{ id: work, type: user_message, message: "Work." }',
      '{ id: work, type: agent_shell_command, command: "true", state_update: { path: raw.go, value: "{{ approved }}" } }',
    );
    const { client, run } = await answered(reads, "no");
    await client.call("workflow_progress", { run_id: run, result: { approved: "yes" } });
    expect(isDeployed()).toBe(false);
  });

  test("by a field of its result that an update of the author's reads", async () => {
    const sets = deploy("raw.approved", "approved == 'yes'").replace(
      '{ id: work, type: user_message, message: "Work." }',
      '{ id: reset, type: state_update, by: agent, path: raw.approved, value: "{{ file }}" }',
    );
    const { client, run } = await answered(sets, "no");
    await client.call("workflow_progress", { run_id: run, status: "success", result: { file: "yes" } });
    expect(isDeployed()).toBe(false);
  });

  test("by a name that it wrote before the person was asked", async () => {
    const before = deploy("state.approved", "approved == 'yes'").replace(
      "steps:",
      'steps:\n  - { id: first, type: user_message, message: "First." }',
    );
    world = await openWorld({ "demo:deploy": before });
    const client = await world.client({ toolsets: ["state"] });
    const { run_id: run } = (await client.call("workflow_start", { workflow: "demo:deploy" })).data;
    await client.call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.approved", value: "yes" }] });
    const { action_id: decision } = (await client.call("workflow_progress", { run_id: run, status: "success" })).data;
    await answer(world.engine.context, person("p"), { run, decision, answer: "no", relayed: false });
    const { state } = await world.engine.context.runs.open(run);
    expect(state).toMatchObject({
      status: "failed",
      error: { code: "STATE_HIDES_ANSWER", message: expect.stringContaining("raw.approved") },
    });
    expect(isDeployed()).toBe(false);
  });

  test("and what is beside the answer stays the agent's to write", async () => {
    const { client, run } = await answered(deploy("raw.review.approved", "review.approved == 'yes'"), "no");
    const updates = [
      { path: "raw.review.notes", value: "fine" },
      { path: "raw.review", operation: "merge", value: { more: 1 } },
      { path: "raw.other", value: 1 },
    ];
    expect((await client.call("workflow_state_update", { workflow_id: run, updates })).isError).toBe(false);
  });

  test("while the workflow itself may change it", async () => {
    const sets = deploy("raw.approved", "approved == 'yes'").replace(
      '{ id: work, type: user_message, message: "Work." }',
      "{ id: reset, type: state_update, path: raw.approved, value: later }\n  - { id: again, type: state_update, by: agent, path: raw.approved, value: never }",
    );
    const { client, run } = await answered(sets, "yes");
    await client.call("workflow_progress", { run_id: run, status: "success" });
    expect(isDeployed()).toBe(false);
    const { state } = await world!.engine.context.runs.open(run);
    expect(state.scopes["run"]?.raw["approved"]).toBe("never");
  });
});

describe("an agent has no way to answer for the person", () => {
  let world: McpWorld;
  let client: TestClient;
  let run: string;
  let decision: string;
  beforeEach(async () => {
    world = await openWorld({ "demo:deploy": deploy("raw.approved", "approved == 'yes'") });
    client = await world.client({ toolsets: ["all"] });
    ({ run_id: run, action_id: decision } = (await client.call("workflow_start", { workflow: "demo:deploy" })).data);
  });
  afterEach(() => world.close());

  const updates = [{ path: "raw.approved", value: "yes" }];
  const calls: Readonly<Record<string, (id: string) => readonly [string, Record<string, unknown>]>> = {
    "by workflow_decide": (id) => ["workflow_decide", { decision_id: id, answer: "yes" }],
    "by workflow_decide without the id": () => ["workflow_decide", { answer: "yes" }],
    "by workflow_decide without an answer": () => ["workflow_decide", {}],
    "by a report": (id) => ["workflow_progress", { action_id: id, result: "yes" }],
    "by a report in the form of an answer": (id) => ["workflow_progress", { action_id: id, result: { answer: "yes" } }],
    "by a report without a result": (id) => ["workflow_progress", { action_id: id, status: "success" }],
    "by a report that it failed": (id) => ["workflow_progress", { action_id: id, status: "failed", error: "nobody is here" }],
    "by a report that it is skipped": (id) => ["workflow_progress", { action_id: id, status: "skipped" }],
    "by completing the step": () => ["workflow_step_complete", { workflow_id: "", step_id: "ask", status: "success", result: "yes" }],
    "by writing it": () => ["workflow_state_update", { workflow_id: "", updates }],
    "by completing the run": () => ["workflow_complete", { status: "success" }],
  };

  test.each(Object.keys(calls))("%s", async (name) => {
    const [tool, { workflow_id: seed, ...args }] = calls[name]!(decision);
    const reply = await client.call(tool, seed === undefined ? { run_id: run, ...args } : { workflow_id: run, ...args });
    expect(reply.isError).toBe(true);
    await client.call("workflow_progress", { run_id: run, action_id: decision });
    const { state } = await world.engine.context.runs.open(run);
    expect(state.decisions[decision]).toMatchObject({ status: "pending" });
    expect(state.scopes["run"]?.raw).not.toHaveProperty("approved");
  });

  test("and what it tried is on record", async () => {
    const tried = ["by workflow_decide", "by a report", "by a report that it failed", "by writing it", "by completing the run"];
    for (const name of tried) {
      const [tool, { workflow_id: seed, ...args }] = calls[name]!(decision);
      await client.call(tool, seed === undefined ? { run_id: run, ...args } : { workflow_id: run, ...args });
    }
    const records = await world.engine.context.store.readRecords(run, 0, 200);
    expect(records.filter(({ events }) => events.includes('"type":"refused"'))).toHaveLength(tried.length);
  });
});

describe("an answer that was put into the store by hand", () => {
  let world: McpWorld;
  let client: TestClient;
  let run: string;
  let decision: string;
  beforeEach(async () => {
    world = await openWorld({ "demo:deploy": deploy("raw.approved", "approved == 'yes'") });
    client = await world.client();
    ({ run_id: run, action_id: decision } = (await client.call("workflow_start", { workflow: "demo:deploy" })).data);
  });
  afterEach(() => world.close());

  test("stops the run in every process, and nothing runs", async () => {
    const { engine } = world;
    await forgeAnswer({ engine, folder: engine.folder }, run, { decision, answer: "yes" });
    const other = await engine.again();
    for (const context of [engine.context, other.context])
      await expect(context.runs.open(run)).rejects.toMatchObject({ code: "ENGINE_UNSEALED_ANSWER" });
    const next = await client.call("workflow_next", { run_id: run });
    expect(next).toMatchObject({ isError: true, data: { error: { code: "ENGINE_UNSEALED_ANSWER" } } });
    expect(next.text).toContain("Deploy?");
    expect((await doctor(other.context)).problems).toMatchObject([{ run }]);
    await removeRun(other.context, run);
    await expect(other.context.runs.open(run)).rejects.toMatchObject({ code: "ENGINE_NO_RUN" });
    await other.close();
  });

  test("does not count with the seal of another answer either", async () => {
    const { engine } = world;
    const seal = await engine.host.seal(sealedText(run, decision, 1, "no"));
    await forgeAnswer({ engine, folder: engine.folder }, run, { decision, answer: "yes", seal });
    await expect(engine.context.runs.open(run)).rejects.toMatchObject({ code: "ENGINE_UNSEALED_ANSWER" });
  });

  test("may be one of another computer's key: it counts once that key is beside one's own, and so do one's own answers", async () => {
    const { host, context } = world.engine;
    await answer(context, person("p"), { run, decision, answer: "yes", relayed: false });
    const ownKey = join(dirname(host.sealKeys), "seal.key");
    await rename(ownKey, `${ownKey}.other`);
    const other = await world.engine.again();
    const error = (await other.context.runs.open(run).catch((cause: unknown) => cause)) as WaymarkError;
    expect(error).toMatchObject({ code: "ENGINE_UNSEALED_ANSWER", details: { keys: host.sealKeys } });
    expect(error.fix).toContain(`copy \`seal.key\` from there to \`${host.sealKeys}/\``);
    expect(error.fix).toContain("Keep your own");
    expect(`${error.message}${error.fix}`).not.toContain("waymark rm");
    await mkdir(host.sealKeys);
    await rename(`${ownKey}.other`, join(host.sealKeys, "there.key"));
    expect((await other.context.runs.open(run)).state.scopes["run"]?.raw["approved"]).toBe("yes");
    expect(await other.host.isSealed("text", await other.host.seal("text"))).toBe(true);
    await other.close();
  });

  test("differs from a person's own, which other processes take", async () => {
    const other = await world.engine.again();
    await answer(world.engine.context, person("p"), { run, decision, answer: "yes", relayed: false });
    expect((await other.context.runs.open(run)).state.scopes["run"]?.raw["approved"]).toBe("yes");
    await other.close();
  });
});

describe("on the command line without a terminal", () => {
  test("no command answers for the person", async () => {
    const bench = await openCliBench({
      ".waymark/workflows/demo.yaml": `name: demo\ndescription: d\nversion: "1.0.0"\n${deploy("raw.approved", "approved == 'yes'")}`,
    });
    await bench.run(["allow", "demo", "--yes"], { terminal: true });
    const run = String((await bench.json(["start", "demo"]))["run_id"]);
    for (const line of [
      ["decide", run, "ask", "yes"],
      ["decide", run, "ask"],
      ["decide", run, "ask", "--decline", "nobody is here"],
      ["done", run, "--result", '"yes"'],
      ["done", run],
      ["fail", run, "nobody is here"],
      ["skip", run, "nobody is here"],
      ["state", run, "--set", "raw.approved=yes"],
    ])
      expect((await bench.run(line)).code, line.join(" ")).not.toBe(0);
    expect((await bench.run(["next", run])).stdout).toContain("Deploy?");
    await bench.close();
  });
});

describe("on the command line", () => {
  let bench: CliBench;
  let run: string;
  beforeEach(async () => {
    bench = await openCliBench({
      ".waymark/workflows/demo.yaml": `name: demo\ndescription: d\nversion: "1.0.0"\n${deploy("raw.approved", "approved == 'yes'")}`,
    });
    await bench.run(["allow", "demo", "--yes"], { terminal: true });
    run = String((await bench.json(["start", "demo"]))["run_id"]);
    await bench.run(["decide", run, "ask", "no"], { terminal: true });
    await bench.run(["next", run]);
  });
  afterEach(() => bench.close());

  test("a person's answer is not changed without a terminal", async () => {
    const { code, stderr } = await bench.run(["state", run, "--set", "raw.approved=yes"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("STATE_OF_PERSON");
    await bench.run(["done", run]);
    expect(existsSync(join(bench.workspace, "deployed"))).toBe(false);
  });

  test("a question too long to be shown elsewhere is answered where all of it is shown", async () => {
    const commands = Array.from({ length: 123 }, (_, at) => `- node scripts/check-${at}.mjs --all`);
    const prompt = JSON.stringify(["May these run?", ...commands].join("\n"));
    await bench.write(
      ".waymark/workflows/long.yaml",
      `name: long\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: allow, type: user_input, answer_by: person, prompt: ${prompt}, options: ["yes", "no"] }]\n`,
    );
    const long = String((await bench.json(["start", "long"]))["run_id"]);
    const unseen = await bench.run(["decide", long, "allow", "yes"], { terminal: true });
    expect(unseen.stderr).toContain("CLI_NOT_SHOWN");
    expect(unseen.stderr).toContain(`waymark decide ${long}`);
    expect((await bench.run(["done", long, "--result", '"yes"'], { terminal: true })).stderr).toContain("CLI_NOT_SHOWN");
    const seen = await bench.run(["decide", long], { terminal: true, typed: ["yes"] });
    expect(seen.stdout).toContain("check-122");
    expect(seen.stdout).toContain('Recorded: "yes"');
  });

  test("an answer on the command line counts for what one screen shows, which is printed with it", async () => {
    const asks = async (length: number): Promise<string> => {
      const prompt = `May this run? ${"x".repeat(length - 15)}!`;
      await bench.write(
        ".waymark/workflows/screen.yaml",
        `name: screen\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: allow, type: user_input, answer_by: person, prompt: "${prompt}" }]\n`,
      );
      return String((await bench.json(["start", "screen"]))["run_id"]);
    };
    const long = await asks(1001);
    expect((await bench.run(["decide", long, "allow", "yes"], { terminal: true })).stderr).toContain("CLI_NOT_SHOWN");
    for (const line of [
      ["decide", await asks(1000), "allow", "yes"],
      ["done", await asks(1000), "--result", '"yes"'],
    ])
      expect((await bench.run(line, { terminal: true })).stdout).toMatch(/^May this run\? x+!\nRecorded/);
  });

  test("the person changes it on a terminal, and it stays the person's", async () => {
    expect((await bench.run(["state", run, "--set", "raw.approved=yes"], { terminal: true })).code).toBe(0);
    expect((await bench.run(["state", run, "--set", "raw.approved=no"])).stderr).toContain("STATE_OF_PERSON");
    await bench.run(["done", run]);
    expect(existsSync(join(bench.workspace, "deployed"))).toBe(true);
  });
});
