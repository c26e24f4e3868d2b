import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const flow = `name: flow
description: Has state
version: "1.0.0"
inputs: { key: { type: string, secret: true, default: hunter2hunter2 } }
default_state: { raw: { count: 1, list: [], map: {}, text: "{{ inputs.key }}" } }
state_schema:
  computed:
    double: { from: raw.count, transform: "input * 2" }
    quadruple: { from: computed.double, transform: "input * 2" }
steps:
  - { id: one, type: user_message, message: one }
  - { id: two, type: user_message, message: two }
`;

let bench: CliBench;
let run: string;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/flow.yaml": flow });
  run = String((await bench.json(["start", "flow"]))["run_id"]);
});
afterEach(() => bench.close());

describe("state", () => {
  test("one text is printed as it is, everything else as JSON", async () => {
    await bench.run(["state", run, "--set", "raw.note=plain words"]);
    expect((await bench.run(["state", run, "note"])).stdout).toBe("plain words\n");
    expect((await bench.run(["state", run, "quadruple"])).stdout).toBe("4\n");
    expect(JSON.parse((await bench.run(["state", run, "count", "double"])).stdout)).toEqual({ count: 1, double: 2 });
  });

  test("several writes are made together, and answer what was computed anew", async () => {
    const written = await bench.json([
      "state",
      run,
      "--set",
      "raw.flag=true",
      "--append",
      'raw.list={"a":1}',
      "--increment",
      "raw.count=4",
      "--increment",
      "raw.other",
      "--merge",
      'raw.map={"k":"v"}',
    ]);
    expect(written).toMatchObject({ changed: { double: 10, quadruple: 20 } });
    expect(await bench.json(["state", run, "flag", "list", "count", "other", "map"])).toMatchObject({
      state: { flag: true, list: [{ a: 1 }], count: 5, other: 1, map: { k: "v" } },
    });
  });

  test("a write on an older version changes nothing", async () => {
    const { version } = await bench.json<{ version: number }>(["state", run]);
    await bench.json(["state", run, "--set", "raw.a=1", "--expect-version", String(version)]);
    const { code, stderr } = await bench.run(["state", run, "--set", "raw.a=2", "--expect-version", String(version)]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("VERSION_CONFLICT") });
    expect(await bench.json(["state", run, "a"])).toMatchObject({ state: { a: 1 } });
  });

  test.each([
    ["computed.double=1", "ENGINE_BAD_PATH"],
    ["raw.__proto__.x=1", "ENGINE_BAD_PATH"],
    ["raw=1", "ENGINE_BAD_PATH"],
  ])("%s cannot be written", async (set, code) => {
    const { code: exit, stderr } = await bench.run(["state", run, "--set", set]);
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining(code) });
  });

  test("dependencies of a computed field are shown", async () => {
    expect(await bench.json(["state", run, "--deps", "double"])).toMatchObject({
      field: "double",
      dependents: expect.arrayContaining([expect.stringContaining("quadruple")]),
    });
  });
});

describe("trace", () => {
  test("shows the evaluation of each computed field", async () => {
    const { traces } = await bench.json<{ traces: { field: string; output: unknown }[] }>(["trace", run]);
    expect(Object.fromEntries(traces.map(({ field, output }) => [field, output]))).toEqual({ double: 2, quadruple: 4 });
    const { stdout } = await bench.run(["trace", run, "--field", "double"]);
    expect(stdout).toMatch(/double +[\d.]+ ms +1 +2/);
    expect(stdout).not.toContain("quadruple ");
    expect(stdout).toContain(`→ waymark state ${run} --deps double\n`);
    const unknown = await bench.run(["trace", run, "--field", "doubel"]);
    expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([2, "", expect.stringContaining("Did you mean `double`?")]);
    expect(unknown.stderr).toContain("→ Computed fields are double, quadruple.");
  });

  test("tries a transformation without a run", async () => {
    expect((await bench.run(["trace", "--try", "input.map((n) => n + 1)", "--with", "[1,2]"])).stdout).toBe("[\n  2,\n  3\n]\n");
    expect(await bench.run(["trace", "--try", "nope()"])).toMatchObject({ code: 1, stdout: expect.stringContaining("It fails: ") });
    expect((await bench.run(["trace", "--try", "1", "--with", "{"])).code).toBe(2);
  });
});

test("without computed fields there is nothing to ask about them", async () => {
  const step = "{ id: m, type: user_message, message: hi }";
  await bench.write(".waymark/workflows/plain.yaml", `name: plain\ndescription: d\nversion: "1.0.0"\nsteps: [${step}]\n`);
  const plain = String((await bench.json(["start", "plain"]))["run_id"]);
  const { stdout } = await bench.run(["trace", plain]);
  expect(stdout).toContain("No computed field was evaluated.");
  expect(stdout).not.toContain("→");
});

