/** Every step type that is carried out as one thing, with every key it takes. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer } from "../../src/engine/index.ts";
import type { Json } from "../../src/base/index.ts";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

describe("shell_command", () => {
  test("the engine runs it and no agent sees it", async () => {
    const run = await bench.run(`steps: [{ id: list, type: shell_command, command: "echo hello" , state_update: { path: raw.said } }]`);
    expect(run.status).toBe("completed");
    expect(await run.read("said")).toBe("hello");
    expect((await run.events()).filter((event) => event.type === "action_opened")).toEqual([]);
  });

  test.each<[string, string, string, Json]>([
    ["text loses one final newline and nothing else", "text", "printf ' a\\\\nb\\\\n\\\\n'", " a\nb\n"],
    ["lines splits and drops the final empty line", "lines", "printf 'a\\\\n\\\\nb\\\\n'", ["a", "", "b"]],
    ["json is parsed", "json", "echo '{\\\"n\\\": [1, null]}'", { n: [1, null] }],
    [
      "key_value reads K=V and K: V lines",
      "key_value",
      "printf 'A=1\\\\nB: two words\\\\nURL=http://x\\\\n-- \\\\n'",
      { A: "1", B: "two words", URL: "http://x" },
    ],
  ])("output_format %s", async (_title, format, command, expected) => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${command}", output_format: ${format}, state_update: { path: raw.out } }]`,
    );
    expect(run.error).toBeUndefined();
    expect(await run.read("out")).toEqual(expected);
  });

  test("output_format is text unless said otherwise", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "printf '1\\\\n2\\\\n'", state_update: { path: raw.out } }]`,
    );
    expect(await run.read("out")).toBe("1\n2");
  });

  test("output that is not the JSON it should be fails the step", async () => {
    const run = await bench.run(`steps: [{ id: c, type: shell_command, command: "echo no", output_format: json }]`);
    expect(run.error).toMatchObject({ code: "COMMAND_OUTPUT" });
  });

  test("an exit code other than zero fails the step with the error output in the message", async () => {
    const run = await bench.run(`steps: [{ id: c, type: shell_command, command: "echo why >&2; exit 3" }]`);
    expect(run.error).toMatchObject({ code: "COMMAND_FAILED" });
    expect(run.error?.message).toMatch(/exit code 3.*why/s);
  });

  test("timeout stops the command with everything it started", async () => {
    const run = await bench.run(`steps: [{ id: c, type: shell_command, command: "sleep 30 & sleep 30", timeout: 150 }]`);
    expect(run.error).toMatchObject({ code: "TIMEOUT" });
  });

  test("cwd and env are those of the step", async () => {
    await bench.engine.write("sub/here.txt", "found");
    const run = await bench.run(`
inputs: { level: { type: string, default: high } }
steps: [{ id: c, type: shell_command, cwd: sub, env: { LEVEL: "{{ inputs.level }}", N: 3, ON: true }, command: "cat here.txt; echo; echo $LEVEL $N $ON", output_format: lines, state_update: { path: raw.out } }]`);
    expect(await run.read("out")).toEqual(["found", "high 3 true"]);
  });

  test("a cwd outside the workspace is refused", async () => {
    const run = await bench.run(`steps: [{ id: c, type: shell_command, cwd: "../..", command: "pwd" }]`);
    expect(run.status).toBe("failed");
  });

  test("a project's command runs only after a person allowed it", async () => {
    await bench.engine.write(
      ".waymark/workflows/not__yet.yaml",
      `name: "not:yet"\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: c, type: shell_command, command: "touch made" }]\n`,
    );
    await expect(bench.start("not:yet")).rejects.toMatchObject({
      code: "ENGINE_NOT_ALLOWED",
      message: expect.stringContaining("touch made") as string,
    });
    await expect(access(join(bench.engine.folder, "made"))).rejects.toThrow(/ENOENT/);
  });
});

describe("state_update after a step", () => {
  test("without value the whole result is written, with value a part of it", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "echo '{\\"a\\": {\\"b\\": 1}}'", output_format: json, state_update: [{ path: raw.all }, { path: raw.b, value: "{{ result.a.b }}" }, { path: raw.fixed, value: 7 }] }]`,
    );
    expect(await run.state()).toEqual({ all: { a: { b: 1 } }, b: 1, fixed: 7 });
  });

  test("transform turns the result into the value", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "echo '3 4'", state_update: { path: raw.sum, transform: "result.split(' ').map(Number).reduce((a, b) => a + b)" } }]`,
    );
    expect(await run.read("sum")).toBe(7);
  });

  test("operation combines with what is there", async () => {
    const run = await bench.run(
      `default_state: { raw: { log: [a] } }\nsteps: [{ id: c, type: shell_command, command: "echo b", state_update: { path: raw.log, operation: append } }]`,
    );
    expect(await run.read("log")).toEqual(["a", "b"]);
  });

  test("a path that cannot be written fails the step", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 1 } }\nsteps: [{ id: c, type: shell_command, command: "echo b", state_update: { path: raw.n.deep } }]`,
    );
    expect(run.error).toMatchObject({ code: "STATE_WRITE" });
  });
});

describe("agent_shell_command", () => {
  const yaml = `
inputs: { name: { type: string, default: "a b" } }
steps:
  - { id: run, type: agent_shell_command, command: "./ask.sh {{ inputs.name }}", reason: "It needs a terminal.", output_format: FORMAT, timeout: 300000, state_update: { path: raw.out } }`;

  test("the agent is given the command, the reason, the format and the time", async () => {
    const run = await bench.run(yaml.replace("FORMAT", "json"));
    expect(run.step).toMatchObject({
      id: "run",
      type: "agent_shell_command",
      definition: {
        command: "./ask.sh 'a b'",
        reason: "It needs a terminal.",
        output_format: "json",
        timeout: 300000,
        state_update: { path: "raw.out", value: "{{ result }}" },
      },
    });
    expect(run.step?.instructions).toContain("It needs a terminal.");
  });

  test.each<[string, string, Json]>([
    ["text", "a\n", "a"],
    ["lines", "a\nb\n", ["a", "b"]],
    ["json", '{"ok":true}', { ok: true }],
    ["key_value", "A=1\nB: 2\n", { A: "1", B: "2" }],
  ])("what it reports is read as %s", async (format, reported, expected) => {
    const run = await bench.run(yaml.replace("FORMAT", format));
    await run.done(reported);
    expect(await run.read("out")).toEqual(expected);
  });

  test("a result that is already a value is taken as it is", async () => {
    const run = await bench.run(yaml.replace("FORMAT", "json"));
    await run.done({ ok: 1 });
    expect(await run.read("out")).toEqual({ ok: 1 });
  });
});

describe("mcp_call", () => {
  test("without a configured server the agent is given method and resolved params", async () => {
    const run = await bench.run(`
default_state: { raw: { files: [a.ts, b.ts] } }
steps: [{ id: check, type: mcp_call, mcp: { method: check_typescript, params: { files: "{{ files }}", only: "{{ files[0] }}", deep: { n: 1 } } }, state_update: { path: raw.checked } }]`);
    expect(run.step).toMatchObject({
      id: "check",
      type: "mcp_call",
      definition: {
        method: "check_typescript",
        params: { files: ["a.ts", "b.ts"], only: "a.ts", deep: { n: 1 } },
        state_update: { path: "raw.checked" },
      },
    });
    await run.done({ errors: 0 });
    expect(run.status).toBe("completed");
    expect(await run.read("checked")).toEqual({ errors: 0 });
  });

  test("params may be left out", async () => {
    const run = await bench.run(`steps: [{ id: call, type: mcp_call, mcp: { method: ping } }]`);
    expect(run.step?.definition).toEqual({ method: "ping", params: {} });
  });

  test("timeout fails a step that nobody reports in time", async () => {
    const run = await bench.run(
      `steps: [{ id: call, type: mcp_call, mcp: { method: ping }, timeout: 60, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.type }}" } }]`,
    );
    await waitFor(run);
    expect(await run.read("why")).toBe("TIMEOUT");
  });
});

async function waitFor(run: SeedRun): Promise<void> {
  for (let round = 0; round < 200 && run.status === "running"; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await run.next({ waitMs: 20 });
  }
}

describe("apply_hints", () => {
  test("the agent is given file and hints, and applied_count is readable by name", async () => {
    const run = await bench.run(`
default_state: { raw: { file_results: { "src/a.ts": { hints: [{ rule: naming }] } } } }
steps:
  - id: each
    type: foreach
    items: [src/a.ts]
    steps:
      - { id: apply, type: apply_hints, file: "{{ item }}", hints: "{{ file_results[item].hints }}", state_update: { path: "raw.file_results.{{ item | path_to_key }}.hints_applied", value: "{{ applied_count }}" } }`);
    expect(run.step).toMatchObject({
      id: "each.apply",
      type: "apply_hints",
      definition: { file: "src/a.ts", hints: [{ rule: "naming" }], state_update: { path: "raw.file_results.src_a_ts.hints_applied" } },
    });
    await run.done({ applied_count: 3 });
    expect(await run.read("file_results.src_a_ts.hints_applied")).toBe(3);
  });
});

describe("user_message", () => {
  test("the message is handed out with its values filled in", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 3 } }\nsteps: [{ id: say, type: user_message, message: "Done with {{ n }}." }]`,
    );
    expect(run.step).toMatchObject({ type: "user_message", definition: { message: "Done with 3." } });
    await run.done();
    expect(run.status).toBe("completed");
  });

  test("description is what views show for the step", async () => {
    const run = await bench.run(`steps: [{ id: say, type: user_message, description: "Says hello.", message: hello }]`);
    const [line] = await (await import("../../src/engine/index.ts")).runs(run.engine.context, { workflow: run.position.state.workflow });
    expect(line?.line.label).toBe("Says hello.");
  });
});

describe("user_input", () => {
  const ask = `steps: [{ id: ask, type: user_input, prompt: "Which branch of {{ inputs.repo }}?", validation: { pattern: "^(branch .+|HEAD)$", error_message: "Name a branch, or HEAD." }, state_update: { path: raw.choice } }]\ninputs: { repo: { type: string, default: core } }`;

  test("the question is handed out with its rule, and the answer is stored", async () => {
    const run = await bench.run(ask);
    expect(run.step).toMatchObject({
      id: "ask",
      type: "user_input",
      definition: {
        prompt: "Which branch of core?",
        validation: { pattern: "^(branch .+|HEAD)$", error_message: "Name a branch, or HEAD." },
        state_update: { path: "raw.choice" },
      },
    });
    await run.done("branch x");
    expect(run.status).toBe("completed");
    expect(await run.read("choice")).toBe("branch x");
  });

  test("a wrong answer is refused with the author's message and may be given again", async () => {
    const run = await bench.run(ask);
    await expect(run.done("nonsense")).rejects.toMatchObject({
      code: "ANSWER_REFUSED",
      message: expect.stringContaining("Name a branch, or HEAD.") as string,
    });
    await run.next();
    expect(run.step?.id).toBe("ask");
    await run.done("HEAD");
    expect(run.status).toBe("completed");
  });

  test("attempts says how many wrong answers fail the step", async () => {
    const run = await bench.run(`steps: [{ id: ask, type: user_input, prompt: p, attempts: 2, validation: { pattern: "^y$" } }]`);
    await expect(run.done("a")).rejects.toMatchObject({ code: "ANSWER_REFUSED" });
    await expect(run.done("b")).rejects.toMatchObject({ code: "ANSWER_REFUSED" });
    await run.next();
    expect(run.error).toMatchObject({ code: "ANSWER_REFUSED" });
  });

  test("a pattern that never ends does not hold up the engine", async () => {
    const run = await bench.run(`steps: [{ id: ask, type: user_input, prompt: p, validation: { pattern: "^(a+)+$" } }]`);
    await expect(run.done(`${"a".repeat(60)}!`)).rejects.toMatchObject({ code: "ANSWER_REFUSED" });
  });

  test.each(["options", "choices"])("%s limits the answers", async (key) => {
    const run = await bench.run(
      `steps: [{ id: ask, type: user_input, prompt: p, ${key}: [left, { value: right, label: "To the right" }], state_update: { path: raw.way } }]`,
    );
    expect(run.step?.definition["options"]).toEqual([{ value: "left" }, { value: "right", label: "To the right" }]);
    await expect(run.done("up")).rejects.toMatchObject({ code: "ANSWER_REFUSED" });
    await run.next();
    await run.done("right");
    expect(await run.read("way")).toBe("right");
  });

  test("answer_by: person takes no answer from an agent", async () => {
    const run = await bench.run(`steps: [{ id: ask, type: user_input, prompt: p, answer_by: person, state_update: { path: raw.ok } }]`);
    await expect(run.done("yes")).rejects.toMatchObject({ code: "DECISION_FOR_PERSON" });
    const decision = Object.keys(run.position.state.decisions)[0] ?? "";
    const person = { ...run.caller, surface: "cli-terminal", holder: { kind: "person" as const, name: "ada", session: "terminal" } };
    await answer(run.engine.context, person, { run: run.id, decision, answer: "yes", relayed: false });
    await run.next();
    expect(run.status).toBe("completed");
    expect(await run.read("ok")).toBe("yes");
  });
});

describe("state_update as a step", () => {
  test("the engine writes by itself", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 1, list: [a, b] } }\nsteps: [{ id: put, type: state_update, path: raw.size, value: "{{ list.length + n }}" }]`,
    );
    expect(run.status).toBe("completed");
    expect(await run.read("size")).toBe(3);
  });

  test.each<[string, string, Json]>([
    ["set", "value: x", "x"],
    ["append", "value: x", [1, "x"]],
    ["increment", "value: 4", 4],
    ["decrement", "value: 4", -4],
    ["multiply", "value: 4", 0],
    ["merge", "value: { b: 2 }", { a: 1, b: 2 }],
  ])("operation: %s", async (operation, given, expected) => {
    const field = operation === "append" ? "list" : operation === "merge" ? "map" : "fresh";
    const run = await bench.run(
      `default_state: { raw: { list: [1], map: { a: 1 } } }\nsteps: [{ id: put, type: state_update, path: raw.${field}, operation: ${operation}, ${given} }]`,
    );
    expect(await run.read(field)).toEqual(expected);
  });

  test("updates are written together or not at all", async () => {
    const run = await bench.run(`
default_state: { raw: { n: 1 } }
steps: [{ id: put, type: state_update, on_error: continue, updates: [{ path: raw.n, operation: increment }, { path: raw.n, operation: append, value: 1 }] }, { id: ok, type: state_update, updates: [{ path: raw.n, operation: increment }, { path: state.seen, value: "{{ n }}" }] }]`);
    expect(await run.state()).toEqual({ n: 2, seen: 1 });
  });

  test("batch_state_update is another word for a list of updates", async () => {
    const run = await bench.run(
      `steps: [{ id: put, type: batch_state_update, updates: [{ path: raw.a, value: 1 }, { path: raw.b, value: "{{ 1 + 1 }}" }] }]`,
    );
    expect(await run.state()).toEqual({ a: 1, b: 2 });
  });

  test("by: agent hands the update out with every value computed", async () => {
    const run = await bench.run(
      `default_state: { raw: { files: [a, b] } }\nsteps: [{ id: put, type: state_update, by: agent, updates: [{ path: raw.count, value: "{{ files.length }}" }, { path: raw.status, value: ready }] }]`,
    );
    expect(run.step).toMatchObject({
      id: "put",
      type: "state_update",
      original_expression: "files.length",
      definition: {
        updates: [
          { path: "raw.count", operation: "set", value: 2 },
          { path: "raw.status", operation: "set", value: "ready" },
        ],
      },
    });
  });
});

describe("wait", () => {
  test.each([
    ["duration_ms", "duration_ms: 30"],
    ["seconds", "seconds: 0.03"],
    ["until", `until: "{{ new Date(Date.parse(now()) + 30).toISOString() }}"`],
    ["a template", `duration_ms: "{{ n * 10 }}"`],
  ])("%s says how long", async (_title, key) => {
    const run = await bench.run(
      `default_state: { raw: { n: 3 } }\nsteps: [{ id: pause, type: wait, ${key} }, { id: after, type: user_message, message: m }]`,
      { waitMs: 0 },
    );
    expect((await run.events()).some((event) => event.type === "timer_set" && event.timer.why === "wait")).toBe(true);
    await run.next();
    expect(run.step?.id).toBe("after");
  });

  test("a time that has passed is no wait at all", async () => {
    const run = await bench.run(
      `steps: [{ id: pause, type: wait, until: "2001-01-01T00:00:00Z" }, { id: after, type: user_message, message: m }]`,
    );
    expect(run.step?.id).toBe("after");
  });
});
