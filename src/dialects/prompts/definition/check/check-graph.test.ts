import { expect, test } from "vitest";
import { promptsDialect } from "../prompts-dialect.ts";

const files: Readonly<Record<string, string>> = {
  "steps/plan.md": "Plan $first.output.",
  "steps/lost.md": "Line one.\nUse $nobody.output here.",
  "steps/empty.md": " ",
  "steps/ok.md": "Go.",
  "scripts/count.ts": "console.log(1)",
};

/** The problems of a graph whose nodes are given as YAML lines; the first of them is line 4. */
function problems(nodes: string, top = ""): string[] {
  const { diagnostics } = promptsDialect.load({
    main: { path: "x.yaml", text: `name: x\ndescription: d\nnodes:\n${nodes}\n${top}`, name: "x", source: "project" },
    imports: Object.fromEntries(Object.entries(files).map(([path, text]) => [`x.yaml\0${path}`, { path, text }])),
    texts: ["<steps>/plan.md", "<scripts>/count.ts"],
    workflows: {},
    called: {},
    programs: {},
    within: false,
  });
  return diagnostics.map(
    ({ place, severity, code, message, fix }) =>
      `${place?.file === "x.yaml" ? "" : `${place?.file}:`}${place?.line}:${place?.column} ${severity} ${code}: ${message} ${fix ?? ""}`,
  );
}

const first = "  - { id: first, bash: ls }\n";

test("a graph without problems has none", () => {
  expect(problems(`${first}  - { id: b, command: plan, depends_on: [first] }`)).toEqual([]);
});

