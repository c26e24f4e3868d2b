import { describe, expect, test } from "vitest";
import {
  base,
  made,
  messages,
  parse,
  pattern,
  problems,
  scanning,
  withEntry,
  withPattern,
  withPhase,
} from "../../../../test/support/checklist-case.ts";

describe("keys of the file", () => {
  test("defaults are filled in", () => {
    expect(made({})).toMatchObject({
      type: "w",
      version: "1.0.0",
      fileExclusions: [],
      gitignore: true,
      maxFileBytes: 10_485_760,
      rules: { requireAllFiles: true, requireAllItems: true, allowSkip: true },
      verify: [],
      subWorkflows: [],
      guidance: {},
      topics: { enabled: false },
      patterns: { enabled: false, patterns: [], createItems: true, groupIdentical: false, groupByGuide: false, fromGuides: false },
    });
  });

  test("every key of the top level reaches the definition", () => {
    const keys = {
      version: "2.1",
      specialist: "s",
      file_patterns: ["a/*.cs"],
      file_exclusions: ["b/**"],
      gitignore: false,
      max_file_bytes: 10,
      sub_workflows: ["security-audit"],
      completion_rules: { require_all_files: false, require_all_checklist_items: false, allow_skip_with_reason: false },
    };
    expect(made(keys)).toMatchObject({
      version: "2.1",
      specialist: "s",
      filePatterns: ["a/*.cs"],
      fileExclusions: ["b/**"],
      gitignore: false,
      maxFileBytes: 10,
      subWorkflows: ["security-audit"],
      rules: { requireAllFiles: false, requireAllItems: false, allowSkip: false },
    });
  });

  test.each([
    ["require_all_files", "requireAllFiles"],
    ["require_all_checklist_items", "requireAllItems"],
    ["allow_skip_with_reason", "allowSkip"],
  ])("%s is read when true and when false, and is true when missing", (key, field) => {
    for (const value of [true, false]) expect(made({ completion_rules: { [key]: value } }).rules).toHaveProperty(field, value);
    expect(made({ completion_rules: {} }).rules).toHaveProperty(field, true);
  });

  test("what is missing, empty or of the wrong type is told with its place", () => {
    expect(problems({ type: undefined, name: undefined })).toEqual([
      "error MISSING_KEY <description: D>",
      "error MISSING_KEY <description: D>",
    ]);
    expect(problems({ file_patterns: [] })).toEqual(["error BAD_VALUE <[]>"]);
    expect(problems({ phases: [] })).toContain("error BAD_VALUE <[]>");
    expect(problems({ file_patterns: "src" })).toEqual(["error WRONG_TYPE <src>"]);
    expect(problems({ version: 2 })).toEqual(["error WRONG_TYPE <2>"]);
    expect(messages({ version: 2 })).toEqual(['`version` must be a text, but is `2`. Put quotes around it: `"2"`.']);
    expect(problems({ gitignore: "no" })).toEqual(["error WRONG_TYPE <no>"]);
    expect(problems({ max_file_bytes: 0 })).toEqual(["error BAD_VALUE <0>"]);
    expect(problems({ description: undefined })).toEqual(["warning NO_DESCRIPTION <type: w>"]);
    expect(problems({ type: "a b" })).toEqual(["error BAD_NAME <a b>"]);
    expect(problems({ phases: null })).toContain("error WRONG_TYPE <null>");
  });

  test("a misspelt key gets a suggestion, wherever it stands", () => {
    expect(messages({ file_pattern: ["x"] })).toEqual([
      "`file_pattern` is not a key of a checklist workflow. Did you mean `file_patterns`?",
    ]);
    expect(problems(withPhase({ requird: true }))).toEqual(["error UNKNOWN_KEY <requird>"]);
    expect(messages(withPhase({ requird: true }))).toEqual(["`requird` is not a key of the phase `analysis`. Did you mean `required`?"]);
    expect(messages(withEntry({ conditions: { file_patern: "x" } }))).toEqual([
      "`file_patern` is not a key of `per_file_checklist[0].conditions`. Did you mean `file_pattern`?",
    ]);
    expect(messages(withPattern({ whole_words: true }))[0]).toContain("Did you mean `whole_word`?");
    expect(problems({ completion_rules: { require_all_file: true } })).toEqual(["error UNKNOWN_KEY <require_all_file>"]);
    expect(messages({ "<<": { version: "1" } })[0]).toContain("Merge keys");
    expect(problems({ completion_rules: { allow_skip: false } })).toEqual(["error UNKNOWN_KEY <allow_skip>"]);
  });

  test.each(["", "a\\b", "!x", "/abs/**", "C:/x", "../x", "a/{b", "[a"])("the glob %j is refused", (glob) => {
    expect(parse({ file_exclusions: [glob] }).diagnostics.map((each) => each.code)).toEqual(["CHECKLIST_BAD_GLOB"]);
  });

  test("several problems are told at once, in the order of the text", () => {
    const found = problems({ type: "a b", file_patterns: ["../x"], phases: [{ id: "x", name: "X", mode: "fast" }], extra_files: 1 });
    expect(found).toEqual(["error BAD_NAME <a b>", "error BAD_GLOB <../x>", "error BAD_VALUE <fast>", "warning FOREIGN_KEY <extra_files>"]);
  });
});

