import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { sqliteConversations } from "../../store/index.ts";

const shell = (command: string): string => `name: shell
description: Runs a command
version: "1.0.0"
default_state: { raw: { out: "" } }
steps: [{ id: run, type: shell_command, command: ${JSON.stringify(command)}, state_update: { path: raw.out } }]
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench();
});
afterEach(() => bench.close());

describe("allow", () => {
  beforeEach(() => bench.write(".waymark/workflows/shell.yaml", shell("echo built")));

  test("shows what it allows, asks, and counts for exactly that content", async () => {
    expect((await bench.run(["start", "shell"])).stderr).toContain("ENGINE_NOT_ALLOWED");
    const no = await bench.run(["allow", "shell"], { terminal: true, typed: ["n"] });
    expect(no.stdout).toMatch(/command: echo built[^]*Allow this in .*\? \[y\/N\] Nothing was allowed/);
    expect((await bench.run(["start", "shell"])).code).toBe(2);
    const yes = await bench.run(["allow", "shell"], { terminal: true, typed: ["y"] });
    expect(yes.stdout).toContain("Allowed.");
    expect((await bench.run(["start", "shell"])).code).toBe(0);
    expect((await bench.run(["allow", "shell"], { terminal: true })).stdout).toContain("allowed already");
    await bench.write(".waymark/workflows/shell.yaml", shell("echo changed"));
    expect((await bench.run(["start", "shell"])).stderr).toContain("ENGINE_NOT_ALLOWED");
  });

  test("without a terminal --yes works only with WAYMARK_ALLOW_UNATTENDED=1, and is recorded as unattended", async () => {
    const refused = await bench.run(["allow", "shell", "--yes"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("CLI_UNATTENDED") });
    expect(refused.stderr).toContain("echo built");
    expect(refused.stderr).toContain("or set `WAYMARK_ALLOW_UNATTENDED=1`");
    expect((await bench.run(["allow", "shell", "--yes"], { env: { WAYMARK_ALLOW_UNATTENDED: "0" } })).code).toBe(2);
    expect((await bench.run(["allow", "shell"], { env: { WAYMARK_ALLOW_UNATTENDED: "1" } })).stderr).toContain("CLI_NO_TERMINAL");
    expect(await bench.json(["allow", "--list"])).toMatchObject({ permissions: [] });
    const allowed = await bench.json(["allow", "shell", "--yes"], { env: { WAYMARK_ALLOW_UNATTENDED: "1" } });
    expect(allowed).toMatchObject({ allowed: [{ workflow: "shell", unattended: true }] });
    expect((await bench.run(["allow", "--list"])).stdout).toMatch(/shell .*unattended +command: echo built/);
  });

  test("--all takes every workflow that runs something, and names the others", async () => {
    await bench.write(
      ".waymark/workflows/quiet.yaml",
      'name: quiet\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: m, type: user_message, message: hi }]\n',
    );
    await bench.write(
      ".waymark/workflows/asks.yaml",
      shell("echo asked").replace("name: shell", "name: asks\ninputs: { who: { type: string, required: true } }"),
    );
    expect((await bench.run(["allow", "asks", "--yes"], { terminal: true })).stdout).toContain(
      "→ waymark start asks --input 'who=<who>'\n",
    );
    expect((await bench.run(["start", "asks", "--input", "who=<who>"])).stderr).toContain("CLI_NOT_FILLED_IN");
    expect((await bench.run(["start", "asks", "--input", "who=<b>"])).code).toBe(0);
    const { stdout } = await bench.run(["allow", "--all", "--yes"], { terminal: true });
    expect(stdout).toContain("quiet: it runs nothing by itself");
    expect(stdout).toContain("command: echo built");
    expect((await bench.run(["start", "shell"])).code).toBe(0);
  });

  test("one command can be allowed word for word, and taken back", async () => {
    await bench.run(["allow", "--command", "echo built", "--yes"], { terminal: true });
    expect((await bench.run(["start", "shell"])).code).toBe(0);
    await bench.write(".waymark/workflows/shell.yaml", shell("echo built2"));
    expect((await bench.run(["start", "shell"])).code).toBe(2);
    await bench.write(".waymark/workflows/shell.yaml", shell("echo built"));
    expect((await bench.run(["allow", "--command", "echo built", "--revoke"])).stdout).toContain("Took back 1 permission.");
    expect((await bench.run(["start", "shell"])).code).toBe(2);
    expect((await bench.run(["allow", "--command", "echo built", "--revoke"])).code).toBe(2);
  });

  test("a permission is taken back by the workflow's name, or all at once", async () => {
    await bench.run(["allow", "shell", "--yes"], { terminal: true });
    expect((await bench.run(["allow", "--revoke", "shel"])).stderr).toContain("Did you mean `shell`?");
    expect((await bench.run(["allow", "--revoke", "shell"])).code).toBe(0);
    expect((await bench.run(["start", "shell"])).code).toBe(2);
    await bench.run(["allow", "shell", "--yes"], { terminal: true });
    await bench.run(["allow", "--all", "--revoke"]);
    expect(await bench.json(["allow", "--list"])).toMatchObject({ permissions: [] });
  });

  test("a command cannot hide behind control characters", async () => {
    await bench.write(".waymark/workflows/shell.yaml", shell("rm -rf x \u001b[2K\recho hi"));
    const { stdout } = await bench.run(["allow", "shell"], { terminal: true, typed: ["n"] });
    expect(stdout).toContain("rm -rf x \\u001b[2K\\u000decho hi");
    expect(stdout).not.toMatch(/[\u001b\r]/);
  });

  test("nothing is written into the workspace", async () => {
    await bench.run(["allow", "shell", "--yes"], { terminal: true });
    expect(readdirSync(join(bench.workspace, ".waymark")).toSorted()).toEqual(["workflows"]);
  });
});

describe("init", () => {
  const everything = ["init", "--client", "all", "--yes"];

  test("writes the configuration of every client, and --remove leaves nothing behind", async () => {
    const { code, stdout } = await bench.run(everything);
    expect(code).toBe(0);
    expect(stdout).toContain(".mcp.json (create)");
    const server = { command: "waymark", args: ["mcp"] };
    expect(JSON.parse(await bench.read(".mcp.json"))).toEqual({ mcpServers: { waymark: { type: "stdio", ...server } } });
    expect(JSON.parse(await bench.read(".vscode/mcp.json"))).toEqual({ servers: { waymark: { type: "stdio", ...server } } });
    expect(JSON.parse(await bench.read(".cursor/mcp.json"))).toEqual({ mcpServers: { waymark: server } });
    expect(JSON.parse(await bench.read(".gemini/settings.json"))).toEqual({ mcpServers: { waymark: server } });
    expect(JSON.parse(await bench.read("opencode.json"))).toEqual({
      mcp: { waymark: { type: "local", command: ["waymark", "mcp"], enabled: true } },
    });
    expect(JSON.parse(await bench.read(".zed/settings.json"))).toEqual({
      context_servers: { waymark: { source: "custom", ...server, env: {} } },
    });
    expect(JSON.parse(await bench.read(".claude/settings.json"))).toEqual({ permissions: { allow: ["mcp__waymark"] } });
    expect(await bench.read(".codex/config.toml")).toContain('[mcp_servers.waymark]\ncommand = "waymark"\nargs = ["mcp"]\nrequired = true');
    const goose = join(bench.home, ".config/goose/config.yaml");
    expect(parse(readFileSync(goose, "utf8"))).toMatchObject({
      extensions: { waymark: { enabled: true, type: "stdio", cmd: "/opt/node", args: ["/opt/waymark/dist/waymark.js", "mcp"] } },
    });
    expect((await bench.run(everything)).stdout).toContain("Everything is in place.");
    expect((await bench.run(["init", "--remove", "--yes"])).code).toBe(0);
    expect(readdirSync(bench.workspace)).toEqual([]);
    // What is the user's own serves other projects too, so it goes only when it is named.
    expect((await bench.run(["init", "--remove", "--yes"])).stdout).toContain("To take it out: waymark init --remove --client goose");
    expect(existsSync(goose)).toBe(true);
    expect((await bench.run(["init", "--remove", "--yes", "--client", "goose"])).code).toBe(0);
    expect(existsSync(goose)).toBe(false);
    expect((await bench.run(["init", "--remove", "--yes"])).stdout).toContain("There is nothing to take out.");
  });

  test("files that a team shares name the program, never a place of this computer; how to get it is said where it is missing", async () => {
    const npx = ["/opt/node", "/home/x/.npm/_npx/abc/node_modules/waymark/dist/waymark.js"];
    for (const self of [["/opt/node", "/opt/waymark/dist/waymark.js"], npx]) {
      const { stdout } = await bench.run(everything, { world: { self }, env: { PATH: "/nowhere" } });
      expect(stdout).toMatch(/! `waymark` is not on your PATH, so clients cannot start it yet\..* npm install -g \//);
      for (const file of [
        ".mcp.json",
        ".codex/config.toml",
        ".vscode/mcp.json",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        "opencode.json",
      ])
        expect(await bench.read(file)).not.toMatch(/\/opt|\/home|npx|_npx/);
    }
    await bench.write("bin/waymark", "");
    chmodSync(join(bench.workspace, "bin/waymark"), 0o755);
    const { missing } = await bench.json(["init", "--client", "all", "--dry-run"], { env: { PATH: join(bench.workspace, "bin") } });
    expect(missing).toBeUndefined();
  });

  test("keeps what others wrote, byte for byte", async () => {
    const foreign: Record<string, string> = {
      ".mcp.json": '{"mcpServers":{"other":{"command":"x"}}}',
      ".vscode/mcp.json": '{\r\n\t// our servers\r\n\t"servers": {\r\n\t\t"db": { "command": "db", }, // keep\r\n\t},\r\n}\r\n',
      ".gemini/settings.json": '{\n    "theme": "dark"\n}',
      ".codex/config.toml": 'model = "x"\n\n[mcp_servers.db]\ncommand = "db"',
      "opencode.jsonc": '{ /* here */ "mcp": {} }\n',
      ".zed/settings.json": '// Zed of this project\n{\n  // tabs\n  "tab_size": 2,\n}\n',
      ".claude/settings.json": '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n',
    };
    for (const [file, text] of Object.entries(foreign)) await bench.write(file, text);
    await bench.run(everything);
    expect(await bench.read(".vscode/mcp.json")).toContain('"db": { "command": "db", }, // keep');
    expect(existsSync(join(bench.workspace, "opencode.json"))).toBe(false);
    expect(await bench.read("opencode.jsonc")).toContain("waymark");
    await bench.run(["init", "--remove", "--yes"]);
    for (const [file, text] of Object.entries(foreign)) expect(await bench.read(file)).toBe(text);
    expect(existsSync(join(bench.workspace, ".cursor"))).toBe(false);
  });

  test("keeps what Goose and its user have, and leaves an entry alone that Goose wrote again in its own form", async () => {
    const before =
      "# mine\nGOOSE_PROVIDER: openai\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n\n# end\nGOOSE_MODE: auto\n";
    mkdirSync(join(bench.home, ".config/goose"), { recursive: true });
    const path = join(bench.home, ".config/goose/config.yaml");
    writeFileSync(path, before);
    await bench.run(["init", "--client", "goose", "--yes"]);
    const after = readFileSync(path, "utf8");
    expect(parse(after)).toMatchObject({
      GOOSE_PROVIDER: "openai",
      extensions: { developer: { type: "builtin" }, waymark: { type: "stdio" } },
    });
    const again = stringify({ ...parse(after), GOOSE_MODEL: "m" }).replace("timeout: 300", "timeout: 300\n    bundled: null");
    writeFileSync(path, again);
    expect((await bench.run(["init", "--client", "goose", "--yes"])).stdout).toContain("Everything is in place.");
    expect(readFileSync(path, "utf8")).toBe(again);
    writeFileSync(path, after);
    await bench.run(["init", "--remove", "--client", "goose", "--yes"]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("shows the difference first, and asks", async () => {
    await bench.write(".mcp.json", '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n');
    const { stdout } = await bench.run(["init"], { terminal: true, typed: ["no"] });
    expect(stdout).toMatch(/ {2}\{\n {4}"mcpServers": \{\n\+ {5}"waymark": \{\n/);
    expect(stdout).toContain("Nothing was changed.");
    expect(await bench.read(".mcp.json")).not.toContain("waymark");
    expect((await bench.run(["init"])).stderr).toContain("CLI_NO_TERMINAL");
    const dry = await bench.json<{ changes: { file: string; action: string }[] }>(["init", "--dry-run"]);
    expect(dry.changes).toMatchObject([
      { client: "claude-code", file: ".mcp.json", action: "edit" },
      { client: "claude-code", file: ".claude/settings.json", action: "create" },
    ]);
    expect(await bench.read(".mcp.json")).not.toContain("waymark");
  });

  test("takes the clients the workspace uses, or asks for them", async () => {
    expect((await bench.run(["init", "--dry-run"])).stderr).toContain("Name it with `--client`");
    mkdirSync(join(bench.workspace, ".cursor"));
    writeFileSync(join(bench.workspace, "GEMINI.md"), "");
    const { changes } = await bench.json<{ changes: { client: string }[] }>(["init", "--dry-run"]);
    expect(changes.map(({ client }) => client)).toEqual(["cursor", "gemini"]);
    const fresh = await openCliBench();
    expect((await fresh.run(["init"])).stderr).toContain(`No coding agent has left a trace in ${fresh.workspace};`);
    expect((await fresh.run(["init"], { terminal: true, typed: ["claude, codex", "y"] })).stdout).toContain("3 files changed.");
    await fresh.close();
  });

  test("shows the lines for Codex when only the user has a configuration", async () => {
    mkdirSync(join(bench.home, ".codex"));
    writeFileSync(join(bench.home, ".codex/config.toml"), 'model = "x"\n');
    const { stdout } = await bench.run(["init", "--client", "codex", "--yes"]);
    expect(stdout).toContain("is outside the workspace and is not touched");
    expect(stdout).toContain("[mcp_servers.waymark]");
    expect(existsSync(join(bench.workspace, ".codex"))).toBe(false);
  });

  test.each([
    [".mcp.json", "{ not json", "cannot be edited"],
    [".mcp.json", '{ "mcpServers": [] }', "Add this by hand"],
    [".mcp.json", "", "cannot be edited"],
  ])("%s with `%s` is left alone", async (file, text, why) => {
    await bench.write(file, text);
    const { code, stderr } = await bench.run(["init", "--client", "claude-code", "--yes"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    expect(await bench.read(file)).toBe(text);
  });

  test("a link out of the workspace is not followed", async () => {
    writeFileSync(join(bench.home, "mine.json"), "{}");
    symlinkSync(join(bench.home, "mine.json"), join(bench.workspace, ".mcp.json"));
    const { code, stderr } = await bench.run(["init", "--client", "claude-code", "--yes"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("leads out of the workspace") });
  });

  test("an entry of that name that starts something else stays", async () => {
    const text = '{ "mcpServers": { "waymark": { "command": "my-own-thing" } } }\n';
    await bench.write(".mcp.json", text);
    expect((await bench.run(["init", "--remove", "--yes"])).stdout).toContain("starts something else, so it stays");
    expect(await bench.read(".mcp.json")).toBe(text);
  });

  test("the command can be named, and the project's own installation is preferred", async () => {
    await bench.run(["init", "--client", "cursor", "--yes", "--command", `npx -y "way mark" mcp`]);
    expect(JSON.parse(await bench.read(".cursor/mcp.json"))).toMatchObject({
      mcpServers: { waymark: { command: "npx", args: ["-y", "way mark", "mcp"] } },
    });
    await bench.write("node_modules/.bin/waymark", "");
    await bench.write("package.json", '{ "devDependencies": { "waymark": "1" } }');
    await bench.run(["init", "--client", "cursor", "--yes"]);
    expect(JSON.parse(await bench.read(".cursor/mcp.json"))).toMatchObject({
      mcpServers: { waymark: { command: "npx", args: ["--no-install", "waymark", "mcp"] } },
    });
  });

  test("the example is valid, its tests pass, and it goes again when it was not changed", async () => {
    await bench.run(["init", "--client", "claude-code", "--example", "--yes"]);
    const validated = await bench.json<{ workflows: { diagnostics: unknown[] }[] }>(["validate", "--strict"]);
    expect(validated.workflows).toMatchObject([{ name: "hello", diagnostics: [] }]);
    expect(await bench.json(["test"])).toMatchObject({ passed: 2, failed: 0, files: [{ coverage: { percent: 100 } }] });
    expect((await bench.run(["config"])).code).toBe(0);
    await bench.write(".waymark/config.yaml", "limits: { parallel_commands: 2 }\n");
    await bench.run(["init", "--remove", "--example", "--yes"]);
    expect(readdirSync(bench.workspace)).toEqual([".waymark"]);
    expect(readdirSync(join(bench.workspace, ".waymark")).toSorted()).toEqual(["config.yaml"]);
  });
});

describe("config", () => {
  test("shows every value and its source", async () => {
    await bench.write(".waymark/config.yaml", "limits:\n  parallel_commands: 2\n");
    const { stdout } = await bench.run(["config"], { env: { WAYMARK_LIMITS_CALL_WAIT_MS: "1234" } });
    expect(stdout).toMatch(/^limits\.parallel_commands +2 +project \(.*config\.yaml:2\)$/m);
    expect(stdout).toMatch(/^limits\.call_wait_ms +1234 +environment \(WAYMARK_LIMITS_CALL_WAIT_MS\)$/m);
    expect(stdout).toMatch(/^lease\.ttl_ms +30000 +default$/m);
    expect((await bench.run(["config", "limits.parallel_commands"])).stdout).toBe("2\n");
    expect(await bench.json(["config", "lease"])).toMatchObject({
      settings: [{ key: "lease.ttl_ms" }, { key: "lease.beat_ms" }, { key: "lease.agent_idle_ms" }, { key: "lease.idle_after_ms" }],
    });
  });

  test("a group without entries is a setting too", async () => {
    for (const group of ["agents", "mcp_servers"]) expect(await bench.run(["config", group])).toMatchObject({ code: 0, stdout: "none\n" });
    await bench.write(".waymark/config.yaml", "agents: { mine: { protocol: script, file: a.yaml } }\n");
    expect(await bench.json(["config", "agents"])).toMatchObject({ settings: [{ key: "agents.mine" }] });
  });

  test("an unknown key is an error, on the command line and in the file", async () => {
    expect(await bench.run(["config", "limits.parallel"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("`limits.parallel_commands`"),
    });
    await bench.write(".waymark/config.yaml", "limits:\n  paralel_commands: 2\n");
    const { code, stderr } = await bench.run(["config"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/config\.yaml:2:\d+ .*paralel_commands/);
    expect((await bench.run(["runs"])).code).toBe(2);
  });
});

describe("doctor, prune and rm", () => {
  const started = async (): Promise<string> => {
    await bench.write(
      ".waymark/workflows/m.yaml",
      'name: m\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: m, type: user_message, message: hi }]\n',
    );
    return String((await bench.json(["start", "m"]))["run_id"]);
  };

  test("doctor replays every journal, also after everything derived was rebuilt", async () => {
    const run = await started();
    expect(await bench.json(["doctor"])).toMatchObject({ checked: 1, problems: [], rebuilt: [] });
    expect(await bench.json(["doctor", run, "--rebuild"])).toMatchObject({ checked: 1, problems: [], rebuilt: [run] });
    expect((await bench.run(["next", run])).stdout).toContain("hi");
    expect((await bench.run(["doctor", "wf-none"])).code).not.toBe(0);
  });

  test("doctor names files of knowledge that are not used as they are, and fails", async () => {
    await bench.write(".waymark/knowledge/topics/a/one.md", "---\ntitle: [\n---\nText.\n");
    await bench.write(".waymark/knowledge/specialists.yaml", "- title: nobody\n");
    const { stdout, code } = await bench.run(["doctor"]);
    expect(stdout).toMatch(/! .*topics\/a\/one\.md:\d+ KNOWLEDGE_FRONT_MATTER .*\n! .*specialists\.yaml:1 KNOWLEDGE_SPECIALISTS /);
    expect(code).toBe(1);
    const shown = JSON.parse((await bench.run(["--json", "doctor"])).stdout) as object;
    expect(shown).toMatchObject({ knowledge: [{ code: "KNOWLEDGE_FRONT_MATTER" }, { code: "KNOWLEDGE_SPECIALISTS" }] });
  });

  test("prune removes ended runs only, and can show them first", async () => {
    const [open, ended] = [await started(), await started()];
    await bench.run(["done", ended]);
    expect(await bench.json(["prune", "--older-than", "1d"])).toMatchObject({ runs: [] });
    const none = ["prune", "--older-than", "0s"];
    expect(await bench.json([...none, "--dry-run"])).toMatchObject({ dry_run: true, runs: [ended] });
    expect(await bench.json(none)).toMatchObject({ runs: [ended] });
    expect((await bench.run(["runs", "--ids"])).stdout).toBe(`${open}\n`);
  });

  test("prune removes what chats are done with, after 30 days at least", async () => {
    await started();
    const day = 24 * 60 * 60 * 1000;
    for (const [key, days] of [
      ["new", 29],
      ["old", 31],
      ["open", 31],
    ] as const) {
      const chat = sqliteConversations({ folder: join(bench.workspace, ".waymark/store"), now: () => Date.now() - days * day });
      const { id: conversation } = await chat.openConversation({ platform: "p", platformId: "c" });
      const message = await chat.takeMessage({ conversation, key, person: "p", text: "t" });
      if (key !== "open") await chat.settleMessage(message!.id);
      await chat.close();
    }
    expect(await bench.json(["prune", "--older-than", "32d"])).toMatchObject({ messages: 0 });
    expect((await bench.run(["prune", "--older-than", "0s", "--dry-run"])).stdout).toContain(
      "0 ended runs and 1 message of chats would be removed.",
    );
    expect((await bench.run(["prune", "--older-than", "0s"])).stdout).toContain("Removed 0 ended runs, 1 message of chats and ");
    expect(await bench.json(["prune", "--older-than", "0s"])).toMatchObject({ messages: 0 });
  });

  test("rm asks, and removes what was named", async () => {
    const run = await started();
    expect((await bench.run(["rm", run])).stderr).toContain("CLI_NO_TERMINAL");
    expect((await bench.run(["rm", run], { terminal: true, typed: ["n"] })).stdout).toContain("(still open)");
    expect((await bench.run(["runs", "--ids"])).stdout).toBe(`${run}\n`);
    expect((await bench.run(["rm", run, "wf-none", "--yes"])).code).toBe(2);
    expect((await bench.run(["rm", run], { terminal: true, typed: ["yes"] })).code).toBe(0);
    expect((await bench.run(["runs", "--ids"])).stdout).not.toContain(run);
  });
});

describe("demo and completion", () => {
  test("the demo migrates the sample application and takes everything back", async () => {
    const { code, stdout, stderr } = await bench.run(["demo"]);
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toMatch(/18 fixed in 14 files, 0 failed, 0 left out; scanned again: 0 left/);
    expect(stdout).toContain("handed the call out again");
    expect(stdout).toMatch(/(\d+) of \1 files are byte for byte what they were/);
    expect(stdout).toContain("Everything held");
    expect(readdirSync(bench.workspace)).toEqual([]);
  });

  test("the demo says so when its sample is not what it was", async () => {
    const packageFolder = join(bench.home, "package");
    const file = "examples/sample-al-app/src/A.Codeunit.al";
    mkdirSync(join(packageFolder, "examples/sample-al-app/src"), { recursive: true });
    writeFileSync(join(packageFolder, file), "codeunit 50100 A\n{\n    procedure P()\n    begin\n        Error('x');\n    end;\n}\n");
    writeFileSync(join(packageFolder, "examples/sample-al-app/app.json"), '{ "runtime": "12.0" }');
    const world = { packageFolder };
    const demo = await bench.json<{ ok: boolean; wrong: string[] }>(["demo"], { code: 1, world });
    expect(demo).toMatchObject({ ok: false, wrong: expect.arrayContaining(["a false claim was believed"]) });
  });

  test("the tour of steps runs to its end, closes and opens the engine in between, and leaves nothing", async () => {
    const tour = ["demo", "--tour", "steps"];
    const { code, stdout, stderr } = await bench.run(tour);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("hands out the same step again");
    expect(stdout).toMatch(/is completed: \d+ steps handed out/);
    expect(readdirSync(bench.workspace)).toEqual([]);
    const document = await bench.json<{ status: string; state: unknown }>(tour);
    expect(document).toMatchObject({ status: "completed", state: { total: 64, title: "Notes from the coast" } });
    expect((await bench.run(tour, { terminal: true, typed: ["My notes"] })).stdout).toContain("'My notes' is ready");
  });

  test.each(["bash", "zsh", "fish"])("the script for %s knows every command and asks for names", async (shellName) => {
    const { stdout } = await bench.run(["completion", shellName]);
    for (const word of ["validate", "checkpoint", "waymark list --names", "waymark runs --ids"]) expect(stdout).toContain(word);
    expect(await bench.json(["completion", shellName])).toEqual({ shell: shellName, script: stdout });
  });
});
