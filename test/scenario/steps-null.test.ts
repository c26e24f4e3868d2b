/** What is not there never becomes part of a command, and what a run was warned about is seen. */
import { freeHolders } from "../support/free-holders.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { openWorld, type McpWorld } from "../process/mcp-client.ts";
import { SeedBench } from "../support/seed-bench.ts";
import { wholeData } from "../support/whole-data.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const command = (text: string, raw = "{ a: null, o: { there: x }, list: [a, null] }"): string =>
  `default_state: { raw: ${raw} }\nsteps: [{ id: c, type: shell_command, command: ${JSON.stringify(text)}, state_update: { path: raw.out } }]`;

describe("null in a command", () => {
  test.each([
    ["a bare word", "echo rm -r {{ a }}/tmp"],
    ["double quotes", 'echo "{{ a }}/tmp"'],
    ["single quotes", "echo '{{ a }}/tmp'"],
    ["raw text", "echo {{ a | raw }}/tmp"],
    ["the q filter", "echo {{ a | q }}"],
    ["a property that is not there", "echo {{ o.gone }}/tmp"],
    ["an optional read that found nothing", "echo {{ a?.dir }}/tmp"],
    ["an expression that gives null", "echo {{ o.there === 'y' ? 'z' : null }}"],
  ])("%s: the command is not run", async (_title, text) => {
    const run = await bench.run(command(text));
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "EXPRESSION_FAILED" });
    expect(run.error?.message).toMatch(/null.*not run/);
  });

  test.each([
    ["default", "echo {{ a | default('d') }}/tmp", "d/tmp"],
    ["default with an unknown name", "echo {{ nosuch.dir | default('d') }}", "d"],
    ["an empty default, which is meant", "echo x{{ a | default('') }}y", "xy"],
    ["??", "echo {{ a ?? 'n' }}", "n"],
    ["?. with ??", "echo {{ a?.dir ?? 'n' }}", "n"],
    ["||", "echo {{ a || 'o' }}", "o"],
    ["json, which writes null", "echo {{ a | json }}", "null"],
    ["a list with null in it", "printf '%s.' {{ list }}", "a.."],
  ])("%s is a guard", async (_title, text, expected) => {
    const run = await bench.run(command(text));
    expect(run.error).toBeUndefined();
    expect(await run.read("out")).toBe(expected);
  });

  test("an agent's command is refused as well", async () => {
    const run = await bench.run(
      `default_state: { raw: { a: null } }\nsteps: [{ id: c, type: agent_shell_command, command: "rm -r {{ a }}/tmp", reason: r }]`,
    );
    expect(run.error).toMatchObject({ code: "EXPRESSION_FAILED" });
  });
});