test.each<[string, string, string]>([
  [
    "two words",
    "  - { id: a, prompt: P, bash: ls }",
    "4:5 error PROMPTS_ONE_FORM: A node has only one of `prompt` and `bash`. Make each of them a node of its own.",
  ],
  [
    "no word",
    "  - { id: a }",
    "4:5 error PROMPTS_MISSING_KEY: A node needs one of `command`, `prompt`, `bash`, `script`, `loop`, `loop_group`, `approval`, `cancel`, `include` and `workflow`. Add the key that says what it does.",
  ],
  ["a misspelt word", "  - { id: a, promt: P }", "4:14 error PROMPTS_UNKNOWN_KEY: `promt` is not a key of a node. Did you mean `prompt`?"],
  [
    "depend_on",
    `${first}  - { id: a, prompt: P, depend_on: [first] }`,
    "5:25 error PROMPTS_UNKNOWN_KEY: `depend_on` is not a key of a node. Did you mean `depends_on`?",
  ],
  [
    "trigger_rules",
    "  - { id: a, prompt: P, trigger_rules: all_done }",
    "4:25 error PROMPTS_UNKNOWN_KEY: `trigger_rules` is not a key of a node. Did you mean `trigger_rule`?",
  ],
  [
    "trigger_rul",
    "  - { id: a, prompt: P, trigger_rul: all_done }",
    "4:25 error PROMPTS_UNKNOWN_KEY: `trigger_rul` is not a key of a node. Did you mean `trigger_rule`?",
  ],
  [
    "needs",
    "  - { id: a, prompt: P, needs: [b] }",
    "4:25 error PROMPTS_UNKNOWN_KEY: `needs` is not a key of a node. Did you mean `depends_on`?",
  ],
  ["if", "  - { id: a, prompt: P, if: x }", "4:25 error PROMPTS_UNKNOWN_KEY: `if` is not a key of a node. Did you mean `when`?"],
  [
    "inputs of an include",
    "  - { id: a, include: w, inputs: { x: 1 } }",
    "4:26 error PROMPTS_UNKNOWN_KEY: `inputs` is not a key of a node. Did you mean `with`?",
  ],
  [
    "return",
    "  - { id: a, prompt: P }\nreturn: a",
    "5:1 error PROMPTS_UNKNOWN_KEY: `return` is not a key of a workflow. Did you mean `returns`?",
  ],
  ["wen", "  - { id: a, prompt: P, wen: x }", "4:25 error PROMPTS_UNKNOWN_KEY: `wen` is not a key of a node. Did you mean `when`?"],
  ["whens", "  - { id: a, prompt: P, whens: x }", "4:25 error PROMPTS_UNKNOWN_KEY: `whens` is not a key of a node. Did you mean `when`?"],
  [
    "a key of nodes inside a loop",
    "  - { id: a, loop: { prompt: P, until: X, max_iterations: 2, output_format: {} } }",
    "4:62 error PROMPTS_UNKNOWN_KEY: `output_format` is not a key of `loop`. `output_format` belongs to a node: write it beside `id`.",
  ],
  ["no id", "  - { prompt: P }", "4:5 error PROMPTS_MISSING_KEY: A node needs `id`. Add `id:`."],
  [
    "an id that is not a name",
    "  - { id: a b, prompt: P }",
    "4:11 error PROMPTS_BAD_NAME: `a b` cannot be the id of a node. Use letters, digits, `-` and `_`, a letter or `_` first. `INPUTS`, `LOOP_PREV`, `__proto__`, `constructor` and `prototype` have a meaning of their own.",
  ],
  [
    "an id twice",
    `${first}  - { id: first, prompt: P }`,
    "5:11 error PROMPTS_DUPLICATE_NODE: Two nodes have the id `first`; the first is in line 4. Rename one of them, and the references to it.",
  ],
  [
    "an unknown dependency",
    `${first}  - { id: a, prompt: P, depends_on: [frist] }`,
    "5:38 error PROMPTS_UNKNOWN_NODE: There is no node `frist`. Did you mean `first`?",
  ],
  [
    "a dependency on itself",
    "  - { id: a, prompt: P, depends_on: [a] }",
    "4:38 error PROMPTS_NODE_CYCLE: `a` waits for itself. Remove it from its own `depends_on`.",
  ],
  [
    "a circle",
    "  - { id: a, prompt: P, depends_on: [c] }\n  - { id: b, prompt: P, depends_on: [a] }\n  - { id: c, prompt: P, depends_on: [b] }",
    "4:38 error PROMPTS_NODE_CYCLE: Nodes wait for each other in a circle: a → c → b → a. Remove one of them from the `depends_on` of another.",
  ],
  [
    "a reference to no node",
    `${first}  - { id: a, depends_on: [first], prompt: "See $frist.output" }`,
    "5:48 error PROMPTS_UNKNOWN_NODE: There is no node `frist`. Did you mean `first`?",
  ],
  [
    "a reference to no node in a command",
    `${first}  - { id: a, depends_on: [first], bash: "cat $FILE.output" }`,
    "5:46 error PROMPTS_UNKNOWN_NODE: There is no node `FILE`. Known here: `first`. If it is a shell variable, write `${FILE}.output`.",
  ],
  [
    "a reference to no node in a condition",
    `${first}  - { id: a, depends_on: [first], prompt: P, when: "$first.output == 'x' && $frst.output == 'y'" }`,
    "5:77 error PROMPTS_UNKNOWN_NODE: There is no node `frst`. Did you mean `first`?",
  ],
  [
    "a reference to no node in a program",
    `${first}  - { id: a, depends_on: [first], runtime: bun, script: "f($frst.output)" }`,
    "5:60 error PROMPTS_UNKNOWN_NODE: There is no node `frst`. Did you mean `first`?",
  ],
  [
    "a reference to no node in a check of a loop",
    `${first}  - { id: a, depends_on: [first], loop: { prompt: P, max_iterations: 2, until_bash: "test $frst.output" } }`,
    "5:91 error PROMPTS_UNKNOWN_NODE: There is no node `frst`. Did you mean `first`?",
  ],
  [
    "a reference to no node in the file of a prompt",
    `${first}  - { id: a, depends_on: [first], command: lost }`,
    "steps/lost.md:2:5 error PROMPTS_UNKNOWN_NODE: There is no node `nobody`. Known here: `first`.",
  ],
  [
    "a reference to a node that need not have run",
    `${first}  - { id: a, prompt: "See $first.output" }`,
    "5:27 error PROMPTS_NOT_BEFORE: `a` refers to `first`, which need not have run before it. Add `first` to the `depends_on` of `a`, or of a node that it waits for.",
  ],
  [
    "a reference to itself",
    '  - { id: a, prompt: "See $a.output" }',
    "4:27 error PROMPTS_NOT_BEFORE: `a` refers to its own output. Use `$LOOP_PREV_OUTPUT` for what a round before it said.",
  ],
  [
    "a reference into a group",
    '  - { id: g, loop_group: { until: X, max_iterations: 2, nodes: [{ id: in, prompt: P }] } }\n  - { id: a, depends_on: [g], prompt: "See $in.output" }',
    "5:44 error PROMPTS_NOT_BEFORE: `in` is inside of the group `g`. Refer to `$g.output`: the output of its last node.",
  ],
  [
    "a reference out of a group",
    `${first}  - { id: g, loop_group: { until: X, max_iterations: 2, nodes: [{ id: in, prompt: "See $first.output" }] } }`,
    "5:88 error PROMPTS_NOT_BEFORE: `in` refers to `first`, which need not have run before it. Add `first` to the `depends_on` of the group.",
  ],
  [
    "a round before this one without a group",
    `${first}  - { id: a, depends_on: [first], prompt: "See $LOOP_PREV.first.output" }`,
    "5:48 error PROMPTS_UNKNOWN_NODE: There is no round before this one: the node is not in a group. Use it inside of `loop_group`, or `$LOOP_PREV_OUTPUT` in a `loop`.",
  ],
  [
    "a field that is not there",
    '  - { id: p, prompt: P, output_format: { properties: { kind: {}, size: {} } } }\n  - { id: a, depends_on: [p], prompt: "$p.output.knd" }',
    "5:40 error PROMPTS_NO_FIELD: The output of `p` has no field `knd`. Did you mean `kind`?",
  ],
  [
    "a field of an approval that keeps no answer",
    '  - { id: p, approval: { message: Ok? } }\n  - { id: a, depends_on: [p], prompt: "$p.output.decision" }',
    "5:40 error PROMPTS_NO_FIELD: `$p.output.decision` names a field, but the approval `p` keeps no answer. Add `capture_response: true`, or `decisions` for the field `decision`.",
  ],
  [
    "another field of decisions",
    "  - { id: p, approval: { message: Ok?, decisions: [{ id: approve }] } }\n  - { id: a, depends_on: [p], when: \"$p.reason == 'x'\", prompt: P }",
    "5:38 warning PROMPTS_NO_FIELD: The output of `p` has no field `reason`. It has `decision` and `text`.",
  ],
  [
    "a condition that cannot be read",
    `${first}  - { id: a, depends_on: [first], prompt: P, when: "$first.output = 'x'" }`,
    "5:67 error PROMPTS_BAD_CONDITION: The condition cannot be read from `= 'x'` on: expected one of == != >= <= > <. Write comparisons such as `$id.output.field == 'value'`, joined by `&&` and `||`, without parentheses. A value is in single quotes, or a number, true or false.",
  ],
  [
    "a condition that ends too early",
    `${first}  - { id: a, depends_on: [first], prompt: P, when: "$first.output == " }`,
    "5:69 error PROMPTS_BAD_CONDITION: The condition cannot be read to its end: expected a value in single quotes, a number, true or false. Write comparisons such as `$id.output.field == 'value'`, joined by `&&` and `||`, without parentheses. A value is in single quotes, or a number, true or false.",
  ],
  [
    "a reference in double quotes",
    `${first}  - { id: a, depends_on: [first], bash: 'x="$first.output"' }`,
    '5:45 warning PROMPTS_QUOTED_REF: `$first.output` is inside double quotes. Waymark puts in the value alone, but Archon adds quotes of its own to it. Write it bare, such as `value=$first.output`, and use `"$value"` here.',
  ],
  [
    "a reference in single quotes",
    `${first}  - { id: a, depends_on: [first], bash: "x='$first.output'" }`,
    '5:45 warning PROMPTS_QUOTED_REF: `$first.output` is inside single quotes. Waymark puts in the value alone, but Archon adds quotes of its own to it. Write it bare, such as `value=$first.output`, and use `"$value"` here.',
  ],
  [
    "references in quotes, once for each text",
    `${first}  - { id: b, bash: ls }\n  - { id: a, depends_on: [first, b], bash: 'f "$first.output" "$b.output" "$first.output"' }`,
    '6:48 warning PROMPTS_QUOTED_REF: `$first.output` and `$b.output` are inside double quotes. Waymark puts in the value alone, but Archon adds quotes of its own to it. Write it bare, such as `value=$first.output`, and use `"$value"` here.',
  ],
  [
    "a reference in a here-document that is run",
    `${first}  - id: a\n    depends_on: [first]\n    bash: |\n      bash <<X\n      $first.output\n      X\n      cat <<X\n      $first.output\n      X\n      echo $first.output`,
    '9:7 warning PROMPTS_QUOTED_REF: `$first.output` is in a here-document that may be run as a program, or that has an unusual word. No value is put there: the node fails when it runs. Write it bare above the here-document, such as `value=$first.output`, and use `"$value"` here.',
  ],
  [
    "text of a user that bash would calculate with, once for each text",
    `  - { id: a, bash: 'if (( ARGUMENTS > 3 )); then let n=$ARGUMENTS; fi' }`,
    '4:27 error PROMPTS_CALCULATED: `$ARGUMENTS` holds text of a user or an agent, and bash would calculate with it here: such text can run commands. Make it a number first, such as `number=$(printf %d "$ARGUMENTS")`, or compare it with `[ "$ARGUMENTS" -gt 3 ]`, which takes whole numbers only.',
  ],
  [
    "an output that bash would calculate with, in the check of a loop and behind a variable",
    `${first}  - { id: a, depends_on: [first], loop: { prompt: P, max_iterations: 2, until_bash: 'n=$first.output; [[ $n -ge 1 ]]' } }`,
    '5:106 error PROMPTS_CALCULATED: `$n` holds text of a user or an agent, and bash would calculate with it here: such text can run commands. Make it a number first, such as `number=$(printf %d "$n")`, or compare it with `[ "$n" -gt 3 ]`, which takes whole numbers only.',
  ],
  [
    "an output where nothing makes it a number",
    `${first}  - { id: a, depends_on: [first], bash: 'declare -i n=$first.output' }`,
    "5:55 error PROMPTS_CALCULATED: `$first.output` holds text of a user or an agent, and bash would calculate with it here: such text can run commands. Make it a number first, such as `number=$(printf %d $first.output)`, or compare it with `[ $first.output -gt 3 ]`, which takes whole numbers only.",
  ],
  ...["constructor", "prototype", "__proto__"].map((id): [string, string, string] => [
    `an id that the state refuses: ${id}`,
    `  - { id: ${id}, bash: ls }`,
    `4:11 error PROMPTS_BAD_NAME: \`${id}\` cannot be the id of a node. Use letters, digits, \`-\` and \`_\`, a letter or \`_\` first. \`INPUTS\`, \`LOOP_PREV\`, \`__proto__\`, \`constructor\` and \`prototype\` have a meaning of their own.`,
  ]),
  [
    "an unknown type word in a schema",
    "  - { id: a, prompt: P, output_format: { type: object, properties: { n: { type: [objct, 'null'] } } } }",
    "4:40 error PROMPTS_BAD_VALUE: `output_format` has the type `objct`, which is none of JSON Schema. The types are `string`, `number`, `integer`, `boolean`, `object`, `array` and `null`.",
  ],
  [
    "a field name with a dash",
    `${first}  - { id: a, depends_on: [first], prompt: "x $first.output.my-key" }`,
    "5:46 warning PROMPTS_LEFT_TEXT: `$first.output.my-key` is the field `my` with the text `-key` behind it. Names of fields that can be referred to have letters, digits and `_` alone. Where that is what you mean, nothing needs to be done.",
  ],
  [
    "a field of a field",
    `${first}  - { id: a, depends_on: [first], bash: "echo $first.output.x.y" }`,
    "5:47 warning PROMPTS_LEFT_TEXT: `$first.output.x.y` is the field `x` with the text `.y` behind it. Only fields of the first level can be referred to: read `$first.output.x` as JSON for what is inside of it. Where that is what you mean, nothing needs to be done.",
  ],
  [
    "braces around a reference of a command",
    `${first}  - { id: a, depends_on: [first], bash: "echo \${first.output}" }`,
    "5:47 error PROMPTS_LEFT_TEXT: `${first.output}` is not a reference, and bash refuses it. Write `$first.output`.",
  ],
  [
    "braces around a reference of a prompt",
    `${first}  - { id: a, depends_on: [first], prompt: "See \${first.output}." }`,
    "5:48 warning PROMPTS_LEFT_TEXT: `${first.output}` is not a reference, so it stays as it is written. Write `$first.output`.",
  ],
  [
    "a field without output",
    `${first}  - { id: a, depends_on: [first], prompt: "See $first.kind." }`,
    "5:48 warning PROMPTS_LEFT_TEXT: `$first.kind` is a reference only in `when`; here it stays as it is written. Write `$first.output.kind`.",
  ],
  [
    "a slip in `output` of a prompt",
    `${first}  - { id: a, depends_on: [first], prompt: "See $first.outptu.size." }`,
    "5:48 error PROMPTS_LEFT_TEXT: `$first.outptu.size` is not a reference, so it stays as it is written. Write `$first.output.size`.",
  ],
  [
    "a slip in `output` of a command, which may have such a variable",
    `${first}  - { id: a, depends_on: [first], bash: "echo [$first.outpt]" }`,
    "5:48 warning PROMPTS_LEFT_TEXT: `$first.outpt` is not a reference, so it stays as it is written. Write `$first.output`.",
  ],
  [
    "a slip in a variable of a prompt",
    `  - { id: a, prompt: "Do $ARGUMENT." }`,
    "4:26 warning PROMPTS_LEFT_TEXT: `$ARGUMENT` is not a variable of a graph, so it stays as it is written. Did you mean `$ARGUMENTS`?",
  ],
  [
    "a slip in what names inputs",
    `  - { id: a, prompt: "Do $INPUT.topic" }`,
    "4:26 warning PROMPTS_LEFT_TEXT: `$INPUT` is not a variable of a graph, so it stays as it is written. Did you mean `$INPUTS`?",
  ],
  [
    "a slip in a variable of a command",
    `  - { id: a, bash: 'ls "$ARTIFACT_DIR"' }`,
    "4:25 warning PROMPTS_LEFT_TEXT: `$ARTIFACT_DIR` is not a variable of a graph, and nothing sets it here. Did you mean `$ARTIFACTS_DIR`?",
  ],
  [
    "a condition on a value that is not in the enum",
    `  - { id: plan, prompt: P, output_format: { type: object, properties: { size: { enum: [small, large] } } } }
  - { id: a, depends_on: [plan], when: "$plan.output.size == 'huge'", bash: ls }`,
    "5:41 warning PROMPTS_NEVER_EQUAL: `$plan.output.size == 'huge'` is never so: `size` of `plan` is `small` or `large`. Compare with one of these, or add the value where the node declares them.",
  ],
  [
    "a slip in a value of the enum",
    `  - { id: plan, prompt: P, output_format: { type: object, properties: { size: { enum: [small, large] } } } }
  - { id: a, depends_on: [plan], when: "$plan.size != 'smal'", bash: ls }`,
    "5:41 error PROMPTS_NEVER_EQUAL: `$plan.size != 'smal'` is always so: `size` of `plan` is `small` or `large`. Did you mean `small`?",
  ],
  [
    "a slip in a decision",
    `  - { id: ask, approval: { message: M, decisions: [{ id: ship, label: S }, { id: wait, label: W }] } }
  - { id: a, depends_on: [ask], when: "$ask.output.decision == 'shp'", bash: ls }`,
    "5:40 error PROMPTS_NEVER_EQUAL: `$ask.output.decision == 'shp'` is never so: `decision` of `ask` is `ship` or `wait`. Did you mean `ship`?",
  ],
  [
    "a variable in single quotes",
    `  - { id: a, bash: "cat '$ARTIFACTS_DIR/x.md'" }`,
    "4:26 warning PROMPTS_LEFT_TEXT: `$ARTIFACTS_DIR` is in single quotes, where bash keeps it as it is written. Use double quotes.",
  ],
  [
    "a script in another folder",
    "  - { id: a, script: ../count.ts, runtime: bun }",
    "4:22 error PROMPTS_BAD_NAME: `../count.ts` cannot be the name of a script. Name a file of the folder `scripts`, without `..`.",
  ],
  [
    "a loop without an end",
    "  - { id: a, loop: { prompt: P, max_iterations: 2 } }",
    "4:14 error PROMPTS_MISSING_KEY: A `loop` needs one of `until`, `until_bash` and `until_field`. Add what ends it, such as `until: DONE`.",
  ],
  [
    "a group without an end",
    "  - { id: a, loop_group: { max_iterations: 2, nodes: [{ id: b, prompt: P }] } }",
    "4:14 error PROMPTS_MISSING_KEY: A `loop_group` needs one of `until` and `until_bash`. Add what ends it, such as `until: DONE`.",
  ],
  [
    "a loop without a limit",
    "  - { id: a, loop: { prompt: P, until: X } }",
    "4:20 error PROMPTS_MISSING_KEY: `nodes[0].loop` needs `max_iterations`. Add `max_iterations:`.",
  ],
  [
    "a loop without a prompt",
    "  - { id: a, loop: { until: X, max_iterations: 2 } }",
    "4:14 error PROMPTS_MISSING_KEY: A `loop` needs a `prompt`, or a `command` with the name of its file. Add `prompt:` with what each round is asked.",
  ],
  [
    "a loop with two prompts",
    "  - { id: a, loop: { prompt: P, command: ok, until: X, max_iterations: 2 } }",
    "4:33 error PROMPTS_ONE_FORM: A `loop` has either a `prompt` or a `command`. Remove one of them.",
  ],
  [
    "an interactive loop that asks nothing",
    "  - { id: a, loop: { prompt: P, until: X, max_iterations: 2, interactive: true } }",
    "4:14 error PROMPTS_MISSING_KEY: An interactive `loop` needs `gate_message`. Add `gate_message:` with what the person is asked.",
  ],
  [
    "a question that is never asked",
    "  - { id: a, loop: { prompt: P, until: X, max_iterations: 2, gate_message: Go? } }",
    "4:62 warning PROMPTS_ONE_FORM: `gate_message` is shown only by an interactive loop. Add `interactive: true`, or remove it.",
  ],
  [
    "until_field without a schema",
    "  - { id: a, loop: { prompt: P, until_field: done, max_iterations: 2 } }",
    "4:46 error PROMPTS_NO_FIELD: `until_field` names `done`, and `output_format` does not have it. Add `done: { type: boolean }` to the properties of `output_format`, and its name to `required`.",
  ],
  [
    "until_field that is no flag",
    "  - { id: a, loop: { prompt: P, until_field: done, max_iterations: 2 }, output_format: { required: [done], properties: { done: { type: string } } } }",
    "4:46 error PROMPTS_NO_FIELD: `until_field` names `done`, and `output_format` does not make it a boolean. Add `done: { type: boolean }` to the properties of `output_format`, and its name to `required`.",
  ],
  [
    "items that are no list",
    '  - { id: a, workflow: w, fan_out: { items: "a, b" } }',
    '4:45 error PROMPTS_BAD_VALUE: `items` is neither a reference to a list nor a list as JSON. Write a reference such as `$id.output`, or a text such as `\'["a", "b"]\'`.',
  ],
  [
    "an item under the name of another input",
    "  - { id: a, workflow: w, with: { x: 1 }, fan_out: { items: '[]', as: x } }",
    "4:71 error PROMPTS_ONE_FORM: `with` has an input `x` too. Rename one of them.",
  ],
  [
    "a message beside items",
    "  - { id: a, workflow: w, input: x, fan_out: { items: '[]' } }",
    "4:27 warning PROMPTS_ONE_FORM: `input` has no meaning beside `fan_out`: each item is what the workflow is asked for. Remove it.",
  ],
  [
    "a reference inside of a list",
    `${first}  - { id: a, depends_on: [first], workflow: w, with: { x: [$first.output] } }`,
    "5:60 error PROMPTS_NOT_SUPPORTED: References are filled in only in texts, not inside of lists and maps. Give the text as an input of its own.",
  ],
  [
    "inputs of a prompt",
    "  - { id: a, prompt: P, with: { x: 1 } }",
    "4:25 error PROMPTS_ONE_FORM: `with` has no meaning beside `prompt`. Remove it.",
  ],
  [
    "a context that there is not",
    "  - { id: a, prompt: P, context: new }",
    "4:34 error PROMPTS_BAD_VALUE: `nodes[0].context` is `new`, which is not one of `fresh`, `shared` and `{ resume: <id> }`. Begin with `fresh`, continue with `shared`, or copy with `{ resume: <id> }`.",
  ],
  [
    "the context of a loop",
    "  - { id: a, loop: { prompt: P, until: X, max_iterations: 2 }, context: shared }",
    "4:64 warning PROMPTS_ONE_FORM: `context` has no meaning beside `loop`. Remove it.",
  ],
  [
    "a model for a command",
    "  - { id: a, bash: ls, model: haiku }",
    "4:24 warning PROMPTS_ONE_FORM: `model` has no meaning beside `bash`. Remove it.",
  ],
  [
    "a script without a runtime",
    "  - { id: a, script: count }",
    "4:14 error PROMPTS_MISSING_KEY: A `script` needs `runtime`. Add `runtime: bun`, or `runtime: uv` for Python.",
  ],
  [
    "a script that is not there",
    "  - { id: a, script: cuont, runtime: bun }",
    "4:22 error PROMPTS_NO_SCRIPT: Script not found: cuont.ts or cuont.js Did you mean `count`?",
  ],
  [
    "a script of another runtime",
    "  - { id: a, script: count, runtime: uv }",
    "4:22 error PROMPTS_NO_SCRIPT: Script not found: count.py Create `scripts/count.py` beside the folder of the workflow, or correct the name.",
  ],
  [
    "a script elsewhere",
    "  - { id: a, script: a/../b, runtime: bun }",
    "4:22 error PROMPTS_BAD_NAME: `a/../b` cannot be the name of a script. Name a file of the folder `scripts`, without `..`.",
  ],
  [
    "a prompt that is not there",
    "  - { id: a, command: plam }",
    "4:23 error PROMPTS_NO_PROMPT: Step prompt not found: plam.md Did you mean `plan`?",
  ],
  [
    "a prompt that says nothing",
    "  - { id: a, command: empty }",
    "4:23 error PROMPTS_EMPTY_PROMPT: The prompt steps/empty.md is empty. Write what the agent has to do.",
  ],
  [
    "decisions beside on_reject",
    "  - { id: a, approval: { message: M, decisions: [{ id: x }], on_reject: { prompt: P } } }",
    "4:62 error PROMPTS_ONE_FORM: `decisions` and `on_reject` do not go together: with decisions nothing is rejected. Remove one of them, or let a node act on the decision with `when`.",
  ],
  [
    "a decision twice",
    "  - { id: a, approval: { message: M, decisions: [{ id: x }, { id: x }] } }",
    "4:67 error PROMPTS_BAD_VALUE: The decision `x` is there twice. Give each decision an id of its own.",
  ],
  [
    "a rejection that begins nothing",
    "  - { id: a, approval: { message: M, on_reject: { max_attempts: 2 } } }",
    "4:38 error PROMPTS_MISSING_KEY: `on_reject` needs `prompt` or `reopens`. Add `prompt:` with what an agent does about the rejection, or `reopens:` with the nodes that run again.",
  ],
  [
    "a rejection that opens a later node",
    `${first}  - { id: a, approval: { message: M, on_reject: { reopens: [first] } } }`,
    "5:61 error PROMPTS_NOT_BEFORE: `first` need not have run before `a`. Add `first` to the `depends_on` of `a`, or name one of the nodes that it waits for.",
  ],
  [
    "the session of a command",
    `${first}  - { id: a, depends_on: [first], prompt: P, context: { resume: first } }`,
    "5:65 error PROMPTS_BAD_VALUE: `first` has no session: it is a `bash` node. Name a node with `prompt`, `command` or `loop`.",
  ],
  [
    "the session of no node",
    "  - { id: a, prompt: P, context: { resume: b } }",
    "4:44 error PROMPTS_UNKNOWN_NODE: There is no node `b`. Correct the name, or add the node.",
  ],
  [
    "a schema with words that are not checked",
    "  - { id: a, prompt: P, output_format: { anyOf: [] } }",
    "4:40 error PROMPTS_BAD_VALUE: `output_format` uses `anyOf`, which Waymark does not check. Describe the output with types, properties, items, enum, const, sizes and `required` alone.",
  ],
  [
    "a schema that is no map",
    "  - { id: a, prompt: P, output_format: text }",
    "4:40 error PROMPTS_WRONG_TYPE: `nodes[0].output_format` must be a map, but is a text. Write a map.",
  ],
  [
    "a rule that does not exist",
    "  - { id: a, prompt: P, trigger_rule: all_sucess }",
    "4:39 error PROMPTS_BAD_VALUE: `nodes[0].trigger_rule` is `all_sucess`, which is not one of `all_success`, `one_success`, `none_failed_min_one_success` and `all_done`. Did you mean `all_success`?",
  ],
  [
    "a provider that is nearly one",
    "  - { id: a, prompt: P, provider: cluade }",
    "4:35 error PROMPTS_UNKNOWN_PROVIDER: Waymark knows no agent `cluade`. Did you mean `claude`?",
  ],
])("%s", (_what, nodes, problem) => {
  expect(problems(nodes)).toEqual([problem]);
});

