/** Seed 002: where chains and their prompts are found, and what keeps them from being used. */
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { chainFiles, chainOf, seedChain } from "../support/prompt-files.ts";

let bench: CliBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

async function open(files: Readonly<Record<string, string>>): Promise<CliBench> {
  bench = await openCliBench(files);
  return bench;
}

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly source: string;
  readonly shadowed: boolean;
  readonly problems: number;
}

async function listed(cli: CliBench): Promise<readonly Listed[]> {
  const { workflows } = await cli.json<{ readonly workflows: readonly Listed[] }>(["list", "--all"]);
  return workflows.filter(({ source }) => source !== "bundled");
}

/** Code, severity and place of every problem that `waymark validate` tells. */
async function problems(cli: CliBench, name: string, code = 1): Promise<readonly string[]> {
  interface Problem {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly place: { readonly line: number; readonly column: number };
  }
  const { workflows } = await cli.json<{ readonly workflows: readonly { readonly diagnostics: readonly Problem[] }[] }>(
    ["validate", name],
    {
      code,
    },
  );
  return workflows.flatMap(({ diagnostics }) =>
    diagnostics.map(({ code: each, severity, message, place }) => `${place.line}:${place.column} ${severity} ${each}: ${message}`),
  );
}

const one = (name: string): string => chainOf(name, "  - step: plan");

