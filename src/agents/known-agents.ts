import type { AgentSpec } from "./agent-spec.ts";

/** An agent that Waymark knows how to start. */
export interface KnownAgent extends Omit<AgentSpec, "protocol"> {
  readonly title: string;
  readonly install: string;
  /** The version whose protocol was tried out, with a scripted model; absent: only its documentation was read. */
  readonly tried?: string;
  /** What a user should know before choosing it. */
  readonly notes?: string;
}

/** Asks for typed failures, which codex-acp and claude-agent-acp then send beside the text. */
const failuresPlease = { jetbrains: { air: { version: 1, capabilities: ["sessionFailure"] } } };
const variables = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(" "));
const asks = (mode: string): AgentSpec["modes"] => ({ read: mode, edit: mode, all: mode });

/** In the order of the documentation. All speak the Agent Client Protocol; modes are those in which they ask Waymark. */
export const knownAgents: readonly KnownAgent[] = [
  {
    name: "claude",
    title: "Claude Code",
    command: ["claude-agent-acp"],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    env: variables(
      "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX IS_SANDBOX DISABLE_AUTOUPDATER=1",
    ),
    modes: asks("default"),
    clientMeta: failuresPlease,
    usage: { tokens: "turn", cost: "session" },
    resume: "resume",
    textFilters: [],
    tried: "0.99.0",
    notes: "Without the adapter the `claude` command itself is used.",
  },
  {
    name: "codex",
    title: "Codex",
    command: ["codex-acp"],
    install: "npm install -g @agentclientprotocol/codex-acp",
    env: variables("OPENAI_API_KEY OPENAI_BASE_URL CODEX_API_KEY CODEX_HOME NO_BROWSER=1"),
    modes: { read: "read-only", edit: "read-only", all: "workspace-write" },
    clientMeta: failuresPlease,
    usage: { tokens: "turn", cost: "none" },
    resume: "resume",
    textFilters: [],
    tried: "2.6.0",
    notes: "A denial ends its turn.",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    install: "npm install -g @google/gemini-cli",
    env: variables(
      "GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION",
      "GOOGLE_GENAI_USE_VERTEXAI GOOGLE_APPLICATION_CREDENTIALS GEMINI_CLI_NO_RELAUNCH=1",
    ),
    modes: asks("default"),
    usage: { tokens: "turn", cost: "none" },
    resume: "none",
    textFilters: [],
    tried: "0.61.0",
    notes:
      "A session cannot be continued after its process ended. It does not say which command it wants to run, so commands need `all`. With an API key, configure `auth: gemini-api-key`.",
  },
  {
    name: "opencode",
    title: "opencode",
    command: ["opencode", "acp"],
    install: "npm install -g opencode-ai",
    env: variables(
      "ANTHROPIC_API_KEY OPENAI_API_KEY OPENROUTER_API_KEY OPENCODE_CONFIG OPENCODE_DISABLE_AUTOUPDATE=1",
      'OPENCODE_CONFIG_CONTENT={"permission":{"edit":"ask","bash":"ask","webfetch":"ask"}}',
    ),
    modes: {},
    usage: { tokens: "call", cost: "session" },
    resume: "resume",
    textFilters: [],
    tried: "1.18.33",
    notes: "A denial ends its turn. Its tokens are not counted.",
  },
  {
    name: "copilot",
    title: "GitHub Copilot CLI",
    command: ["copilot", "--acp"],
    install: "npm install -g @github/copilot",
    env: variables("GH_TOKEN GITHUB_TOKEN COPILOT_HOME COPILOT_MODEL COPILOT_AUTO_UPDATE=false"),
    modes: {},
    usage: { tokens: "session", cost: "session" },
    resume: "load",
    textFilters: ["Info:"],
    tried: "1.0.102",
    notes: "A denial ends its turn.",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    command: ["qwen", "--acp"],
    install: "npm install -g @qwen-code/qwen-code",
    env: variables("OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL DASHSCOPE_API_KEY"),
    modes: asks("default"),
    usage: { tokens: "none", cost: "none" },
    resume: "resume",
    textFilters: [],
    tried: "0.24.4",
    notes: "A denial ends its turn. With an API key, configure `auth: openai`.",
  },
  {
    name: "goose",
    title: "goose",
    command: ["goose", "acp"],
    install: "brew install block-goose-cli",
    env: variables("ANTHROPIC_API_KEY OPENAI_API_KEY GOOGLE_API_KEY GOOSE_PROVIDER GOOSE_MODEL GOOSE_MODE=approve"),
    modes: {},
    usage: { tokens: "none", cost: "none" },
    resume: "load",
    textFilters: [],
  },
];
