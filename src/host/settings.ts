import type { AgentPermission, AgentSettings } from "../ports/index.ts";
import { logLevels, type LogLevel } from "./log.ts";

/** Effective settings. Names are those of the configuration file; paths are absolute. */
export interface Config {
  readonly store: string;
  /** The database that runs are in instead of the folder, which then keeps what belongs to this computer. */
  readonly database: {
    readonly url: string | null;
    readonly project: string | null;
    readonly wait_ms: number;
    readonly connections: number;
  };
  readonly log: { readonly level: LogLevel; readonly file: string | null };
  readonly limits: {
    readonly parallel_commands: number;
    readonly command_timeout_ms: number;
    readonly command_output_bytes: number;
    readonly call_wait_ms: number;
    readonly reply_chars: number;
    readonly expression_time_ms: number;
    readonly expression_memory_mb: number;
    readonly value_preview_bytes: number;
    readonly trace_entries: number;
    readonly commit_records: number;
  };
  readonly lease: Readonly<Record<"ttl_ms" | "beat_ms" | "agent_idle_ms" | "idle_after_ms", number>>;
  readonly budget: Readonly<Record<"steps" | "minutes" | "tokens" | "money", number | null>>;
  readonly workflows: { readonly folders: readonly string[] };
  readonly knowledge: { readonly folders: readonly string[] };
  readonly verify: { readonly commands: readonly string[] };
  readonly mcp_servers: Readonly<Record<string, ServerConfig>>;
  readonly tools: { readonly toolsets: readonly string[] };
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly roles: Readonly<Record<string, RoleConfig>>;
  readonly people: Readonly<Record<string, PersonConfig>>;
  readonly chat: {
    readonly agent: string | null;
    readonly workflow: string | null;
    readonly roots: readonly string[];
    readonly clone_from: readonly string[];
  };
  readonly drive: {
    readonly agent: string | null;
    readonly workers: number;
    readonly poll_ms: number;
    readonly idle_ms: number;
    readonly wire: string | null;
  };
}

export type ConfigSource = "default" | "user" | "project" | "environment" | "flag";

/** A tool server the engine may call itself; `from` tells whose file named it, since a project's commands need permission. */
export type ServerConfig = (CommandServer | UrlServer) & { readonly from: ConfigSource };
export interface CommandServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace, which is also the default. */
  readonly cwd?: string;
}
/** Only addresses of this computer. */
export interface UrlServer {
  readonly url: string;
}

/** A coding agent; `from` tells whose file named it, since what a project starts needs permission. */
export interface AgentConfig extends AgentSettings {
  readonly from: ConfigSource;
}

/** Who plays a role of workflows; what a project says of it needs permission. */
export interface RoleConfig {
  readonly agent?: string;
  readonly model?: string;
  readonly permission?: AgentPermission["level"];
  readonly from: ConfigSource;
}

/** Someone who writes in a chat, by `<platform>:<id>`, and what they may do beside reading and talking. */
export interface PersonConfig {
  readonly name: string;
  readonly may: readonly ("start" | "decide" | "clone")[];
  readonly from: ConfigSource;
}

export type SettingKind =
  | "path"
  | "address"
  | "choice"
  | "count"
  | "amount"
  | "text"
  | "texts"
  | "folders"
  | "addresses"
  | "servers"
  | "agents"
  | "roles"
  | "people";
export interface Setting {
  readonly key: string;
  readonly kind: SettingKind;
  /** null: none. */
  readonly default: string | number | readonly string[] | null;
  readonly description: string;
  /** Environment variable that sets it. */
  readonly variable?: string;
  /** In a file: the name of this setting beside others whose keys begin with its own. */
  readonly beside?: string;
  /** Only the user says so: a project's file that does is refused. */
  readonly own?: true;
  /** Flag of the command line that sets it. */
  readonly flag?: string;
  readonly choices?: readonly string[];
  readonly least?: number;
  readonly most?: number;
}

const longestTimer = 2 ** 31 - 1;
const count = (key: string, preset: number | null, description: string, range: { least?: number; most?: number } = {}): Setting => ({
  key,
  kind: "count",
  default: preset,
  description,
  variable: `WAYMARK_${key.replaceAll(".", "_").toUpperCase()}`,
  least: 1,
  most: Number.MAX_SAFE_INTEGER,
  ...range,
});
const amount = (key: string, description: string): Setting => ({ ...count(key, null, description, { least: 0 }), kind: "amount" });
const texts = (key: string, description: string): Setting => ({ key, kind: "texts", default: [], description });
const milliseconds = (key: string, preset: number, description: string): Setting => count(key, preset, description, { most: longestTimer });

