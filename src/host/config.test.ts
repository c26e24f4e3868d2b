import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig, type ConfigValue } from "./config.ts";
import { namedGroups, settings } from "./settings.ts";

let base: string;
let workspace: string;
let env: Record<string, string>;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-config-")));
  workspace = join(base, "project");
  mkdirSync(join(workspace, ".waymark"), { recursive: true });
  mkdirSync(join(base, "config"));
  env = { HOME: join(base, "home"), WAYMARK_CONFIG_HOME: join(base, "config") };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const user = (text: string): void => writeFileSync(join(base, "config", "config.yaml"), text);
const project = (text: string): void => writeFileSync(join(workspace, ".waymark", "config.yaml"), text);
const load = (flags: Record<string, unknown> = {}) => loadConfig({ workspace, env, flags });
const valueOf = (values: readonly ConfigValue[], key: string): ConfigValue | undefined => values.find((value) => value.key === key);

test("without files every setting has its default", async () => {
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config).toEqual({
    store: join(workspace, ".waymark/store"),
    database: { url: null, project: null, wait_ms: 60_000, connections: 10 },
    log: { level: "warn", file: null },
    limits: {
      parallel_commands: 4,
      command_timeout_ms: 600_000,
      command_output_bytes: 4_194_304,
      call_wait_ms: 25_000,
      reply_chars: 8000,
      expression_time_ms: 1000,
      expression_memory_mb: 256,
      value_preview_bytes: 2048,
      trace_entries: 1000,
      commit_records: 256,
    },
    lease: { ttl_ms: 30_000, beat_ms: 10_000, agent_idle_ms: 600_000, idle_after_ms: 1_800_000 },
    budget: { steps: null, minutes: null, tokens: null, money: null },
    workflows: { folders: [] },
    knowledge: { folders: [] },
    verify: { commands: [] },
    mcp_servers: {},
    agents: {},
    roles: {},
    people: {},
    chat: { agent: null, workflow: null, roots: [], clone_from: [] },
    drive: { agent: null, workers: 1, poll_ms: 2000, idle_ms: 600_000, wire: null },
    tools: { toolsets: [] },
  });
  expect(values.map(({ key }) => key).toSorted()).toEqual(settings.map(({ key }) => key).toSorted());
  expect(new Set(values.map(({ source }) => source))).toEqual(new Set(["default"]));
});

test("the later layer wins, and each value tells where it comes from", async () => {
  user("limits:\n  parallel_commands: 1\n  reply_chars: 1001\n  trace_entries: 11\n  commit_records: 21\nlease: { ttl_ms: 40000 }\n");
  project("# a comment\nlimits:\n  parallel_commands: 2\n  reply_chars: 1002\n  trace_entries: 12\n");
  env["WAYMARK_LIMITS_PARALLEL_COMMANDS"] = "3";
  env["WAYMARK_LIMITS_REPLY_CHARS"] = "1003";
  const { config, values, diagnostics } = await load({ "limits.parallel_commands": 4, "log.level": undefined });
  expect(diagnostics).toEqual([]);
  expect(config.limits).toMatchObject({ parallel_commands: 4, reply_chars: 1003, trace_entries: 12, commit_records: 21 });
  expect(valueOf(values, "limits.parallel_commands")).toMatchObject({ source: "flag", at: "flag limits.parallel_commands" });
  expect(valueOf(values, "limits.reply_chars")).toMatchObject({ source: "environment", at: "WAYMARK_LIMITS_REPLY_CHARS" });
  expect(valueOf(values, "limits.trace_entries")).toMatchObject({ source: "project", at: `${workspace}/.waymark/config.yaml:5` });
  expect(valueOf(values, "limits.commit_records")).toMatchObject({ source: "user", at: `${base}/config/config.yaml:5` });
  expect(valueOf(values, "lease.ttl_ms")).toMatchObject({ value: 40_000, source: "user" });
});

