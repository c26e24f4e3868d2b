import type { Readable, Writable } from "node:stream";
import type { Diagnostic, Json, Place, JsonObject } from "../base/index.ts";
import type { Chat, CommandLines, People, Platform } from "../chat/index.ts";
import type { EngineContext, LoadedWorkflow } from "../engine/index.ts";
import type { Agents, Conversations, LeftWorktree, RoleBinding, WorkHints } from "../ports/index.ts";
import type { DriveRequest, RunnerParts } from "../runner/index.ts";

/** Where a command works. The workspace is always an absolute path; the rest was given on the command line or not at all. */
export interface EngineFlags {
  readonly workspace: string;
  readonly store?: string;
  readonly logFile?: string;
  /** A service: a database that is not there yet is waited for. */
  readonly patient?: boolean;
}

export interface OpenAgents {
  readonly agents: Agents;
  /** How long an agent may be silent, in milliseconds. */
  readonly idleMs: number;
  close(): Promise<void>;
}

export interface OpenEngine {
  readonly context: EngineContext;
  close(): Promise<void>;
}

/** An engine, and what chats keep in its store. */
export interface OpenWorkspace extends OpenEngine {
  readonly conversations: Pick<Conversations, "countSettled" | "removeSettled">;
}

/** Replacements for `waymark test`, applied to what the world would have used: the engine gets what these return. */
export interface TestParts {
  readonly workspace: string;
  readonly logFile?: string;
  /** The script of an agent: a file, or a value in the file `in`. */
  readonly agent?: { readonly file: string } | { readonly script: unknown; readonly in: string };
  host(host: EngineContext["host"]): EngineContext["host"];
  store(store: EngineContext["store"]): EngineContext["store"];
}

export interface OpenTestEngine extends OpenEngine {
  /** With a scripted agent: what its turns need. */
  readonly runner?: RunnerParts;
}

/** One effective setting. */
export interface SettingView {
  readonly key: string;
  readonly value: Json;
  readonly source: string;
  /** `file:line`, the variable or the flag; absent for defaults. */
  readonly at?: string;
  readonly description?: string;
}

export interface ParsedYaml {
  /** undefined when there are problems. */
  readonly value: unknown;
  readonly problems: readonly Diagnostic[];
  /** Where the value at this path is in the file. */
  placeOf(path: readonly (string | number)[]): Place | undefined;
}

export interface McpRequest extends EngineFlags {
  /** Words that lines for a person need to be about this folder and store. */
  readonly place: string;
  /** Toolsets beside the canonical tools; undefined leaves it to the settings. */
  readonly tools?: readonly string[];
  /** Aborted when the server should stop. */
  readonly signal: AbortSignal;
}

export interface HttpRequest extends EngineFlags {
  /** Words that lines for a person need to be about this folder and store. */
  readonly place: string;
  readonly tools?: readonly string[];
  /** 0 takes a free one. */
  readonly port: number;
}

export interface HttpServer {
  readonly url: string;
  /** File with the address and the token, readable only by its user; removed by `close`. */
  readonly file: string;
  close(): Promise<void>;
}

/** An engine with what driving its runs by coding agents needs. */
export interface OpenRunner extends OpenEngine {
  readonly parts: RunnerParts;
  /** What the configuration says where nobody says otherwise. */
  readonly usual: NonNullable<DriveRequest["usual"]>;
  readonly workers: number;
  readonly hints: WorkHints;
  /** How long finding work by looking may take. */
  readonly pollMs: number;
  /** Makes a checkout of its own for a run. */
  makeWorktree(name: string): Promise<{ readonly folder: string; readonly without: boolean }>;
  /** How many files of the workspace have changes that are not committed. */
  uncommitted(): Promise<number>;
  /** What was changed in it, one line per file, what git ignores there, and why git must not be used in it. */
  changesIn(path: string): Promise<{
    readonly path: string;
    readonly branch: string;
    readonly changes: readonly string[];
    readonly uncommitted: boolean;
    readonly ignored: readonly string[];
    readonly problem?: string;
  }>;
}