describe("phases", () => {
  test("every key of a phase reaches the definition", () => {
    const phase = {
      id: "r",
      name: "Name",
      description: "Desc",
      required: false,
      entry_conditions: ["inventory phase completed"],
      available_actions: ["look"],
      mode: "agent_driven",
      hard_stop: true,
      specialist_handoff: "roger-reviewer",
      checklist: ["one", "two"],
    };
    expect(made({ phases: [base.phases[0], phase] }).phases[1]).toEqual({
      id: "r",
      name: "Name",
      description: "Desc",
      required: false,
      mode: "agent_driven",
      role: "agent",
      after: ["inventory"],
      notes: [],
      availableActions: ["look"],
      hardStop: true,
      specialist: "roger-reviewer",
      checklist: ["one", "two"],
    });
    expect(made({}).phases[1]).toMatchObject({
      description: "",
      required: true,
      after: [],
      availableActions: [],
      hardStop: false,
      checklist: [],
    });
  });

  test.each([
    ["file-inventory", "inventory", "autonomous"],
    ["pattern_scan", "scan", "autonomous"],
    ["classification", "scan", "autonomous"],
    ["impact_analysis", "scan", "autonomous"],
    ["batch_auto", "batch", "autonomous"],
    ["verify", "verification", "autonomous"],
    ["compile", "verification", "autonomous"],
    ["migration_report", "review", "guided"],
    ["manual_review", "review", "guided"],
    ["specialist_consultation", "review", "guided"],
  ])("without a mode, %s is %s and %s", (id, role, mode) => {
    const phases = [{ id, name: "X" }, ...(id.includes("scan") ? [] : [{ id: "scan", name: "S" }]), { id: "review", name: "R" }];
    const inOrder = role === "batch" ? [phases[1], phases[0], phases[2]] : phases;
    const { definition, diagnostics } = parse({ ...scanning, phases: inOrder });
    expect(diagnostics.filter((each) => each.severity === "error")).toEqual([]);
    expect(definition!.phases.find((phase) => phase.id === id)).toMatchObject({ role, mode });
  });

  test("actions count where the id says nothing", () => {
    const roles = (action: string): string =>
      made({ ...scanning, phases: [scanning.phases[1], { id: "x", name: "X", available_actions: [action] }, scanning.phases[2]] })
        .phases[1]!.role;
    expect(roles("scan_file_multi_pattern")).toBe("scan");
    expect(roles("batch_apply")).toBe("batch");
    expect(roles("compile_check")).toBe("verification");
    expect(roles("convert_instance")).toBe("review");
  });

  test("a written mode decides who works", () => {
    const roles = (id: string, mode: string): unknown[] => {
      const { role, mode: kept } = made({
        ...scanning,
        phases: [scanning.phases[1], { id, name: "X", mode }, scanning.phases[2], scanning.phases[3]],
      }).phases[1]!;
      return [role, kept];
    };
    expect(roles("verification", "guided")).toEqual(["review", "guided"]);
    expect(roles("security_scan", "guided")).toEqual(["review", "guided"]);
    expect(roles("verification", "agent_driven")).toEqual(["agent", "agent_driven"]);
    expect(roles("batch_auto", "guided")).toEqual(["batch", "guided"]);
    expect(roles("analysis", "autonomous")).toEqual(["scan", "autonomous"]);
    expect(made({ phases: [base.phases[1], { id: "summary", name: "Z", mode: "guided" }] }).phases[1]).toMatchObject({
      role: "summary",
      mode: "guided",
    });
  });

  test("an autonomous phase without work for the engine is refused, with what the engine can do", () => {
    const more = withPhase({ id: "thinking", mode: "autonomous" });
    expect(problems({ ...more, phases: [...(more as typeof base).phases, { id: "r", name: "R" }] })).toContain(
      "error NOTHING_AUTONOMOUS <autonomous>",
    );
    const [message] = messages({ phases: [{ id: "scan", name: "S", mode: "autonomous" }, base.phases[1]] });
    expect(message).toContain("it needs `pattern_discovery` with patterns");
    for (const word of ["inventory", "guide_discovery", "scan", "batch_auto", "verification", "summary"])
      expect(message).toContain(`\`${word}\``);
    expect(problems({ phases: [base.phases[0], { id: "b_inventory", name: "B", mode: "autonomous" }, base.phases[1]] })).toEqual([
      "error NOTHING_AUTONOMOUS <autonomous>",
    ]);
    expect(problems({ phases: [{ id: "summary", name: "S", mode: "autonomous" }, base.phases[1]] })).toEqual([
      "error NOTHING_AUTONOMOUS <autonomous>",
    ]);
  });

  test("a phase of the engine that has nothing to do is guided, with a warning; an unknown one at the end is the summary", () => {
    expect(problems({ phases: [base.phases[0], { id: "scan", name: "S" }] })).toEqual(["warning GUIDED_INSTEAD <scan>"]);
    const last = { phases: [base.phases[1], { id: "wrap_up", name: "W", mode: "autonomous" }] };
    expect(problems(last)).toEqual(["warning TAKEN_AS_SUMMARY <wrap_up>"]);
    expect(parse(last).definition!.phases[1]!.role).toBe("summary");
  });

  test.each([
    "inventory phase completed",
    "inventory",
    "Inventory completed",
    "inventory.completed",
    "I",
    "the `inventory` phase is complete",
  ])("the condition %j waits for the inventory", (condition) => {
    expect(made(withPhase({ entry_conditions: [condition] })).phases[1]).toMatchObject({ after: ["inventory"], notes: [] });
  });

  test("a single condition may stand without a list", () => {
    expect(made(withPhase({ entry_conditions: "inventory phase completed" })).phases[1]!.after).toEqual(["inventory"]);
  });

  test("other conditions are notes with a warning; unknown, later and own phases are refused", () => {
    const note = withPhase({ entry_conditions: ["All stakeholders agree"] });
    expect(problems(note)).toEqual(["warning FREE_CONDITION <All stakeholders agree>"]);
    expect(parse(note).definition!.phases[1]).toMatchObject({ after: [], notes: ["All stakeholders agree"] });
    expect(problems(withPhase({ entry_conditions: ["inventry phase completed"] }))).toEqual([
      "error UNKNOWN_PHASE <inventry phase completed>",
    ]);
    expect(messages(withPhase({ entry_conditions: ["inventry phase completed"] }))[0]).toContain("Did you mean `inventory`?");
    expect(problems(withPhase({ entry_conditions: ["nothing"] }))).toEqual(["error UNKNOWN_PHASE <nothing>"]);
    expect(problems(withPhase({ entry_conditions: ["summary phase completed"] }))).toEqual(["error PHASE_ORDER <summary phase completed>"]);
    expect(problems(withPhase({ entry_conditions: ["analysis"] }))).toEqual(["error PHASE_ORDER <analysis>"]);
    expect(problems(withPhase({ entry_conditions: [" "] }))).toEqual(['error BAD_VALUE <" ">']);
  });

  test("ids are unique and plain, and engine phases stand in order", () => {
    expect(problems({ phases: [base.phases[1], base.phases[1]] })).toEqual(["error DUPLICATE_ID <analysis>"]);
    expect(problems(withPhase({ id: "a/b" }))).toEqual(["error BAD_ID <a/b>"]);
    const [inventory, scan, review] = scanning.phases;
    expect(problems({ ...scanning, phases: [scan, inventory, review] })).toEqual(["error PHASE_ORDER <inventory>"]);
  });

  test("what sections ask for needs a phase", () => {
    expect(problems({ pattern_discovery: scanning.pattern_discovery })).toContain("error PHASE_MISSING <pattern_discovery>");
    expect(problems({ version_upgrade: {} })).toEqual(["error PHASE_MISSING <version_upgrade>"]);
    expect(problems({ verify: ["make"] })).toEqual(["error PHASE_MISSING <verify>"]);
  });
});

