import { own, type Diagnostic, type Json, type JsonObject } from "../base/index.ts";
import {
  mainScope,
  type Action,
  type Decision,
  type Effect,
  type Event,
  type EventOf,
  type Input,
  type ItemsChange,
  type Outcome,
  type RunState,
} from "../kernel/index.ts";
import type { RoleBinding, Run, SourceFile } from "../ports/index.ts";
import type { OpenTask, Shown, Standing } from "../views/index.ts";
import { childBlocks, opOf, type Block, type BlockId, type DoBlock, type Expr, type Program } from "../program/index.ts";
import { foldersOf } from "./apart/apart-folder.ts";
import type { Caller } from "./caller.ts";
import { unknownLeaf } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import type { Draft, Performed } from "./draft.ts";
import type { RunHandle } from "./run-cache.ts";
import type { Settings } from "./settings.ts";
import type { TurnWish } from "./turn-wish.ts";

export type { Run } from "../ports/index.ts";

/** A scope of a run, with the definition of the part that it runs. */
export interface At<D> {
  readonly engine: EngineContext;
  readonly handle: RunHandle;
  readonly scope: string;
  readonly definition: D;
  /** Absolute path of the folder that the run works on. */
  readonly folder: string;
}

/** A run that is about to begin. */
export interface Beginning {
  readonly program: Program;
  /** Absolute path of the folder that it would work on, where that is not the workspace. */
  readonly folder?: string;
}

/** What a dialect teaches the engine about the parts that it lowers. */
export interface Runtime<D> {
  /** The definition that lowering kept in the configuration of a part: the only cast from a pinned program. */
  decode(config: JsonObject): D;
  /** Every `what` of its programs that is not a core leaf. A program with another one is refused when it is loaded. */
  readonly leaves: Leaves<D>;
  /** Problems that only a run would meet, with their places. */
  problems?(definition: D, files: readonly SourceFile[]): Promise<readonly Diagnostic[]>;
  /** Throws them before a run begins; asked of the run's own workflow and of everything that it calls. */
  check?(definition: D, engine: EngineContext, beginning: Beginning): Promise<void>;
  /** Keys without which `start` refuses an input, though its declaration names none: `{ options: ["target"] }`. */
  needs?(definition: D): Readonly<Record<string, readonly string[]>>;
  /** Those of them that a person's request says: `{ options: { target: "BC24" } }`. */
  said?(definition: D, request: string): Readonly<Record<string, JsonObject>>;
  /** Throws the refusal of a start before anything has begun. */
  start?(engine: EngineContext, definition: D, inputs: JsonObject): Promise<void>;
  /** The answer that counts where a person gave it in other words; throws for one that cannot be used. */
  answer?(at: At<D>, question: Decision, given: Json): Promise<Json>;
  /** Its roles, with who plays each as the definition says. */
  roles?(definition: D): Readonly<Record<string, RoleBinding>>;
  /** Why a question is not open any more, where it was closed without an answer. */
  whyClosed?(at: At<D>, decision: string): Promise<string | undefined>;
  /** Opens again what failed in its parts that the run calls. `passed`: why what failed in one that the run has passed stays as it is. */
  reopen?(engine: EngineContext, caller: Caller, handle: RunHandle): Promise<{ readonly opened: number; readonly passed?: Error }>;
  /** Throws when no step that a note could wait for has this name. */
  checkAudience?(at: At<D>, target: string): Promise<void>;
  /** What a person should know as soon as this is written; `state` is that of before. */
  tells?(state: RunState, written: EventOf<"wrote">): readonly string[];
  /** Names of its state that only it reads: neither agents nor people have use for them. */
  readonly hides?: ReadonlySet<string>;
  /** Why agents may not write its state. */
  readonly fixedState?: { readonly code: string; readonly why: string };
  /** Code under which its leaves record a report that does not count. */
  readonly refusal?: string;
  /** It looks at the seals of its answers itself, and asks again where one is missing. In others such a run is stopped. */
  readonly checksSeals?: true;
}

export type Leaf = EffectLeaf<unknown> | ActionLeaf<unknown> | KernelLeaf;

type Of = Pick<RunHandle, "program" | "state">;

export type Leaves<D> = Readonly<Record<string, EffectLeaf<D> | ActionLeaf<D> | KernelLeaf>>;

/** Arguments of a block, before they are evaluated. */
export type LeafArgs = Readonly<Record<string, Expr>>;

