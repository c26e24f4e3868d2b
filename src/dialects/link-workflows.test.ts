import { describe, expect, test } from "vitest";
import { checkProgram } from "../program/index.ts";
import { samples, type SampleDialect } from "../../test/support/calling-samples.ts";
import { sampleFile, sampleSet } from "../../test/support/sample-set.ts";
import { createLinker, sourceCodes, type LoweredWorkflow } from "../source/index.ts";
import { dialects as contracts, loadWorkflow } from "../../test/support/all-dialects.ts";

const dialects: readonly SampleDialect[] = ["steps", "checklist", "bots", "machine"];

const unknown: Readonly<Record<SampleDialect, { readonly code: string; readonly text: string }>> = {
  steps: { code: "STEPS_UNKNOWN_WORKFLOW", text: "workflow: iner" },
  checklist: { code: "CHECKLIST_BAD_CALL", text: "[iner]" },
  bots: { code: "BOTS_UNKNOWN_WORKFLOW", text: '"calls":"iner"' },
  machine: { code: "MACHINE_UNKNOWN_WORKFLOW", text: "workflow: iner" },
};

function errorsOf({ diagnostics }: LoweredWorkflow): LoweredWorkflow["diagnostics"] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

describe.each(dialects)("a workflow of %s that calls another one", (caller) => {
  test("names one that does not exist: an error at the name, with the nearest ones", () => {
    const files = { ...samples[caller]("outer", "iner"), ...samples.steps("inner") };
    const loaded = loadWorkflow({ ...sampleSet(files, ["outer"]), known: ["outer", "inner", "other"] });
    expect(loaded.program).toBeUndefined();
    const { code, text } = unknown[caller];
    const [error] = errorsOf(loaded);
    expect(errorsOf(loaded)).toEqual([expect.objectContaining({ code, message: expect.stringContaining("`iner`") })]);
    expect(error?.fix).toBe("Did you mean `inner`?");
    const place = error?.place;
    const line = (files[place?.file ?? ""] ?? "").split("\n")[(place?.line ?? 0) - 1] ?? "";
    expect(line.slice((place?.column ?? 1) - 1, (place?.endColumn ?? 1) - 1).replaceAll('"', "")).toBe("iner");
    expect(line).toContain(text);
  });

  test("is described by itself without a complaint about what was not looked for", () => {
    const main = sampleFile(samples[caller]("outer", "inner"), "outer");
    expect(loadWorkflow({ main: main!, imports: {}, workflows: {}, alone: true }).info).toMatchObject({ name: "outer", problems: 0 });
  });

  test("calls itself by way of another dialect: an error, not an endless loop", () => {
    const other = caller === "bots" ? "machine" : "bots";
    const files = { ...samples[caller]("outer", "inner"), ...samples[other]("inner", "outer") };
    const loaded = loadWorkflow(sampleSet(files, ["outer", "inner"]));
    expect(loaded.program).toBeUndefined();
    expect(errorsOf(loaded)).toContainEqual(
      expect.objectContaining({ code: "DIALECTS_CALL_CYCLE", message: expect.stringContaining("outer → inner → outer") }),
    );
  });

  test.each(dialects)("puts one of %s into a sound program", (called) => {
    const files = { ...samples[caller]("outer", "inner"), ...samples[called]("inner") };
    const loaded = loadWorkflow(sampleSet(files, ["outer", "inner"]));
    expect(errorsOf(loaded)).toEqual([]);
    expect(checkProgram(loaded.program!)).toEqual([]);
    expect(Object.values(loaded.program!.parts).map(({ dialect }) => dialect)).toEqual([caller, called]);
    const lists = Object.values(loaded.program!.parts).flatMap(({ worklists }) => worklists.map(({ id }) => id));
    const own = lists.filter((id) => id !== "findings" && id !== "changes");
    expect(new Set(own).size, `lists of their own: ${own.join(", ")}`).toBe(own.length);
  });

  test("says what the called one has wrong", () => {
    const files = { ...samples[caller]("outer", "inner"), ...samples.steps("inner", "gone") };
    const loaded = loadWorkflow(sampleSet(files, ["outer", "inner"]));
    expect(loaded.program).toBeUndefined();
    expect(errorsOf(loaded)).toEqual([
      expect.objectContaining({
        code: "STEPS_UNKNOWN_WORKFLOW",
        place: expect.objectContaining({ file: ".waymark/workflows/inner.yaml" }),
      }),
    ]);
  });
});

const wanting = samples.steps("inner");
const [[path, text] = ["", ""]] = Object.entries(wanting);
const needy = { [path]: text.replace("steps:", "inputs: { what: { type: string, description: d, required: true } }\nsteps:") };

