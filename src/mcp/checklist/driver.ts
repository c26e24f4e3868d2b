import type { JsonObject } from "../../base/index.ts";
import type { CheckDescription } from "../../dialects/checklist/definition/index.ts";
import type { CheckAction } from "../../dialects/checklist/views/index.ts";
import type { ToolCall } from "../tool.ts";

/** Whose action it is: the worker's name comes back in every call. */
export interface Driver {
  readonly call: ToolCall;
  readonly worker?: string;
}

export function driverOf(call: ToolCall, worker: string | undefined): Driver {
  return worker === undefined ? { call } : { call, worker };
}

/** What every call of the driver names. */
export function sessionArguments({ worker }: Driver, run: string): JsonObject {
  return { run_id: run, ...(worker === undefined ? {} : { worker }) };
}

/** What an agent is told to do, and the checklist of the file it has in hand. */
export interface Shown {
  readonly action: CheckAction;
  readonly checklist: CheckDescription["checklist"];
  /** More for the data part of the action. */
  readonly extra?: JsonObject;
}
