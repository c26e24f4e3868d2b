// @ts-check
import { join } from "node:path";

/**
 * How each agent is installed, told about the scripted model, and named in a user's configuration.
 *
 * @typedef {object} Setting
 * @property {string} folder where the package was installed
 * @property {string} home
 * @property {string} model base address of the scripted model
 *
 * @typedef {object} RealAgent
 * @property {string} name as Waymark knows it
 * @property {string} version
 * @property {string} package
 * @property {(setting: Setting) => Record<string, unknown>} entry below `agents` of the configuration
 * @property {(setting: Setting) => Record<string, string>} files
 * @property {(file: string, text: string) => { name: string, args: Record<string, unknown> }} write the call of its tool that writes a file
 */

const platform = `${process.platform}-${process.arch}`;

/** @type {RealAgent} */
const gemini = {
  name: "gemini",
  version: "0.61.0",
  package: "@google/gemini-cli",
  entry: ({ folder, model }) => ({
    command: [
      process.execPath,
      join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js"),
      "--acp",
      "-m",
      "gemini-2.5-flash",
    ],
    auth: "gemini-api-key",
    env: ["GEMINI_API_KEY=dummy", `GOOGLE_GEMINI_BASE_URL=${model}`, "GEMINI_CLI_TRUST_WORKSPACE=true"],
  }),
  files: ({ home }) => ({
    [join(home, ".gemini", "settings.json")]: JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
      model: { name: "gemini-2.5-flash" },
    }),
  }),
  write: (file, text) => ({ name: "write_file", args: { file_path: file, content: text } }),
};

/** @type {RealAgent} */
const opencode = {
  name: "opencode",
  version: "1.18.33",
  package: `opencode-${platform}`,
  entry: ({ folder }) => ({
    command: [join(folder, "node_modules", `opencode-${platform}`, "bin", "opencode"), "acp", "--pure"],
    env: ["OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"],
  }),
  files: ({ home, model }) => ({
    [join(home, ".config", "opencode", "opencode.json")]: JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: "test/scripted",
      small_model: "test/scripted",
      enabled_providers: ["test"],
      provider: {
        test: {
          npm: "@ai-sdk/openai-compatible",
          name: "Test",
          options: { baseURL: `${model}/v1`, apiKey: "dummy" },
          models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 128_000, output: 4096 } } },
        },
      },
    }),
  }),
  write: (file, text) => ({ name: "write", args: { filePath: file, content: text } }),
};

export const realAgents = [gemini, opencode];
