import { hasType, isList, nearest, type Json, type JsonObject } from "../base/index.ts";
import type { InputSpec } from "../program/index.ts";
import { testPattern, type Runner } from "./runner.ts";

/** Inputs with defaults filled in and types checked, and every problem. Text is taken for numbers, flags, lists and objects. */
export async function checkInputs(
  runner: Runner,
  specs: Readonly<Record<string, InputSpec>>,
  given: JsonObject,
): Promise<{ readonly inputs: JsonObject; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const inputs: Record<string, Json> = {};
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(specs, name)) continue;
    const [near] = nearest(name, Object.keys(specs));
    problems.push(`\`${name}\` is not an input${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`);
  }
  for (const [name, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (spec.default !== undefined) inputs[name] = spec.default;
      else if (spec.required) problems.push(`\`${name}\` (${spec.type}) is required`);
      continue;
    }
    const fitted = fit(value, spec.type);
    if (fitted === undefined)
      problems.push(
        `\`${name}\` must be ${article(spec.type)} ${spec.type}${spec.secret === true ? "" : `, not ${JSON.stringify(value).slice(0, 60)}`}`,
      );
    else {
      inputs[name] = fitted;
      problems.push(...(await breaches(runner, name, spec, fitted)));
    }
  }
  return { inputs, problems };
}

/** The value in the declared type, or undefined. Clients often send everything as text. */
function fit(value: Json, type: InputSpec["type"]): Json | undefined {
  if (typeof value === "string" && type !== "string" && type !== "any") {
    try {
      return fit(JSON.parse(value) as Json, type);
    } catch {
      return undefined;
    }
  }
  return hasType(value, type) ? value : undefined;
}

async function breaches(runner: Runner, name: string, spec: InputSpec, value: Json): Promise<string[]> {
  const rule = spec.validation;
  if (rule === undefined) return [];
  const say = (why: string): string => `\`${name}\` ${rule.message ?? why}`;
  const found: string[] = [];
  if (rule.enum !== undefined && !rule.enum.some((entry) => JSON.stringify(entry) === JSON.stringify(value)))
    found.push(
      say(
        spec.secret === true
          ? "is not one of the values it may have"
          : `must be one of ${rule.enum.map((entry) => JSON.stringify(entry)).join(", ")}`,
      ),
    );
  const size = typeof value === "number" ? value : typeof value === "string" || isList(value) ? value.length : undefined;
  if (rule.min !== undefined && size !== undefined && size < rule.min) found.push(say(`must be at least ${rule.min}`));
  if (rule.max !== undefined && size !== undefined && size > rule.max) found.push(say(`must be at most ${rule.max}`));
  if (rule.pattern !== undefined) {
    const tested = await testPattern(runner, rule.pattern, typeof value === "string" ? value : JSON.stringify(value));
    if (!tested.ok) found.push(say(`cannot be checked: ${tested.message}`));
    else if (!tested.matches) found.push(say(`must match \`${rule.pattern}\``));
  }
  return found;
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? "an" : "a";
}
