import type { Json, JsonObject } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import { jsonOrText, keyValue, parseJsonObject } from "./parse-values.ts";
import type { Session } from "./session.ts";

export interface InputOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
}

/**
 * Inputs from a file, overlaid by single ones. A single one is text where the workflow declares text, and JSON elsewhere when it is
 * JSON; the engine checks and names every problem.
 */
export async function parseInputs(session: Session, context: EngineContext, workflow: string, options: InputOptions): Promise<JsonObject> {
  const file =
    options.inputs === undefined ? {} : parseJsonObject(await session.readGiven(options.inputs, "--inputs"), `\`${options.inputs}\``);
  const single = (options.input ?? []).map((text) => keyValue(text, "--input"));
  if (single.length === 0) return file;
  const { program } = await context.catalog.load(workflow);
  const specs = program?.parts[program.main]?.inputs ?? {};
  const given: Record<string, Json> = Object.fromEntries(Object.entries(file));
  for (const [name, text] of single) {
    const isText = Object.hasOwn(specs, name) && specs[name]?.type === "string";
    Object.defineProperty(given, name, { value: isText ? text : jsonOrText(text), enumerable: true, writable: true, configurable: true });
  }
  return given;
}