describe("what an agent would ask for", () => {
  test.each([
    [["retry"], (id: string) => `→ Run \`waymark status ${id}\` to see what is open.`],
    [["decide"], (id: string) => `→ Look at the run: waymark status ${id}`],
    [["decide", "d99"], (id: string) => `→ Look at the run: waymark status ${id}`],
  ])("after %j is named as the line that shows it", async ([command = "", ...more], line) => {
    const { code, stderr } = await bench.run([command, run, ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(line(run))]);
  });

  test("of a workflow or a run that does not exist is named as the line that lists them", async () => {
    expect((await bench.run(["start", "nope"])).stderr).toContain("→ Run `waymark list` and use one of its names.");
    expect((await bench.run(["next", "nope"])).stderr).toContain("→ List the runs (`waymark runs`).");
  });
});

describe("journal and export", () => {
  test("records come in order, in pages, as JSON lines", async () => {
    await bench.run(["done", run]);
    await bench.run(["done", run]);
    const lines = (await bench.run(["journal", run, "--jsonl"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { position: number; by: unknown });
    expect(lines.map(({ position }) => position)).toEqual(lines.map((_line, index) => index + 1));
    expect(lines[0]?.by).toMatchObject({ kind: "person", name: "ada", surface: "cli" });
    const page = await bench.run(["journal", run, "--after", "2", "--limit", "1"]);
    expect(page.stdout).toMatch(/^3 .*handed out two/m);
    expect(page.stdout).toContain(`→ waymark journal ${run} --after 3`);
    expect((await bench.run(["journal", run, "--after", "99"])).stdout).toContain("Nothing has happened after position 99.");
  });

  test("an export holds inputs, state and journal, and no secret", async () => {
    await bench.run(["state", run, "--set", "raw.copy=hunter2hunter2"]);
    const { stdout } = await bench.run(["export", run]);
    expect(JSON.parse(stdout)).toMatchObject({ format: "waymark-run", run_id: run, state: { count: 1 } });
    expect(stdout).not.toContain("hunter2");
    expect(await bench.json(["export", run, "--out", "out/run.json"])).toMatchObject({ bytes: Buffer.byteLength(stdout) });
    expect(readFileSync(join(bench.workspace, "out/run.json"), "utf8")).toBe(stdout);
  });
});

describe("secrets", () => {
  test("are masked wherever a run is looked at", async () => {
    await bench.write(
      ".waymark/workflows/leak.yaml",
      `name: leak
description: d
version: "1.0.0"
inputs: { key: { type: string, secret: true } }
default_state: { raw: { a: "x {{ inputs.key }}" } }
state_schema: { computed: { b: { from: raw.a, transform: "input + '!'" } } }
steps: [{ id: stop, type: exit, status: failed, message: "no {{ inputs.key }}" }]
`,
    );
    const { stdout: first } = await bench.run(["start", "leak", "-i", "key=opensesame"]);
    const leak = /wf-leak-\S+\w/.exec(first)?.[0] ?? "";
    const looks = [
      ["status", leak],
      ["state", leak],
      ["trace", leak],
      ["journal", leak],
      ["export", leak],
      ["next", leak],
    ];
    let all = first;
    for (const argv of looks) for (const json of [[], ["--json"]]) all += (await bench.run([...argv, ...json])).stdout;
    expect(all).toContain("********");
    expect(all.match(/.*opensesame.*/g)).toBeNull();
  });
});

describe("runs and status", () => {
  test("runs are listed newest first and can be filtered", async () => {
    const second = String((await bench.json(["start", "flow"]))["run_id"]);
    await bench.run(["abort", run]);
    expect((await bench.run(["runs", "--ids"])).stdout.trim().split("\n").toSorted()).toEqual([run, second].toSorted());
    expect((await bench.run(["runs", "--ids", "--status", "cancelled"])).stdout).toBe(`${run}\n`);
    expect((await bench.run(["runs", "--ids", "--limit", "1"])).stdout.trim().split("\n")).toHaveLength(1);
    expect((await bench.run(["runs", "--workflow", "other"])).stdout).toBe("There is no run of `other` here.\n→ waymark runs\n");
    expect((await bench.run(["runs", "--status", "failed"])).stdout).toBe("There is no failed run here.\n→ waymark runs\n");
    expect((await bench.run(["status"])).stdout).toMatch(new RegExp(`^${second} +running +one`, "m"));
  });

  test("the status of a run names who drives it and what comes next", async () => {
    expect((await bench.run(["status", run])).stdout).toMatch(/^main +one \(user_message\) +nobody$/m);
    await bench.run(["next", run]);
    const { stdout } = await bench.run(["status", run]);
    expect(stdout).toMatch(/^main +one \(user_message\) +ada$/m);
    expect(stdout).toContain(`→ waymark next ${run}`);
    expect(await bench.json(["status", run])).toMatchObject({
      run_id: run,
      status: "running",
      strands: [{ strand: "main", holder: "ada", alive: true, stale: false }],
    });
  });
});
