/** Templates, expressions and the names that are in scope where the step dialect uses them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/base/index.ts";
import { SeedBench, textOf } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const state = `
inputs: { branch: { type: string, default: main } }
default_state:
  raw: { files: [a.ts, b.ts], count: 2, name: "it's", map: { "lib_io_net_ts": 7, deep: { list: [1, 2] } }, nothing: null, zero: 0, text: "x" }
`;

async function message(text: string): Promise<string> {
  const run = await bench.run(`${state}\nsteps: [{ id: say, type: user_message, message: ${JSON.stringify(text)} }]`);
  return run.message;
}

async function value(template: Json): Promise<Json> {
  const run = await bench.run(`${state}\nsteps: [{ id: put, type: state_update, path: raw.out, value: ${JSON.stringify(template)} }]`);
  if (run.status !== "completed") throw new Error(run.error?.message);
  return run.read("out");
}

describe("text", () => {
  test.each<[string, string, string]>([
    ["a plain name", "{{ count }} files", "2 files"],
    ["a property and a length", "{{ files.length }} of {{ map.deep.list[1] }}", "2 of 2"],
    ["an expression", "{{ count * 10 + 1 }}", "21"],
    ["a ternary", "{{ count > 1 ? 'many' : 'one' }}", "many"],
    ["optional chaining and nullish", "{{ nothing?.x ?? 'none' }}", "none"],
    ["an arrow function", "{{ files.map(f => f.toUpperCase()).join('+') }}", "A.TS+B.TS"],
    ["a template string", "{{ `${count}/${files.length}` }}", "2/2"],
    ["objects and lists as JSON", "{{ files }} {{ map.deep }}", '["a.ts","b.ts"] {"list":[1,2]}'],
    ["braces of an object literal", "{{ ({ a: { b: 1 } }).a.b }}", "1"],
    ["inputs", "on {{ inputs.branch }}", "on main"],
    ["several lines", "one {{ count }}\ntwo {{ zero }}", "one 2\ntwo 0"],
    ["no template at all", "50 % {sure}", "50 % {sure}"],
  ])("%s is replaced", async (_title, text, expected) => {
    expect(await message(text)).toBe(expected);
  });

  test("an unknown name stays as written and is warned about", async () => {
    const run = await bench.run(`${state}\nsteps: [{ id: say, type: user_message, message: "{{ conut }} files" }]`);
    expect(run.message).toBe("{{ conut }} files");
    expect((await run.warnings()).join()).toContain("conut");
  });

  test("now() and uuid() are recorded, so every process sees the same text", async () => {
    const run = await bench.run(`steps: [{ id: say, type: user_message, message: "{{ now() }} {{ uuid() }}" }]`);
    expect(run.message).toMatch(/^\d{4}-\d\d-\d\dT.*Z [0-9a-f-]{36}$/);
    const other = await run.engine.again();
    const shown = (await other.context.runs.open(run.id)).state.actions;
    expect(Object.values(shown)[0]?.args["message"]).toBe(run.message);
    await other.close();
  });
});

describe("values", () => {
  test.each<[string, Json, Json]>([
    ["a list", "{{ files }}", ["a.ts", "b.ts"]],
    ["a number", "{{ count }}", 2],
    ["null", "{{ nothing }}", null],
    ["a boolean", "{{ count === 2 }}", true],
    ["an object", "{{ map.deep }}", { list: [1, 2] }],
    [
      "a tree with templates in it",
      { all: "{{ files }}", said: "n={{ count }}", fixed: [1, true, null, "{{ count }}"] },
      { all: ["a.ts", "b.ts"], said: "n=2", fixed: [1, true, null, 2] },
    ],
    ["a division by zero, which JSON cannot hold,", "{{ String(1 / zero) }}", "Infinity"],
    ["loose equality", "{{ count == '2' }}", true],
  ])("%s keeps its type when the template stands alone", async (_title, template, expected) => {
    expect(await value(template)).toEqual(expected);
  });

  test("a missing name is null: arithmetic and comparisons take it for zero", async () => {
    expect(await value("{{ [missing_one === null, missing_one + 1, missing_one > 1, missing_one < 1] }}")).toEqual([true, 1, false, true]);
  });

  test("reading a property of nothing is an error in a value and false in a condition", async () => {
    await expect(value("{{ nothing.deep }}")).rejects.toThrow(/null/);
    const run = await bench.run(
      `${state}\nsteps: [{ id: c, type: conditional, condition: "{{ nothing.deep > 1 }}", then: [{ id: t, type: user_message, message: t }], else: [{ id: e, type: user_message, message: e }] }]`,
    );
    expect(run.step?.id).toBe("c.e");
    expect((await run.warnings()).join()).toContain("counts as false");
  });
});

describe("conditions", () => {
  test.each<[string, string, boolean]>([
    ["a template", "{{ count > 1 }}", true],
    ["a bare expression", "count > 1 && files.length === 2", true],
    ["several lines", "count > 1 &&\nfiles.includes('a.ts')", true],
    ["an empty list, which is true as in JavaScript", "{{ [] }}", true],
    ["zero", "{{ zero }}", false],
    ["null", "{{ nothing }}", false],
    ["a negation", "{{ !nothing }}", true],
  ])("%s is judged by JavaScript truth", async (_title, condition, expected) => {
    const run = await bench.run(
      `${state}\nsteps: [{ id: c, type: conditional, condition: ${JSON.stringify(condition)}, then: [{ id: yes, type: user_message, message: y }], else: [{ id: no, type: user_message, message: n }] }]`,
    );
    expect(run.step?.id).toBe(expected ? "c.yes" : "c.no");
  });

  test("a syntax error is found at load, never taken for false", async () => {
    const found = await bench.problems(`steps: [{ id: c, type: conditional, condition: "{{ count > }}", then: [{ type: break }] }]`);
    expect(found.join("\n")).toMatch(/^error .*(count|expression|syntax|token)/im);
  });
});

describe("paths", () => {
  test("a value in a path is one key, even with dots and slashes", async () => {
    const run = await bench.run(`
steps:
  - id: each
    type: foreach
    items: [src/a.b.ts, "x y"]
    steps: [{ type: state_update, path: "raw.results.{{ item }}.seen", value: "{{ index }}" }]`);
    expect(await run.state()).toEqual({ results: { "src/a.b.ts": { seen: 0 }, "x y": { seen: 1 } } });
  });

  test("path_to_key turns a path into a plain key, and reading by the original finds it", async () => {
    const run = await bench.run(`
steps:
  - id: each
    type: foreach
    items: [lib/io.net.ts]
    steps:
      - { type: state_update, path: "raw.results.{{ item | path_to_key }}.hints", value: [h] }
      - { id: say, type: user_message, message: "{{ results[item].hints }} {{ results[item].hints.length > 0 }}" }`);
    expect(await run.read("results")).toEqual({ lib_io_net_ts: { hints: ["h"] } });
    expect(run.message).toBe('["h"] true');
    expect((await run.warnings()).join()).toContain("lib_io_net_ts");
  });

  test("a path that is one template as a whole is split after substitution", async () => {
    const run = await bench.run(
      `default_state: { raw: { where: raw.deep.key } }\nsteps: [{ type: state_update, path: "{{ where }}", value: 1 }]`,
    );
    expect(await run.read("deep")).toEqual({ key: 1 });
  });
});

describe("filters", () => {
  test.each<[string, string, string]>([
    ["path_to_key", "{{ 'src/a-b.ts' | path_to_key }}", "src_a_b_ts"],
    ["json", "{{ files | json }}", '["a.ts","b.ts"]'],
    ["upper", "{{ text | upper }}", "X"],
    ["lower", "{{ 'ABC' | lower }}", "abc"],
    ["trim", "{{ '  t ' | trim }}", "t"],
    ["length", "{{ files | length }}", "2"],
    ["join", "{{ files | join(' and ') }}", "a.ts and b.ts"],
    ["default", "{{ nothing | default('none') }}", "none"],
  ])("%s can follow a value", async (_title, text, expected) => {
    expect(await message(text)).toBe(expected);
  });

  test("a single bar between numbers is still a bitwise or", async () => {
    expect(await value("{{ count | 1 }}")).toBe(3);
  });
});

describe("shell commands", () => {
  test("a text is one word, a list is several, whatever they hold", async () => {
    const run = await bench.run(`
default_state: { raw: { evil: "it's $(id) ; \`x\` \\" \\\\ * \\n end", list: ["a b", "$HOME", ";"] } }
steps:
  - { id: one, type: shell_command, command: "printf '%s' {{ evil }}", state_update: { path: raw.one } }
  - { id: many, type: shell_command, command: "printf '%s\\\\n' {{ list }}", output_format: lines, state_update: { path: raw.many } }
  - { id: quoted, type: shell_command, command: "printf '%s' \\"<{{ evil }}>\\"", on_error: continue, state_update: { path: raw.quoted } }`);
    const made = await run.state();
    expect(made["one"]).toBe(made["evil"]);
    expect(made["many"]).toEqual(["a b", "$HOME", ";"]);
    expect(made["quoted"]).toBe(`<${textOf(made["evil"])}>`);
  });

  test("the raw filter switches quoting off", async () => {
    const run = await bench.run(
      `default_state: { raw: { args: "a b" } }\nsteps: [{ id: c, type: shell_command, command: "printf '%s.' {{ args | raw }}", state_update: { path: raw.out } }]`,
    );
    expect(await run.read("out")).toBe("a.b.");
  });

  test("a command with an unknown name is not run", async () => {
    const run = await bench.run(`steps: [{ id: c, type: shell_command, command: "echo {{ nobody }}" }]`);
    expect(run.error?.message).toContain("nobody");
  });
});

describe("scopes", () => {
  test("foreach: item, index and total", async () => {
    const run = await bench.run(
      `steps: [{ id: each, type: foreach, items: [x, y], steps: [{ type: state_update, path: raw.seen, operation: append, value: "{{ item + index + total }}" }] }]`,
    );
    expect(await run.read("seen")).toEqual(["x02", "y12"]);
  });

  test("while: iteration counts from one", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "iteration <= 3", body: [{ type: state_update, path: raw.seen, operation: append, value: "{{ iteration }}" }] }]`,
    );
    expect(await run.read("seen")).toEqual([1, 2, 3]);
  });

  test("inner loops hide the names of outer ones and give them back", async () => {
    const run = await bench.run(`
steps:
  - id: outer
    type: foreach
    items: [1, 2]
    steps:
      - { id: inner, type: foreach, items: [a], variable_name: letter, steps: [{ type: state_update, path: raw.seen, operation: append, value: "{{ [letter, index] }}" }] }
      - { type: state_update, path: raw.seen, operation: append, value: "{{ [item, index] }}" }`);
    expect(await run.read("seen")).toEqual([
      ["a", 0],
      [1, 0],
      ["a", 0],
      [2, 1],
    ]);
  });

  test("result is in scope of state_update, as a whole and by the names of its fields", async () => {
    const run = await bench.run(`
steps:
  - id: call
    type: mcp_call
    mcp: { method: stats, params: {} }
    state_update:
      - { path: raw.whole }
      - { path: raw.part, value: "{{ result.deep.n + 1 }}" }
      - { path: raw.named, value: "{{ total }}" }`);
    await run.done({ deep: { n: 4 }, total: 9 });
    expect(await run.state()).toEqual({ whole: { deep: { n: 4 }, total: 9 }, part: 5, named: 9 });
  });

  test("the id of the run is readable as workflow_id", async () => {
    const run = await bench.run(`steps: [{ id: say, type: user_message, message: "{{ workflow_id }}" }]`);
    expect(run.message).toBe(run.id);
    expect(run.id).toMatch(/^wf-[a-z0-9-]+-\d{4}-\d\d-\d\d-[a-z0-9]{6}$/);
  });

  test("a step id may hold a template", async () => {
    const run = await bench.run(
      `steps: [{ id: each, type: foreach, items: [x, y], steps: [{ id: "do_{{ item }}", type: user_message, message: m }] }]`,
    );
    expect(await run.toEnd()).toEqual(["each.do_x", "each.do_y"]);
  });
});
