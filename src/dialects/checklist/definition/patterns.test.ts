import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { subWorkflowsOf } from "./load-checklist.ts";
import { base, made, messages, parse, pattern, problems, scanning, withPattern } from "../../../../test/support/checklist-case.ts";

describe("topics", () => {
  test("every key is read", () => {
    const topics = { enabled: true, tool: "retrieve_bc_knowledge", auto_expand_checklist: false, min_relevance_score: 0.25 };
    expect(made({ topic_discovery: topics }).topics).toEqual({
      enabled: true,
      tool: "retrieve_bc_knowledge",
      autoExpand: false,
      minRelevance: 0.25,
    });
    expect(made({ topic_discovery: {} }).topics).toEqual({ enabled: true, tool: "analyze_al_code", autoExpand: true, minRelevance: 0.6 });
  });

  test("relevance lies between 0 and 1, and the tool exists", () => {
    expect(problems({ topic_discovery: { min_relevance_score: 1.5 } })).toEqual(["error BAD_VALUE <1.5>"]);
    expect(problems({ topic_discovery: { min_relevance_score: -1 } })).toEqual(["error BAD_VALUE <-1>"]);
    expect(messages({ topic_discovery: { tool: "analyse_al_code" } })[0]).toContain("Did you mean `analyze_al_code`");
    expect(problems({ topic_discovery: { tool: "find_bc_knowledge" } })).toEqual(["warning FOREIGN_TOOL <find_bc_knowledge>"]);
    expect(parse({ topic_discovery: { tool: "find_bc_knowledge" } }).definition!.topics.tool).toBe("retrieve_bc_knowledge");
  });
});

