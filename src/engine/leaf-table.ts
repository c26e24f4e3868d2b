import { own, type Diagnostic, type JsonObject } from "../base/index.ts";
import { mainScope, type Action, type Effect } from "../kernel/index.ts";
import { childBlocks, opOf, type Block, type BlockId, type DoBlock, type Program } from "../program/index.ts";
import type { SourceFile } from "../ports/index.ts";
import { unknownLeaf } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";
import type { At, DialectTable, HandedOut, Leaf, Leaves, Runtime } from "./runtime.ts";

/** All dialects the engine knows. The name of a leaf is looked up in the dialect of the scope first, then among the core leaves. */
export class LeafTable implements DialectTable {
  readonly #runtimes: Readonly<Record<string, Runtime<unknown>>>;
  readonly #core: Leaves<unknown>;
  readonly refusals: readonly string[];

  constructor(runtimes: Readonly<Record<string, Runtime<unknown>>>, core: Leaves<unknown>) {
    this.#runtimes = runtimes;
    this.#core = core;
    this.refusals = Object.values(runtimes).flatMap(({ refusal }) => refusal ?? []);
  }

  find(dialect: string, what: string): Leaf | undefined {
    const leaves = own(this.#runtimes, dialect)?.leaves ?? {};
    return own(leaves, what) ?? own(this.#core, what);
  }

  ofAction(
    engine: EngineContext,
    handle: RunHandle,
    action: Action,
  ): { readonly at: At<unknown>; readonly leaf: Partial<HandedOut<unknown>> } {
    const scope = handle.state.strands[action.strand]?.scope ?? mainScope;
    return { at: this.at(engine, handle, scope), leaf: this.ofOpen(handle, action) ?? {} };
  }

  ofOpen({ program, state }: Pick<RunHandle, "program" | "state">, { strand, what }: Pick<Effect, "strand" | "what">): Leaf | undefined {
    const part = state.scopes[state.strands[strand]?.scope ?? ""]?.part ?? program.main;
    return this.find(program.parts[part]?.dialect ?? program.dialect, what);
  }

  isMoving(handle: Pick<RunHandle, "program" | "state">): boolean {
    return Object.values(handle.state.effects).some((effect) => {
      const leaf = this.ofOpen(handle, effect);
      return leaf?.perform !== undefined && leaf.moves === true;
    });
  }

  at(engine: EngineContext, handle: RunHandle, scope: string): At<unknown> {
    const part = handle.program.parts[handle.state.scopes[scope]?.part ?? handle.program.main];
    const definition = part === undefined ? undefined : own(this.#runtimes, part.dialect)?.decode(part.config);
    return { engine, handle, scope, definition, folder: engine.host.workspace };
  }

  runtimeOf({ program, state }: Pick<RunHandle, "program" | "state">, scope: string = mainScope): Runtime<unknown> | undefined {
    const part = program.parts[state.scopes[scope]?.part ?? program.main];
    return part === undefined ? undefined : own(this.#runtimes, part.dialect);
  }

  called({ parts, main }: Program): readonly Runtime<unknown>[] {
    const dialects = Object.keys(parts).flatMap((name) => (name === main ? [] : (parts[name]?.dialect ?? [])));
    return [...new Set(dialects)].flatMap((dialect) => own(this.#runtimes, dialect) ?? []);
  }

  shownState(handle: Pick<RunHandle, "program" | "state">, scope: string, flat: JsonObject): JsonObject {
    const hides = handle.state.scopes[scope] === undefined ? undefined : this.runtimeOf(handle, scope)?.hides;
    return hides === undefined ? flat : Object.fromEntries(Object.entries(flat).filter(([name]) => !hides.has(name)));
  }

  async start(engine: EngineContext, program: Program, inputs: JsonObject): Promise<void> {
    const runtime = own(this.#runtimes, program.dialect);
    const part = program.parts[program.main];
    if (part !== undefined) await runtime?.start?.(engine, runtime.decode(part.config), inputs);
    for (const { dialect, config } of Object.values(program.parts)) {
      const called = own(this.#runtimes, dialect);
      await called?.check?.(called.decode(config));
    }
  }

  async problems({ parts }: Program, files: readonly SourceFile[]): Promise<readonly Diagnostic[]> {
    const found = Object.values(parts).map(async ({ dialect, config }) => {
      const runtime = own(this.#runtimes, dialect);
      return (await runtime?.problems?.(runtime.decode(config), files)) ?? [];
    });
    return (await Promise.all(found)).flat();
  }

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
