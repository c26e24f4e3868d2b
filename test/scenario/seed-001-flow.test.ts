/** Control flow, all of it inside the engine: branches, loops, ways out of them, and other workflows. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SeedBench, textOf, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

/** A step that leaves a trace of itself. */
const mark = (what: string): string => `{ type: state_update, path: raw.seen, operation: append, value: "${what}" }`;

async function seen(run: SeedRun): Promise<unknown> {
  if (run.error !== undefined) throw new Error(run.error.message);
  return (await run.state())["seen"];
}

async function waitFor(run: SeedRun): Promise<void> {
  for (let round = 0; round < 200 && run.status === "running"; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await run.next({ waitMs: 20 });
  }
}

describe("conditional", () => {
  test.each([
    [true, ["then"]],
    [false, ["else"]],
  ])("runs then or else (%s)", async (flag, expected) => {
    const run = await bench.run(
      `default_state: { raw: { flag: ${flag} } }\nsteps: [{ id: c, type: conditional, condition: "{{ flag }}", then: [${mark("then")}], else: [${mark("else")}] }]`,
    );
    expect(await seen(run)).toEqual(expected);
  });

  test("without else nothing happens", async () => {
    const run = await bench.run(`steps: [{ id: c, type: conditional, condition: false, then: [${mark("then")}] }, ${mark("after")}]`);
    expect(await seen(run)).toEqual(["after"]);
  });

  test("nested steps are named after the step around them", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: conditional, condition: true, then: [{ type: user_message, message: unnamed }, { id: named, type: user_message, message: m }] }, { type: user_message, message: top }]`,
    );
    expect(await run.toEnd()).toEqual(["c.then.0.user_message", "c.named", "step_1"]);
  });
});

describe("while", () => {
  test("the condition is judged before every round on current state", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 0 } }\nsteps: [{ id: w, type: while, condition: "n < 3", body: [{ type: state_update, path: raw.n, operation: increment }] }]`,
    );
    expect(await run.read("n")).toBe(3);
  });

  test("a condition that is false at once gives no round", async () => {
    const run = await bench.run(`steps: [{ id: w, type: while, condition: "false", body: [${mark("x")}] }, ${mark("after")}]`);
    expect(await seen(run)).toEqual(["after"]);
  });

  test("max_iterations ends the loop with a warning and the run goes on", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "true", max_iterations: 4, body: [${mark("x")}] }, ${mark("after")}]`,
    );
    expect(await seen(run)).toEqual(["x", "x", "x", "x", "after"]);
    expect((await run.warnings()).join()).toContain("LOOP_LIMIT");
  });

  test("on_limit: fail makes the limit an error", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "true", max_iterations: 2, on_limit: fail, body: [${mark("x")}] }]`,
    );
    expect(run.error).toMatchObject({ code: "LOOP_LIMIT" });
  });

  test("without max_iterations a loop ends after a hundred rounds", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 0 } }\nsteps: [{ id: w, type: while, condition: "true", body: [{ type: state_update, path: raw.n, operation: increment }] }]`,
    );
    expect(await run.read("n")).toBe(100);
  });

  test("break leaves the loop, also from inside a conditional", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "true", body: [${mark("x")}, { id: c, type: conditional, condition: "iteration === 2", then: [{ type: break }] }, ${mark("y")}] }, ${mark("after")}]`,
    );
    expect(await seen(run)).toEqual(["x", "y", "x", "after"]);
  });

  test("continue goes to the next round", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "iteration <= 2", body: [${mark("x")}, { type: continue }, ${mark("never")}] }]`,
    );
    expect(await seen(run)).toEqual(["x", "x"]);
  });
});

describe("foreach", () => {
  test("steps run for every item in order, and body is another word for steps", async () => {
    for (const key of ["steps", "body"]) {
      const run = await bench.run(`steps: [{ id: f, type: foreach, items: [a, b], ${key}: [${mark("{{ index }}{{ item }}")}] }]`);
      expect(await seen(run)).toEqual(["0a", "1b"]);
    }
  });

  test("items are frozen when the loop begins, also equal ones", async () => {
    const run = await bench.run(
      `default_state: { raw: { list: [1, 1, 1] } }\nsteps: [{ id: f, type: foreach, items: "{{ list }}", steps: [{ type: state_update, path: raw.list, operation: append, value: 9 }, ${mark("{{ item }}")}] }]`,
    );
    expect(await seen(run)).toEqual([1, 1, 1]);
  });

  test("variable_name names the item", async () => {
    const run = await bench.run(`steps: [{ id: f, type: foreach, items: [a], variable_name: file, steps: [${mark("{{ file }}")}] }]`);
    expect(await seen(run)).toEqual(["a"]);
  });

  test("an empty list is passed over with a note", async () => {
    const run = await bench.run(`steps: [{ id: f, type: foreach, items: [], steps: [${mark("x")}] }, ${mark("after")}]`);
    expect(await seen(run)).toEqual(["after"]);
    expect((await run.warnings()).join()).toContain("ITEMS_EMPTY");
  });

  test("something that is not a list is a step error", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 5 } }\nsteps: [{ id: f, type: foreach, items: "{{ n }}", steps: [${mark("x")}] }]`,
    );
    expect(run.error).toMatchObject({ code: "ITEMS_NOT_A_LIST" });
  });

  test("break skips the remaining items and continue goes to the next one", async () => {
    const run = await bench.run(`
steps:
  - id: f
    type: foreach
    items: [1, 2, 3, 4]
    steps:
      - { id: c, type: conditional, condition: "item === 2", then: [{ type: continue }] }
      - { id: b, type: conditional, condition: "item === 4", then: [{ type: break }] }
      - ${mark("{{ item }}")}`);
    expect(await seen(run)).toEqual([1, 3]);
  });

  test("a failing item fails the loop, and on_error of the loop decides", async () => {
    const run = await bench.run(
      `steps: [{ id: f, type: foreach, items: [0, 1], on_error: continue, steps: [{ type: shell_command, command: "exit {{ item }}" }, ${mark("{{ item }}")}] }, ${mark("after")}]`,
    );
    expect(await seen(run)).toEqual([0, "after"]);
  });
});