describe("patterns", () => {
  test("every key of a pattern reaches it", () => {
    const full = {
      id: "p",
      name: "Name",
      description: "Desc",
      regex: "(?<fn>Foo)\\(",
      regex_flags: "gi",
      exclude_regex: "x",
      context_lines: 4,
      instance_classifier: { rules: [{ name: "a", pattern: "Foo", suggested_action: "Do", auto_fixable: true }] },
      transformations: [{ instance_type: "a", template: "{{fn}} {{arg1}} {{match}}", requires_review: false }],
      specialist: "s",
      topic_id: "t",
      in: "code",
      whole_word: true,
      balanced: true,
      arguments: { min: 1, max: 3, shapes: { 0: "string" } },
      files: ["src/**"],
      severity: "critical",
      category: "security",
      section: "Step 2",
    };
    expect(made({ ...scanning, pattern_discovery: { patterns: [full] } }).patterns.patterns).toEqual([
      {
        id: "p",
        name: "Name",
        description: "Desc",
        regex: "(?<fn>Foo)\\(",
        flags: "gi",
        exclude: "x",
        contextLines: 4,
        rules: [{ name: "a", pattern: "Foo", action: "Do", auto: true }],
        transformations: [{ type: "a", template: "{{fn}} {{arg1}} {{match}}", review: false }],
        specialist: "s",
        topic: "t",
        in: "code",
        wholeWord: true,
        balanced: true,
        arguments: { min: 1, max: 3, shapes: { 0: "string" } },
        files: ["src/**"],
        severity: "critical",
        category: "security",
        section: "Step 2",
      },
    ]);
    expect(made(scanning).patterns.patterns).toEqual([
      { id: "p", name: "p", description: "", regex: "Foo\\(", contextLines: 2, rules: [], transformations: [] },
    ]);
    expect(made(withPattern({ regex: undefined, finder: "al-error-call" })).patterns.patterns[0]).toHaveProperty("finder", "al-error-call");
  });

  test("rules and transformations are careful by default", () => {
    const more = {
      instance_classifier: { rules: [{ name: "a", pattern: "x" }] },
      transformations: [{ instance_type: "a", template: "{{match}}" }],
    };
    expect(made(withPattern(more)).patterns.patterns[0]).toMatchObject({
      rules: [{ name: "a", pattern: "x", action: "", auto: false }],
      transformations: [{ type: "a", template: "{{match}}", review: true }],
    });
  });

  test("every key of the section is read; its specialist is for patterns without one", () => {
    const discovery = { create_instance_items: false, group_identical: true, specialist: "s", patterns: [pattern] };
    const { patterns } = made({ ...scanning, pattern_discovery: discovery });
    expect(patterns).toMatchObject({ enabled: true, createItems: false, groupIdentical: true, specialist: "s" });
    expect(patterns.patterns[0]).toHaveProperty("specialist", "s");
    expect(made({ pattern_discovery: { enabled: false, patterns: [pattern] } }).patterns.enabled).toBe(false);
  });

  test("expressions and flags must compile", () => {
    expect(problems(withPattern({ regex: "a(" }))).toEqual(["error BAD_REGEX <a(>"]);
    expect(messages(withPattern({ regex: "a(" }))[0]).toContain("Unterminated group");
    expect(problems(withPattern({ exclude_regex: "[" }))).toEqual(['error BAD_REGEX <"[">']);
    expect(problems(withPattern({ regex_flags: "gx" }))).toEqual(["error BAD_REGEX <gx>"]);
    expect(problems(withPattern({ regex_flags: "gg" }))).toEqual(["error BAD_REGEX <gg>"]);
    expect(problems(withPattern({ regex_flags: "y" }))).toEqual(["error BAD_REGEX <y>"]);
    expect(problems(withPattern({ regex: "\\p{Lu}", regex_flags: "u" }))).toEqual([]);
    expect(problems(withPattern({ instance_classifier: { rules: [{ name: "a", pattern: "+" }] } }))).toEqual(["error BAD_REGEX <+>"]);
  });

  test("there is exactly one way to search, and finders exist", () => {
    expect(problems(withPattern({ regex: undefined }))).toEqual(["error CONFLICTING_KEYS <id: p>"]);
    expect(problems(withPattern({ finder: "al-error-call" }))).toEqual(["error CONFLICTING_KEYS <al-error-call>"]);
    expect(problems(withPattern({ regex: undefined, finder: "al-eror-call" }))).toEqual(["error UNKNOWN_FINDER <al-eror-call>"]);
    expect(problems(withPattern({ regex: undefined, finder: "al-error-call", in: "code" }))).toEqual(["error WITHOUT_EFFECT <in>"]);
  });

  test("transformations fit the rules, and templates have known placeholders", () => {
    const rules = { instance_classifier: { rules: [{ name: "literal", pattern: "x" }] } };
    const transformed = (more: object): string[] =>
      problems(withPattern({ ...rules, transformations: [{ instance_type: "literal", template: "x", ...more }] }));
    expect(transformed({ instance_type: "other" })).toEqual([]);
    expect(transformed({ instance_type: "litteral" })).toEqual(["error UNKNOWN_TYPE <litteral>"]);
    expect(transformed({ template: "f({{original_string}}, {{ params }})" })).toEqual([]);
    expect(transformed({ template: "f({{orignal_string}})" })).toEqual(["error UNKNOWN_PLACEHOLDER <{{orignal_string}}>"]);
    expect(transformed({ template: "f({{match)" })).toEqual(["error UNKNOWN_PLACEHOLDER <{{>"]);
    const twice = [1, 2].map(() => ({ instance_type: "literal", template: "x" }));
    expect(problems(withPattern({ ...rules, transformations: twice }))).toEqual(["error DUPLICATE_ID <literal>"]);
    expect(problems(withPattern({ instance_classifier: { rules: [{ name: "a", pattern: "x", auto_fixable: true }] } }))).toEqual([
      "warning NO_TRANSFORMATION <true>",
    ]);
  });

  test("arguments, files and ids are checked", () => {
    expect(problems(withPattern({ arguments: { min: 3, max: 1 } }))).toEqual(["error BAD_VALUE <1>"]);
    expect(problems(withPattern({ arguments: { shapes: { first: "string" } } }))).toEqual(["error BAD_VALUE <first>"]);
    expect(problems(withPattern({ arguments: { shapes: { 0: "text" } } }))).toEqual(["error BAD_VALUE <text>"]);
    expect(problems(withPattern({ files: [""] }))).toContain('error BAD_GLOB <"">');
    expect(problems(withPattern({ id: "a b" }))).toEqual(["error BAD_ID <a b>"]);
    expect(problems({ ...scanning, pattern_discovery: { patterns: [pattern, pattern] } })).toEqual(["error DUPLICATE_ID <p>"]);
  });

  test("discovery without anything to look for is refused", () => {
    expect(problems({ pattern_discovery: { patterns: [] } })).toEqual(["error NO_PATTERNS <pattern_discovery>"]);
  });
});