test("the runs are in a database where an address is given, and the folder stays for what belongs to this computer", async () => {
  user("store:\n  folder: /var/waymark\n  url: postgres://ada:secret@db/waymark\n  project: tools\n");
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect([config.store, config.database]).toEqual([
    "/var/waymark",
    { url: "postgres://ada:secret@db/waymark", project: "tools", wait_ms: 60_000, connections: 10 },
  ]);
  expect(valueOf(values, "store.url")).toMatchObject({ value: "postgres://ada@db/waymark", source: "user" });
  expect(valueOf(values, "store")).toMatchObject({ value: "/var/waymark", at: `${base}/config/config.yaml:2` });
});

test("an address in the place of a folder is one of a database, and the folder of a flag is where the runs are", async () => {
  user("store: postgres://ada@db/one\n");
  expect((await load()).config).toMatchObject({ store: join(workspace, ".waymark/store"), database: { url: "postgres://ada@db/one" } });
  env["WAYMARK_STORE"] = "postgres://ada@db/two";
  expect((await load()).config.database.url).toBe("postgres://ada@db/two");
  expect((await load({ store: "postgres://ada@db/three" })).config.database.url).toBe("postgres://ada@db/three");
  const { config, values } = await load({ store: join(base, "here") });
  expect([config.store, config.database.url]).toEqual([join(base, "here"), null]);
  expect(valueOf(values, "store.url")).toMatchObject({ value: null, source: "flag", at: "--store" });
});

test("an address of something else is not taken for a folder, and is not repeated", async () => {
  user("store: mysql://ada:secret@db/x\n");
  env["WAYMARK_LOG_FILE"] = "https://ada:secret@db/x";
  const { config, diagnostics } = await load();
  expect([config.store, config.database.url]).toEqual([join(workspace, ".waymark/store"), null]);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^`store` \(.*\) must be a path\.$/),
    "`log.file` (WAYMARK_LOG_FILE) must be a path.",
  ]);
});

test("a project does not choose the database, and a wrong address is not repeated", async () => {
  project("store:\n  url: postgres://thief@elsewhere/all\n  project: tools\n");
  env["WAYMARK_STORE_URL"] = "mysql://ada:secret@db/x";
  const { config, diagnostics } = await load();
  expect(config.database).toMatchObject({ url: null, project: "tools" });
  expect(diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining("is not for a project to say. Move it to your own configuration, or set `WAYMARK_STORE_URL`."),
    "`store.url` (WAYMARK_STORE_URL) must be an address such as `postgres://user@host/database`.",
  ]);
});

test("variables and flags are read as the type of their setting", async () => {
  env["WAYMARK_LOG"] = "debug";
  env["WAYMARK_TOOLS"] = "state, debug";
  env["WAYMARK_BUDGET_MONEY"] = "2.5";
  const { config, diagnostics } = await load({ store: join(base, "elsewhere"), "log.file": "~/waymark.log" });
  expect(diagnostics).toEqual([]);
  expect(config).toMatchObject({
    store: join(base, "elsewhere"),
    log: { level: "debug", file: join(base, "home/waymark.log") },
    tools: { toolsets: ["state", "debug"] },
    budget: { money: 2.5 },
  });
});