test("inputs are declared all or not at all, and `returns` names a node", () => {
  const node = '  - { id: a, prompt: "$INPUTS.bse $INPUTS.base" }';
  expect(problems(node)).toEqual([]);
  expect(problems(node, "inputs: { base: {} }\nreturns: other\n")).toEqual([
    "4:23 error PROMPTS_UNKNOWN_INPUT: `inputs` does not declare `bse`. Did you mean `base`?",
    "6:10 error PROMPTS_UNKNOWN_NODE: There is no node `other`. Known here: `a`.",
  ]);
});

test("checks of a group may name its own nodes, and they those above the group", () => {
  const group =
    "{ max_iterations: 2, until_bash: test $in.output = $first.output, nodes: [{ id: in, prompt: $first.output $LOOP_PREV.in.output }] }";
  expect(problems(`${first}  - { id: g, depends_on: [first], loop_group: ${group} }`)).toEqual([]);
});

test("keys that would give an agent something, or hold it back, come with what to do", () => {
  const keys = "mcp: x, skills: [y], agents: {}, agent: z, sandbox: {}, maxBudgetUsd: 1";
  expect(problems(`  - { id: a, prompt: P, ${keys} }`).map((line) => line.replace(/^.*PROMPTS_/, ""))).toEqual([
    expect.stringMatching(
      /^DROPPED_KEY: Waymark does not use `mcp`: agents do not get these tool servers\. Configure the servers in the agent itself/,
    ),
    expect.stringMatching(
      /^DROPPED_KEY: Waymark does not use `skills`, `agents` and `agent`: agents do not get them\. Configure them in the agent/,
    ),
    expect.stringMatching(/^DROPPED_KEY: Waymark does not use `sandbox`: no agent is held back by them\. State its `permission`/),
    expect.stringMatching(/^DROPPED_KEY: Waymark does not use `maxBudgetUsd`: nothing limits what a node costs\. .*--budget-usd/),
  ]);
});