describe("folders", () => {
  test("a chain is found in .archon/workflows, as .yaml or .yml, also one folder down", async () => {
    const cli = await open({
      ".archon/workflows/a.yaml": one("a"),
      ".archon/workflows/b.yml": one("b"),
      ".archon/workflows/team/c.yaml": one("c"),
      ".archon/steps/plan.md": "Plan.",
    });
    expect((await listed(cli)).map(({ name, problems: found }) => `${name} ${found}`)).toEqual(["a 0", "b 0", "c 0"]);
    expect((await cli.run(["validate", "a", "b", "c"])).code).toBe(0);
  });

  test.each([".claude", ".agents"])("without a chain in the folders before it, those of %s count", async (folder) => {
    const cli = await open(chainFiles("  - step: plan", { plan: "Plan." }, { folder }));
    expect((await cli.run(["start", "chain"])).stdout).toContain("Plan.");
  });

  test("the first folder with a valid chain wins: what later ones hold is listed as shadowed and refused with the reason", async () => {
    const cli = await open({ ...seedChain, ...chainFiles("  - step: plan", { plan: "Plan." }, { name: "other", folder: ".claude" }) });
    expect((await listed(cli)).map(({ name, shadowed }) => `${name} ${shadowed}`)).toEqual(["feature-development false", "other true"]);
    const refused = await cli.run(["start", "other"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("ENGINE_OTHER_FOLDER");
    expect(refused.stderr).toContain(join(".archon", "workflows"));
  });

  test("a folder without a valid chain does not win, and its broken files are still told", async () => {
    const cli = await open({
      ".archon/workflows/broken.yaml": "name: chain\ndescription: x\n",
      ...chainFiles("  - step: plan", { plan: "Plan." }, { folder: ".claude" }),
    });
    expect((await listed(cli)).map(({ path, shadowed, problems: found }) => `${path.split("/").at(-3)} ${shadowed} ${found}`)).toEqual([
      ".archon false 1",
      ".claude false 0",
    ]);
    expect((await cli.run(["start", "chain"])).stdout).toContain("Plan.");
  });

  test("of two files with the same name the later one replaces the earlier, and that is said", async () => {
    const cli = await open({
      ".archon/workflows/1.yaml": chainOf("twice", "  - step: early"),
      ".archon/workflows/2.yaml": chainOf("twice", "  - step: late"),
      ".archon/steps/early.md": "Early.",
      ".archon/steps/late.md": "Late.",
    });
    expect(await problems(cli, "twice", 0)).toEqual([
      expect.stringContaining("warning ENGINE_WORKFLOW_REPLACED: Two files define `twice`"),
    ]);
    expect((await listed(cli)).map(({ shadowed }) => shadowed)).toEqual([true, false]);
    expect((await cli.run(["validate"])).stdout).toMatch(/ENGINE_WORKFLOW_REPLACED[^]*2 workflows, 0 errors, 1 warning\./);
    expect((await cli.run(["start", "twice"])).stdout).toContain("Late.");
  });

  test("the user's own chains come after the project's, and chains are found in .waymark/workflows too", async () => {
    const cli = await open({ ".waymark/workflows/mine.yaml": one("mine"), ".waymark/steps/plan.md": "Mine." });
    await mkdir(join(cli.home, ".archon/workflows"), { recursive: true });
    await mkdir(join(cli.home, ".archon/steps"), { recursive: true });
    await cli.write("../home/.archon/workflows/yours.yaml", one("yours"));
    await cli.write("../home/.archon/steps/plan.md", "Yours.");
    expect((await listed(cli)).map(({ name, source }) => `${name} ${source}`)).toEqual(["mine project", "yours global"]);
    expect((await cli.run(["start", "mine"])).stdout).toContain("Mine.");
    expect((await cli.run(["start", "yours"])).stdout).toContain("Yours.");
  });

  test("files of other dialects in these folders are read as what they are", async () => {
    const steps = 'name: hello\ndescription: x\nversion: "1.0.0"\nsteps:\n  - { id: hi, type: user_message, message: Hi. }\n';
    const cli = await open({ ".claude/workflows/hello.yaml": steps });
    expect((await cli.run(["start", "hello"])).stdout).toContain("Hi.");
  });
});

describe("prompts", () => {
  test("are looked for beside the folder of the workflow first, then beside the others; steps before commands, then one folder down", async () => {
    const steps = ["own", "elsewhere", "command", "deeper"].map((step) => `  - step: ${step}`).join("\n");
    const cli = await open({
      ".claude/workflows/chain.yaml": chainOf("chain", steps),
      ".archon/steps/own.md": "wrong",
      ".claude/steps/own.md": "from .claude",
      ".claude/commands/own.md": "wrong",
      ".agents/steps/elsewhere.md": "from .agents",
      ".claude/commands/command.md": "from commands",
      ".claude/commands/team/deeper.md": "from one folder down",
    });
    const { prompts } = await walk(cli, "chain");
    expect(prompts).toEqual(["from .claude", "from .agents", "from commands", "from one folder down"]);
  });

  test("a missing one is an error with the seed's words when the file is read, and no run begins", async () => {
    const cli = await open(chainFiles("  - step: plan\n  - step: gone", { plan: "Plan." }));
    expect(await problems(cli, "chain")).toEqual(["5:11 error PROMPTS_NO_PROMPT: Step prompt not found: gone.md"]);
    const refused = await cli.run(["start", "chain"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Step prompt not found: gone.md");
    expect((await cli.json<{ readonly runs: readonly unknown[] }>(["runs"])).runs).toEqual([]);
  });

  test("a mistyped one is answered with the nearest name, and the list counts it", async () => {
    const cli = await open(chainFiles("  - step: plann", { plan: "Plan." }));
    expect((await cli.run(["validate", "chain"])).stdout).toContain("Did you mean `plan`?");
    expect((await listed(cli)).map(({ problems: found }) => found)).toEqual([1]);
  });

  test("an empty one is an error", async () => {
    const cli = await open(chainFiles("  - step: plan", { plan: " \n" }));
    expect(await problems(cli, "chain")).toEqual([expect.stringContaining("4:11 error PROMPTS_EMPTY_PROMPT")]);
  });

  test("names cannot lead to another folder, nor can links", async () => {
    const cli = await open({
      ...chainFiles("  - step: ../../secret\n  - step: .hidden\n  - step: two words\n  - step: a/b", {}),
      "../secret.md": "secret",
    });
    const bad = ["../../secret", ".hidden", "two words", "a/b"];
    expect(await problems(cli, "chain")).toEqual(
      bad.map((name, at) => `${at + 4}:11 error PROMPTS_BAD_NAME: \`${name}\` cannot be a name.`),
    );
    await cli.write(".archon/workflows/linked.yaml", chainOf("linked", "  - step: linked"));
    await mkdir(join(cli.workspace, ".archon/steps"), { recursive: true });
    await symlink(join(cli.workspace, "../secret.md"), join(cli.workspace, ".archon/steps/linked.md"));
    expect(await problems(cli, "linked")).toEqual(expect.arrayContaining([expect.stringContaining("HOST_PATH_OUTSIDE")]));
  });

  test("are pinned with the run: an edit, or a removed file, changes nothing in a run that has begun", async () => {
    const cli = await open(seedChain);
    const { run_id: run } = await cli.json<{ readonly run_id: string }>(["start", "feature-development", "--input", "user_message=x"]);
    await cli.write(".archon/steps/implement.md", "Something else.");
    await rm(join(cli.workspace, ".archon/steps/create-pr.md"));
    await cli.run(["done", run, "--result", "planned"]);
    expect((await cli.run(["next", run])).stdout).toContain("Implement it for");
    await cli.run(["done", run, "--result", "built"]);
    expect((await cli.run(["next", run])).stdout).toContain("Open the pull request.");
  });
});

describe("a strict reader", () => {
  test("a missing step, a flag as text and unknown keys are told with their places, all at once", async () => {
    const cli = await open(
      chainFiles('  - clearContext: true\n  - step: plan\n    clearContext: "false"\n    depend_on: [x]\n    colour: red\n    tags: [a]', {
        plan: "Plan.",
      }),
    );
    expect(await problems(cli, "chain")).toEqual([
      "4:5 error PROMPTS_MISSING_KEY: A step needs `step`.",
      "6:19 error PROMPTS_WRONG_TYPE: `steps[1].clearContext` must be true or false, but is a text.",
      "7:5 error PROMPTS_UNKNOWN_KEY: `depend_on` is not a key of a step.",
      "8:5 warning PROMPTS_UNKNOWN_KEY: `colour` is not a key of a step.",
      "9:5 warning PROMPTS_UNUSED_KEY: Waymark does not use `tags`.",
    ]);
  });

  test("a near miss of a provider is an error with its name, any other unknown one a warning, and none becomes another", async () => {
    const cli = await open(chainFiles("  - step: plan\n    provider: cluade\n  - step: plan\n    provider: pi", { plan: "Plan." }));
    expect(await problems(cli, "chain")).toEqual([
      "5:15 error PROMPTS_UNKNOWN_PROVIDER: Waymark knows no agent `cluade`.",
      "7:15 warning PROMPTS_UNKNOWN_PROVIDER: Waymark knows no agent `pi`.",
    ]);
    expect((await cli.run(["validate", "chain"])).stdout).toContain("Did you mean `claude`?");
  });

  test("an agent of the configuration is known, also where its name is nearly that of another one", async () => {
    const cli = await open({
      ...chainFiles("  - step: plan\n    provider: mine\n  - step: plan\n    provider: claud\n  - workflow: inner", { plan: "Plan." }),
      ".archon/workflows/inner.yaml": "name: inner\ndescription: x\nprovider: mine\nsteps: [{ step: plan }]\n",
      ".waymark/config.yaml": "agents: { mine: { protocol: script, file: a.yaml }, claud: { protocol: script, file: a.yaml } }\n",
    });
    expect(await cli.json(["validate", "chain", "inner"])).toMatchObject({ workflows: [{ diagnostics: [] }, { diagnostics: [] }] });
    expect((await cli.run(["list"])).stdout).not.toContain("problem");
  });

  test.each([
    ["neither steps nor a loop", "", "PROMPTS_MISSING_KEY"],
    ["steps and a loop", "steps: [{ step: plan }]\nloop: { until: X, max_iterations: 2 }\n", "PROMPTS_ONE_FORM"],
    ["a loop without a prompt", "loop: { until: X, max_iterations: 2 }\n", "PROMPTS_ONE_FORM"],
    ["a prompt without a loop", "prompt: Do it.\n", "PROMPTS_ONE_FORM"],
    ["steps and nodes", "steps: [{ step: plan }]\nnodes: []\n", "PROMPTS_ONE_FORM"],
  ])("exactly one form: %s", async (_what, body, code) => {
    const cli = await open({ ".archon/workflows/odd.yaml": `name: odd\ndescription: x\n${body}`, ".archon/steps/plan.md": "Plan." });
    expect(await problems(cli, "odd")).toEqual(expect.arrayContaining([expect.stringContaining(`error ${code}`)]));
  });

  test("name and description must not be empty, and a name has no spaces", async () => {
    const cli = await open({
      ".archon/workflows/odd.yaml": 'name: two words\ndescription: ""\nsteps: [{ step: plan }]\n',
      ".archon/steps/plan.md": "Plan.",
    });
    expect(await problems(cli, "two words")).toEqual([
      "1:7 error PROMPTS_BAD_NAME: `two words` cannot be a name.",
      "2:14 error PROMPTS_BAD_VALUE: `description` is an empty text.",
    ]);
  });

  test("a graph is read, and a file that cannot be read is told; the others still load", async () => {
    const cli = await open({
      ...seedChain,
      ".archon/workflows/graph.yaml": "name: graph\ndescription: x\nnodes:\n  - id: a\n    prompt: Look.\n",
      ".archon/workflows/bad.yaml": "name: bad\n  description: [\n",
    });
    expect(await problems(cli, "graph", 0)).toEqual([]);
    expect((await listed(cli)).map(({ name, problems: found }) => `${name} ${found > 0}`).toSorted()).toEqual([
      "bad true",
      "feature-development false",
      "graph false",
    ]);
    expect((await cli.run(["start", "feature-development", "--input", "user_message=x"])).code).toBe(0);
  });

  test("scripts and prompts of a graph are found beside the folder of the workflow; a missing one is told with what is there", async () => {
    const cli = await open({
      ".archon/workflows/team/graph.yaml":
        "name: graph\ndescription: x\nnodes:\n  - { id: a, script: count, runtime: bun }\n  - { id: b, script: deep, runtime: uv }\n  - { id: c, command: look }\n",
      ".archon/workflows/lost.yaml":
        "name: lost\ndescription: x\nnodes:\n  - { id: a, script: cuont, runtime: bun }\n  - { id: b, command: cuont }\n  - { id: c, command: loook }\n",
      ".archon/scripts/count.ts": "console.log(1)\n",
      ".archon/scripts/more/deep.py": "steps: [not yaml\n",
      ".archon/commands/look.md": "Look.\n",
    });
    expect(await problems(cli, "graph", 0)).toEqual([]);
    const { stdout } = await cli.run(["validate", "lost"]);
    expect(stdout).toContain("Script not found: cuont.ts or cuont.js");
    expect(stdout).toContain("Did you mean `count`?");
    expect(stdout).toContain("Create `steps/cuont.md` beside the folder of the workflow");
    expect(stdout).toContain("Did you mean `look`?");
  });
});

/** Goes through a run, and answers the prompts that it hands out. */
async function walk(cli: CliBench, name: string): Promise<{ readonly prompts: readonly string[] }> {
  interface Shown {
    readonly run_id: string;
    readonly step?: { readonly definition: { readonly prompt: string } } | null;
  }
  const prompts: string[] = [];
  let shown = await cli.json<Shown>(["start", name]);
  while (shown.step !== undefined && shown.step !== null) {
    prompts.push(shown.step.definition.prompt.trim());
    shown = await cli.json<Shown>(["done", shown.run_id, "--result", "ok"]);
  }
  return { prompts };
}