export interface ChatRequest extends EngineFlags {
  /** Where people will write: one process serves it for each store, and in terminals each conversation. */
  readonly place: { readonly platform: "terminal"; readonly conversation: string } | { readonly platform: "test" };
  readonly user: { readonly name: string; readonly isAtTerminal: boolean };
  /** Commands that the chat tells people to type. */
  readonly lines: CommandLines;
  /** Aborted where open steps are to be left. */
  readonly cancel: AbortSignal;
}

export interface OpenChat {
  readonly chat: Chat;
  readonly people: People;
  /** In a terminal: as the store knows the conversation. */
  readonly conversation: string;
  /** The user's own configuration. */
  readonly configFile: string;
  /** The adapter for trying out; it listens when it is started. */
  readonly testAdapter: (port: number) => Platform & { readonly url: () => string };
  close(): Promise<void>;
}

export type PlanFormat = "text" | "json" | "mermaid";

/**
 * Everything the command line needs from outside its room. Whatever is heavy loads when it is called: a command that only prints
 * help touches none of the functions.
 */
export interface CliWorld {
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** stdin and stdout are both a terminal: only then is an answer a person's own. */
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Name of the user at this computer. */
  readonly user: string;
  readonly home: string;
  /** Where programs keep what they soon delete: never a workspace by themselves. */
  readonly temporaryFolders: readonly string[];
  /** Folders in which a project keeps its definitions, relative to it: a folder that has one is a workspace. */
  readonly definitionFolders: readonly string[];
  readonly platform: string;
  /** Folder of the package itself, with its workflows and examples. */
  readonly packageFolder: string;
  /** The command line that started this process, without its arguments: program first, then its script. */
  readonly self: readonly string[];
  /** Aborted by the first SIGINT or SIGTERM after this was first called; before that, signals end the process as usual. */
  stopSignal(): AbortSignal;
  /** Aborted by the second one, and by the first SIGTERM. */
  cancelSignal(): AbortSignal;
  /** From now on SIGTERM is as Ctrl-C: the first one lets what is open come to its end. */
  drainOnTerminate(): void;
  openEngine(flags: EngineFlags): Promise<OpenWorkspace>;
  openRunner(flags: EngineFlags): Promise<OpenRunner>;
  /** Removes what `makeWorktree` made, unless something is only there; undefined when there is nothing. */
  removeWorktree(workspace: string, name: string): Promise<LeftWorktree | undefined>;
  /** An engine on a fresh temporary store that `close` removes. */
  openTestEngine(parts: TestParts): Promise<OpenTestEngine>;
  loadConfig(flags: EngineFlags): Promise<{ readonly values: readonly SettingView[]; readonly diagnostics: readonly Diagnostic[] }>;
  /** The coding agents of a workspace. */
  openAgents(flags: EngineFlags): Promise<OpenAgents>;
  /** What the agents of the project's configuration would start, by name, as a person allows it. */
  projectAgents(flags: EngineFlags): Promise<Readonly<Record<string, string>>>;
  /** Serves on stdin and stdout until the client goes away or the signal is aborted. */
  serveMcp(request: McpRequest): Promise<void>;
  serveHttp(request: HttpRequest): Promise<HttpServer>;
  openChat(request: ChatRequest): Promise<OpenChat>;
  /** Plain text with place, message, code frame and fix; `text` is the content of the file it is about. */
  renderDiagnostic(problem: Diagnostic, text: string | undefined): Promise<string>;
  /** JSON Schema of the workflow files of a dialect. */
  schema(dialect: string): Promise<JsonObject>;
  /** What a workflow does, for people and as a plan; `json` gives JSON text. `roles`: who plays them; `runs`: what it runs, as a person allows it; without them the text is the plan alone. */
  explain(
    program: NonNullable<LoadedWorkflow["program"]>,
    format: PlanFormat,
    roles: Readonly<Record<string, RoleBinding>>,
    runs?: readonly string[],
  ): Promise<string>;
  parseYaml(text: string, file: string): Promise<ParsedYaml>;
  /** Replaces a file as a whole, making its folder where needed; pieces are written as they come, and seen when all are there. */
  writeFile(path: string, text: string | AsyncIterable<string>): Promise<void>;
}
