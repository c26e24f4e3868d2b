// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * How each client is installed, told about the server and the model, and started without a person.
 *
 * @typedef {object} Setting
 * @property {string} folder where the package was installed
 * @property {string} home
 * @property {string} project
 * @property {string} model base address of the scripted model
 * @property {readonly [string, ...string[]]} server command of the MCP server
 * @property {string} prompt
 *
 * @typedef {object} Recipe
 * @property {string} name
 * @property {string} spec package and version for npm; the package's number may differ from the client's own
 * @property {string} version what the client must say about itself
 * @property {boolean} mandatory
 * @property {number} node least major version of Node that it runs on; 0 for programs that need none
 * @property {RegExp} driver what it calls itself towards the server
 * @property {"text" | "structured" | "both"} shows the part of a reply that it passes to its model
 * @property {(folder: string) => readonly [string, ...string[]]} program
 * @property {(setting: Setting) => { args: readonly string[], env?: Record<string, string>, files?: Record<string, string> }} run
 */

const platform = `${process.platform}-${process.arch}`;
const modelName = "scripted";
const noRetry = { request_max_retries: 0, stream_max_retries: 0 };

/** @type {Recipe} */
const goose = {
  name: "Goose",
  spec: "@aaif/goose@0.20.1",
  version: "1.34.0",
  mandatory: true,
  node: 0,
  driver: /goose/i,
  shows: "text",
  program: (folder) => [join(folder, "node_modules", "@aaif", `goose-binary-${platform}`, "bin", "goose")],
  run: ({ model, server, prompt }) => ({
    args: ["run", "--no-session", "--with-builtin", "developer", "--with-extension", server.join(" "), "-t", prompt],
    env: {
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: modelName,
      GOOSE_MODE: "auto",
      GOOSE_DISABLE_KEYRING: "1",
      GOOSE_TELEMETRY_ENABLED: "false",
      OPENAI_HOST: model,
      OPENAI_BASE_PATH: "v1/chat/completions",
      OPENAI_API_KEY: "dummy",
    },
  }),
};

/** @type {Recipe} */
const opencode = {
  name: "opencode",
  spec: "opencode-ai@1.18.33",
  version: "1.18.33",
  mandatory: true,
  node: 0,
  driver: /opencode/i,
  shows: "text",
  program: (folder) => [join(folder, "node_modules", `opencode-${platform}`, "bin", "opencode")],
  run: ({ model, server, prompt, project }) => ({
    args: ["run", prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      [join(project, "opencode.json")]: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: `test/${modelName}`,
        small_model: `test/${modelName}`,
        provider: {
          test: {
            npm: "@ai-sdk/openai-compatible",
            name: "Test",
            options: { baseURL: `${model}/v1`, apiKey: "dummy" },
            models: { [modelName]: { name: "Scripted", tool_call: true, limit: { context: 128_000, output: 4096 } } },
          },
        },
        mcp: { wf: { type: "local", command: server, enabled: true } },
      }),
    },
  }),
};

/** @type {Recipe} */
const claudeCode = {
  name: "Claude Code",
  spec: `@anthropic-ai/claude-code-${platform}@2.1.325`,
  version: "2.1.325",
  mandatory: false,
  node: 0,
  driver: /claude/i,
  shows: "structured",
  program: (folder) => [join(folder, "node_modules", "@anthropic-ai", `claude-code-${platform}`, "claude")],
  run: ({ model, server, prompt, home }) => ({
    args: `--model ${modelName} --strict-mcp-config --allowedTools mcp__wf,Bash --output-format json`
      .split(" ")
      .concat("--mcp-config", join(home, "mcp.json"), "-p", prompt),
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
    files: {
      [join(home, "mcp.json")]: JSON.stringify({ mcpServers: { wf: { type: "stdio", command: server[0], args: server.slice(1) } } }),
    },
  }),
};

