import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import { checklistCodes } from "./codes.ts";
import { checklistJsonSchema, parseChecklist, recogniseChecklist } from "./definition/index.ts";
import { base, pattern, parse, problems, scanning } from "../../../test/support/checklist-case.ts";
import { checklistFeatures } from "../../../test/support/dialect-features.ts";

describe("files written for other engines", () => {
  test("missing sections get defaults, with a warning each", () => {
    const more = { per_file_checklist: undefined, topic_discovery: undefined };
    expect(problems(more)).toEqual(["warning DEFAULT_USED <type: w>", "warning DEFAULT_USED <type: w>"]);
    const { definition } = parse(more);
    expect(definition!.checklist.map(({ type, by, phase }) => [type, by, phase])).toEqual([
      ["analysis", "agent", "analysis"],
      ["validation", "agent", "analysis"],
    ]);
    expect(definition!.topics.enabled).toBe(false);
    const scanned = parse({ ...scanning, ...more }).definition!;
    expect(scanned.checklist.map(({ by, phase }) => [by, phase])).toEqual([
      ["engine", "scan"],
      ["engine", "review"],
    ]);
    expect(parse({ ...more, phases: [base.phases[0], base.phases[2]] }).definition!.checklist).toEqual([]);
  });

  test("foreign completion rules are kept for the agent, ours stay true", () => {
    const more = { completion_rules: { require_all_phases: true, generate_report: false, allow_skip_optional: true } };
    expect(problems(more)).toEqual(Object.keys(more.completion_rules).map((key) => `warning FOREIGN_KEY <${key}>`));
    const { guidance, rules } = parse(more).definition!;
    expect(guidance).toEqual(more);
    expect(rules).toEqual({ requireAllFiles: true, requireAllItems: true, allowSkip: true });
  });

  test.each(checklistFeatures.guidanceKeys)("`%s` is kept for the agent", (key) => {
    expect(problems({ [key]: { a: 1 } })).toEqual([`warning FOREIGN_KEY <${key}>`]);
    expect(parse({ [key]: { a: 1 } }).definition!.guidance).toEqual({ [key]: { a: 1 } });
  });
});

describe("recognition and information", () => {
  test("a checklist has phases and a mark of its own, or the name of one; steps are something else", () => {
    const is = (path: string, value: Json): boolean => recogniseChecklist({ path, text: JSON.stringify(value) });
    expect(is("a.json", { phases: [], file_patterns: [] })).toBe(true);
    expect(is("a.yaml", { phases: [], type: "x" })).toBe(true);
    expect(is("a.yaml", { phases: [], per_file_checklist: [] })).toBe(true);
    expect(is("a.yaml", { phases: [] })).toBe(false);
    expect(is("a.yaml", { phases: {}, type: "x" })).toBe(false);
    expect(is("a.yaml", { phases: [], type: "x", steps: [] })).toBe(false);
    for (const end of ["yaml", "yml", "json"]) expect(is(`a.workflow.${end}`, { name: "x" })).toBe(true);
    expect(is("a.workflow.yaml", { name: "x", steps: [] })).toBe(false);
    expect(recogniseChecklist({ path: "a.workflow.yaml", text: ":::[" })).toBe(true);
  });

  test("information is there even when the file has errors", () => {
    const { info, definition } = parse({ type: "x y", sub_workflows: ["s"] });
    expect(definition).toBeUndefined();
    expect(info).toMatchObject({
      name: "x y",
      title: "W",
      description: "D",
      version: "1.0.0",
      source: "project",
      includes: ["s"],
      problems: 1,
    });
    expect(info.definition).toHaveProperty("type", "x y");
    const broken = parseChecklist({ path: "b.yaml", text: "a: [" }, { source: "global" });
    expect(broken.info).toMatchObject({ name: "", source: "global", path: "b.yaml", problems: 1 });
  });

  test.each([
    ["a: [", "CHECKLIST_YAML_SYNTAX"],
    ["", "CHECKLIST_NOT_A_MAP"],
    ["- 1", "CHECKLIST_NOT_A_MAP"],
    ["a: 1\na: 2", "CHECKLIST_DUPLICATE_KEY"],
    ["a: *b", "CHECKLIST_ALIAS"],
    ["a: 1\n---\nb: 2", "CHECKLIST_SEVERAL_DOCUMENTS"],
    ["a: .inf", "CHECKLIST_NOT_JSON"],
    ["constructor: 1", "CHECKLIST_FORBIDDEN_KEY"],
    [`a: ${"[".repeat(80)}${"]".repeat(80)}`, "CHECKLIST_TOO_DEEP"],
    ["template: {{match}}", "CHECKLIST_UNQUOTED_TEMPLATE"],
  ])("%j is told as %s", (text, code) => {
    const { diagnostics } = parseChecklist({ path: "w.yaml", text }, { source: "project" });
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(diagnostics.every((each) => Object.hasOwn(checklistCodes, each.code))).toBe(true);
  });
});

