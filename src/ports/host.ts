import type { Json, JsonObject } from "../base/index.ts";
import type { FoundWorkflow, SourceFile } from "../source/index.ts";
import type { AgentPermission } from "./agent.ts";
import type { StoreIdentity } from "./store.ts";

/** A shell command, performed with its own process group: when it is cancelled or late, everything it started dies. */
export interface CommandRequest {
  readonly command: string;
  /** Another shell than the computer's usual one, which must be installed. */
  readonly shell?: "bash";
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Output up to this many bytes is returned as text; more is kept in a file. */
  readonly keepBytes: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
  /** Waymark's own look at the workspace, which no workflow asked for and which changes nothing. */
  readonly own?: true;
  /** The effect that it is part of. Without one nobody takes it up: what a process that died left of it is ended. */
  readonly claim?: CommandClaim;
}

export interface CommandKey {
  readonly run: string;
  readonly effect: string;
}

/** Who may run commands for an effect: one process at a time. */
export interface CommandClaim extends CommandKey {
  /** Asked when everything is recorded, right before the command begins; it is cancelled when another process has the effect by now. */
  isHeld(): Promise<boolean>;
}

export interface CommandOutcome {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ended: "exit" | "timeout" | "cancelled" | "not_started";
  readonly stdout: CapturedOutput;
  /** The error output; of more than 128 KB its beginning and its end, with a line between them. */
  readonly stderr: string;
  readonly ms: number;
  /** Why it could not be started, as a sentence. */
  readonly problem?: string;
}

/** `file` holds all bytes when they were more than `keepBytes`; `text` is then the first 4 KB. */
export interface CapturedOutput {
  readonly text: string;
  readonly bytes: number;
  readonly file?: string;
}

export interface Commands {
  /** The shell that runs them, as people know it. */
  readonly shell?: string;
  run(request: CommandRequest): Promise<CommandOutcome>;
  /** All that was captured, in pieces. A file that holds it is removed when the reader has come to its end or stops. */
  read(output: CapturedOutput): AsyncIterable<string>;
  /**
   * Waits until nothing runs on this computer that any process started for the effect: `end` ends it at once, `await` lets it come to its
   * own end within its time. Answers false when the signal aborted first.
   */
  settle(key: CommandKey, how: "end" | "await", signal: AbortSignal): Promise<boolean>;
  /** The effects of the run for which any process of this computer has begun something that may still run. */
  begun(run: string): Promise<readonly CommandKey[]>;
  /** Ends what processes that died left without a claim, and answers the effects for which something of theirs still runs. */
  settleDead(signal: AbortSignal): Promise<readonly CommandKey[]>;
}

