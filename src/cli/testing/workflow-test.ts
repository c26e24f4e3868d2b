import type { Json, JsonObject } from "../../base/index.ts";

/** A test file: one workflow and what is tried with it. */
export interface TestFile {
  readonly path: string;
  /** Name of the workflow, or a path (with `/` or an ending) from the test file on. */
  readonly workflow: string;
  readonly tests: readonly WorkflowTest[];
}

/** One test; `test-keys.ts` says what each key means. */
export interface WorkflowTest {
  readonly name: string;
  readonly inputs: JsonObject;
  readonly serial: boolean;
  readonly steps: readonly ScriptedStep[];
  readonly answers: JsonObject;
  /** In turn; the last one repeats. */
  readonly commands: Readonly<Record<string, readonly CommandReply[]>>;
  readonly tools: Readonly<Record<string, readonly ToolReply[]>>;
  /** The script of an agent: a path, or the script itself. */
  readonly agent?: Json;
  readonly folder?: string;
  readonly files?: JsonObject;
  readonly execute: boolean;
  readonly strict: boolean;
  readonly status: "completed" | "failed" | "cancelled" | "running";
  readonly state: JsonObject;
  readonly error?: string;
  readonly messages?: readonly Json[];
  readonly ran?: readonly Json[];
}

export interface ScriptedStep {
  readonly step?: string;
  readonly type?: string;
  readonly task?: string;
  readonly expect?: JsonObject;
  readonly answer?: Json;
  readonly fail?: string;
}

export interface CommandReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly timeout: boolean;
}

export type ToolReply = { readonly result: Json } | { readonly error: string };
