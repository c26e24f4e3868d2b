import { join } from "node:path";
import type { EngineContext } from "../engine/index.ts";
import { exitCodes } from "./codes.ts";
import type { Session } from "./session.ts";
import type { EngineFlags, OpenEngine } from "./world.ts";

/**
 * What tours of `waymark demo` share: a workspace with a store of its own, an engine that can be closed and opened again, lines that name
 * who does something, and a list of what did not hold.
 */
export class TourStage {
  readonly session: Session;
  readonly workspace: string;
  readonly wrong: string[] = [];
  readonly #column: number;
  readonly #flags: EngineFlags;
  #engine: OpenEngine | undefined;

  constructor(session: Session, workspace: string, column = 9) {
    this.session = session;
    this.workspace = workspace;
    this.#column = column;
    this.#flags = { ...session.flagsIn(workspace), store: join(workspace, ".waymark", "store") };
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [file, text] of Object.entries(files)) await this.session.world.writeFile(join(this.workspace, file), text);
  }

  /** The open engine; another one after `close`. */
  async open(): Promise<EngineContext> {
    this.#engine ??= await this.session.world.openEngine(this.#flags);
    return this.#engine.context;
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await engine?.close();
  }

  /** Further lines are below the first one. */
  say(who: string, ...lines: readonly string[]): void {
    const { out } = this.session;
    for (const [at, line] of lines.entries()) out.line(`${out.paint("bold", (at === 0 ? who : "").padEnd(this.#column))}${line}`);
  }

  check(held: boolean, wrong: string): void {
    if (!held) this.wrong.push(wrong);
  }

  /** The exit code. */
  get code(): number {
    return this.wrong.length === 0 ? exitCodes.done : exitCodes.failed;
  }

  showTries(tries: readonly (readonly [command: string, what: string])[], column: number): void {
    this.session.out.line("\nNow try it yourself:");
    for (const [command, what] of tries) this.session.out.advice(`  ${command.padEnd(column)} ${what}`);
  }
}
