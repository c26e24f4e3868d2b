/** What agents are given and how they answer: atomic steps exactly as specified, and two ways of reporting with one effect. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { next, report, updateState } from "../../src/engine/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import { SeedBench } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

describe("an atomic step", () => {
  test("has id, type, instructions, definition and the replacements that were made", async () => {
    const run = await bench.run(`
inputs: { branch: { type: string, default: main } }
steps: [{ id: detect, type: agent_shell_command, command: "git diff --name-only {{ inputs.branch }}", output_format: lines, state_update: { path: raw.git_files, value: "{{ result }}" } }]`);
    expect(run.step).toEqual({
      id: "detect",
      type: "agent_shell_command",
      instructions: expect.stringContaining("`raw.git_files`") as string,
      definition: {
        command: "git diff --name-only main",
        output_format: "lines",
        state_update: { path: "raw.git_files", value: "{{ result }}" },
      },
      variable_replacements: { "{{ inputs.branch }}": "main" },
    });
  });

  test("a state update shows operation, computed values and the expression they came from", async () => {
    const run = await bench.run(`
default_state: { raw: { files: [a, b, c] } }
steps: [{ id: update, type: state_update, by: agent, updates: [{ path: raw.count, value: "{{ files.length }}" }, { path: raw.n, operation: increment, value: 2 }] }]`);
    expect(run.step).toEqual({
      id: "update",
      type: "state_update",
      instructions: expect.stringMatching(/already computed/) as string,
      definition: {
        updates: [
          { path: "raw.count", operation: "set", value: 3 },
          { path: "raw.n", operation: "increment", value: 2 },
        ],
      },
      variable_replacements: { "{{ files.length }}": 3 },
      original_expression: "files.length",
    });
    await run.done();
    expect(await run.state()).toEqual({ files: ["a", "b", "c"], count: 3, n: 2 });
  });

  test("an expression among other text is told as its author wrote it", async () => {
    const run = await bench.run(`
default_state: { raw: { n: 3 } }
steps: [{ id: update, type: state_update, by: agent, path: raw.text, value: "noted {{ n }} of {{ n }}" }]`);
    expect(run.step).toMatchObject({
      original_expression: "noted {{ n }} of {{ n }}",
      definition: { updates: [{ value: "noted 3 of 3" }] },
    });
  });

  test("a tool call shows method, resolved params and the full path of its result", async () => {
    const run = await bench.run(`
default_state: { raw: { files: [a.ts, b.ts] } }
steps: [{ id: check, type: mcp_call, mcp: { method: check_typescript, params: { files: "{{ files }}" } }, state_update: { path: raw.typescript_results } }]`);
    expect(run.step).toMatchObject({
      id: "check",
      type: "mcp_call",
      definition: { method: "check_typescript", params: { files: ["a.ts", "b.ts"] }, state_update: { path: "raw.typescript_results" } },
    });
  });

  test("a message has its values filled in", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 7, fixes: 23 } }\nsteps: [{ id: tell, type: user_message, message: "{{ n }} files, {{ fixes }} fixes" }]`,
    );
    expect(run.step).toMatchObject({ id: "tell", type: "user_message", definition: { message: "7 files, 23 fixes" } });
  });

  test("a result path inside a loop is shown with the item in it", async () => {
    const run = await bench.run(
      `steps: [{ id: each, type: foreach, items: [src/a.ts], steps: [{ id: call, type: mcp_call, mcp: { method: m }, state_update: { path: "raw.by_file.{{ item }}" } }] }]`,
    );
    expect(run.step?.definition["state_update"]).toEqual({ path: 'raw.by_file["src/a.ts"]', value: "{{ result }}" });
    await run.done(1);
    expect(await run.read("by_file")).toEqual({ "src/a.ts": 1 });
  });

  test("holds no condition, no loop and no template of the author's", async () => {
    const run = await bench.run(`
default_state: { raw: { list: [x] } }
steps: [{ id: w, type: while, condition: "list.length < 2", body: [{ id: f, type: foreach, items: "{{ list }}", steps: [{ id: c, type: conditional, condition: "{{ item === 'x' }}", then: [{ id: call, type: mcp_call, mcp: { method: "tool_{{ item }}", params: { deep: ["{{ index }}"] } }, state_update: { path: raw.list, operation: append } }] }] }] }]`);
    expect(run.step?.id).toBe("w.f.c.call");
    const { variable_replacements: _made, ...step } = run.step ?? { variable_replacements: {} };
    expect(JSON.stringify(step).replace("{{ result }}", "")).not.toMatch(/\{\{|condition|iteration|"items"/);
    expect(run.step?.definition).toMatchObject({ method: "tool_x", params: { deep: [0] } });
  });

  test("asked for twice it is the same one", async () => {
    const run = await bench.run(`steps: [{ id: tell, type: user_message, message: "{{ uuid() }}" }]`);
    const first = run.step;
    expect((await run.next()).step).toEqual(first);
  });

  test("there is none when the run is complete", async () => {
    const run = await bench.run(`steps: [{ id: tell, type: user_message, message: m }]`);
    await run.done();
    expect((await run.next()).step).toBeNull();
    expect(run.status).toBe("completed");
  });
});

describe("reporting", () => {
  const yaml = `
default_state: { raw: { out: null } }
state_schema: { computed: { size: { from: raw.out, transform: "input?.length ?? 0" } } }
steps:
  - { id: call, type: mcp_call, mcp: { method: list_files }, state_update: { path: raw.out } }
  - { id: tell, type: user_message, message: "{{ size }}" }`;
  /** What a reader of the journal learns, without ids and times. */
  const facts = (events: readonly Event[]): unknown[] =>
    events.flatMap((event): unknown[] => {
      if (event.type === "wrote") return [{ wrote: event.updates }];
      if (event.type === "left") return [{ left: event.block, how: event.how }];
      if (event.type === "action_opened") return [{ opened: event.action.step, args: event.action.args }];
      return event.type === "action_closed" ? [{ closed: event.how, result: event.result }] : [];
    });

  test("one call or two calls leave the same events", async () => {
    const one = await bench.run(yaml);
    await one.done(["a", "b"]);
    const two = await bench.run(yaml);
    await updateState(two.engine.context, two.caller, { run: two.id, updates: [{ path: "raw.out", value: ["a", "b"] }] });
    expect((await two.next()).step?.id, "an update alone completes nothing").toBe("call");
    await report(two.engine.context, two.caller, { run: two.id, step: "call", status: "success" });
    await two.next();
    expect(two.message).toBe("2");
    const sorted = (events: readonly Event[]): string[] =>
      facts(events)
        .map((fact) => JSON.stringify(fact))
        .sort();
    expect(sorted(await two.events())).toEqual(sorted(await one.events()));
    expect(await two.state()).toEqual(await one.state());
  });

  test("a report without a result does not overwrite what was written before", async () => {
    const run = await bench.run(yaml);
    await updateState(run.engine.context, run.caller, { run: run.id, updates: [{ path: "raw.out", value: ["x"] }] });
    await run.done();
    expect(await run.read("out")).toEqual(["x"]);
  });

  test("a user_input may be answered by the two calls too", async () => {
    const run = await bench.run(
      `steps: [{ id: ask, type: user_input, prompt: p, validation: { pattern: "^y" }, state_update: { path: raw.answer } }]`,
    );
    await updateState(run.engine.context, run.caller, { run: run.id, updates: [{ path: "raw.answer", value: "yes" }] });
    await report(run.engine.context, run.caller, { run: run.id, step: "ask", status: "success" });
    expect((await run.next()).status).toBe("completed");
    expect(await run.read("answer")).toBe("yes");
  });

  test("a state_update step handed to the agent may be written by the agent", async () => {
    const run = await bench.run(
      `steps: [{ id: put, type: state_update, by: agent, path: raw.n, operation: increment, value: 5 }, { id: tell, type: user_message, message: "{{ n }}" }]`,
    );
    await updateState(run.engine.context, run.caller, { run: run.id, updates: [{ path: "raw.n", operation: "increment", value: 5 }] });
    await report(run.engine.context, run.caller, { run: run.id, step: "put", status: "success" });
    await run.next();
    expect(run.message).toBe("5");
  });

  test("a report made twice changes nothing the second time", async () => {
    const run = await bench.run(yaml);
    const action = run.position.standing.kind === "action" ? run.position.standing.action.id : "";
    const first = await report(run.engine.context, run.caller, { run: run.id, action, result: ["a"] });
    const again = await report(run.engine.context, run.caller, { run: run.id, action, result: ["other"] });
    expect([first.recorded, again.recorded]).toEqual(["now", "before"]);
    expect(await run.read("out")).toEqual(["a"]);
  });

  test("a report for a step that is not open is refused and names the open one", async () => {
    const run = await bench.run(yaml);
    await expect(report(run.engine.context, run.caller, { run: run.id, step: "tell", status: "success" })).rejects.toMatchObject({
      code: "ENGINE_WRONG_STEP",
      details: { open_steps: ["call"] },
    });
  });

  test("asking for the next step reports nothing", async () => {
    const run = await bench.run(yaml);
    await next(run.engine.context, run.caller, { run: run.id });
    await next(run.engine.context, run.caller, { run: run.id });
    expect((await run.next()).step?.id).toBe("call");
  });
});
