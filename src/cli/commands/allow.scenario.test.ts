import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const workflow = (step: string): string => `name: build
description: Builds
version: "1.0.0"
steps:
  - { id: look, type: user_message, message: look }
  - { id: run, type: shell_command, ${step} }
  - { id: after, type: user_message, message: after }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench();
});
afterEach(() => bench.close());

const write = (step: string): Promise<void> => bench.write(".waymark/workflows/build.yaml", workflow(step));
const allow = async (answer = "y", ...more: string[]): Promise<string> =>
  (await bench.run(["allow", "build", ...more], { terminal: true, typed: [answer] })).stdout;

describe("allow shows everything that decides what runs", () => {
  test("the folder, the variables and the shell of a command", async () => {
    await write('command: git status, cwd: sub dir, env: { PATH: "./bin:{{ path }}", N: 1 }');
    const stdout = await allow();
    expect(stdout).toContain("command (in 'sub dir', with PATH='./bin:{{ path }}' N=1): git status");
    expect(stdout).toContain("commands are run by /bin/sh");
    const details = [{ kind: "command", text: "git status", cwd: "sub dir", env: { PATH: "./bin:{{ path }}", N: "1" }, shell: "/bin/sh" }];
    const runs = ["command (in 'sub dir', with PATH='./bin:{{ path }}' N=1): git status"];
    expect(await bench.json(["allow", "--list"])).toMatchObject({ permissions: [{ workflow: "build", runs, details }] });
    expect((await bench.run(["allow", "--list"])).stdout).toContain("with PATH='./bin:{{ path }}'");
    expect(await bench.json(["info", "build"])).toMatchObject({ runs, run_details: details, permission: "given" });
  });

  test("agent, model, tools and permission of a prompt, also where the workflow says them for all steps", async () => {
    const tools = "allowed_tools: [read, edit], denied_tools: [Bash]";
    const steps = `[{ step: plan, ${tools} }, { step: plan, provider: codex, model: small, allowed_tools: [] }]`;
    const text = `name: build\ndescription: x\nprovider: gemini\nmodel: large\npermission: edit\nsteps: ${steps}\n`;
    await bench.write(".waymark/workflows/build.yaml", text);
    await bench.write(".waymark/steps/plan.md", "Plan it.\n");
    const stdout = await allow();
    const first = "agent (gemini, model large, only the tools read, edit, without the tools Bash, permission edit): Plan it.";
    expect(stdout).toContain(first);
    expect(stdout).toContain("agent (codex, model small, no tools, permission edit): Plan it.");
    const details = [{ usualAgent: "gemini", model: "large", tools: { allowed: ["read", "edit"], denied: ["Bash"] } }, { agent: "codex" }];
    expect(await bench.json(["allow", "--list"])).toMatchObject({ permissions: [{ details }] });
  });

  test("what a person is asked, with the answers, cut where it is long and whole with `--show`", async () => {
    const long = `Is it right?\n${"more ".repeat(100)}the end`;
    const nodes = [
      { id: "plan", approval: { message: long } },
      { id: "way", approval: { message: "Which way?", decisions: [{ id: "ship", label: "Ship it" }, { id: "hold" }] } },
      { id: "loop", loop: { prompt: "Go.", until: "DONE", max_iterations: 2, interactive: true, gate_message: "What next, $ARGUMENTS?" } },
    ];
    await bench.write(".waymark/workflows/build.yaml", `name: build\ndescription: x\nnodes: ${JSON.stringify(nodes)}\n`);
    const stdout = await allow("n");
    expect(stdout).toContain(
      "\n  question (answers ship (Ship it), hold): Which way?\n  question: What next, $ARGUMENTS? $LOOP_PREV_OUTPUT\n",
    );
    expect(stdout).toMatch(/\n {2}question \(answers approve, reject\): Is it right\? more .*\(cut, 520 characters\)\n/);
    expect(stdout).not.toContain("the end");
    expect(stdout).toContain("Texts are cut here. To read them whole: waymark allow build --show\n");
    expect((await bench.run(["allow", "build", "--show"])).stdout).toContain("the end\n");
    const details = [
      { kind: "agent" },
      { kind: "question", answers: ["approve", "reject"], whole: long },
      {},
      { text: "What next, $ARGUMENTS? $LOOP_PREV_OUTPUT" },
    ];
    expect(await bench.json(["allow", "build", "--show"])).toMatchObject({ offered: [{ details }] });
  });

  test("a bare command that is allowed does not cover the same one with other variables", async () => {
    await bench.run(["allow", "--command", "git status", "--yes"], { terminal: true });
    await write("command: git status");
    expect((await bench.run(["start", "build"])).code).toBe(0);
    await write("command: git status, env: { PATH: ./bin }");
    expect((await bench.run(["start", "build"])).stderr).toContain("command (with PATH=./bin): git status");
  });

  test("the command lines of the project's tool servers", async () => {
    await bench.write(".waymark/config.yaml", 'mcp_servers: { hints: { command: ./serve, args: ["a b"], env: { MODE: fast } } }\n');
    await bench.write(
      ".waymark/workflows/build.yaml",
      workflow("command: x").replace("type: shell_command, command: x", "type: mcp_call, mcp: { method: hints.get }"),
    );
    const stdout = await allow("n");
    expect(stdout).toContain("tool: hints.get");
    expect(stdout).toContain("tool (server hints): MODE=fast ./serve 'a b'");
  });

  test("commands of the project's verification, with the workflows that run them, also bundled ones", async () => {
    await bench.write(".waymark/config.yaml", 'verify: { commands: ["make check"] }\n');
    const info = async (): Promise<unknown> => (await bench.json(["info", "typescript-migration"]))["permission"];
    expect(await info()).toBe("needed");
    const allowed = await bench.run(["allow", "typescript-migration"], { terminal: true, typed: ["y"] });
    expect(allowed.stdout).toMatch(/command: make check[^]*Allowed\./);
    expect(await info()).toBe("none");
    await bench.write(".waymark/config.yaml", 'verify: { commands: ["make other"] }\n');
    expect(await info()).toBe("needed");
    const list = await bench.json<{ permissions: { runs: string[] }[] }>(["allow", "--list"]);
    expect(list.permissions.map(({ runs }) => runs)).toEqual([["command: make check"]]);
  });

  test("everything with `--all`: commands of the verification once, also where only bundled workflows run them", async () => {
    await bench.write(".waymark/config.yaml", 'verify: { commands: ["make check"] }\n');
    const allowed = await bench.run(["allow", "--all"], { terminal: true, typed: ["y"] });
    expect(allowed.stdout.match(/command: make check/g)).toHaveLength(1);
    expect(allowed.stdout).not.toContain("needs no permission");
    expect((await bench.json(["info", "typescript-migration"]))["permission"]).toBe("none");
    expect((await bench.run(["allow", "--all"], { terminal: true })).stdout).toBe("There is nothing to allow.\n");
  });

  test("what is different since a permission that was taken back", async () => {
    await write("command: make all");
    await allow();
    await bench.run(["allow", "build", "--revoke"]);
    expect(await allow("n")).not.toContain("Allowed before");
    await write("command: make other");
    expect(await allow("n")).toMatch(/Allowed before with other content[^]*\+ command: make other\n {2}- command: make all\n/);
  });

  test("what cannot be seen is spelled out, also where it is no control character", async () => {
    await write('command: "rm x\\u200b\\u202e; ls\\u001b[2K"');
    expect(await allow("n")).toContain("command: rm x\\u200b\\u202e; ls\\u001b[2K");
  });

  test("what is new and what is gone since the last permission, then the whole", async () => {
    await write("command: make all");
    expect(await allow()).not.toContain("Allowed before");
    await write("command: make other");
    const changed = await allow("n");
    expect(changed).toMatch(
      /Allowed before with other content, \d{4}-.*Since then:\n {2}\+ command: make other\n {2}- command: make all\n {2}All that it would run:\n {2}command: make other\n/,
    );
    const call = { env: { WAYMARK_ALLOW_UNATTENDED: "1" } };
    expect(await bench.json(["allow", "build", "--yes"], call)).toMatchObject({
      allowed: [{ changes: { added: ["command: make other"], gone: ["command: make all"] } }],
    });
    await write("command: make other, output_format: lines");
    const around = await allow("n");
    expect(around).toMatch(/Allowed before with other content, \d{4}-.*The commands, prompts and questions are the same\.\n/);
    expect(around).not.toContain("Since then");
  });
});

test("allow offers what an open run has, when the file has other content or is gone, and the run continues", async () => {
  await write("command: touch made");
  await allow();
  const { run_id: run } = await bench.json<{ run_id: string }>(["start", "build"]);
  await bench.run(["allow", "build", "--revoke"]);
  const stopped = await bench.run(["done", run]);
  expect([stopped.code, (await bench.run(["next", run])).code]).toEqual([4, 4]);
  expect(stopped.stdout).toContain("waymark allow build");
  expect(stopped.stdout).toContain(`waymark next ${run}`);
  await bench.write(".waymark/workflows/build.yaml", "name: other\n");
  const offered = await allow();
  expect(offered).toMatch(new RegExp(`build {2}as run ${run} has it\\n {2}command: touch made\\n`));
  expect((await bench.run(["next", run])).stdout).toContain("after");
});

describe("the hint of allow", () => {
  /** A run that is stopped at a command by a permission that was taken back. */
  async function stopped(): Promise<string> {
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "build"]);
    await bench.run(["allow", "build", "--revoke"]);
    expect((await bench.run(["done", run])).code).toBe(4);
    return run;
  }

  test("starts a workflow that no run waits for", async () => {
    await write("command: touch made");
    expect(await allow()).toMatch(/→ waymark start build\n$/);
  });

  test("continues the run that waits for this permission, and does not start another one", async () => {
    await write("command: touch made");
    await allow();
    const run = await stopped();
    expect(await allow()).toMatch(new RegExp(`Allowed\\. .*\\n→ waymark next ${run}\\n$`));
    expect((await bench.run(["next", run])).stdout).toContain("after");
    await bench.run(["allow", "build", "--revoke"]);
    expect(await allow()).toMatch(/→ waymark start build\n$/);
  });

  test("is named by the status of the run that waits for it, with all that it would run", async () => {
    await write("command: make all the things of this project");
    await allow();
    const run = String((await bench.json(["start", "build"]))["run_id"]);
    await bench.run(["allow", "build", "--revoke"]);
    await bench.run(["done", run]);
    const { stdout } = await bench.run(["status", run]);
    expect(stdout).toMatch(/\n! .*waymark allow build.*command: make all the things of this project/);
    expect(stdout).toMatch(/\nWhen you have allowed it: waymark next wf-build-\S+\n$/);
  });

  test("continues a run that waits for the one command that is allowed, also for scripts", async () => {
    await write("command: touch made");
    await allow();
    const run = await stopped();
    const call = { env: { WAYMARK_ALLOW_UNATTENDED: "1" } };
    expect(await bench.json(["allow", "--command", "make all", "--yes"], call)).not.toHaveProperty("next_command");
    expect(await bench.json(["allow", "--command", "touch made", "--yes"], call)).toMatchObject({ next_command: `waymark next ${run}` });
  });

  test("drives a run on that was driven", async () => {
    await bench.write("agent.yaml", "turns: [{ do: [{ say: made }] }]\n");
    await bench.write(
      ".waymark/workflows/build.yaml",
      workflow("command: x").replace("type: shell_command, command: x", "type: agent_task, prompt: Do it."),
    );
    const options = ["--agent", "script:agent.yaml", "--permission", "edit"];
    await allow();
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "build"]);
    await bench.run(["allow", "build", "--revoke"]);
    expect((await bench.run(["drive", run, ...options])).code).toBe(4);
    expect(await allow()).toMatch(new RegExp(`\\n→ waymark drive ${run} ${options.join(" ")}\\n$`));
    expect((await bench.run(["drive", run, ...options])).code).toBe(0);
  });
});

describe("adopt", () => {
  /** The project as another user finds it. */
  async function another(): Promise<{ readonly run: string; readonly as: { readonly env: Readonly<Record<string, string>> } }> {
    await write("command: touch made, env: { A: b }");
    await allow();
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "build"]);
    return { run, as: { env: { WAYMARK_DATA_HOME: join(bench.home, "another") } } };
  }

  test("shows the store, its open runs and what they would run, and asks", async () => {
    const { run, as } = await another();
    expect((await bench.run(["next", run], as)).stderr).toContain("STORE_NOT_ADOPTED");
    const no = await bench.run(["adopt"], { ...as, terminal: true, typed: ["n"] });
    for (const said of [join(bench.workspace, ".waymark/store"), run, "build", "command (with A=b): touch made", "Nothing was adopted."])
      expect(no.stdout).toContain(said);
    expect((await bench.run(["next", run], as)).stderr).toContain("STORE_NOT_ADOPTED");
    const yes = await bench.run(["adopt"], { ...as, terminal: true, typed: ["y"] });
    expect(yes.stdout).toContain("Adopted.");
    expect((await bench.run(["next", run], as)).stdout).toContain("look");
    expect((await bench.run(["adopt"], { ...as, terminal: true })).stdout).toContain("is yours already");
  });

  test("is refused without a terminal, and says where there is nothing to adopt", async () => {
    expect((await bench.run(["adopt"])).stdout).toContain("There is no store");
    const { as } = await another();
    expect((await bench.run(["adopt"], as)).stderr).toContain("CLI_NO_TERMINAL");
    expect((await bench.run(["adopt", "--yes"], as)).stderr).toContain("CLI_UNATTENDED");
    expect(await bench.json(["adopt"])).toEqual({ store: join(bench.workspace, ".waymark/store"), adopted: false });
  });

  test("looking, help and a store elsewhere need no adoption", async () => {
    const { run, as } = await another();
    cpSync(join(bench.workspace, ".waymark/store"), join(bench.home, "copy"), { recursive: true });
    const looks = [["status"], ["runs"], ["status", run], ["journal", run], ["state", run], ["doctor"], ["export", run]];
    for (const argv of looks) expect([argv, await bench.run(argv, as)]).toMatchObject([argv, { code: 0 }]);
    expect((await bench.run(["--store", join(bench.home, "copy"), "next", run])).stderr).toContain("STORE_NOT_ADOPTED");
    expect((await bench.run(["--store", join(bench.home, "mine"), "start", "build"], as)).stderr).toContain("ENGINE_NOT_ALLOWED");
  });
});

test("a workspace that holds the user's data folder starts nothing and leaves nothing; the refusal names both ways out", async () => {
  const refused = await bench.run(["-C", bench.home, "start", "feature-development", "-i", "user_message=x"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("(HOST_DATA_INSIDE_WORKSPACE)") });
  expect(refused.stderr).toContain(
    "→ Name a folder in it as the workspace, with `-C <folder>`, or set `WAYMARK_DATA_HOME` to a folder outside of it.",
  );
  expect(existsSync(join(bench.home, ".waymark"))).toBe(false);
  const data = { env: { WAYMARK_DATA_HOME: join(bench.workspace, "..", "data") } };
  expect((await bench.run(["-C", bench.home, "start", "feature-development", "-i", "user_message=x"], data)).code).toBe(0);
});
