import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { EngineContext } from "../engine/index.ts";
import { Prompter } from "./ask.ts";
import { failure } from "./codes.ts";
import { Output } from "./output.ts";
import type { CliWorld, EngineFlags } from "./world.ts";

/** Options every command has. */
export interface GlobalOptions {
  readonly workspace?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly logFile?: string;
  readonly quiet?: boolean;
}

/** One call of the command line: where it works, what it says, and whom it can ask. */
export class Session {
  readonly world: CliWorld;
  readonly out: Output;
  readonly workspace: string;
  readonly flags: EngineFlags;
  readonly prompter: Prompter;

  constructor(world: CliWorld, options: GlobalOptions) {
    this.world = world;
    this.out = new Output(world, { json: options.json === true, quiet: options.quiet === true });
    this.workspace = options.workspace === undefined ? findWorkspace(world.cwd, world.home) : resolve(world.cwd, options.workspace);
    this.flags = {
      workspace: this.workspace,
      ...(options.store === undefined ? {} : { store: resolve(world.cwd, options.store) }),
      ...(options.logFile === undefined ? {} : { logFile: resolve(world.cwd, options.logFile) }),
    };
    this.prompter = new Prompter(world);
  }

  /** Opens the engine for the length of one command, which opens each run once until a person is asked. */
  async withEngine<T>(work: (context: EngineContext) => Promise<T>): Promise<T> {
    const engine = await this.world.openEngine(this.flags);
    try {
      // Not loaded before an engine is open: help and completion need none.
      const { finishEffects, oneCommand } = await import("../engine/index.ts");
      const done = await work(oneCommand(engine.context, () => this.prompter.asked));
      await finishEffects(engine.context, () => this.world.stopSignal());
      return done;
    } finally {
      await engine.close();
    }
  }

  /** A path as the person meant it: from their current folder. */
  pathOf(path: string): string {
    return isAbsolute(path) ? path : resolve(this.world.cwd, path);
  }

  /** Text of a file named on the command line; `-` is what comes in on stdin. */
  async readGiven(path: string, what: string): Promise<string> {
    if (path === "-") return readAll(this.world.stdin);
    try {
      return await readFile(this.pathOf(path), "utf8");
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

  /** Refuses unless a person is there to be asked. */
  requireTerminal(what: string, instead: string): void {
    if (this.world.isTerminal && !this.out.json) return;
    throw failure("CLI_NO_TERMINAL", `${what} needs a terminal${this.out.json ? " and cannot be combined with `--json`" : ""}.`, instead);
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * The nearest folder upwards that has a `.waymark` of its own, not beyond the project (a folder with `.git`) and never the home
 * folder, whose `.waymark` holds the user's own workflows; else the current folder.
 */
export function findWorkspace(cwd: string, home: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (folder !== resolve(home) && existsSync(join(folder, ".waymark"))) return folder;
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return resolve(cwd);
  }
}
