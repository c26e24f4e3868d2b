import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Node has it, the compiler's library for Node does not. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };

/** A compiled module; threads share it without compiling again. */
export type CompiledEngine = object & { readonly kind?: never };

export interface EngineModule {
  readonly wasm: CompiledEngine;
  /** File address of the engine's JavaScript. */
  readonly address: string;
}

let compiled: Promise<EngineModule> | undefined;

/** Finds the engine beside this package, in source and bundled form alike, and compiles it once per process. */
export function loadEngine(): Promise<EngineModule> {
  compiled ??= compile();
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

async function compile(): Promise<EngineModule> {
  const { resolve } = createRequire(import.meta.url);
  const bytes = await readFile(resolve("quickjs-wasi/quickjs.wasm"));
  return { wasm: await WebAssembly.compile(bytes), address: pathToFileURL(resolve("quickjs-wasi")).href };
}
