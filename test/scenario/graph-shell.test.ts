import { afterAll, beforeAll, expect, test } from "vitest";
import { GraphBench } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open();
});
afterAll(() => bench.close());

test("commands run in bash: its own tests, arrays, options and here-strings work", async () => {
  const run = await bench.run(`- id: a
  bash: |
    set -o pipefail
    words=(one two)
    [[ \${words[1]} == t* ]] && cat <<< "\${#words[@]} \${BASH_VERSION:+bash}"`);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("a")).toBe("2 bash");
});

const hostile = [
  `'; touch broken; '`,
  "$(touch broken) `touch broken`",
  '"; touch broken; "',
  "a\nb\n\nc",
  "\\",
  "*",
  "$HOME ${HOME}",
  "-n",
  "-e \\x41",
  "!!",
  "~",
  "é\u2028ü",
  "a\u0001b",
];

test("outputs are quoted in bash, whatever they hold", async () => {
  for (const each of hostile) {
    const run = await bench.run(
      `- id: say
  prompt: Say it.
- id: echo
  depends_on: [say]
  bash: |
    v=$say.output
    printf '<%s>' "$v" $say.output
`,
      () => each,
    );
    const text = each.replace(/\n$/, "");
    expect(await run.output("echo"), each).toBe(`<${text}><${text}>`);
  }
});

test("the output of a command is its text without one line end, also when it is longer than an argument may be", async () => {
  const run = await bench.run(`- id: long
  bash: head -c 200000 /dev/zero | tr '\\0' "'"; echo; echo
- id: count
  depends_on: [long]
  bash: printf %s $long.output | wc -c`);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect((await run.output("long"))?.length).toBe(200_001);
  expect((await run.output("count"))?.trim()).toBe("200001");
});

test("what the user writes arrives as variables alone, and nothing in it is run", async () => {
  const message = `$(touch broken); "'\`touch broken\` $HOME\n$1`;
  const run = await bench.run(
    `- id: a
  bash: |
    printf '%s|%s|%s|' "$ARGUMENTS" "$USER_MESSAGE" "\${USER_MESSAGE}"
    [ -d "$ARTIFACTS_DIR" ] && [ -d "$STATE_DIR" ] && [ "$WORKFLOW_ID" != "" ] && printf ok
    [ -e broken ] && echo broken || true`,
    undefined,
    { message },
  );
  expect(await run.nodes()).toMatchObject({ a: { status: "completed" } });
  expect(await run.output("a")).toBe(`${message}|${message}|${message}|ok`);
});

test("inputs are quoted like outputs, also as fields and inside of quotes; nothing in a comment is run, and a here-document that is run gets none", async () => {
  const evil = "a'; touch broken; echo '$(touch broken)";
  const run = await bench.run(
    `- id: data
  bash: printf '{"x":"it''s","n":3,"o":{"a":1}}'
- id: a
  depends_on: [data]
  bash: |
    # $data.output
    printf '%s|%s|%s|%s|%s|%s' $INPUTS.what $data.output.x $data.output.n $data.output.o "$INPUTS.what" '$INPUTS.what'
    [ -e broken ] && echo broken || true`,
    undefined,
    { inputs: { what: evil }, more: "inputs: { what: { type: string } }" },
  );
  expect(await run.nodes()).toMatchObject({ a: { status: "completed" } });
  const output = await run.output("a");
  expect(output).toBe(`${evil}|its|3|{"a":1}|${evil}|${evil}`);
  const document = await bench.run("- id: a\n  bash: |\n    bash <<E\n    $INPUTS.what\n    E", undefined, {
    inputs: { what: evil },
    more: "inputs: { what: { type: string } }",
  });
  expect(await document.nodes()).toMatchObject({ a: { status: "failed", error: expect.stringContaining("here-document") as string } });
});

test("outputs are data in here-documents, also in one in which nothing is expanded, whatever they hold and however long they are", async () => {
  for (const each of [...hostile, "E\n'; touch broken; '\nE\n$(touch broken)", "x'$".repeat(60_000)]) {
    const run = await bench.run(
      `- id: say
  prompt: Say it.
- id: echo
  depends_on: [say]
  bash: |
    printf '%s' "$(cat <<'E'
    <$HOME \`it's\` \\ $say.output>
    E
    )"
    cat <<E
    <$say.output>
    E
    printf '<%s>' $say.output
    test ! -e broken`,
      () => each,
    );
    const text = each.replace(/\n$/, "");
    expect(await run.output("echo"), each.slice(0, 50)).toBe(`<$HOME \`it's\` \\ ${text}><${text}>\n<${text}>`);
  }
});

const forms = ["$say.output", "'$say.output'", '"$say.output"', "`$say.output`", "`${'$say.output'}`", "`${`$say.output`}`"];
const evil = `'"\`${"$"}{throw 1} \\' */ throw 1 //\n\u2028 $(touch broken) WAYMARK_SCRIPT é😀`;

test("outputs are data in a script for bun, which node runs where bun is missing", async () => {
  const run = await bench.run(
    `- id: say
  prompt: Say it.
- id: out
  depends_on: [say]
  runtime: bun
  script: |
    /* it's \` */ const quoted = /['"\`]/;
    process.stdout.write(JSON.stringify([${forms.join(", ")}]));`,
    () => evil,
  );
  const { out } = await run.nodes();
  expect(out).toMatchObject({ status: "completed" });
  expect(JSON.parse(out?.output ?? "")).toEqual(forms.map(() => evil));
});

test("an index in an output is never calculated", async () => {
  const run = await bench.run(
    "- id: say\n  prompt: Say it.\n- id: a\n  depends_on: [say]\n  bash: '[[ $say.output -eq 1 ]]'\n- id: b\n  depends_on: [a]\n  trigger_rule: all_done\n  bash: test ! -e broken",
    () => "a[$(touch broken)]",
  );
  expect(await run.nodes()).toMatchObject({
    a: { status: "failed", error: expect.stringContaining("only a number") as string },
    b: { status: "completed" },
  });
});

test("a path with a word of a shell in it does not make a here-document one that is run", async () => {
  const run = await bench.run(`- id: say
  bash: echo said
- id: a
  depends_on: [say]
  bash: |
    mkdir -p out/node
    cat > out/dash.md <<X
    $say.output
    X
    cat > out/node/list.here <<X
    $say.output
    X
    cat out/dash.md out/node/list.here`);
  const { a } = await run.nodes();
  expect(a?.error ?? a?.output).toBe("said\nsaid");
  for (const line of ["cat <<X > x && /bin/dash x", "cat <<X > x; python3.11 x", "cat <<X > x; bash.exe x"]) {
    const refused = await bench.run(
      `- id: say\n  bash: echo said\n- id: a\n  depends_on: [say]\n  bash: |\n    ${line}\n    $say.output\n    X`,
    );
    expect((await refused.nodes())["a"]?.error, line).toContain("may be run as a program");
  }
});
