import type { JsonObject } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import type { Dialect, Explanation } from "./dialect.ts";

/** What a program does, in the way of the dialect of its main part. Undefined when no dialect of the list can say it. */
export function explainProgram(program: Program, dialects: readonly Dialect[], inputs: JsonObject = {}): Explanation | undefined {
  const own = dialects.find(({ name }) => name === program.parts[program.main]?.dialect);
  const explain = own?.explain ?? dialects.find(({ owns }) => owns === undefined)?.explain;
  return explain?.(program, inputs);
}