/** What the engine does in the world. With `show` it can be handed to an agent where the engine cannot do it. */
export interface EffectLeaf<D> extends Partial<HandedOut<D>> {
  /** undefined when it was stopped before its end. */
  perform(job: EffectJob<D>): Promise<Performed | Settle | undefined>;
  /** What `allow` shows and a permission covers. Required: an empty list is a statement. */
  runs(args: LeafArgs): readonly Run[];
  /** What it runs beside that because the project's configuration says so. A permission covers it line by line, since its content is not the workflow's. */
  configured?(settings: Settings): readonly Run[];
  /** While it is open nothing is handed out: what is open now is about to be taken back. */
  readonly moves?: true;
  /** Only a run with a worktree of its own can do it. */
  readonly inWorktree?: true;
}

/** What is handed to an agent. */
export interface ActionLeaf<D> extends HandedOut<D> {
  /** What the engine itself starts for it; what an agent runs in its own client is allowed there. */
  runs(args: LeafArgs): readonly Run[];
  readonly perform?: never;
  readonly inWorktree?: never;
}

/** What the kernel does by itself, or asks of a person. */
export interface KernelLeaf {
  runs(args: LeafArgs): readonly Run[];
  readonly perform?: never;
  readonly show?: never;
  readonly continues?: never;
  readonly spoken?: never;
  readonly called?: never;
  readonly kind?: never;
  readonly inWorktree?: never;
}

/** How an open action is shown and its report is taken, on every surface. */
export interface HandedOut<D> {
  /** What to do, with what, and what the report must bring: its only wording. */
  show(at: At<D>, open: OpenAction): Shown | Promise<Shown>;
  /** What people call it, of its arguments, where the name of the step says nothing to them. */
  called?(args: JsonObject): string | undefined;
  /** What kind of step it is, where its own word is for the engine alone. */
  readonly kind?: string;
  /** True: it brings something back, also where nothing stores it. */
  readonly returns?: true;
  /** Fields that a report may carry beside result, status and error. */
  readonly fields?: readonly string[];
  /** Judges a report; throws what is wrong with it. undefined: the result counts as given. Runs nothing. */
  take?(at: At<D>, action: Action, report: GivenReport): Promise<Taken | undefined>;
  /**
   * Looks whether it is still to be done before it is handed out. An outcome: it is settled with that, and what follows is handed out. A change
   * alone: what is known of it is brought up to date. undefined: nothing happened to it.
   */
  overtaken?(at: At<D>, action: Action): Promise<Partial<Pick<Taken, "outcome" | "change">> | undefined>;
  /** Tool that its holder calls, beside those that every step needs. */
  readonly asks?: string;
  /** A driver reports it without asking an agent. The text, if there is one, is for the person. */
  alone?(action: Action): string;
  /** It takes a result that its holder stored itself in the same way as one that is reported. */
  readonly takesStored?: true;
  /** What a driven agent is asked, where it is not asked to read and report the step by our tools. */
  turn?(at: At<D>, open: OpenAction): TurnWish | Promise<TurnWish>;
  /** The role that does it. Each hand-out of a role is done in a conversation of its own, so that nobody reviews their own work. */
  role?(at: At<D>, action: Action): NamedRole | undefined;
  /** Of its arguments: a driven agent does it in a conversation that was begun before; what becomes of it where that is lost, if nobody chose that. */
  continues?(args: LeafArgs): "fail" | "replay" | undefined;
  /** What an agent says, as people see it, where it holds something that is for the engine alone. */
  spoken?(args: LeafArgs, text: string): string;
  /** What speaks against a report of success, once the engine has looked; `standing` is where the reporter is then. */
  denied?(at: At<D>, action: Action, standing: Standing | undefined): Promise<DeniedClaim | undefined>;
}

/** A report says that an item is done, and the engine finds otherwise: the item is open again, or failed after too many such reports. */
export interface DeniedClaim {
  readonly became: "open" | "failed";
  readonly item: JsonObject;
  readonly reason: string;
}

/** A role, with who plays it as the workflow says. */
export interface NamedRole extends RoleBinding {
  readonly name: string;
}

export interface OpenAction {
  readonly action: Action;
  /** Of an action that hands out tasks: those that are open. */
  readonly tasks?: readonly OpenTask[];
  /** It is shown to an agent that Waymark drives, which can read nothing outside the folder of the run. */
  readonly driven?: true;
}

/** A report as its leaf gets it. */
export interface GivenReport {
  readonly caller: Caller;
  readonly status?: "success" | "failed" | "skipped";
  readonly result?: Json;
  /** The result is what its holder wrote to the paths of the step. */
  readonly stored?: true;
  readonly error?: string;
  /** Of a failure: it is known to be one that may pass by itself. */
  readonly mayPass?: true;
  /** Values of the leaf's own fields. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface Taken {
  readonly outcome: Outcome;
  /** Decided together with the report. */
  readonly with?: readonly Input[];
  /** Changes of worklists that come with it. */
  readonly change?: (draft: Draft) => Promise<ItemsChange>;
  /** Why it does not count though it is recorded as a try; nothing when it counts. */
  readonly problems?: readonly string[];
  /** What the reply says beside what follows. */
  readonly said?: JsonObject;
}