test("`interactive` of a file means nothing more where its nodes ask", () => {
  const asking = "  - { id: a, loop: { prompt: P, until: X, max_iterations: 2, interactive: true, gate_message: Go? } }";
  expect(problems(`${asking}\ninteractive: true`)).toEqual([]);
  expect(problems("  - { id: a, approval: { message: Ok? } }\ninteractive: true")).toEqual([]);
  expect(problems("  - { id: a, prompt: P }\ninteractive: true")).toEqual([expect.stringContaining("does not use `interactive`")]);
});

test("keys that Waymark does not use are named once for the file", () => {
  const nodes = "  - { id: a, prompt: P, hooks: {}, effort: low }\n  - { id: b, prompt: P, hooks: {}, thinking: adaptive, description: x }";
  expect(problems(nodes, "worktree: { enabled: true }\n")).toEqual([
    "4:25 warning PROMPTS_DROPPED_KEY: Waymark does not use `hooks`: they are not run, and no agent is held back by them. Say what an agent must not do with `denied_tools` or `permission: read`, and what must be true after it with a `bash` node.",
    "4:36 warning PROMPTS_UNUSED_KEY: Waymark does not use `effort`, `thinking`, `description` and `worktree`. Nothing needs to be done.",
  ]);
});

test("variables in quotes, references in comments and unknown variables are right", () => {
  const bash = 'echo "$ARGUMENTS" "$HOME" ${PATH} # "$first.output"';
  expect(problems(`${first}  - { id: a, depends_on: [first], bash: '${bash}' }`)).toEqual([]);
});