describe("version upgrades", () => {
  const phases = [{ id: "inventory", name: "I" }, { id: "guide_discovery", name: "G" }, ...scanning.phases.slice(1)];
  const upgrade = (version_upgrade: object, more: object = {}): object => ({
    phases,
    per_file_checklist: [],
    version_upgrade,
    pattern_discovery: { source: "knowledge_topics", ...more },
  });

  test("every key is read", () => {
    const keys = {
      source_version: "21.0",
      target_version: 27,
      conversion_guide_pattern: "up-{version}",
      conversion_guide_tags: ["t"],
      apply_in_sequence: false,
      extract_patterns_from_guides: true,
    };
    expect(made(upgrade(keys)).versionUpgrade).toEqual({
      source: "BC21",
      target: "BC27",
      guidePattern: "up-{version}",
      guideTags: ["t"],
      inSequence: false,
      extractPatterns: true,
    });
    expect(made(upgrade({})).versionUpgrade).toMatchObject({
      guidePattern: "bc{version}-*-conversion-guide",
      inSequence: true,
      extractPatterns: true,
    });
  });

  test("guides bring patterns unless the file says otherwise", () => {
    const fromGuides = (upgraded: object, discovery: object): boolean =>
      made({ ...upgrade(upgraded), pattern_discovery: { patterns: [pattern], ...discovery } }).patterns.fromGuides;
    expect(fromGuides({}, {})).toBe(true);
    expect(fromGuides({}, { source: "patterns" })).toBe(false);
    expect(fromGuides({ extract_patterns_from_guides: false }, {})).toBe(false);
    expect(problems(upgrade({ extract_patterns_from_guides: false }))).toEqual(["error CONFLICTING_KEYS <knowledge_topics>"]);
  });

  test("versions are read and ordered, the pattern tells steps apart", () => {
    expect(problems(upgrade({ source_version: "NAV" }))).toEqual(["error BAD_VERSION <NAV>"]);
    expect(problems(upgrade({ source_version: "BC24", target_version: "BC24" }))).toEqual(["error BAD_VERSION <BC24>"]);
    expect(problems(upgrade({ conversion_guide_pattern: "guide" }))).toEqual(["error BAD_VALUE <guide>"]);
    expect(problems(upgrade({ source_version: true }))).toEqual(["error WRONG_TYPE <true>"]);
  });

  test("extraction is read, and refused where nothing is extracted", () => {
    const extraction = { search_pattern_markers: ["Find"], transformation_markers: ["Old", "New"] };
    const { patterns } = made(upgrade({}, { topic_pattern: "up-*", pattern_extraction: extraction, group_by_guide: true }));
    expect(patterns).toMatchObject({
      topicPattern: "up-*",
      searchMarkers: ["Find"],
      transformationMarkers: ["Old", "New"],
      groupByGuide: true,
    });
    const idle = {
      ...scanning,
      pattern_discovery: { patterns: [pattern], topic_pattern: "x", pattern_extraction: {}, group_by_guide: true },
    };
    expect(problems(idle)).toEqual(["topic_pattern", "pattern_extraction", "group_by_guide"].map((key) => `error WITHOUT_EFFECT <${key}>`));
  });
});

describe("the decision, commands and calls", () => {
  const batch = { ...scanning, phases: [...scanning.phases.slice(0, 2), { id: "batch_auto", name: "B" }, ...scanning.phases.slice(2)] };

  test("a batch phase brings a decision, and `approach` changes it", () => {
    expect(made(scanning).approach).toBeUndefined();
    expect(made(batch).approach!.options.map(({ id }) => id)).toEqual(["apply_auto_first", "review_by_file", "review_by_type"]);
    const approach = {
      advice: "Little is won.",
      options: ["label_route", { id: "review_by_file", label: "L", description: "D" }],
      recommended: "review_by_file",
      answer_by: "person",
    };
    const { options, ...rest } = made({ ...batch, approach }).approach!;
    expect(rest).toEqual({ advice: "Little is won.", recommended: "review_by_file", answerBy: "person" });
    expect(options.map(({ id }) => id)).toEqual(["label_route", "review_by_file"]);
    expect(options[1]).toEqual({ id: "review_by_file", label: "L", description: "D" });
    expect(made({ ...scanning, approach: {} }).approach!.recommended).toBe("apply_auto_first");
  });

  test("decisions that cannot be made are refused", () => {
    expect(problems({ approach: {} })).toEqual(["error WITHOUT_EFFECT <approach>"]);
    expect(problems({ ...batch, approach: { options: ["by_version_step"] } })).toEqual(["error WITHOUT_EFFECT <by_version_step>"]);
    expect(problems({ ...batch, approach: { recommended: "label_route" } })).toEqual(["error BAD_VALUE <label_route>"]);
    expect(problems({ ...batch, approach: { options: ["fast"] } })).toEqual(["error BAD_VALUE <fast>"]);
    expect(problems({ ...batch, approach: { options: [{ label: "x" }] } })).toEqual(["error MISSING_KEY <label: x>"]);
    expect(problems({ ...batch, approach: { options: ["label_route", "label_route"] } })).toEqual(["error DUPLICATE_ID <label_route>"]);
  });

  test("commands of the verification are read", () => {
    const phases = [...base.phases.slice(0, 2), { id: "verification", name: "V" }];
    expect(made({ phases, verify: ["make", { name: "tests", command: "make test" }] }).verify).toEqual([
      { name: "make", command: "make" },
      { name: "tests", command: "make test" },
    ]);
    expect(problems({ phases, verify: [{ name: "x" }] })).toEqual(["error MISSING_KEY <name: x>"]);
    expect(problems({ phases, verify: [3] })).toEqual(["error WRONG_TYPE <3>"]);
  });

  test("called workflows are named, each once, and never the workflow itself", () => {
    const file = { path: "w.yaml", text: stringify({ ...base, sub_workflows: ["a", "b", "a"] }) };
    expect([...new Set(subWorkflowsOf(file).map(({ name }) => name))]).toEqual(["a", "b"]);
    expect(problems({ sub_workflows: ["w"] })).toEqual(["error BAD_VALUE <w>"]);
    expect(problems({ sub_workflows: ["a", "a"] })).toEqual(["error DUPLICATE_ID <a>"]);
    expect(problems({ sub_workflows: ["a b"] })).toEqual(["error BAD_NAME <a b>"]);
    expect(parse({ sub_workflows: ["a"] }).info.includes).toEqual(["a"]);
  });
});
