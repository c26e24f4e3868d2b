import { realpathSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { isAddress, isDatabaseAddress, isMistypedAddress } from "../base/index.ts";
import type { EngineContext, Caller } from "../engine/index.ts";
import { Prompter } from "./ask.ts";
import { badValue, failure, usage } from "./codes.ts";
import { findWorkspace } from "./find-workspace.ts";
import { refuseUnnamed } from "./not-filled-in.ts";
import { Output } from "./output.ts";
import { placeWords } from "./printed-lines.ts";
import type { CliWorld, EngineFlags, OpenWorkspace } from "./world.ts";
import type { Desk } from "./command-share.ts";

/** Options every command has. */
export interface GlobalOptions {
  readonly workspace?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly logFile?: string;
  readonly quiet?: boolean;
}

/** One call of the command line: where it works, what it says, and whom it can ask. */
export class Session {
  readonly world: CliWorld;
  readonly out: Output;
  readonly prompter: Prompter;
  readonly #options: GlobalOptions;
  #workspace: string | undefined;

  constructor(world: CliWorld, options: GlobalOptions) {
    this.world = world;
    this.prompter = new Prompter(world);
    this.#options = options;
    const { json = false, jsonl = false, quiet = false } = options;
    if (json && jsonl) throw usage("`--json` and `--jsonl` are two forms of one thing.", "Give one of them.");
    this.out = new Output(world, { json, jsonLines: jsonl, quiet, place: placeWords(this.givenPlace) });
    refuseNoPlace(options);
  }

  /** As `-C` names it, else as it is found; refuses when there is none. Looked for when it is first needed: some commands need none. */
  get workspace(): string {
    const { workspace } = this.#options;
    return (this.#workspace ??= workspace === undefined ? foundWorkspace(this.world) : resolve(this.world.cwd, workspace));
  }

  get flags(): EngineFlags {
    return this.flagsIn(this.workspace);
  }

  /** What was typed to name the folder and the store, for lines that are typed in another folder; what was not given is found again. */
  get givenPlace(): Partial<Pick<EngineFlags, "workspace" | "store">> {
    const { workspace = "" } = this.#options;
    return { ...(workspace === "" ? {} : { workspace: resolve(this.world.cwd, workspace) }), ...this.#store() };
  }

  flagsIn(workspace: string): EngineFlags {
    const { logFile } = this.#options;
    return {
      workspace,
      ...this.#store(),
      ...(logFile === undefined ? {} : { logFile: resolve(this.world.cwd, logFile) }),
    };
  }

  #store(): Pick<EngineFlags, "store"> {
    const { store = "" } = this.#options;
    return store === "" ? {} : { store: isDatabaseAddress(store) ? store : resolve(this.world.cwd, store) };
  }

  /** Names the folder in use; left out with `--quiet`. */
  showWorkspace(): void {
    if (!this.out.quiet) this.out.line(this.out.paint("dim", `Workspace: ${this.workspace}`));
  }

  /** Opens the engine for the length of one command, which opens each run once until a person is asked. */
  async withEngine<T>(work: (context: EngineContext, engine: OpenWorkspace) => Promise<T>): Promise<T> {
    const engine = await this.world.openEngine(this.flags);
    try {
      // Not loaded before an engine is open: help and completion need none.
      const { finishEffects, oneCommand } = await import("../engine/index.ts");
      const done = await work(
        oneCommand(engine.context, () => this.prompter.asked),
        engine,
      );
      await finishEffects(engine.context, () => this.#cancelling());
      return done;
    } finally {
      await engine.close();
    }
  }

  /** As while a run is driven: the first Ctrl-C lets commands of the engine end, the second ends them. */
  #cancelling(): AbortSignal {
    const [stop, cancel] = [this.world.stopSignal(), this.world.cancelSignal()];
    const say = (): void => this.out.aside("Waymark stops after the open command. Press Ctrl-C again to cancel it.");
    if (!stop.aborted) stop.addEventListener("abort", say, { once: true });
    else if (!cancel.aborted) say();
    return cancel;
  }

  /** A path as the person meant it: from their current folder. */
  pathOf(path: string): string {
    return isAbsolute(path) ? path : resolve(this.world.cwd, path);
  }

  /** Text of a file named on the command line, without byte order mark; `-` is what comes in on stdin. */
  async readGiven(path: string, what: string): Promise<string> {
    if (path === "-") return (await import("node:stream/consumers")).text(this.world.stdin);
    try {
      return (await readFile(this.pathOf(path), "utf8")).replace(/^\uFEFF/, "");
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === "ENOENT" ? "it does not exist" : code === "EISDIR" ? "it is a folder" : message;
      throw failure("CLI_FILE", `\`${path}\` (${what}) cannot be read: ${reason}.`);
    }
  }

  /** Whether a person says yes; says so where they do not. Refused where nobody can be asked, unless it was said before. */
  async agrees(
    question: string,
    wish: { readonly yes?: boolean | undefined; readonly what: string; readonly instead: string; readonly no: string },
  ): Promise<boolean> {
    if (wish.yes === true) return true;
    this.requireTerminal(`${wish.what} asks first, so it`, wish.instead);
    const agreed = await this.prompter.confirm(question);
    if (!agreed) this.out.line(wish.no);
    return agreed;
  }

  /** Refuses `--yes` where nobody can have seen what it is about, unless the user said that this is right here. */
  refuseUnattended(yes: boolean, what: string): void {
    const { isTerminal, env } = this.world;
    if (yes && !isTerminal && env["WAYMARK_ALLOW_UNATTENDED"] !== "1") throw failure("CLI_UNATTENDED", `${what} Nothing was allowed.`);
  }

  /** Refuses unless a person is there to be asked. */
  requireTerminal(what: string, instead: string): void {
    if (this.world.isTerminal && !this.out.json) return;
    throw failure("CLI_NO_TERMINAL", `${what} needs a terminal${this.out.json ? " and cannot be combined with `--json`" : ""}.`, instead);
  }
}

/** Refuses what names no folder, file or database. An address is not repeated: it may hold a password. */
function refuseNoPlace({ workspace, store, logFile }: GlobalOptions): void {
  const places = { "`-C`": workspace, "`--store`": store, "`--log-file`": logFile };
  for (const [name, place] of Object.entries(places))
    if (place === "") throw badValue(`${name} is empty.`, "Name a path, or leave the option out.");
  refuseUnnamed(places);
  if (store === undefined || isDatabaseAddress(store) || !isAddress(store)) return;
  const what = isMistypedAddress(store)
    ? "`--store` begins like the address of a database, but has no `//` behind the colon."
    : "`--store` is the address of something that Waymark does not know.";
  throw badValue(what, "Name a folder, or a PostgreSQL database: `postgres://user@host/database`.");
}

function foundWorkspace({ cwd, home, temporaryFolders, definitionFolders }: CliWorld): string {
  const never = [home, ...temporaryFolders].flatMap((folder) => [folder, realPath(folder)]);
  const found = findWorkspace({ cwd, never, definitionFolders, kindOf });
  if (found !== undefined) return found;
  throw failure("CLI_NO_WORKSPACE", `\`${cwd}\` is not used as the workspace unless you name it.`);
}

/** The current folder is known by its real path, others may have been named by a link to them. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/** Opens the engine for the length of one command. */
export function atDesk<T>({ session, shares }: Pick<Desk, "session" | "shares">, work: (desk: Desk) => Promise<T>): Promise<T> {
  return session.withEngine((context) => work({ session, shares, context, caller: cliCaller(session.world, context) }));
}

/**
 * A person at the command line. No process stays behind to beat for them, so their lease lasts as long as a strand may be idle: without a
 * terminal as that of an agent, which may have run the command. `cli-terminal` is claimed only when stdin and stdout are a terminal.
 */
export function cliCaller(world: Pick<CliWorld, "user" | "isTerminal">, context: EngineContext): Caller {
  return {
    holder: { kind: "person", name: world.user, session: "cli" },
    surface: world.isTerminal ? "cli-terminal" : "cli",
    leaseOwner: `cli:${world.user}`,
    leaseTtlMs: world.isTerminal ? context.settings.idleAfterMs : context.settings.agentIdleMs,
  };
}

/** The same person in a command that stays while the run is worked on: what they hold is free when it ends, also when it is killed. */
export function stayingCaller(world: Pick<CliWorld, "user" | "isTerminal">, context: EngineContext): Caller {
  const { leaseTtlMs: _ofOneCommand, ...caller } = cliCaller(world, context);
  return { ...caller, leaseOwner: `${context.host.processId}-hand` };
}