describe("leaving", () => {
  test("exit ends the run at once as completed", async () => {
    const run = await bench.run(
      `steps: [{ id: f, type: foreach, items: [1, 2], steps: [${mark("x")}, { type: exit }] }, ${mark("never")}]`,
    );
    expect(run.status).toBe("completed");
    expect(await seen(run)).toEqual(["x"]);
  });

  test("exit with status failed ends it as failed, with its message", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 3 } }\nsteps: [{ id: stop, type: exit, status: failed, message: "Found {{ n }} problems." }]`,
    );
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "STEP_EXIT", message: "Found 3 problems." });
  });

  test.each(["break", "continue"])("%s outside of a loop is refused at load", async (type) => {
    expect((await bench.problems(`steps: [{ id: x, type: ${type} }]`)).join("\n")).toMatch(/^error .*loop/m);
  });
});

describe("sequential", () => {
  test("steps run in order as one step", async () => {
    const run = await bench.run(`steps: [{ id: s, type: sequential, steps: [${mark("a")}, ${mark("b")}] }]`);
    expect(await seen(run)).toEqual(["a", "b"]);
  });

  test("its on_error holds for all of them", async () => {
    const run = await bench.run(
      `steps: [{ id: s, type: sequential, on_error: continue, error_state_update: { path: raw.why }, steps: [${mark("a")}, { type: shell_command, command: "exit 1" }, ${mark("never")}] }, ${mark("after")}]`,
    );
    expect(await seen(run)).toEqual(["a", "after"]);
    expect(await run.read("why.type")).toBe("COMMAND_FAILED");
  });

  test("its timeout counts for all of them, whatever they do about their own errors", async () => {
    const run = await bench.run(`
steps:
  - id: s
    type: sequential
    timeout: 80
    on_error: continue
    error_state_update: { path: raw.why, value: "{{ error.type }}" }
    steps: [{ id: call, type: mcp_call, mcp: { method: slow }, on_error: continue }, ${mark("never")}]
  - ${mark("after")}`);
    await waitFor(run);
    expect(await seen(run)).toEqual(["after"]);
    expect(await run.read("why")).toBe("TIMEOUT");
  });
});

describe("include_workflow", () => {
  const child = `
inputs: { files: { type: array }, label: { type: string, default: plain } }
default_state: { raw: { count: 0, own: child }, state: { mode: quiet } }
state_schema: { computed: { doubled: { from: raw.count, transform: "input * 2" } } }
steps:
  - { id: each, type: foreach, items: "{{ inputs.files }}", steps: [{ type: state_update, path: raw.count, operation: increment }] }
  - { id: report, type: user_message, message: "{{ inputs.label }} {{ count }} {{ own }}" }`;

  test("the child has its own inputs and state, readable afterwards under the step's id and by bare name", async () => {
    const name = await bench.define(child);
    const run = await bench.run(`
default_state: { raw: { own: parent, files: [a, b, c] } }
steps:
  - { id: checks, type: include_workflow, workflow: "${name}", inputs: { files: "{{ files }}" } }
  - { id: say, type: user_message, message: "{{ checks.count }} {{ doubled }} {{ own }} {{ checks.own }} {{ checks.mode }}" }`);
    expect(run.message).toBe("plain 3 child");
    await run.done();
    expect(run.message).toBe("3 6 parent child quiet");
    expect(await run.state()).toEqual({ own: "parent", files: ["a", "b", "c"] });
  });

  test("on_complete steps see the child's names first, in every kind of step", async () => {
    const name = await bench.define(child);
    const run = await bench.run(`
default_state: { raw: { own: parent } }
steps:
  - id: checks
    type: include_workflow
    workflow: "${name}"
    inputs: { files: [x], label: l }
    on_complete:
      - { type: state_update, path: raw.copied, value: "{{ own }}" }
      - { id: c, type: conditional, condition: "own === 'child'", then: [{ type: state_update, path: raw.branch, value: child }], else: [{ type: state_update, path: raw.branch, value: parent }] }
      - { id: f, type: foreach, items: "{{ [own] }}", steps: [{ type: state_update, path: raw.looped, value: "{{ item }}" }] }`);
    await run.done();
    expect(await run.state()).toEqual({ own: "parent", copied: "child", branch: "child", looped: "child" });
  });

  test("an included workflow may be included twice, each time with a fresh state", async () => {
    const name = await bench.define(child);
    const run = await bench.run(
      `steps: [{ id: one, type: include_workflow, workflow: "${name}", inputs: { files: [a] } }, { id: two, type: include_workflow, workflow: "${name}", inputs: { files: [a, b] } }, { id: say, type: user_message, message: "{{ one.count }} {{ two.count }}" }]`,
    );
    await run.done();
    await run.done();
    expect(run.message).toBe("1 2");
  });

  test("inputs are checked against what the child declares, at load", async () => {
    const name = await bench.define(child);
    const found = await bench.problems(`steps: [{ id: c, type: include_workflow, workflow: "${name}", inputs: { fiels: [] } }]`);
    expect(found.join("\n")).toMatch(/fiels[^]*files|files[^]*fiels/);
  });

  test("an unknown workflow is refused at load", async () => {
    expect((await bench.problems(`steps: [{ id: c, type: include_workflow, workflow: "no:such" }]`)).join("\n")).toMatch(
      /^error .*no:such/m,
    );
  });

  test("a failure inside is a failure of the step, with the step's own policy", async () => {
    const name = await bench.define(`steps: [{ id: bad, type: shell_command, command: "exit 1" }]`);
    const run = await bench.run(
      `steps: [{ id: c, type: include_workflow, workflow: "${name}", on_error: continue, error_state_update: { path: raw.why, value: "{{ error.message }}" } }, ${mark("after")}]`,
    );
    expect(await seen(run)).toEqual(["after"]);
    expect(textOf(await run.read("why"))).toContain("exit code 1");
  });

  test("workflows that include each other are refused with the chain", async () => {
    await bench.define(`steps: [{ id: c, type: include_workflow, workflow: "ring:b" }]`, "ring:a").catch(() => undefined);
    await bench.engine.write(
      ".waymark/workflows/ring__b.yaml",
      `name: "ring:b"\ndescription: d\nversion: "1"\nsteps: [{ id: c, type: include_workflow, workflow: "ring:a" }]\n`,
    );
    const loaded = await bench.engine.context.catalog.load("ring:a");
    expect(
      loaded.diagnostics
        .filter((problem) => problem.severity === "error")
        .map((problem) => problem.message)
        .join("\n"),
    ).toMatch(/ring:a[^]*ring:b/);
  });
});