test.each(["checklist", "bots", "machine"] as const)("an input that %s does not give is missing", (caller) => {
  const loaded = loadWorkflow(sampleSet({ ...samples[caller]("outer", "inner"), ...needy }, ["outer", "inner"]));
  expect(errorsOf(loaded)).toEqual([expect.objectContaining({ code: "DIALECTS_CALL_INPUT", message: expect.stringContaining("`what`") })]);
});

test("an input that a machine gives is taken, and one that nobody asked for is warned about", () => {
  const machine = samples.machine("outer", "inner");
  const [[at, states] = ["", ""]] = Object.entries(machine);
  const given = (inputs: string) => ({
    ...machine,
    [at]: states.replace("workflow: inner", `workflow: inner, inputs: ${inputs}`),
    ...needy,
  });
  const sound = loadWorkflow(sampleSet(given('{ what: "{{ inputs.slug }}" }'), ["outer", "inner"]));
  expect(sound.diagnostics).toEqual([]);
  expect(Object.values(sound.program!.blocks)).toContainEqual(
    expect.objectContaining({ kind: "call", part: "inner", inputs: { what: { as: "value", of: "{{ inputs.slug }}" } } }),
  );
  const more = loadWorkflow(sampleSet(given("{ what: a, wat: b }"), ["outer", "inner"]));
  expect(more.diagnostics).toEqual([
    expect.objectContaining({ code: "DIALECTS_CALL_INPUT", severity: "warning", fix: "Did you mean `what`?" }),
  ]);
});

test("checklists that call each other are refused, and steps keep their own word for it", () => {
  const circle = (dialect: SampleDialect) =>
    loadWorkflow(sampleSet({ ...samples[dialect]("outer", "inner"), ...samples[dialect]("inner", "outer") }, ["outer", "inner"]));
  expect(errorsOf(circle("checklist")).map(({ code }) => code)).toEqual(["DIALECTS_CALL_CYCLE"]);
  expect(errorsOf(circle("steps")).map(({ code }) => code)).toEqual(["STEPS_INCLUDE_CYCLE"]);
});

describe("a circle of calls beside other mistakes", () => {
  const added = (files: Readonly<Record<string, string>>, from: string, to: string) =>
    Object.fromEntries(Object.entries(files).map(([at, held]) => [at, held.replace(from, to)]));
  const names = ["outer", "inner", "middle"];
  const told = (files: Readonly<Record<string, string>>) =>
    errorsOf(loadWorkflow({ ...sampleSet(files, names), known: names })).map(({ code, message, fix }) => [code, message, fix]);

  test("is told once, with its path, and names that do not exist are told with it", () => {
    const files = {
      ...added(samples.checklist("outer", "inner"), "[inner]", "[inner, iner]"),
      ...samples.steps("inner", "middle"),
      ...added(samples.checklist("middle", "inner"), "[inner]", "[inner, midle]"),
    };
    expect(told(files).toSorted(([, a = ""], [, b = ""]) => (a < b ? -1 : 1))).toEqual([
      ["CHECKLIST_BAD_CALL", "There is no workflow `iner` to call.", "Did you mean `inner`?"],
      ["CHECKLIST_BAD_CALL", "There is no workflow `midle` to call.", "Did you mean `middle`?"],
      ["DIALECTS_CALL_CYCLE", "Workflows call each other in a circle: inner → middle → inner.", "Remove one of these calls."],
    ]);
  });

  test.each(dialects)("says nothing wrong about the names in it when %s comes first", (caller) => {
    const other = caller === "checklist" ? "bots" : "checklist";
    const files = { ...samples[caller]("outer", "inner"), ...samples.steps("inner", "middle"), ...samples[other]("middle", "outer") };
    expect(told(files).map(([code, message]) => [code, message])).toEqual([
      ["DIALECTS_CALL_CYCLE", "Workflows call each other in a circle: outer → inner → middle → outer."],
    ]);
  });
});

test("every code of the linker is catalogued in sentences", () => {
  expect(Object.keys(sourceCodes)).toEqual(["DIALECTS_CALL_CYCLE", "DIALECTS_CALL_INPUT", "DIALECTS_PARALLEL_CALL"]);
  for (const entry of Object.values(sourceCodes)) for (const sentence of Object.values(entry)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

describe("whose file it is", () => {
  const turned = contracts.map(({ name }, first) => [name, [...contracts.slice(first), ...contracts.slice(0, first)]] as const);

  test.each(turned)("the dialect that owns nothing takes the rest, with %s first", (_name, list) => {
    const linker = createLinker(list);
    for (const dialect of dialects) {
      const { main } = sampleSet(samples[dialect]("outer", "inner"), ["outer"]);
      expect(linker.dialectOf(main).name).toBe(dialect);
    }
    expect(linker.dialectOf({ path: "a.yaml", text: "" }).name).toBe("steps");
  });

  test("a list in which every dialect owns something leaves files to nobody, and is refused", () => {
    expect(() => createLinker(contracts.filter(({ owns }) => owns !== undefined))).toThrow("No dialect takes the files");
  });
});