describe("the catalogue, the schema and the features", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("codes.ts"),
  );
  const used = new Set(
    sources.flatMap((name) => readFileSync(join(import.meta.dirname, name), "utf8").match(/(?<=")CHECKLIST_[A-Z_]+(?=")/g) ?? []),
  );

  test("every code is listed, and every listed code is used", () => {
    const ofRuns = Object.keys(checklistCodes).filter((code) => !code.startsWith("CHECKLIST_"));
    expect([...used, ...ofRuns].sort()).toEqual(Object.keys(checklistCodes).sort());
    const texts = sources.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
    expect(ofRuns.filter((code) => !texts.includes(`"${code}"`))).toEqual([]);
    for (const entry of Object.values(checklistCodes))
      for (const text of [entry.what, entry.why, entry.fix]) expect(text).toMatch(/^[A-Z`].*[.]$/);
  });

  test("the schema is draft 7, describes every key, and has every key of the features", () => {
    const schema = checklistJsonSchema();
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
    const wrong: string[] = [];
    const names = new Set<string>();
    const visit = (value: Json, at: string): void => {
      if (Array.isArray(value)) return (value as Json[]).forEach((each, index) => visit(each, `${at}[${index}]`));
      if (!isObject(value)) return;
      for (const [key, held] of Object.entries((value["properties"] ?? {}) as JsonObject)) {
        names.add(key);
        if (!isObject(held) || typeof held["description"] !== "string" || held["description"].length < 5) wrong.push(`${at}.${key}`);
      }
      for (const [key, held] of Object.entries(value)) visit(held, `${at}.${key}`);
    };
    visit(schema, "");
    expect(wrong).toEqual([]);
    const known = [...checklistFeatures.topLevelKeys, ...Object.values(checklistFeatures.sectionKeys).flat()];
    expect([...names].sort()).toEqual([...new Set(known)].sort());
    for (const [section, keys] of Object.entries(checklistFeatures.sectionKeys)) expect(keys, section).not.toEqual([]);
  });
});

describe("any document", () => {
  const keys = [...checklistFeatures.topLevelKeys, ...Object.values(checklistFeatures.sectionKeys).flat()];
  const words = [
    ...checklistFeatures.phaseModes,
    ...checklistFeatures.entryTypes,
    "scan",
    "inventory",
    "**/*.al",
    "(",
    "{{x}}",
    "inventory phase completed",
    "BC24",
    "",
  ];
  const { value } = fc.letrec<{ value: Json; map: JsonObject }>((tie) => ({
    map: fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 6 }),
    value: fc.oneof(
      { maxDepth: 6, depthSize: "large" },
      fc.constantFrom(...words),
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
      tie("map"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));

  /** A document that is mostly right: parts of a good one are replaced. */
  const damaged = fc
    .tuple(fc.constantFrom(...Object.keys({ ...base, ...scanning })), fc.constantFrom(...keys), value)
    .map(([where, key, held]) => {
      const whole: Record<string, unknown> = { ...base, ...scanning };
      const part = whole[where];
      whole[where] =
        Array.isArray(part) && isObject(part[0])
          ? [{ ...part[0], [key]: held }, ...part.slice(1)]
          : isObject(part)
            ? { ...part, [key]: held }
            : held;
      return whole;
    });

  /** Documents whose parts are right each by itself; a few do not fit together. */
  const ordered = ["inventory", "guide_discovery", "scan", "batch_auto", "analysis", "review", "verification", "summary"];
  const sound = fc
    .record(
      {
        phases: fc
          .subarray(ordered, { minLength: 1 })
          .chain((ids) => fc.tuple(...ids.map((id, index) => phaseOf(id, ids.slice(0, index))))),
        per_file_checklist: fc.uniqueArray(
          fc.record(
            { id: fc.constantFrom("a", "scan", "review"), type: fc.constantFrom(...checklistFeatures.entryTypes), required: fc.boolean() },
            { requiredKeys: ["id", "type"] },
          ),
          { selector: ({ id }) => id, maxLength: 3 },
        ),
        pattern_discovery: fc.record(
          { patterns: fc.constant([pattern]), create_instance_items: fc.boolean() },
          { requiredKeys: ["patterns"] },
        ),
        completion_rules: fc.record({ require_all_files: fc.boolean(), allow_skip_with_reason: fc.boolean() }, { requiredKeys: [] }),
        verify: fc.constant(["make"]),
      },
      { requiredKeys: ["phases"] },
    )
    .map(({ pattern_discovery, verify, ...more }) => ({
      ...base,
      ...more,
      ...(more.phases.some(({ id }) => id === "scan") ? { pattern_discovery } : {}),
      ...(more.phases.some(({ id }) => id === "verification") ? { verify } : {}),
    }));

  function phaseOf(id: string, before: readonly string[]): fc.Arbitrary<{ id: string }> {
    return fc.record(
      {
        id: fc.constant(id),
        name: fc.constant(id.toUpperCase()),
        mode: fc.constantFrom(id === "scan" || id === "verification" ? "autonomous" : "guided"),
        entry_conditions: fc.subarray([...before]).map((ids) => ids.map((each) => `${each} phase completed`)),
        hard_stop: fc.boolean(),
      },
      { requiredKeys: ["id", "name"] },
    );
  }

  test("gives diagnostics with listed codes and places, never an exception; a definition exactly when there is no error", () => {
    let valid = 0;
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), value, damaged, { arbitrary: sound, weight: 3 }), (document) => {
        const text = JSON.stringify(document);
        const { definition, diagnostics } = parseChecklist({ path: "w.workflow.json", text }, { source: "project" });
        for (const each of diagnostics) {
          expect(checklistCodes).toHaveProperty(each.code);
          expect(each.place!.line).toBeGreaterThanOrEqual(1);
        }
        expect(definition === undefined).toBe(diagnostics.some((each) => each.severity === "error"));
        valid += definition === undefined ? 0 : 1;
        const phases = definition?.phases ?? [];
        const ids = phases.map(({ id }) => id);
        const wrong = phases.filter(({ id, after }) => after.some((each) => ids.indexOf(each) >= ids.indexOf(id)));
        expect(wrong).toEqual([]);
        expect(definition?.checklist.filter(({ phase }) => !ids.includes(phase)) ?? []).toEqual([]);
        expect(JSON.parse(JSON.stringify(definition ?? null))).toEqual(definition ?? null);
      }),
      { numRuns: 600 },
    );
    expect(valid).toBeGreaterThan(30);
  });

  test("any text gives diagnostics as well", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(parseChecklist({ path: "w.yaml", text }, { source: "project" }).diagnostics).not.toEqual([]);
        expect(typeof recogniseChecklist({ path: "w.yaml", text })).toBe("boolean");
      }),
    );
  });
});