test("all problems come at once, with place, nearest names and what was expected", async () => {
  project(
    "limits:\n  paralel_commands: 2\n  reply_chars: lots\nlimts: {}\nlease: 5\nbudget:\n  steps: -1\nlog:\n  level: loud\ncolour: red\n",
  );
  user("store: 7\n");
  env["WAYMARK_LIMITS_TRACE_ENTRIES"] = "many";
  env["WAYMARK_STOR"] = "x";
  const { config, diagnostics } = await load({ "limits.commit_records": 1.5, nonsense: 1 });
  const brief = diagnostics.map(({ code, path, place, severity }) => [code.replace("HOST_CONFIG_", ""), path, place?.line, severity]);
  expect(brief).toEqual(
    expect.arrayContaining([
      ["UNKNOWN_KEY", "limits.paralel_commands", 2, "error"],
      ["VALUE", "limits.reply_chars", 3, "error"],
      ["UNKNOWN_KEY", "limts", 4, "error"],
      ["VALUE", "lease", 5, "error"],
      ["VALUE", "budget.steps", 7, "error"],
      ["VALUE", "log.level", 9, "error"],
      ["UNKNOWN_KEY", "colour", 10, "error"],
      ["VALUE", "store", 1, "error"],
      ["VALUE", "limits.trace_entries", undefined, "error"],
      ["VALUE", "limits.commit_records", undefined, "error"],
      ["UNKNOWN_KEY", "nonsense", undefined, "error"],
      ["UNKNOWN_KEY", undefined, undefined, "warning"],
    ]),
  );
  expect(brief.length).toBe(12);
  const text = diagnostics.map(({ message }) => message).join("\n");
  expect(text).toContain("Did you mean `limits.parallel_commands`?");
  expect(text).toContain("Did you mean `limits`?");
  expect(text).toContain("`WAYMARK_STORE`");
  expect(text).toContain('must be a whole number from 1000, not `"lots"`');
  expect(config.limits.reply_chars).toBe(8000);
  expect(config.store).toBe(join(workspace, ".waymark/store"));
});

test("a file that is no YAML, no map, not text or a link out of the workspace is an error, not a crash", async () => {
  for (const [text, code] of [
    ["a: [1\n", "HOST_CONFIG_SYNTAX"],
    ["- 1\n", "HOST_CONFIG_SYNTAX"],
    ["a: 1\na: 2\n", "HOST_CONFIG_SYNTAX"],
    ["\u0000", "HOST_CONFIG_SYNTAX"],
    ["store: *x\n", "HOST_CONFIG_SYNTAX"],
  ]) {
    project(text!);
    expect([text, (await load()).diagnostics[0]?.code]).toEqual([text, code]);
  }
  for (const text of ["", "# nothing\n", "limits:\nmcp_servers:\n"]) {
    project(text);
    expect((await load()).diagnostics).toEqual([]);
  }
  writeFileSync(join(workspace, ".waymark", "config.yaml"), Uint8Array.from([0xff, 0xfe]));
  expect((await load()).diagnostics[0]?.code).toBe("HOST_FILE_NOT_TEXT");
  rmSync(join(workspace, ".waymark", "config.yaml"));
  writeFileSync(join(base, "elsewhere.yaml"), "password: hunter2\n");
  symlinkSync(join(base, "elsewhere.yaml"), join(workspace, ".waymark", "config.yaml"));
  const { diagnostics } = await load();
  expect(diagnostics.map(({ code }) => code)).toEqual(["HOST_PATH_OUTSIDE"]);
  expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
});

test("a project cannot lead Waymark out of the workspace or into git; the user can", async () => {
  symlinkSync(base, join(workspace, "out"));
  for (const line of [
    "store: ../store",
    "store: /var/tmp/x",
    "store: ~/x",
    "store: out/store",
    "log: { file: ../../.bashrc }",
    "store: .git/x",
    "log: { file: .GIT/hooks/pre-commit }",
    "workflows: { folders: [ok, ../flows] }",
  ]) {
    project(`${line}\n`);
    const { config, diagnostics } = await load();
    expect([line, ...diagnostics.map(({ code }) => code)]).toEqual([line, "HOST_CONFIG_OUTSIDE"]);
    expect([config.store, config.log.file, config.workflows.folders]).toEqual([join(workspace, ".waymark/store"), null, []]);
  }
  project("store: data\nworkflows: { folders: [flows] }\n");
  user("log: { file: ~/logs/waymark.log }\n");
  const { config, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect([config.store, config.log.file, config.workflows.folders]).toEqual([
    join(workspace, "data"),
    join(base, "home/logs/waymark.log"),
    [join(workspace, "flows")],
  ]);
});

test("the default store is refused when the project put a link in its way", async () => {
  rmSync(join(workspace, ".waymark"), { recursive: true });
  symlinkSync(join(base, "config"), join(workspace, ".waymark"));
  expect((await load()).diagnostics.map(({ code, path }) => [code, path])).toEqual([["HOST_CONFIG_OUTSIDE", "store"]]);
});

test("servers of user and project are merged by name, the project's whole entry wins, and each remembers its source", async () => {
  user(
    "mcp_servers:\n  lint: { command: lint, env: { API_KEY: user-secret } }\n  docs: { command: docs, env: { DOCS_PASS: user-secret } }\n",
  );
  project("mcp_servers:\n  lint: { command: node, args: [lint.mjs, --fix] }\n  local: { url: 'http://127.0.0.1:8000/mcp' }\n");
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config.mcp_servers).toEqual({
    lint: { command: "node", args: ["lint.mjs", "--fix"], env: {}, from: "project" },
    docs: { command: "docs", args: [], env: { DOCS_PASS: "user-secret" }, from: "user" },
    local: { url: "http://127.0.0.1:8000/mcp", from: "project" },
  });
  expect(valueOf(values, "mcp_servers.docs")).toMatchObject({ value: "DOCS_PASS=... docs", source: "user" });
  expect(JSON.stringify(values)).not.toContain("user-secret");
});