/** @type {Recipe} */
const codex = {
  name: "Codex",
  spec: "@openai/codex@0.166.0",
  version: "0.166.0",
  mandatory: false,
  node: 20,
  driver: /codex/i,
  shows: "structured",
  program: (folder) => ["node", join(folder, "node_modules", "@openai", "codex", "bin", "codex.js")],
  run: ({ model, server, prompt, project, home }) => ({
    args: ["exec", "--skip-git-repo-check", "--json", prompt],
    env: { CODEX_HOME: join(home, ".codex"), TEST_KEY: "dummy" },
    files: {
      [join(home, ".codex", "config.toml")]: [
        ...Object.entries({ model: modelName, model_provider: "test", approval_policy: "never", sandbox_mode: "danger-full-access" }),
        ["check_for_update_on_startup", false],
        "[analytics]",
        ["enabled", false],
        "[model_providers.test]",
        ...Object.entries({ name: "Test", base_url: `${model}/v1`, env_key: "TEST_KEY", wire_api: "responses", ...noRetry }),
        "[mcp_servers.wf]",
        ...Object.entries({ command: server[0], args: server.slice(1), required: true, startup_timeout_sec: 20, tool_timeout_sec: 60 }),
        `[projects.${JSON.stringify(project)}]`,
        ["trust_level", "trusted"],
      ]
        .map((line) => (typeof line === "string" ? line : `${String(line[0])} = ${JSON.stringify(line[1])}`))
        .join("\n"),
    },
  }),
};

/** Gemini CLI and Qwen Code keep the same settings. @param {string} auth @param {Setting["server"]} server @param {object} [more] */
function geminiSettings(auth, server, more = {}) {
  return JSON.stringify({
    security: { auth: { selectedType: auth }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
    mcpServers: { wf: { command: server[0], args: server.slice(1), trust: true, timeout: 30_000, ...more } },
  });
}

/** @type {Recipe} */
const gemini = {
  name: "Gemini CLI",
  spec: "@google/gemini-cli@0.61.0",
  version: "0.61.0",
  mandatory: false,
  node: 20,
  driver: /gemini/i,
  shows: "text",
  program: (folder) => ["node", join(folder, "node_modules", ".bin", "gemini")],
  run: ({ model, server, prompt, home }) => ({
    args: ["-m", "gemini-2.5-flash", "--yolo", "-p", prompt],
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: model },
    files: { [join(home, ".gemini", "settings.json")]: geminiSettings("gemini-api-key", server) },
  }),
};

/** @type {Recipe} */
const qwen = {
  name: "Qwen Code",
  spec: "@qwen-code/qwen-code@0.24.4",
  version: "0.24.4",
  mandatory: false,
  node: 22,
  driver: /qwen/i,
  shows: "both",
  program: (folder) => ["node", join(folder, "node_modules", ".bin", "qwen")],
  run: ({ model, server, prompt, home }) => ({
    args: ["--yolo", "-p", prompt],
    env: { OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: modelName },
    files: { [join(home, ".qwen", "settings.json")]: geminiSettings("openai", server, { alwaysLoadTools: true }) },
  }),
};

/** @type {Recipe} */
const copilot = {
  name: "Copilot CLI",
  spec: "@github/copilot@1.0.102",
  version: "1.0.102",
  mandatory: false,
  node: 24,
  driver: /copilot/i,
  shows: "both",
  program: (folder) => ["node", join(folder, "node_modules", ".bin", "copilot")],
  run: ({ model, server, prompt, home }) => ({
    args: [
      "-p",
      prompt,
      "--allow-all-tools",
      "--disable-builtin-mcps",
      "--additional-mcp-config",
      `@${join(home, "mcp.json")}`,
      "--no-color",
    ],
    env: {
      COPILOT_HOME: join(home, ".copilot"),
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: modelName,
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_OFFLINE: "true",
    },
    files: {
      [join(home, "mcp.json")]: JSON.stringify({
        mcpServers: { wf: { type: "local", command: server[0], args: server.slice(1), tools: ["*"] } },
      }),
    },
  }),
};

/** The mandatory ones first. @type {readonly Recipe[]} */
export const recipes = [goose, opencode, claudeCode, codex, gemini, qwen, copilot];

/** @param {Record<string, string>} files */
export function writeFiles(files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
