import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

interface Parts {
  readonly approval?: string;
  readonly fix?: string;
  readonly prompt?: string;
}

const graph = ({ approval = "Really?", fix = "depends_on: [gate], bash: make fix", prompt = "Look." }: Parts = {}): string => `name: perm
description: Fixes
nodes:
  - { id: gate, approval: { message: "${approval}" } }
  - { id: fix, ${fix} }
  - id: look
    depends_on: [fix]
    prompt: ${JSON.stringify(prompt)}
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/perm.yaml": graph(), "idle.yaml": "turns: [{ do: [{ say: Nothing. }] }]\n" });
});
afterEach(() => bench.close());

const write = (parts: Parts): Promise<void> => bench.write(".waymark/workflows/perm.yaml", graph(parts));
const allow = async (answer = "y", ...more: string[]): Promise<string> =>
  (await bench.run(["allow", "perm", ...more], { terminal: true, typed: [answer] })).stdout;
const same = /Allowed before with other content, .*The commands, prompts and questions are the same\.\n/;

describe("what is around equal commands and prompts", () => {
  test.each([
    ["an order", "bash: make fix", "fix: shell command; after gate", "fix: shell command"],
    [
      "a condition",
      "depends_on: [gate], when: \"$gate.output == 'x'\", bash: make fix",
      "fix: shell command; after gate",
      "fix: shell command; after gate; when $gate.output == 'x'",
    ],
    [
      "a trigger rule",
      "depends_on: [gate], trigger_rule: all_done, bash: make fix",
      "fix: shell command; after gate",
      "fix: shell command; after gate (all_done)",
    ],
  ])("%s that changed is shown as the plan has it", async (_what, fix, before, after) => {
    await allow();
    await write({ fix });
    const shown = await allow("n");
    expect(shown).toMatch(same);
    expect(shown).toContain("What is around them changed. The plan shows this of it:");
    const lines = shown.split("\n").map((line) => line.replace(/(\S ).*?\d+\. /, "$1").trim());
    expect(lines).toContain(`- ${before}`);
    expect(lines).toContain(`+ ${after}`);
    expect(shown).not.toContain("ran the same");
  });

  test("an approval that is gone", async () => {
    await allow();
    await bench.write(".waymark/workflows/perm.yaml", graph({ fix: "bash: make fix" }).replace(/ {2}- \{ id: gate.*\n/, ""));
    const shown = await allow("n");
    expect(shown).toContain("  - question (answers approve, reject): Really?\n");
    expect(shown).toMatch(/The plan changed too:[^]*\n {4}- \S.*gate: asks a person, a rejection cancels the run\n/);
  });

  test("the words of a question", async () => {
    await allow();
    await write({ approval: "May it?" });
    const shown = await allow("n");
    expect(shown).not.toMatch(same);
    expect(shown).toContain("  + question (answers approve, reject): May it?\n  - question (answers approve, reject): Really?\n");
    expect(shown).toContain("  All that it would run and ask:\n");
  });

  test("what no plan shows is said to be something else", async () => {
    await allow();
    await bench.write(
      ".waymark/workflows/perm.yaml",
      graph().replace("description: Fixes", "description: Fixes\ninputs: { depth: { type: string } }"),
    );
    const shown = await allow("n");
    expect(shown).toMatch(same);
    expect(shown).toContain("The plan (`waymark explain perm`) is the same too. Something else changed: an input");
  });

  test("a tool server that is not shown is named, and the plan with a change of commands", async () => {
    await allow();
    await bench.write(".waymark/config.yaml", "mcp_servers: { hints: { command: ./serve } }\n");
    const shown = await allow("n");
    expect(shown).toMatch(same);
    expect(shown).toContain("    + tool server hints: ./serve\n");
    await write({ fix: "bash: make other" });
    const both = await allow("n");
    expect(both).toMatch(/Since then:\n {2}\+ command: make other\n {2}- command: make fix\n/);
    expect(both).toMatch(/The plan changed too:\n[^]*- .*fix: shell command; after gate\n/);
  });
});

describe("prompts are compared whole", () => {
  const long = ["First line.", "x".repeat(400), ...Array.from({ length: 20 }, (_, at) => `line ${at}`)].join("\n");

  test("an edit behind the cut is shown around its place", async () => {
    await write({ prompt: long });
    const first = await allow();
    expect(first).toMatch(/\(cut, 5\d\d characters\)/);
    expect(first).toContain("Texts are cut here. To read them whole: waymark allow perm --show\n");
    await write({ prompt: long.replace("line 12", "line 12, and push it") });
    const shown = await allow("n");
    expect(shown).not.toContain("are the same");
    expect(shown).toMatch(/Since then:\n {2}Changed: agent: First line\. x+\.\.\.\n/);
    expect(shown).toContain("      ...\n      line 11\n    - line 12\n    + line 12, and push it\n      line 13\n");
    expect(shown).not.toContain("line 5\n");
  });

  test("two prompts with the same beginning are two", async () => {
    const second = "  - { id: more, prompt: " + JSON.stringify(`${long}\nOther end.`) + " }\n";
    await bench.write(".waymark/workflows/perm.yaml", `${graph({ prompt: long })}${second}`);
    expect((await bench.run(["allow", "perm", "--show"])).stdout).toMatch(/line 19\S*\n {2}agent: \n[^]*Other end\./);
  });

  test("are read whole without a terminal, also by scripts, and nothing is allowed", async () => {
    await write({ prompt: long });
    const { code, stdout } = await bench.run(["allow", "perm", "--show"]);
    expect([code, stdout.includes("line 18\n"), stdout.endsWith("Nothing was allowed.\n")]).toEqual([0, true, true]);
    expect(await bench.json(["allow", "perm", "--show"])).toMatchObject({
      offered: [
        {
          workflow: "perm",
          details: [{ kind: "command" }, { kind: "agent", whole: expect.stringContaining(long) as string }, { kind: "question" }],
        },
      ],
    });
    expect(await bench.json(["allow", "--list"])).toMatchObject({ permissions: [] });
    const refused = await bench.run(["--json", "allow", "perm"]);
    expect([refused.code === 0, `${refused.stdout}${refused.stderr}`.includes("--show")]).toEqual([false, true]);
    expect((await bench.run(["allow", "perm", "--show", "--yes"])).code).not.toBe(0);
  });

  test("a permission of an earlier version counts, and what it did not keep is said to be unknown", async () => {
    await write({ prompt: long });
    await allow();
    const path = join(bench.home, ".local/share/waymark/permissions.jsonl");
    const { plan: _plan, ...earlier } = JSON.parse((await readFile(path, "utf8")).trim());
    earlier.details = earlier.details.filter(({ kind }: { kind: string }) => kind !== "question");
    for (const run of earlier.details) delete run.whole;
    await writeFile(path, `${JSON.stringify(earlier)}\n`);
    expect(await bench.json(["info", "perm"])).toMatchObject({ permission: "given" });
    await write({ prompt: `${long}\nAnd more.` });
    const shown = await allow("n");
    expect(shown).toContain("The commands and prompts are the same, prompts as far as they were kept.");
    expect(shown).toContain("kept neither questions, whole prompts nor the plan, so what else changed is not known.");
  });
});

test("a workflow that is not allowed as it is now says why", async () => {
  const refused = async (): Promise<string> =>
    (await bench.run(["run", "perm", "go", "--agent", "script:idle.yaml", "--permission", "read"])).stderr;
  const start = async (): Promise<string> => (await bench.run(["start", "perm"])).stderr;
  expect(await start()).toContain("has not been allowed to run anything yet");
  await allow();
  await write({ fix: "bash: make fix" });
  for (const said of [await start(), await refused()]) {
    expect(said).toMatch(/`perm` comes with this project and has changed since it was allowed on \d{4}-\d\d-\d\d\. It would run:/);
    expect(said).not.toContain("yet");
  }
  await allow();
  await bench.run(["allow", "perm", "--revoke"]);
  expect(await start()).toContain("is no longer allowed: the permission was taken back. It would run:");
});