/** Tools of MCP servers that the project configured for the engine itself. */
export interface Tools {
  /** Whether any server is configured. */
  readonly configured: boolean;
  /** undefined when no configured server offers the method. */
  call(
    method: string,
    params: JsonObject,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<ToolOutcome | undefined>;
  close(): Promise<void>;
}
export type ToolOutcome = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

/** Reads definitions. Paths that leave their folder, also by symbolic link, are refused. */
export interface Definitions {
  /** All workflow files: project, then user, then bundled; in each, `.waymark/workflows` before `.aromcp/workflows`. */
  find(): Promise<readonly FoundWorkflow[]>;
  /** A file beside `from`, else below `folder`, or a text where its place says; undefined when there is none. */
  read(reference: string, from: string, folder: string): Promise<SourceFile | undefined>;
  /** References to the texts that workflows of a folder can name, such as `<steps>/plan.md`, for suggestions. */
  texts(folder: string): Promise<readonly string[]>;
  /** Folders that `find` looked into, for error messages. */
  folders(): readonly string[];
}

/** Something that a workflow makes the engine start, as its author wrote it and a person reads it before allowing it. */
export interface Run {
  /** `question`: nothing that is run, but what a person is asked who allows the rest. */
  readonly kind: "command" | "tool" | "agent" | "question";
  readonly text: string;
  /** What it starts is the project's own, such as its linters with their configuration: it needs a permission in each project, also where the line comes with Waymark. */
  readonly ofProject?: true;
  /** Of a prompt or question that `text` has on one line and cut: all of it, as it is written. */
  readonly whole?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The shell that runs a command. */
  readonly shell?: string;
  /** What is not the text that is shown but found by it, such as `command read as js`. */
  readonly readAs?: readonly string[];
  /** What an agent may do without asking. */
  readonly permission?: AgentPermission;
  /** The agent that the step names, and the one that its workflow names for all steps. */
  readonly agent?: string;
  readonly usualAgent?: string;
  /** Of an agent that does what a file says: a hash of that file. */
  readonly script?: string;
  /** The model and the tools of an agent, by name or kind. */
  readonly model?: string;
  readonly tools?: { readonly allowed?: readonly string[]; readonly denied?: readonly string[] };
  /** The role whose steps these are: who drives or a configuration may bind it to another agent. */
  readonly role?: string;
  /** Of a tool server of the project: its name; the text is how it is started. */
  readonly server?: string;
  /** Of a question: what can be answered, where that is said. */
  readonly answers?: readonly string[];
}

/** Permissions are in the user's own data folder, never in the workspace. */
export interface Permissions {
  /** The workspace that they are for, also where a run works on another folder. */
  readonly workspace: string;
  find(hash: string): Promise<Permission | undefined>;
  /** All that are in force, of every workspace, oldest first. */
  list(): Promise<readonly Permission[]>;
  /** The last one that was given here for a workflow, also when it was taken back. */
  lastGiven(workflow: string): Promise<Permission | undefined>;
  grant(permission: Omit<Permission, "at">): Promise<Permission>;
  revoke(hash: string): Promise<boolean>;
}
export interface Permission {
  readonly hash: string;
  readonly workflow: string;
  readonly workspace: string;
  /** What was shown when it was allowed. */
  readonly runs: readonly string[];
  /** The same in its parts; absent in permissions of earlier versions. */
  readonly details?: readonly Run[];
  /** What was around it, in lines: the plan, and tool servers that were not shown. Absent for single things and in permissions of earlier versions, which also keep no prompt whole. */
  readonly plan?: readonly string[];
  readonly unattended: boolean;
  readonly at: string;
}

/** Which stores this user made or adopted, kept in the user's own data folder. */
export interface StoreMarks {
  /** The id for a store that is about to be made. Kept before the store is there, so that it counts from its first moment. */
  announce(): Promise<string>;
  has(store: StoreIdentity): Promise<boolean>;
  adopt(store: StoreIdentity): Promise<void>;
}

/** Files that views are written to, inside the store's folder. */
export interface ViewFiles {
  /** Writes atomically and answers the absolute path. */
  write(name: string, text: string): Promise<string>;
}

/**
 * Time that passes. The store says what time it is; this waits. Nothing here keeps a process alive on its own, so what must not be cut
 * short is awaited.
 */
export interface Alarms {
  /** Resolves after so many milliseconds, or as soon as the signal aborts. Keeps the process alive while it is awaited. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Rings once after so many milliseconds; the answer turns it off. */
  after(ms: number, ring: () => void): () => void;
  /** Rings every so many milliseconds; the answer turns it off. */
  every(ms: number, ring: () => void): () => void;
}

/** What the engine needs of this computer beside the store. */
export interface Host {
  /** Absolute path of the workspace, with `/`. */
  readonly workspace: string;
  /** Name of this process among all that use the store; holders of its connections and its effect leases carry it. */
  readonly processId: string;
  /**
   * Whether the process that an owner of leases belongs to is certainly dead: it ran here, and is not there any more. Owners that are named
   * after no process, or after one on another computer, are never known to be gone.
   */
  isGone(owner: string): boolean;
  /** Whether the folder is on this computer. */
  hasFolder(path: string): boolean;
  /** Whether anything has this absolute path; links are followed. */
  hasPath(path: string): boolean;
  readonly alarms: Alarms;
  /** Name of this computer, for people. */
  readonly computer: string;
  readonly commands: Commands;
  readonly tools: Tools;
  readonly definitions: Definitions;
  readonly permissions: Permissions;
  readonly storeMarks: StoreMarks;
  readonly views: ViewFiles;
  /** Minutes by which local wall-clock time is ahead of UTC, at a wall time in milliseconds. */
  readonly zone: (wall: number) => number;
  uuid(): string;
  /** Lower-case letters and digits. */
  randomText(length: number): string;
  /** Lower-case hex. */
  sha256(text: string): string;
  /** The same of the bytes of a file; its path may be relative to the workspace. undefined when it cannot be read. */
  hashOfFile(path: string): string | undefined;
  /** A keyed hash of the text in lower-case hex. The key is the user's own: nothing in the workspace or its store can make one. */
  seal(text: string): Promise<string>;
  /** The same with a key that no other user or computer gets. */
  sealHere(text: string): Promise<string>;
  /** Whether the text was sealed so, with that key or one of another user or computer that this user has taken in. */
  isSealed(text: string, seal: string): Promise<boolean>;
  /** The folder for those keys, for people; each is a file whose name ends in `.key`. */
  readonly sealKeys: string;
  log(level: "error" | "warn" | "info" | "debug", message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** What became of the worktree of a run that was removed. */
export interface LeftWorktree {
  readonly path: string;
  readonly branch: string;
  /** With its branch. */
  readonly removed: boolean;
  /** What is only there, and so keeps it. */
  readonly changes: readonly string[];
  readonly ignored: readonly string[];
  /** What git said, where that keeps it. */
  readonly problem?: string;
}