test("only graphs have inputs and a node that they return", () => {
  const { diagnostics } = promptsDialect.load({
    main: {
      path: "x.yaml",
      text: "name: x\ndescription: d\nsteps: [{ step: plan }]\ninputs: {}\nreturns: plan\n",
      name: "x",
      source: "project",
    },
    imports: { "x.yaml\0steps/plan.md": { path: "steps/plan.md", text: "P" } },
    workflows: {},
    called: {},
    programs: {},
    within: false,
  });
  expect(diagnostics.map(({ message }) => message)).toEqual([
    "`inputs` has a meaning only beside `nodes`.",
    "`returns` has a meaning only beside `nodes`.",
  ]);
});

test("what only looks like a slip is left alone", () => {
  const nodes = `  - { id: p, prompt: P, output_format: { properties: { name: { type: string } } } }
  - { id: _a, depends_on: [p], bash: 'cp x $p.output.name.txt; sh -c ''echo "$ARTIFACTS_DIR"''; echo "$p \${HOME}"' }
  - { id: b, depends_on: [p], prompt: '$p.output.name-copy of $p.output. See \\$p.kind' }
  - { id: c, depends_on: [p], runtime: bun, script: "console.log(\`\${p.output}\`)" }`;
  expect(problems(nodes)).toEqual([]);
});

test("the name of an input does not end with a dash", () => {
  const nodes = '  - { id: a, prompt: "$INPUTS.who-$ARGUMENTS" }';
  expect(problems(nodes, "inputs: { who: {} }")).toEqual([]);
});

test.each([
  ["a variable that the command sets", `  - { id: a, bash: 'ARGUMENT=x; echo "$ARGUMENT"' }`],
  ["one that may be missing", `  - { id: a, bash: 'echo "\${ARGUMENT:-none}"' }`],
  [
    "a field that is called so",
    `  - { id: p, prompt: P, output_format: { type: object, properties: { outputs: { type: string } } } }
  - { id: a, depends_on: [p], prompt: "See $p.output.outputs." }`,
  ],
  [
    "a field that may be left out",
    `  - { id: p, prompt: P, output_format: { type: object, properties: { size: { enum: [s, l] }, ok: { type: boolean } } } }
  - { id: a, depends_on: [p], when: "$p.output.size == '' && $p.ok == true && $p.ok != 'false'", bash: ls }`,
  ],
])("no near miss: %s", (_, nodes) => {
  expect(problems(nodes)).toEqual([]);
});
