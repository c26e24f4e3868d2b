/** A `secret: true` input stays hidden in every view, whatever its type and wherever its text got to. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { checkpoint, exportRun, journal } from "../../src/engine/index.ts";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { openWorld, type McpWorld } from "../process/mcp-client.ts";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

/** Everything that can be shown of a run, as one text. */
async function shown(run: SeedRun): Promise<string> {
  const { context, caller } = run.engine;
  const { statePath } = await checkpoint(context, caller, { run: run.id, reason: "test" });
  return [
    JSON.stringify(await run.state()),
    JSON.stringify(await exportRun(context, run.id)),
    JSON.stringify(await journal(context, run.id, 0, 1000)),
    await readFile(statePath, "utf8"),
  ].join("\n");
}

const waiting = `steps: [{ id: wait_here, type: user_message, message: hi }]`;

describe("types", () => {
  test("a number is hidden as a number and as text", async () => {
    const run = await bench.run(
      `inputs: { pin: { type: number, secret: true } }
default_state: { raw: { copy: "{{ inputs.pin }}", said: "pin={{ inputs.pin }}", list: ["{{ inputs.pin }}"] } }\n${waiting}`,
      { inputs: { pin: 8_675_309 } },
    );
    expect(await shown(run)).not.toContain("8675309");
    expect(await run.state()).toEqual({ copy: "********", said: "pin=********", list: ["********"] });
  });

  test("a short number is hidden as the input itself and does not blank everything else", async () => {
    const run = await bench.run(
      `inputs: { pin: { type: number, secret: true }, flag: { type: boolean, secret: true } }
default_state: { raw: { count: 7, other: true } }\n${waiting}`,
      { inputs: { pin: 7, flag: true } },
    );
    const exported = await exportRun(run.engine.context, run.id);
    expect(exported["inputs"]).toEqual({ pin: "********", flag: "********" });
    expect(await run.state()).toEqual({ count: 7, other: true });
  });

  test("every text and long number inside an object or a list is hidden", async () => {
    const run = await bench.run(
      `inputs: { login: { type: object, secret: true }, keys: { type: array, secret: true } }
default_state: { raw: { copy: "{{ inputs.login }}", user: "{{ inputs.login.user.name }}", text: "as {{ inputs.login }}", third: "{{ inputs.keys[1] }}" } }\n${waiting}`,
      { inputs: { login: { user: { name: "root-user" }, code: 556_677 }, keys: ["first-key", "second-key"] } },
    );
    const all = await shown(run);
    for (const leaf of ["root-user", "556677", "first-key", "second-key"]) expect(all).not.toContain(leaf);
    expect((await exportRun(run.engine.context, run.id))["inputs"]).toEqual({ login: "********", keys: "********" });
  });
});

