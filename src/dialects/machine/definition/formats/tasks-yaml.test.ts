import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import type { Json } from "../../../../base/index.ts";
import { formatCheck, parseCheck, type Check } from "./check-entry.ts";
import { dependencyProblems, readTasks, writeTasks, type SessionTask, type TaskFile } from "./tasks-yaml.ts";

const task = (fields: Partial<SessionTask> = {}): SessionTask => ({
  id: "T-001",
  status: "not-started",
  type: "feat",
  title: "Log in",
  depends_on: [],
  goal: "People can log in.",
  non_goals: [],
  context_files: [],
  files_expected: ["src/login.ts"],
  acceptance_checks: [{ kind: "cmd", text: "npm test" }],
  risk_flags: ["none"],
  done_when: ["tests pass"],
  kept: {},
  ...fields,
});
const plan = (...tasks: SessionTask[]): TaskFile => ({
  project: { name: "shop", definition_of_done: ["green"], kept: {} },
  tasks,
  kept: {},
});
const codes = (text: string): string[] => readTasks(text).problems.map(({ code }) => code);
const yaml = (checks: string): string =>
  `project: { name: shop, definition_of_done: [] }\ntasks:\n  - id: T-001\n    status: not-started\n    goal: g\n    depends_on: []\n    done_when: [d]\n    acceptance_checks:\n${checks}`;

describe("the written plan", () => {
  test("has all keys in one order and quotes where YAML needs them", () => {
    expect(
      writeTasks(
        plan(
          task({
            goal: "Fix: now # later",
            acceptance_checks: [
              { kind: "cmd", text: "make test" },
              { kind: "manual", text: "look", label: "unit" },
            ],
            kept: { owner: "me" },
          }),
        ),
      ),
    ).toBe(`project:
  name: shop
  definition_of_done:
    - green
tasks:
  - id: T-001
    status: not-started
    type: feat
    title: Log in
    depends_on: []
    goal: "Fix: now # later"
    non_goals: []
    context_files: []
    files_expected:
      - src/login.ts
    acceptance_checks:
      - "cmd: make test"
      - "manual: [unit] look"
    risk_flags:
      - none
    done_when:
      - tests pass
    owner: me
`);
  });

  test("is read as it was written, whatever the texts hold", () => {
    const nasty = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "yes",
        "null",
        "~",
        "1e3",
        "0x1f",
        "a: b",
        "- x",
        "# c",
        "{{x}}",
        "*all*",
        "&a",
        "!tag",
        "%a",
        "@b",
        "`c`",
        "'",
        '"',
        "\n",
        "a\n  b\n\n",
        "x ".repeat(200),
        "|",
        ">",
        "---",
        "...",
        "\u0085\u2028\ufeff\u007f",
        "\t",
        " lead",
        "trail ",
      ),
    );
    const said = nasty.filter((text) => text.trim() !== "");
    const check = fc
      .record({ kind: fc.constantFrom("cmd" as const, "manual" as const), text: said.map((text) => text.trim()) })
      .filter(({ text }) => !/^\[[A-Za-z][\w.-]*\]\s/.test(text));
    const kept = fc
      .dictionary(fc.oneof(fc.constant("long ".repeat(300)), fc.string({ minLength: 13, maxLength: 30 })), fc.jsonValue({ maxDepth: 2 }), {
        maxKeys: 2,
      })
      // Keys that could reach a prototype are left out when a plan is read.
      .filter((map) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(map)))
      .map((map) => JSON.parse(JSON.stringify(map).replaceAll("-0", "0")) as Record<string, Json>);
    const any = fc.record({
      title: nasty,
      goal: said,
      files_expected: fc.array(nasty),
      non_goals: fc.array(nasty),
      done_when: fc.array(nasty, { minLength: 1 }),
      acceptance_checks: fc.array(check, { minLength: 1 }),
      kept,
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 4 }), fc.string(), (list, name) => {
        const tasks = list.map((fields, index) =>
          task({ ...fields, id: `T-00${index}`, depends_on: index === 0 ? [] : [`T-00${index - 1}`] }),
        );
        const file = { ...plan(...tasks), project: { name, definition_of_done: ["x"], kept: {} } };
        const text = writeTasks(file);
        expect(readTasks(text)).toEqual({ file, problems: [] });
        expect(() => parse(text)).not.toThrow();
      }),
      { numRuns: 40 },
    );
  });
});

