import type { Json, JsonObject } from "../base/index.ts";
import { analyse } from "./analyse.ts";
import type { Runner } from "./runner.ts";

export interface TransformationTest {
  readonly success: boolean;
  readonly output?: Json;
  readonly error?: string;
  readonly execution_time_ms: number;
}

/** Runs a transformation in the sandbox without touching any run. */
export async function testTransformation(
  { sandbox }: { readonly sandbox: Runner },
  transform: string,
  input: Json,
  names: JsonObject = {},
): Promise<TransformationTest> {
  const analysed = analyse(transform);
  if ("error" in analysed) {
    const { message, line, column } = analysed.error;
    return { success: false, error: `${message} (line ${line}, column ${column})`, execution_time_ms: 0 };
  }
  const bindings: Record<string, Json> = {};
  for (const name of analysed.names) bindings[name] = Object.hasOwn(names, name) ? (names[name] ?? null) : null;
  const result = await sandbox.evaluate({ space: "test", code: analysed.code, bindings: { ...bindings, input } });
  const outcome = result.ok ? { success: true, output: result.value } : { success: false, error: result.message };
  return { ...outcome, execution_time_ms: result.ms };
}