describe("places", () => {
  test("keys are hidden, and two hidden keys stay two", async () => {
    const run = await bench.run(
      `inputs: { a: { type: string, secret: true }, b: { type: string, secret: true } }
steps:
  - { type: state_update, path: "raw.k.{{ inputs.a }}", value: 1 }
  - { type: state_update, path: "raw.k.{{ inputs.b }}", value: 2 }
  - { type: state_update, path: "raw.k.x-{{ inputs.b }}", value: 3 }
  - { id: wait_here, type: user_message, message: hi }`,
      { inputs: { a: "alpha-token", b: "beta-token" } },
    );
    expect(await shown(run)).not.toMatch(/alpha-token|beta-token/);
    expect(Object.values(((await run.state()) as { k: JsonObject }).k)).toEqual([1, 2, 3]);
  });

  test("a secret is hidden inside JSON text and inside a quoted command", async () => {
    const secret = "p\"a\\ss\n'wörd";
    const run = await bench.run(
      `inputs: { key: { type: string, secret: true } }
default_state: { raw: { once: "{{ ({ k: inputs.key }) | json }}", twice: "{{ JSON.stringify(JSON.stringify([inputs.key])) }}" } }
steps:
  - { id: say, type: shell_command, command: "printf '%s' {{ inputs.key }} > /dev/null" }
  - { id: wait_here, type: user_message, message: hi }`,
      { inputs: { key: secret } },
    );
    expect(await run.state()).toEqual({ once: '{"k":"********"}', twice: expect.stringMatching(/^"\[\\"\*{8}\\"\]"$/) as string });
    const all = await shown(run);
    for (const part of ['p\\"a', "wörd"]) expect(all).not.toContain(part);
  });

  test("whatever the text, no JSON of a state holds it", async () => {
    const run = await bench.run(`inputs: { key: { type: string, secret: true } }\n${waiting}`, { inputs: { key: "only-once" } });
    const { program, state } = run.position;
    const { maskSecrets } = await import("../../src/views/index.ts");
    const main = state.scopes["run"];
    if (main === undefined) throw new Error("no scope");
    fc.assert(
      fc.property(fc.string({ minLength: 6, unit: "binary" }), (secret) => {
        const held = { ...state, scopes: { run: { ...main, inputs: { key: `<${secret}>` } } } };
        const inner = JSON.stringify([`<${secret}>`]);
        const seen = maskSecrets<Json>(
          { plain: `a<${secret}>b`, inner, deeper: JSON.stringify({ inner }), [`k<${secret}>`]: 1 },
          program,
          held,
        );
        expect(Object.keys(seen as JsonObject)).toEqual(["plain", "inner", "deeper", "k********"]);
        expect((seen as JsonObject)["plain"]).toBe("a********b");
        expect((seen as JsonObject)["inner"]).toBe('["********"]');
        expect(JSON.stringify((seen as JsonObject)["deeper"])).toContain("********");
      }),
    );
  });

  test("a refusal does not repeat the wrong value, nor the values that would be right", async () => {
    const inputs = `inputs:
  pin: { type: number, secret: true }
  kind: { type: string, secret: true, default: silver-plan, validation: { enum: [gold-plan, silver-plan] } }`;
    await expect(bench.run(`${inputs}\n${waiting}`, { inputs: { pin: "not-a-number-hunter2" } })).rejects.toThrow(
      /^(?=.*`pin` must be a number)(?!.*hunter2)/,
    );
    await expect(bench.run(`${inputs}\n${waiting}`, { inputs: { pin: 1, kind: "bronze-plan" } })).rejects.toThrow(
      /^(?=.*`kind`)(?!.*(?:gold|silver|bronze)-plan)/,
    );
  });
});

describe("surfaces", () => {
  const flow = `name: flow
description: Has a secret
version: "1.0.0"
inputs: { key: { type: string, secret: true, default: hunter2hunter2 }, pin: { type: number, secret: true, default: 42 }, plain: { type: string, default: seen } }
steps:
  - { id: ask, type: user_input, prompt: "Is {{ inputs.key }} right?", state_update: { path: raw.answer } }
`;
  let cli: CliBench | undefined;
  let world: McpWorld | undefined;
  afterEach(async () => {
    await cli?.close();
    await world?.close();
    cli = undefined;
    world = undefined;
  });

  test("info hides the default of a secret input as JSON and as text", async () => {
    cli = await openCliBench({ ".waymark/workflows/flow.yaml": flow });
    const data = await cli.json<{ inputs: Record<string, JsonObject> }>(["info", "flow"]);
    expect(data.inputs["key"]).toMatchObject({ secret: true, default: "********" });
    expect(data.inputs["pin"]?.["default"]).toBe("********");
    expect(data.inputs["plain"]?.["default"]).toBe("seen");
    expect((await cli.run(["info", "flow"])).stdout).not.toContain("hunter2");
  });

  test("workflow_info and workflow_status hide it in both parts", async () => {
    world = await openWorld({ flow: flow.replace(/^name.*\n.*\n.*\n/, "") });
    const { call } = await world.client();
    const info = await call("workflow_info", { workflow: "flow" });
    expect(info.data.inputs.key.default).toBe("********");
    expect(JSON.stringify(info.raw)).not.toContain("hunter2");
    expect(info.text).not.toContain("default 42");
    const { run_id } = (await call("workflow_start", { workflow: "flow" })).data;
    const status = await call("workflow_status", { run_id });
    expect(JSON.stringify(status.data.questions)).toContain("Is ******** right?");
    expect(JSON.stringify(status.raw)).not.toContain("hunter2");
  });
});