describe("other forms", () => {
  test("of checks", () => {
    const read = readTasks(
      yaml(`      - cmd: make test
      - unit: npm run unit
      - { id: AC-001, verify: npm run e2e }
      - { id: AC-002, verify: ["manual: look", "npm x"] }
      - integration: "run it"
      - "npm run test:unit"
      - cmd:
      - "Manual: by hand"
      - { a: 1, b: 2 }
`),
    );
    expect(read.file?.tasks[0]?.acceptance_checks).toEqual([
      { kind: "cmd", text: "make test" },
      { kind: "manual", text: "npm run unit", label: "unit" },
      { kind: "cmd", text: "npm run e2e" },
      { kind: "manual", text: "look", label: "AC-002" },
      { kind: "cmd", text: "npm x" },
      { kind: "manual", text: "run it", label: "integration" },
      { kind: "manual", text: "npm run test:unit" },
      { kind: "manual", text: "by hand" },
      { kind: "manual", text: '{"a":1,"b":2}' },
    ]);
    expect(new Set(read.problems.map(({ code }) => code))).toEqual(
      new Set(["MACHINE_CHECK_MAP", "MACHINE_CHECK_PREFIX", "MACHINE_CHECK_EMPTY"]),
    );
    expect(read.problems.find(({ code }) => code === "MACHINE_CHECK_MAP")).toMatchObject({
      place: { line: 9 },
      fix: 'Write "cmd: make test" in quotes.',
    });
  });

  test("of tasks and project", () => {
    const { file, problems } = readTasks(`project: Shop
tasks:
  - id: T-007-B
    title: x
    deps: [T-012r]
    files: [a.ts]
    owner: me
    goal: g
    acceptance_checks: "cmd: x"
    done_when: [d]
  - id: T-012r
    status: In Progress
    depends_on: []
    goal: g
    risk_flags: security
    acceptance_checks: ["cmd: x"]
    done_when: [Note: all pass]
`);
    expect(file).toMatchObject({
      project: { name: "Shop" },
      tasks: [
        { id: "T-007-B", status: "not-started", depends_on: ["T-012r"], files_expected: ["a.ts"], kept: { owner: "me" } },
        { id: "T-012r", status: "in-progress", risk_flags: ["security"], done_when: ["Note: all pass"] },
      ],
    });
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
    expect(new Set(problems.map(({ code }) => code))).toEqual(
      new Set([
        "MACHINE_PROJECT_FORM",
        "MACHINE_ID_FORM",
        "MACHINE_TASK_ALIAS",
        "MACHINE_TASK_IGNORED",
        "MACHINE_TASK_STATUS",
        "MACHINE_LIST_FORM",
        "MACHINE_WORD_FORM",
      ]),
    );
  });

  test("a word that is not a status is never taken for a finished task", () => {
    const { file, problems } = readTasks(yaml("      - 'cmd: x'\n").replace("not-started", "done"));
    expect(file?.tasks[0]?.status).toBe("not-started");
    expect(problems).toMatchObject([{ code: "MACHINE_UNKNOWN_WORD", severity: "error", place: { line: 4 } }]);
  });

  test("twins and tasks without id are told and lose nothing", () => {
    const { file, problems } = readTasks(writeTasks(plan(task(), task({ goal: "other" }), task({ id: "" }))));
    expect(file?.tasks.map(({ id, goal }) => [id, goal])).toEqual([
      ["T-001", "People can log in."],
      ["T-001-2", "other"],
      ["T-002", "People can log in."],
    ]);
    expect(problems.map(({ code }) => code)).toEqual(["MACHINE_TASK_INCOMPLETE", "MACHINE_DUPLICATE_ID"]);
  });
});