export interface EffectJob<D> extends At<D> {
  readonly effect: Effect;
  readonly signal: AbortSignal;
  /** Another process began it and is gone. */
  readonly again: boolean;
}

/** Keeps what an effect left behind and says how it ended. Called again while the store cannot be written to. */
export type Settle = () => Promise<Performed>;

/** The `runs` of a leaf that starts nothing. */
export const nothing = (): readonly Run[] => [];

/** What the kernel does by itself. */
export const kernelLeaf: KernelLeaf = { runs: nothing };

/** What the dialects do in runs, each loaded with the first program that has a part of it. */
export type RuntimeLoaders = Readonly<Record<string, () => Promise<Runtime<unknown>>>>;

/** Everything that programs can ask for, by dialect. The name of a leaf is looked up in the dialect of the scope first, then among the core leaves. */
export class LeafTable {
  readonly #loaders: RuntimeLoaders;
  readonly #runtimes: Record<string, Runtime<unknown>> = {};
  readonly #core: Leaves<unknown>;

  constructor(loaders: RuntimeLoaders, core: Leaves<unknown>) {
    this.#loaders = loaders;
    this.#core = core;
  }

  /** Codes under which reports that do not count are recorded. */
  get refusals(): readonly string[] {
    return Object.values(this.#runtimes).flatMap(({ refusal }) => refusal ?? []);
  }

  /** Loads what the dialects of a program teach; all else here asks about programs that this was done for. */
  async load({ dialect, parts }: Program): Promise<void> {
    const wanted = new Set([dialect, ...Object.values(parts).map((part) => part.dialect)]);
    const missing = [...wanted].filter((name) => !Object.hasOwn(this.#runtimes, name));
    await Promise.all(
      missing.map(async (name) => {
        const runtime = await own(this.#loaders, name)?.();
        if (runtime !== undefined) this.#runtimes[name] = runtime;
      }),
    );
  }

  find(dialect: string, what: string): Leaf | undefined {
    const leaves = own(this.#runtimes, dialect)?.leaves ?? {};
    return own(leaves, what) ?? own(this.#core, what);
  }

  /** The leaf of an open action, with the scope that it is open in. */
  ofAction(
    engine: EngineContext,
    handle: RunHandle,
    action: Action,
  ): { readonly at: At<unknown>; readonly leaf: Partial<HandedOut<unknown>> } {
    const scope = handle.state.strands[action.strand]?.scope ?? mainScope;
    return { at: this.at(engine, handle, scope, action.strand), leaf: this.ofOpen(handle, action) ?? {} };
  }

  /** The leaf of an open effect or action, by the part that its strand is in. */
  ofOpen({ program, state }: Of, { strand, what }: Pick<Effect, "strand" | "what">): Leaf | undefined {
    const part = state.scopes[state.strands[strand]?.scope ?? ""]?.part ?? program.main;
    return this.find(program.parts[part]?.dialect ?? program.dialect, what);
  }

  /** Whether a jump is under way: what is open now is about to be taken back. */
  isMoving(handle: Of): boolean {
    return Object.values(handle.state.effects).some((effect) => {
      const leaf = this.ofOpen(handle, effect);
      return leaf?.perform !== undefined && leaf.moves === true;
    });
  }

  /** `strand`: whose folder it is, where that works apart from the others. */
  at(engine: EngineContext, handle: RunHandle, scope: string, strand?: string): At<unknown> {
    const part = handle.program.parts[handle.state.scopes[scope]?.part ?? handle.program.main];
    const definition = part === undefined ? undefined : own(this.#runtimes, part.dialect)?.decode(part.config);
    const apart = strand === undefined ? undefined : foldersOf(handle.state, strand).at(-1);
    const folder = apart ?? handle.state.options.folder ?? engine.host.workspace;
    return { engine: inFolder(engine, folder), handle, scope, definition, folder };
  }

  /** What the dialect of a scope teaches; undefined of one that needs nothing but the core leaves. */
  runtimeOf({ program, state }: Of, scope: string = mainScope): Runtime<unknown> | undefined {
    const part = program.parts[state.scopes[scope]?.part ?? program.main];
    return part === undefined ? undefined : own(this.#runtimes, part.dialect);
  }

  /** The roles that the parts of a program declare; of a name that several have, the main part's. */
  roles({ parts, main }: Program): Readonly<Record<string, RoleBinding>> {
    const declared = Object.entries(parts)
      .sort(([a], [b]) => Number(a === main) - Number(b === main))
      .map(([, { dialect, config }]) => {
        const runtime = own(this.#runtimes, dialect);
        return runtime?.roles?.(runtime.decode(config)) ?? {};
      });
    return Object.assign({}, ...declared) as Record<string, RoleBinding>;
  }

  /** What the dialects of the workflows that a program calls teach, each once. */
  called({ parts, main }: Program): readonly Runtime<unknown>[] {
    const dialects = Object.keys(parts).flatMap((name) => (name === main ? [] : (parts[name]?.dialect ?? [])));
    return [...new Set(dialects)].flatMap((dialect) => own(this.#runtimes, dialect) ?? []);
  }

  /** What the dialect of a scope tells a person of what is written there. */
  told(run: Of, event: Event): readonly string[] {
    return event.type === "wrote" ? (this.runtimeOf(run, event.scope)?.tells?.(run.state, event) ?? []) : [];
  }

  /** The state of a scope without what its dialect keeps for itself. */
  shownState(handle: Of, scope: string, flat: JsonObject): JsonObject {
    const hides = handle.state.scopes[scope] === undefined ? undefined : this.runtimeOf(handle, scope)?.hides;
    return hides === undefined ? flat : Object.fromEntries(Object.entries(flat).filter(([name]) => !hides.has(name)));
  }

  /** Keys of its inputs without which a program does not start, by input. */
  needs({ dialect, parts, main }: Program): Readonly<Record<string, readonly string[]>> {
    const runtime = own(this.#runtimes, dialect);
    const part = parts[main];
    return part === undefined ? {} : (runtime?.needs?.(runtime.decode(part.config)) ?? {});
  }

  /** Those of them that a person's request says. */
  said({ dialect, parts, main }: Program, request: string): Readonly<Record<string, JsonObject>> {
    const runtime = own(this.#runtimes, dialect);
    const part = parts[main];
    return part === undefined ? {} : (runtime?.said?.(runtime.decode(part.config), request) ?? {});
  }

  /** Lets dialects refuse a start before anything has begun. */
  async start(engine: EngineContext, beginning: Beginning, inputs: JsonObject): Promise<void> {
    const { program } = beginning;
    const runtime = own(this.#runtimes, program.dialect);
    const part = program.parts[program.main];
    if (part !== undefined) await runtime?.start?.(engine, runtime.decode(part.config), inputs);
    for (const { dialect, config } of Object.values(program.parts)) {
      const called = own(this.#runtimes, dialect);
      await called?.check?.(called.decode(config), engine, beginning);
    }
  }

  /** Problems of a loaded workflow, and of what it calls, that only a run would meet. */
  async problems({ parts }: Program, files: readonly SourceFile[]): Promise<readonly Diagnostic[]> {
    const found = Object.values(parts).map(async ({ dialect, config }) => {
      const runtime = own(this.#runtimes, dialect);
      return (await runtime?.problems?.(runtime.decode(config), files)) ?? [];
    });
    return (await Promise.all(found)).flat();
  }

  /** Every leaf of a program with its block, in the order of the blocks. Throws for one that nobody knows. */
  inProgram(program: Program): readonly { readonly leaf: Leaf; readonly block: DoBlock }[] {
    const dialects = dialectsOfBlocks(program);
    return Object.values(program.blocks).flatMap((block) => {
      if (block.kind !== "do") return [];
      const dialect = dialects.get(block.id) ?? program.dialect;
      const leaf = this.find(dialect, block.what);
      if (leaf === undefined || (block.who === "engine" && leaf.perform === undefined && opOf(block) === undefined))
        throw unknownLeaf({ program: program.name, dialect, what: block.what, block: block.id });
      return [{ leaf, block }];
    });
  }
}

/** The engine as a run sees it that works on another folder than the workspace. */
function inFolder(engine: EngineContext, folder: string): EngineContext {
  return folder === engine.host.workspace ? engine : { ...engine, host: { ...engine.host, workspace: folder } };
}

/** Whose part each block belongs to. */
function dialectsOfBlocks(program: Program): ReadonlyMap<BlockId, string> {
  const found = new Map<BlockId, string>();
  for (const { dialect, root, entries, onFailure } of Object.values(program.parts)) {
    const open = [root, ...Object.values(entries).map((entry) => entry.root), ...(onFailure?.body === undefined ? [] : [onFailure.body])];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const block: Block | undefined = program.blocks[id];
      if (block === undefined || found.has(id)) continue;
      found.set(id, dialect);
      open.push(...childBlocks(block));
    }
  }
  return found;
}
