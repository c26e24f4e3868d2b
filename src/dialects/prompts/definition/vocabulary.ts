import type { FaultCodes, TextFolders } from "../../../source/index.ts";

/** Folders of a project, and of the user's home, that hold chains: the first with a valid one counts. */
export const promptFolders: readonly string[] = [".archon", ".claude", ".agents"].map((name) => `${name}/workflows`);

/** Folders beside them with the prompts of steps. */
export const stepFolders: TextFolders = { word: "<steps>", folders: ["steps", "commands"], endings: [".md"] };

/** Folders beside them with the scripts of graphs. */
export const scriptFolders: TextFolders = { word: "<scripts>", folders: ["scripts"], endings: [".ts", ".js", ".py"] };

/** Exactly one of them makes a step. */
export const stepWords = ["step", "command", "parallel", "workflow"] as const;

/** Agents that Waymark knows by name; others can be configured. */
export const knownAgents: readonly string[] = ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "goose"];

/** Keys of real files that hold an agent back, or give it something, and that Waymark does not have: what that means, and what to do. */
export const droppedKeys: readonly { readonly keys: readonly string[]; readonly means: string; readonly fix: string }[] = [
  {
    keys: ["hooks"],
    means: "they are not run, and no agent is held back by them",
    fix: "Say what an agent must not do with `denied_tools` or `permission: read`, and what must be true after it with a `bash` node.",
  },
  {
    keys: ["sandbox", "container"],
    means: "no agent is held back by them",
    fix: "State its `permission`, and start the run with `--worktree` or in a container.",
  },
  { keys: ["maxBudgetUsd"], means: "nothing limits what a node costs", fix: "Limit the run: `waymark run --budget-usd`." },
  {
    keys: ["mcp"],
    means: "agents do not get these tool servers",
    fix: "Configure the servers in the agent itself, or let a `workflow` of steps call their tools: `mcp_servers` in the configuration.",
  },
  {
    keys: ["agents", "agent", "skills"],
    means: "agents do not get them",
    fix: "Configure them in the agent itself, or write into the prompt what they say.",
  },
];

/** Keys that real files have and Waymark does not use. They are accepted, and named once. */
export const unusedKeys: ReadonlySet<string> = new Set(
  "worktree mutates_checkout effort interactive output_type gate_message tags description"
    .split(" ")
    .concat(
      "betas thinking systemPrompt fallbackModel settingSources persist_session persist_sessions pi".split(" "),
      "evidence_policy requires outcome_field modelReasoningEffort webSearchMode".split(" "),
    ),
);

/** Keys of nodes that decide which of them run. */
export const graphKeys: readonly string[] = ["depends_on", "when", "trigger_rule"];

/** Exactly one of them makes a node. */
export const nodeWords = [
  "command",
  "prompt",
  "bash",
  "script",
  "loop",
  "loop_group",
  "approval",
  "cancel",
  "include",
  "workflow",
] as const;
export type NodeWord = (typeof nodeWords)[number];

/** Keys that decide which steps run, how often, in what order, by whom and with what permission: a near miss of one of them is an error. */
export const steeringKeys: readonly string[] = [
  ...stepWords,
  ..."steps loop prompt nodes returns clearContext context on_lost_context artifacts until max_iterations fresh_context idle_timeout".split(
    " ",
  ),
  ..."retry max_attempts delay_ms on_error provider model permission level commands allowed_tools denied_tools".split(" "),
  ...graphKeys,
];

/** The same of a graph: a near miss of one of them is an error inside `nodes`. */
export const graphSteeringKeys: readonly string[] = [
  ...nodeWords,
  ...graphKeys,
  ..."id always_run context resume on_lost_context artifacts output_format timeout on_lost runtime deps with input fan_out".split(" "),
  ..."items as max_parallel join isolation nodes until until_bash until_field max_iterations fresh_context interactive".split(" "),
  ..."gate_message signal_completes message capture_response decisions on_reject reopens idle_timeout".split(" "),
  ..."retry max_attempts delay_ms on_error provider model permission level commands allowed_tools denied_tools".split(" "),
];

/** Words of other tools for such keys. */
export const otherWords: Readonly<Record<string, string>> = {
  retries: "retry",
  max_retries: "retry",
  disallowed_tools: "denied_tools",
  disallowedTools: "denied_tools",
  needs: "depends_on",
  if: "when",
  inputs: "with",
};

/** Names become names of folders and files. */
export const longestName = 255;

export const retryWords = ["transient", "all"] as const;
export const retryDelayMs = 3000;

/** The rejection of an approval that cancels the run, where a node does not say it. */
export const mostAttempts = 3;
/** How many items are worked on at once, where a node does not say it. */
export const mostParallel = 5;

/** Name of the one input: what the user wants. */
export const messageInput = "user_message";

/** Words of the user's message that prompts can name, from `$1` on. */
export const mostWords = 9;

export const promptsFaults: FaultCodes = {
  syntax: "PROMPTS_SYNTAX",
  unquoted_template: "PROMPTS_SYNTAX",
  duplicate_key: "PROMPTS_DUPLICATE_KEY",
  alias: "PROMPTS_SYNTAX",
  several_documents: "PROMPTS_SYNTAX",
  not_a_map: { code: "PROMPTS_NOT_A_MAP", fix: "Begin the file with `name:`, `description:` and `steps:`." },
  empty_wrapper: "PROMPTS_NOT_A_MAP",
  beside_wrapper: "PROMPTS_UNKNOWN_KEY",
  not_json: "PROMPTS_SYNTAX",
  forbidden_key: "PROMPTS_SYNTAX",
  too_deep: "PROMPTS_SYNTAX",
};