describe("a file that is not YAML", () => {
  test.each([
    [`      - cmd: curl -H "Accept: text" x\n`, `      - "cmd: curl -H \\"Accept: text\\" x"\n`],
    ["      - manual: see that: it works # why\n", `      - "manual: see that: it works" # why\n`],
    ["      - 'cmd: x'\n    title: Fix this: now\n", `      - 'cmd: x'\n    title: "Fix this: now"\n`],
    ["      - 'cmd: x'\n    title: `npm` first\n", "      - 'cmd: x'\n    title: \"`npm` first\"\n"],
    ["      - *all* pass\n", `      - "*all* pass"\n`],
    ["      - [ -f x ] && echo y\n", `      - "[ -f x ] && echo y"\n`],
    ["      - cmd: a: b\n      - cmd: c: d\n", `      - "cmd: a: b"\n      - "cmd: c: d"\n`],
  ])("%j is told with its line, and quoted", (broken, quoted) => {
    const { file, problems, repair } = readTasks(yaml(broken));
    expect(file).toBeUndefined();
    expect(repair).toBe(yaml(quoted));
    expect(problems[0]).toMatchObject({ code: "MACHINE_UNQUOTED", severity: "error" });
    expect(problems[0]?.place?.line).toBeGreaterThan(8);
    const line = repair?.split("\n")[(problems[0]?.place?.line ?? 0) - 1] ?? "";
    expect(problems[0]?.fix).toContain(line.trim());
    expect(readTasks(repair ?? "").file?.tasks[0]?.acceptance_checks.length).toBeGreaterThan(0);
  });

  test("that quotes do not help has no repair", () => {
    const { file, problems, repair } = readTasks("tasks:\n  - id: T-1\n   status: x\n  }");
    expect({ file, repair }).toEqual({});
    expect(problems[0]).toMatchObject({ code: "MACHINE_SYNTAX" });
  });

  test("nothing makes the reader throw, and a repair is always YAML", () => {
    const piece = fc.constantFrom(
      "tasks:",
      "\n",
      "  - ",
      "    ",
      "id: ",
      "T-1",
      ": ",
      "cmd: x",
      "*a",
      "&a",
      "'",
      '"',
      "[",
      "{",
      "]",
      "# c",
      "|",
      "acceptance_checks:",
      "? ",
      "!!",
      "{{a}}",
      "\r\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const { repair } = readTasks(`tasks:\n  - id: ${pieces.join("")}`);
        const faults = repair === undefined ? [] : parseDocument(repair, { uniqueKeys: false }).errors;
        expect(faults).toEqual([]);
      }),
      { numRuns: 250 },
    );
    for (const text of ["", "null", "- a", "tasks: 4", "tasks: [1, null, []]", `tasks: ${"[".repeat(5000)}`, "a: &a [*a]\ntasks: *a"])
      expect(codes(text).length).toBeGreaterThan(0);
  });
});

describe("checks", () => {
  test("are read as they are written", () => {
    const any = fc.record({ kind: fc.constantFrom("cmd" as const, "manual" as const), text: fc.string({ minLength: 1 }) });
    fc.assert(
      fc.property(any, fc.option(fc.stringMatching(/^[A-Za-z][\w.-]*$/)), (check, label) => {
        const text = check.text.trim();
        fc.pre(text !== "" && !/^\[[A-Za-z][\w.-]*\]\s/.test(text));
        const whole: Check = { ...check, text, ...(label !== null && check.kind === "manual" ? { label } : {}) };
        expect(parseCheck(formatCheck(whole), "manual")).toEqual(whole);
      }),
    );
  });
  test("a bare text is what its file says, and a prefix is only one before a space", () => {
    expect(parseCheck("npm run test:unit", "cmd")).toEqual({ kind: "cmd", text: "npm run test:unit" });
    expect(parseCheck("http://x/y", "manual")).toEqual({ kind: "manual", text: "http://x/y" });
    expect(parseCheck(" cmd: ", "cmd")).toBeUndefined();
  });
});

describe("dependencies", () => {
  const chain = (...edges: [string, ...string[]][]): SessionTask[] => edges.map(([id, ...depends_on]) => task({ id, depends_on }));

  test("on nothing known, on itself and in a circle are told", () => {
    expect(
      dependencyProblems(chain(["a", "x"], ["b", "b"], ["c", "d"], ["d", "e"], ["e", "c"], ["f", "c"])).map(({ message }) => message),
    ).toEqual([
      "Task `a` depends on `x`, which is not a task.",
      "Tasks wait for each other and can never begin: `b` → `b`.",
      "Tasks wait for each other and can never begin: `c` → `d` → `e` → `c`.",
    ]);
    expect(codes(writeTasks(plan(task({ depends_on: ["T-9"] }))))).toEqual(["MACHINE_DEPENDENCY_UNKNOWN"]);
  });

  test("of a long chain need no stack", () => {
    const long = Array.from({ length: 10_000 }, (_, index): [string, ...string[]] =>
      index === 0 ? ["t0"] : [`t${index}`, `t${index - 1}`],
    );
    expect(dependencyProblems(chain(...long.reverse()))).toEqual([]);
  });

  test("a plan without a circle can always be worked off, in both strategies", () => {
    const dag = fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(dag, fc.constantFrom("completed" as const, "implemented" as const), (edges, done) => {
        let tasks = edges.map((deps, index) => task({ id: `${index}`, depends_on: deps.filter((each) => each < index).map(String) }));
        const isDone = (id: string): boolean => tasks.some((each) => each.id === id && each.status === done);
        for (let round = 0; round < edges.length; round++) {
          expect(dependencyProblems(tasks)).toEqual([]);
          const first = tasks.find(({ status, depends_on }) => status === "not-started" && depends_on.every(isDone));
          expect(first).toBeDefined();
          tasks = tasks.map((each) => (each === first ? { ...each, status: done } : each));
        }
      }),
    );
  });
});
