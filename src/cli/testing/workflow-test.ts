import type { Json, JsonObject } from "../../base/index.ts";

/** A test file: one workflow and what is tried with it. */
export interface TestFile {
  readonly path: string;
  /** Name of the workflow, or a path (with `/` or an ending) from the test file on. */
  readonly workflow: string;
  readonly tests: readonly WorkflowTest[];
}

export interface WorkflowTest {
  readonly name: string;
  readonly inputs: JsonObject;
  readonly serial: boolean;
  /** What is handed out, in order. */
  readonly steps: readonly ScriptedStep[];
  /** Answers by step id, used whenever `steps` does not name the step next. */
  readonly answers: JsonObject;
  /** Replies of commands by what their lines match, in turn; the last one repeats. */
  readonly commands: Readonly<Record<string, readonly CommandReply[]>>;
  /** Replies of tools the engine calls itself; other tool calls are handed out. */
  readonly tools: Readonly<Record<string, readonly ToolReply[]>>;
  /** Run commands for real. */
  readonly execute: boolean;
  /** Messages must be named in `steps` or `answers` too. */
  readonly strict: boolean;
  readonly status: "completed" | "failed" | "cancelled" | "running";
  /** By path. */
  readonly state: JsonObject;
  /** Part of the run's error message, its code, or a pattern. */
  readonly error?: string;
  readonly messages?: readonly Json[];
  /** Command lines that were run, in order. */
  readonly ran?: readonly Json[];
}

export interface ScriptedStep {
  readonly step?: string;
  readonly type?: string;
  readonly task?: string;
  /** Part of what is handed out with the step: its definition, `instructions`. */
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
