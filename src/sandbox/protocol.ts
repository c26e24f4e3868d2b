import type { layout } from "./exchange.ts";

/**
 * A value that the worker keeps for later calls. `text`: JSON text, parsed again by each call (small values). `json` and
 * `string`: kept inside the interpreter of its space, parsed once.
 */
export interface KeptValue {
  readonly id: number;
  readonly as: "text" | "json" | "string";
  readonly body: string;
}

/**
 * One call. The host sends the next one only after the reply, so both sides always agree on what is kept.
 * A tuple, because copying the names of fields would be a tenth of the cost of a small call.
 */
export type CallMessage = readonly [
  space: string,
  code: string,
  /** Parameter names with commas between them. */
  names: string,
  /** JSON text of the list of values; or one entry per name, JSON text or the id of a kept value. */
  values: string | readonly (string | number)[],
  /** The call refers to a value inside the interpreter of its space. */
  rooted: boolean,
  timeMs: number,
  memoryBytes: number,
  /** Absent when nothing changes: most calls. */
  changes?: KeptChanges,
];

/** What the worker takes over and gives up before the call. */
export interface KeptChanges {
  readonly keep: readonly KeptValue[];
  readonly dropTexts: readonly number[];
  /** Values inside the interpreter of this space. */
  readonly drop: readonly number[];
  /** Spaces whose interpreter with kept values is closed. */
  readonly close: readonly string[];
}

/**
 * `outcome` says how a call ended, as a letter and what follows it: V the value as JSON, S a syntax error, T a thrown error,
 * R a result that JSON cannot carry, M out of memory, L too late, X a failure of the interpreter itself. `lost`: the
 * interpreter of the space was thrown away, and with it the values inside it.
 */
export type CallReply = readonly [outcome: string, ms: number, lost: boolean];

/** The worker's first message says that it is ready, every other one that a call is answered: in the exchange, or right here. */
export type WorkerMessage = "ready" | "answered" | CallReply;

export type Layout = typeof layout;

/** A compiled module; threads share it without compiling again. */
export type CompiledEngine = object & { readonly kind?: never };

/** What the worker is started with. */
export interface WorkerSetup {
  readonly wasm: CompiledEngine;
  /** File address of the engine's module. */
  readonly engine: string;
  /** Text of the functions that live inside the interpreter. */
  readonly guest: string;
  readonly memoryBytes: number;
  /** Interpreters kept warm for calls without kept values. */
  readonly spaces: number;
  /** The memory of the exchange. */
  readonly shared: SharedArrayBuffer;
  readonly layout: Layout;
  /** How long the worker looks for a call before it sleeps: after an answer that the host looked for, and when woken for none. */
  readonly lingerMs: { readonly answered: number; readonly woken: number };
}