describe("a property of an unknown name", () => {
  const put = (value: string): string => `steps: [{ id: put, type: state_update, path: raw.a, value: ${JSON.stringify(value)} }]`;

  test.each(["{{ nosuch.dir }}", "{{ nosuch['dir'] }}", "{{ nosuch.dir | upper }}", "{{ inputs[nosuch.dir] }}"])(
    "%s alone in a value is an error",
    async (value) => {
      const run = await bench.run(put(value));
      expect(run.error).toMatchObject({ code: "EXPRESSION_FAILED" });
      expect(run.error?.message).toContain("nosuch");
    },
  );

  test.each([
    ["{{ nosuch }}", null],
    ["{{ nosuch?.dir }}", null],
    ["{{ nosuch?.dir.deeper }}", null],
    ["{{ nosuch?.dir ?? 'n' }}", "n"],
    ["{{ nosuch.dir | default('d') }}", "d"],
  ])("%s is no error", async (value, expected) => {
    const run = await bench.run(put(value));
    expect(run.error).toBeUndefined();
    expect(await run.read("a")).toBe(expected);
  });

  test("a condition is false, with a warning", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: conditional, condition: "{{ nosuch.dir }}", then: [{ id: t, type: user_message, message: t }], else: [{ id: e, type: user_message, message: e }] }]`,
    );
    expect(run.step?.id).toBe("c.e");
    expect((await run.warnings()).join()).toContain("EXPRESSION_NULL_PROPERTY");
  });
});

describe("two paths with one path_to_key", () => {
  const write = (items: string, more = ""): string => `
steps:
  - id: each
    type: foreach
    items: ${items}
    steps:
      - { id: put, type: state_update, path: "raw.results.{{ item | path_to_key }}", value: "{{ item }}" }${more}`;

  test("the second write is refused and the first one stays", async () => {
    const run = await bench.run(write("[lib/io.net.ts, lib_io/net.ts]"));
    expect(run.error).toMatchObject({ code: "STATE_WRITE" });
    expect(run.error?.message).toMatch(/lib_io\/net\.ts.*lib\/io\.net\.ts/);
    expect(await run.read("results")).toEqual({ lib_io_net_ts: "lib/io.net.ts" });
  });

  test("both in one list of updates are refused together", async () => {
    const run = await bench.run(`
default_state: { raw: { a: x/y, b: x.y } }
steps:
  - id: put
    type: state_update
    updates: [{ path: "raw.r.{{ a | path_to_key }}", value: 1 }, { path: "raw.r.{{ b | path_to_key }}", value: 2 }]`);
    expect(run.error).toMatchObject({ code: "STATE_WRITE" });
    expect(await run.read("r")).toBeNull();
  });

  test("the same path may be written again, below it and in another place too", async () => {
    const run = await bench.run(
      write(
        "[a/b, a/b, c/d]",
        `
      - { type: state_update, path: "raw.deep.{{ item | path_to_key }}.seen", value: 1 }
      - { type: state_update, path: "raw.deep.{{ item | path_to_key }}.twice", value: 2 }`,
      ),
    );
    expect(run.error).toBeUndefined();
    expect(await run.state()).toEqual({
      results: { a_b: "a/b", c_d: "c/d" },
      deep: { a_b: { seen: 1, twice: 2 }, c_d: { seen: 1, twice: 2 } },
    });
  });

  test("a key that was removed is free for another path", async () => {
    const run = await bench.run(write("[a/b, a.b]", `\n      - { type: state_update, path: raw.results, value: {} }`));
    expect(run.error).toBeUndefined();
  });
});

describe("a loop that reached its limit", () => {
  const loop = `
steps:
  - id: again
    type: while
    condition: "true"
    max_iterations: 3
    body: [{ type: state_update, path: raw.a_rather_long_name_of_a_field_number_one, operation: increment }, { type: state_update, path: raw.a_rather_long_name_of_a_field_number_two, operation: increment }]
  - { id: wait_here, type: user_message, message: hi }
`;
  let cli: CliBench | undefined;
  let world: McpWorld | undefined;
  afterEach(async () => {
    await cli?.close();
    await world?.close();
    cli = undefined;
    world = undefined;
  });

  test("is in the status and the journal of the command line", async () => {
    cli = await openCliBench({ ".waymark/workflows/loop.yaml": `name: loop\ndescription: A loop.\nversion: "1.0.0"\n${loop}` });
    const run = String((await cli.json(["start", "loop"]))["run_id"]);
    const data = await cli.json<{ warnings: unknown[] }>(["status", run]);
    expect(data.warnings).toEqual([{ code: "LOOP_LIMIT", message: expect.stringContaining("3 rounds") as string, step: "again" }]);
    expect((await cli.run(["status", run])).stdout).toMatch(/3 rounds and its condition still holds.*LOOP_LIMIT/);
    expect((await cli.run(["journal", run])).stdout).toMatch(/LOOP_LIMIT.*3 rounds and its condition still holds/);
  });

  test("is in both parts of workflow_status, also behind many other warnings", async () => {
    const noisy = Array.from({ length: 12 }, (_, index) => `  - { id: m${index}, type: user_message, message: "{{ nobody${index} }}" }`);
    world = await openWorld({ loop: `${loop}${noisy.join("\n")}\n` });
    const { call } = await world.client();
    let reply = await call("workflow_start", { workflow: "loop" });
    const { run_id } = reply.data;
    for (let step = 0; step < 8; step += 1) reply = await call("workflow_progress", { run_id, action_id: reply.data.action_id });
    const status = await call("workflow_status", { run_id });
    expect(status.data.warnings[0]).toMatchObject({ code: "LOOP_LIMIT", step: "again" });
    expect(status.data.warnings).toHaveLength(5);
    expect(status.data.more_warnings).toBeGreaterThan(0);
    expect(status.text).toMatch(/LOOP_LIMIT.*3 rounds/);
  });

  test("a run without warnings says nothing about them", async () => {
    world = await openWorld({ quiet: `steps: [{ id: wait_here, type: user_message, message: hi }]` });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "quiet" })).data;
    expect((await call("workflow_status", { run_id })).data).not.toHaveProperty("warnings");
  });
});

describe("a resume that must be cut", () => {
  let world: McpWorld | undefined;
  afterEach(() => world?.close());

  test("keeps the open step's own command and cuts the state", async () => {
    const own = "do a 0 pf.0 3 a wf-par-2026 and then the rest of it";
    world = await openWorld({
      long: `
default_state: { raw: { ${Array.from({ length: 40 }, (_, index) => `field_${index}: "${`value ${index} `.repeat(20)}"`).join(", ")} } }
steps: [{ id: act, type: agent_shell_command, command: "${own} {{ field_1 | length }}", reason: needs you }]
`,
    });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "long" })).data;
    await freeHolders(world.engine.context);
    const resumed = await (await world.client()).call("workflow_resume", { run_id });
    expect(resumed.data.step.definition.command).toContain(own);
    expect(resumed.text).toContain(own);
    expect(JSON.stringify(resumed.data.state).length).toBeLessThan(2000);
  });

  test("cuts a long command only after everything else", async () => {
    world = await openWorld({
      long: `
default_state: { raw: { big: "${"big value ".repeat(300)}", other: "${"other value ".repeat(300)}" } }
steps: [{ id: act, type: mcp_call, mcp: { method: look, params: { all: "{{ big }}", query: "short and needed words of the step" } } }]
`,
    });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "long" })).data;
    await freeHolders(world.engine.context);
    const second = await world.client();
    const resumed = await second.call("workflow_resume", { run_id });
    expect(JSON.stringify(resumed.data.step)).toContain("short and needed words of the step");
    const { step } = (await wholeData(second.call, resumed)) as unknown as typeof resumed.data;
    expect(step.definition.params.all).toBe("big value ".repeat(300));
  });
});