test("a wrong server entry is refused with all its problems", async () => {
  const cases: [string, string[]][] = [
    ["{ comand: x }", ["mcp_servers.s.comand", "mcp_servers.s"]],
    ["{}", ["mcp_servers.s"]],
    ["{ command: x, url: 'http://localhost/' }", ["mcp_servers.s"]],
    ["{ url: 'http://example.com/mcp' }", ["mcp_servers.s.url"]],
    ["{ url: 'http://127.0.0.1.example.com/' }", ["mcp_servers.s.url"]],
    ["{ url: 'file:///etc/passwd' }", ["mcp_servers.s.url"]],
    ["{ url: 'http://localhost:1/', args: [a] }", ["mcp_servers.s.args"]],
    [
      "{ command: 5, args: x, env: [1], cwd: {} }",
      ["mcp_servers.s.command", "mcp_servers.s.args", "mcp_servers.s.env", "mcp_servers.s.cwd"],
    ],
    ["{ command: x, env: { A: 1 } }", ["mcp_servers.s.env"]],
    ["just text", ["mcp_servers.s"]],
  ];
  for (const [entry, paths] of cases) {
    project(`mcp_servers:\n  s: ${entry}\n`);
    const { config, diagnostics } = await load();
    expect([entry, diagnostics.map(({ path }) => path)]).toEqual([entry, paths]);
    expect(config.mcp_servers).toEqual({});
  }
  for (const name of ["__proto__", "constructor", "a.b", "a:b", "''"]) {
    project(`mcp_servers:\n  ${name.includes(":") ? `"${name}"` : name}: { command: x }\n`);
    const { config, diagnostics } = await load();
    expect([name, diagnostics.length]).toEqual([name, 1]);
    expect(Object.keys(config.mcp_servers)).toEqual([]);
    expect(Object.getPrototypeOf(config.mcp_servers)).toBe(Object.prototype);
  }
});

test("roles are bound by both files, a project's word for a role before the user's, and what is wrong is said by its key", async () => {
  user("roles:\n  Reviewer: { agent: codex, model: gpt-5 }\n  Coder: { permission: edit }\n");
  project("roles: { Reviewer: { agent: claude, permission: read } }\n");
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config.roles).toEqual({
    Reviewer: { agent: "claude", permission: "read", from: "project" },
    Coder: { permission: "edit", from: "user" },
  });
  expect(values.filter(({ key }) => key.startsWith("roles.")).map(({ value }) => value)).toEqual([
    "claude (permission read)",
    "the agent of the run (permission edit)",
  ]);
  project("roles: { A: { agnt: x }, B: { permission: write }, C: {}, D: codex }\n");
  expect((await load()).diagnostics.map(({ code, path }) => [code, path])).toEqual([
    ["HOST_CONFIG_UNKNOWN_KEY", "roles.A.agnt"],
    ["HOST_CONFIG_VALUE", "roles.B.permission"],
    ["HOST_CONFIG_VALUE", "roles.C"],
    ["HOST_CONFIG_VALUE", "roles.D"],
  ]);
});