describe("entries", () => {
  test("every key of an entry reaches the definition", () => {
    const entry = {
      id: "e",
      type: "topic_application",
      description: "Text",
      required: false,
      conditions: { file_pattern: "src/**", content_pattern: "FindSet", phase: "analysis" },
      by: "agent",
      topic: "performance/find-set",
      timeout: 1.5,
    };
    expect(made({ per_file_checklist: [entry] }).checklist).toEqual([
      {
        id: "e",
        type: "topic_application",
        description: "Text",
        required: false,
        by: "agent",
        phase: "analysis",
        filePattern: "src/**",
        contentPattern: "FindSet",
        topic: "performance/find-set",
        timeout: 1.5,
      },
    ]);
    expect(made(withEntry({})).checklist[0]).toEqual({
      id: "analyze",
      type: "analysis",
      description: "analyze",
      required: true,
      by: "agent",
      phase: "analysis",
    });
  });

  test("the engine does analyses and validations where it scans for items, unless told otherwise", () => {
    const checklist = ["analysis", "validation", "custom", "pattern_instance"].map((type) => ({ id: type, type }));
    const by = (more: object): string[] => made({ ...scanning, per_file_checklist: checklist, ...more }).checklist.map((entry) => entry.by);
    expect(by({})).toEqual(["engine", "engine", "agent", "agent"]);
    expect(by({ pattern_discovery: { patterns: [pattern], create_instance_items: false } })).toEqual(["agent", "agent", "agent", "agent"]);
    expect(by({ per_file_checklist: [{ id: "a", type: "analysis", by: "agent" }] })).toEqual(["agent"]);
    expect(by({ per_file_checklist: [{ id: "a", type: "analysis", conditions: { phase: "review" } }] })).toEqual(["agent"]);
  });

  test("an entry without a place, or that nobody can do, is refused", () => {
    expect(problems(withEntry({ conditions: { phase: "analisys" } }))).toEqual(["error UNKNOWN_PHASE <analisys>"]);
    expect(problems(withEntry({ conditions: { phase: "inventory" } }))).toEqual(["error ENTRY_PHASE <inventory>"]);
    expect(problems(withEntry({ by: "engine" }))).toContain("error ENTRY_BY <engine>");
    expect(problems({ ...scanning, per_file_checklist: [{ id: "c", type: "custom", by: "engine" }] })).toContain("error ENTRY_BY <engine>");
    expect(problems({ phases: [base.phases[0], base.phases[2]] })).toEqual(["error ENTRY_PHASE <id: analyze>"]);
    expect(problems(withEntry({ type: "pattern_instance" }))).toEqual(["error NO_PATTERNS <pattern_instance>"]);
    expect(problems({ ...scanning, per_file_checklist: [{ id: "a", type: "analysis", topic: "t", timeout: 1 }] })).toEqual([
      "error WITHOUT_EFFECT <topic>",
      "error WITHOUT_EFFECT <timeout>",
    ]);
    expect(problems(withEntry({ timeout: 0 }))).toEqual(["error BAD_VALUE <0>"]);
    expect(
      problems({ ...scanning, per_file_checklist: [{ id: "a", type: "analysis", by: "engine", conditions: { phase: "review" } }] }),
    ).toEqual(["error ENTRY_PHASE <review>"]);
  });

  test("conditions, ids and types are checked", () => {
    expect(problems(withEntry({ conditions: { content_pattern: "(" } }))).toEqual(["error BAD_REGEX <(>"]);
    expect(problems(withEntry({ conditions: { file_pattern: "../x" } }))).toEqual(["error BAD_GLOB <../x>"]);
    expect(problems({ per_file_checklist: [...base.per_file_checklist, ...base.per_file_checklist] })).toEqual([
      "error DUPLICATE_ID <analyze>",
    ]);
    expect(problems(withEntry({ id: "a b" }))).toEqual(["error BAD_ID <a b>"]);
    expect(messages(withEntry({ type: "analisis" }))[0]).toContain("Did you mean `analysis`?");
    expect(problems(withEntry({ type: undefined }))).toEqual(["error MISSING_KEY <id: analyze>"]);
  });

  test("an empty checklist is allowed", () => {
    expect(made({ per_file_checklist: [] }).checklist).toEqual([]);
  });
});