/** Every setting there is; the reference page is generated from this table. */
export const settings: readonly Setting[] = [
  {
    key: "store",
    kind: "path",
    default: ".waymark/store",
    description:
      "Folder of the runs, their journals and large values; of what belongs to this computer where the runs are in a database. In a file beside the next ones: `store.folder`. The address of a database is a `store.url`.",
    variable: "WAYMARK_STORE",
    flag: "--store",
    beside: "store.folder",
  },
  {
    key: "store.url",
    kind: "address",
    default: null,
    description:
      "PostgreSQL database that the runs are in, `postgres://user@host/database`, for several computers. Not in a project's file. What Waymark starts does not get the variable.",
    variable: "WAYMARK_STORE_URL",
    own: true,
  },
  {
    key: "store.project",
    kind: "text",
    default: null,
    description:
      "Name that runs of this project have in the database; without one the address of the git repository's `origin`, without that the folder.",
    variable: "WAYMARK_STORE_PROJECT",
  },
  milliseconds("store.wait_ms", 60_000, "Milliseconds that a database which does not answer is waited for."),
  count("store.connections", 10, "Connections to the database that one process has at most.", { most: 1000 }),
  {
    key: "log.level",
    kind: "choice",
    default: "warn",
    choices: logLevels,
    description: "How much is logged: error, warn, info or debug.",
    variable: "WAYMARK_LOG",
  },
  {
    key: "log.file",
    kind: "path",
    default: null,
    description: "File the log goes to instead of stderr.",
    variable: "WAYMARK_LOG_FILE",
    flag: "--log-file",
  },
  count("limits.parallel_commands", 4, "Shell commands that run at the same time; more wait for their turn.", { most: 1024 }),
  milliseconds("limits.command_timeout_ms", 600_000, "Milliseconds a shell command may take when its step names no time."),
  count("limits.command_output_bytes", 4_194_304, "Bytes of command output that are kept as text; more goes to a file.", {
    most: 268_435_456,
  }),
  milliseconds("limits.call_wait_ms", 25_000, "Milliseconds a tool call waits for long work before it answers that the work continues."),
  count("limits.reply_chars", 8000, "Characters of a tool reply; larger things are paged or given by path.", { least: 1000 }),
  milliseconds("limits.expression_time_ms", 1000, "Milliseconds one expression or transformation may take."),
  count("limits.expression_memory_mb", 256, "Megabytes of memory one expression or transformation may use.", { least: 8, most: 4096 }),
  count("limits.value_preview_bytes", 2048, "Bytes of a value that traces and replies show before they cut it."),
  count("limits.trace_entries", 1000, "Traced transformations that are kept for each run."),
  count("limits.commit_records", 256, "Journal records that one commit may hold.", { most: 256 }),
  milliseconds("lease.ttl_ms", 30_000, "Milliseconds after which a process on another computer that ended loses its part of a run."),
  milliseconds("lease.beat_ms", 10_000, "Milliseconds between two signs of life of a process; less than `lease.ttl_ms`."),
  milliseconds(
    "lease.agent_idle_ms",
    600_000,
    "Milliseconds without a call after which an agent's part of a run is free for others, also where it uses commands without a terminal.",
  ),
  milliseconds(
    "lease.idle_after_ms",
    1_800_000,
    "Milliseconds without a call after which a person's part of a run is free, and without a report after which a step looks stale.",
  ),
  count("budget.steps", null, "Steps a run may take before it asks to continue; none without a value."),
  amount("budget.minutes", "Minutes a run may take before it asks to continue; none without a value."),
  count("budget.tokens", null, "Tokens, as reported by the holder of the run, before it asks to continue; none without a value."),
  amount("budget.money", "Money, as reported by the holder of the run, before it asks to continue; none without a value."),
  texts("workflows.folders", "Further folders of the workspace with workflows, after `.waymark/workflows` and `.aromcp/workflows`."),
  texts(
    "knowledge.folders",
    "Further folders with topics and guides, or checkouts of them, the strongest last; the project's own come after them.",
  ),
  texts(
    "verify.commands",
    "Commands that the verification phase of checklists runs, such as the compiler; those of a project need `waymark allow`.",
  ),
  {
    key: "mcp_servers",
    kind: "servers",
    default: null,
    description:
      "Tool servers the engine calls itself, by name: `command`, `args`, `env`, `cwd`, or the `url` of a server on this computer.",
  },
  {
    ...texts(
      "tools.toolsets",
      "Toolsets offered over MCP beside the canonical tools, such as `state` and `debug`; `all` offers everything.",
    ),
    variable: "WAYMARK_TOOLS",
    flag: "--tools",
  },
  {
    key: "agents",
    kind: "agents",
    default: null,
    description:
      "Coding agents by name: `protocol` (acp, claude-cli or script), `command`, `env`, `mode`, `model`, `models` (which of its models a name such as `small` is), `permission`, `account` (agents of one account share its limits), `auth`, `resume`, `file`.",
  },
  {
    key: "roles",
    kind: "roles",
    default: null,
    description:
      "Who plays the roles of workflows when Waymark drives them, by role: `agent`, `model`, `permission` (read, edit or all). Roles that a workflow does not have mean nothing to it; those of a project need `waymark allow`.",
  },
  {
    key: "people",
    kind: "people",
    default: null,
    description:
      "Who may do what in a chat, by `<platform>:<id>`: `name`, and `may` with some of `start`, `decide` and `clone`. Not in a project's file.",
    own: true,
  },
  {
    key: "chat.agent",
    kind: "text",
    default: null,
    description:
      "The coding agent that chooses workflows for messages and talks, with the permission `read`; without one words decide. Not in a project's file.",
    variable: "WAYMARK_CHAT_AGENT",
    own: true,
  },
  {
    key: "chat.workflow",
    kind: "text",
    default: null,
    description:
      "The workflow that every message in a chat starts, but commands, answers, messages that begin with the name of another one, and those that begin with `!`, which are routed. Not in a project's file.",
    own: true,
  },
  {
    key: "chat.roots",
    kind: "folders",
    default: [],
    description:
      "Folders below which people may work in a chat beside the one where it was started; clones come into the first. Not in a project's file.",
    own: true,
  },
  {
    key: "chat.clone_from",
    kind: "addresses",
    default: [],
    description:
      "Addresses below which repositories may be cloned in a chat, such as `https://example.org/team/`. Not in a project's file.",
    own: true,
  },
  {
    key: "drive.agent",
    kind: "text",
    default: null,
    description: "The coding agent that works on runs where none is named; see `waymark agents`.",
    variable: "WAYMARK_DRIVE_AGENT",
  },
  count("drive.workers", 1, "Parts of a run, such as files and tasks, that agents work on at the same time.", { most: 64 }),
  count(
    "drive.poll_ms",
    2000,
    "Milliseconds after which `waymark work` looks for parts of runs again where nothing said that there are any, and a driver of a run in a database whether an open turn is still its own.",
    {
      least: 1000,
      most: 5000,
    },
  ),
  milliseconds("drive.idle_ms", 600_000, "Milliseconds without a sign of a coding agent after which its turn ends."),
  {
    key: "drive.wire",
    kind: "path",
    default: null,
    description: "Folder that gets all messages to and from coding agents, to find out what goes wrong: `<agent>-<process>.wire.jsonl`.",
    variable: "WAYMARK_DRIVE_WIRE",
  },
];

/** Settings that are a map of entries with names of the user's own; each entry is a value. */
export const namedGroups: readonly string[] = settings
  .filter(({ kind }) => ["servers", "agents", "roles", "people"].includes(kind))
  .map(({ key }) => key);

/** The group and the name of an entry of such a map. */
export function namedEntry(key: string): { readonly group: string; readonly name: string } | undefined {
  const group = namedGroups.find((one) => key.startsWith(`${one}.`));
  return group === undefined ? undefined : { group, name: key.slice(group.length + 1) };
}

/** Variables that are not settings but mean something to Waymark. */
export const otherVariables: readonly string[] = [
  "WAYMARK_DATA_HOME",
  "WAYMARK_CONFIG_HOME",
  "WAYMARK_ALLOW_UNATTENDED",
  "WAYMARK_PERSON_TOKEN",
  "WAYMARK_TOKEN",
  "WAYMARK_STATE_PATH",
  "WAYMARK_DRIVEN",
];