test("people have rights by their ids of a platform, and what is wrong is said by its key", async () => {
  user("people:\n  terminal:ada: { name: Ada, may: [start, decide, clone] }\n  slack:U1.x: { may: [start] }\n  test:local: { may: [] }\n");
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config.people).toEqual({
    "terminal:ada": { name: "Ada", may: ["start", "decide", "clone"], from: "user" },
    "slack:U1.x": { name: "slack:U1.x", may: ["start"], from: "user" },
    "test:local": { name: "test:local", may: [], from: "user" },
  });
  expect(values.filter(({ key }) => key.startsWith("people.")).map(({ value }) => value)).toEqual([
    "Ada (may start, decide, clone)",
    "slack:U1.x (may start)",
    "test:local (may only read and talk)",
  ]);
  user(
    "people: { ada: { may: [start] }, a:b: { may: start }, a:c: { may: [allow] }, a:d: { myn: [], may: [] }, a:e: x, test:local: { may: [decide] } }\n",
  );
  expect((await load()).diagnostics.map(({ code, path }) => [code, path])).toEqual([
    ["HOST_CONFIG_VALUE", "people.ada"],
    ["HOST_CONFIG_VALUE", "people.a:b.may"],
    ["HOST_CONFIG_VALUE", "people.a:c.may"],
    ["HOST_CONFIG_UNKNOWN_KEY", "people.a:d.myn"],
    ["HOST_CONFIG_VALUE", "people.a:e"],
    ["HOST_CONFIG_VALUE", "people.test:local.may"],
  ]);
});

test("a project names neither people nor the agent and the places of a chat", async () => {
  user(
    "chat: { agent: codex, workflow: fix, roots: [~/code, /srv/work/], clone_from: ['https://example.org/team/'] }\npeople: { terminal:ada: { may: [decide] } }\n",
  );
  project(
    "chat:\n  agent: claude\n  workflow: evil\n  roots: [/]\n  clone_from: ['https://evil.example/']\npeople:\n  terminal:ada: { may: [start, clone] }\n  slack:eve: { may: [start] }\n",
  );
  const { config, diagnostics } = await load();
  expect(diagnostics.map(({ code, path, place }) => [code, path, place?.line])).toEqual([
    ["HOST_CONFIG_USER_ONLY", "chat.agent", 2],
    ["HOST_CONFIG_USER_ONLY", "chat.workflow", 3],
    ["HOST_CONFIG_USER_ONLY", "chat.roots", 4],
    ["HOST_CONFIG_USER_ONLY", "chat.clone_from", 5],
    ["HOST_CONFIG_USER_ONLY", "people.terminal:ada", 7],
    ["HOST_CONFIG_USER_ONLY", "people.slack:eve", 8],
  ]);
  expect(config.chat).toEqual({
    agent: "codex",
    workflow: "fix",
    roots: [join(base, "home/code"), "/srv/work"],
    clone_from: ["https://example.org/team/"],
  });
  expect(Object.keys(config.people)).toEqual(["terminal:ada"]);
  expect(config.people["terminal:ada"]?.may).toEqual(["decide"]);
});

test.each([
  "roots: [code]",
  "roots: ~/code",
  "clone_from: ['ext::sh']",
  "clone_from: ['https://t0ken@example.org/']",
  "clone_from: ['../x']",
])("a place of a chat that cannot be used is refused: %s", async (line) => {
  user(`chat: { ${line} }\n`);
  const { config, diagnostics } = await load();
  expect(diagnostics.map(({ code }) => code)).toEqual(["HOST_CONFIG_VALUE"]);
  expect(config.chat).toEqual({ agent: null, workflow: null, roots: [], clone_from: [] });
});

test("beats must be faster than the lease runs out", async () => {
  project("lease: { beat_ms: 30000 }\n");
  expect((await load()).diagnostics.map(({ code, path }) => [code, path])).toEqual([["HOST_CONFIG_VALUE", "lease.beat_ms"]]);
});

