import type { Json } from "../base/index.ts";

export interface SandboxLimits {
  readonly timeMs: number;
  readonly memoryBytes: number;
}

/**
 * One piece of JavaScript and the names it may see. `code` is the body of a function whose parameters are the names of
 * `bindings`; it returns the result. Values are immutable: the same object again is not copied again.
 */
export interface SandboxRequest {
  /** Requests of one space may share an interpreter; requests of different spaces never do. */
  readonly space: string;
  readonly code: string;
  readonly bindings: Readonly<Record<string, Json>>;
  readonly limits?: Partial<SandboxLimits>;
}

/** `undefined` and functions come back as null, NaN as null, dates as text, as JSON does. */
export type SandboxResult =
  | { readonly ok: true; readonly value: Json; readonly ms: number }
  | {
      readonly ok: false;
      readonly code: "SANDBOX_TIMEOUT" | "SANDBOX_MEMORY" | "SANDBOX_THROWN" | "SANDBOX_SYNTAX" | "SANDBOX_RESULT";
      readonly message: string;
      readonly ms: number;
    };

/** Expressions of untrusted authors: no host, no clock, no dice, limits that hold. Never rejects for what the code does. */
export interface Sandbox {
  evaluate(request: SandboxRequest): Promise<SandboxResult>;
  /** How many values were sent into the sandbox and how many calls were made; for tests and benches. */
  stats(): { readonly calls: number; readonly valuesSent: number; readonly bytesSent: number; readonly restarts: number };
  close(): Promise<void>;
}