test("the table of settings is complete: one sentence each, its default passes its own check", async () => {
  for (const { key, description, variable, flag } of settings) {
    expect(key).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(variable ?? "WAYMARK_").toMatch(/^WAYMARK_[A-Z_]*$/);
    expect(flag ?? "--").toMatch(/^--[a-z-]*$/);
  }
  expect(new Set(settings.map(({ variable }) => variable).filter(Boolean)).size).toBe(settings.filter(({ variable }) => variable).length);
  const { diagnostics } = await load(
    Object.fromEntries(settings.filter(({ key }) => !namedGroups.includes(key)).map(({ key, default: preset }) => [key, preset])),
  );
  expect(diagnostics).toEqual([]);
});

test("whatever a project's file contains, loading answers", async () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom("../x", "/x", "~", "__proto__"));
  const known = fc.constantFrom(...settings.map(({ key }) => key.split(".")[0]!), "x");
  const inner = fc.dictionary(
    fc.constantFrom("level", "steps", "folders", "ttl_ms", "__proto__", "a"),
    fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar)),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(known, fc.oneof(scalar, inner, fc.array(scalar))), async (held) => {
      project(JSON.stringify(held));
      const { config } = await load();
      expect(config.store.startsWith(workspace)).toBe(true);
      expect(config.limits.parallel_commands).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

test("agents are taken whole, the project's before the user's, and shown without values of variables", async () => {
  user("agents:\n  mine: { command: [mine], env: ['KEY=user-secret'] }\n  claude: { model: opus }\ndrive: { agent: claude }\n");
  project("agents:\n  mine: { protocol: acp, command: [node, agent.mjs], env: [MY_KEY, A=b], mode: { edit: ask }, permission: edit }\n");
  const { config, values, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(config.agents).toEqual({
    mine: {
      protocol: "acp",
      command: ["node", "agent.mjs"],
      env: ["MY_KEY", "A=b"],
      mode: { edit: "ask" },
      permission: "edit",
      from: "project",
    },
    claude: { model: "opus", from: "user" },
  });
  expect(config.drive).toEqual({ agent: "claude", workers: 1, poll_ms: 2000, idle_ms: 600_000, wire: null });
  expect(valueOf(values, "agents.claude")).toMatchObject({ value: "its usual command (model opus)", source: "user" });
  expect(valueOf(values, "agents.mine")?.value).toBe(
    `MY_KEY="$MY_KEY" A=... node agent.mjs (mode '{"edit":"ask"}', permission edit, protocol acp)`,
  );
});

test("everything that is wrong with an agent is said, with its line", async () => {
  const cases: readonly [string, readonly string[]][] = [
    ["{ comand: [x] }", ["agents.a.comand"]],
    ["{ command: x, protocol: acpp, permission: write }", ["agents.a.protocol", "agents.a.command", "agents.a.permission"]],
    ["{ command: [], env: [1], mode: { write: x } }", ["agents.a.command", "agents.a.env", "agents.a.mode"]],
    ["{ command: [x], env: [WAYMARK_TOKEN] }", ["agents.a.env"]],
    ["{ command: [x], env: ['waymark_token=1'], resume: sometimes }", ["agents.a.env", "agents.a.resume"]],
    ["{ protocol: script }", ["agents.a.file"]],
    ["{ protocol: script, file: s.yaml, command: [x], model: m }", ["agents.a.command", "agents.a.model"]],
    ["{ command: [x], file: s.yaml }", ["agents.a.file"]],
    ["just text", ["agents.a"]],
  ];
  for (const [entry, paths] of cases) {
    project(`agents:\n  a: ${entry}\n`);
    const { config, diagnostics } = await load();
    expect(
      diagnostics.map(({ path }) => path),
      entry,
    ).toEqual(paths);
    expect(diagnostics.every(({ place }) => place?.line === 2)).toBe(true);
    expect(config.agents).toEqual({});
  }
  project("agents:\n  a.b: { command: [x] }\ndrive: { agent: 7, workers: 65, idle_ms: 0 }\n");
  expect((await load()).diagnostics.map(({ path }) => path)).toEqual(["agents.a.b", "drive.agent", "drive.workers", "drive.idle_ms"]);
});
