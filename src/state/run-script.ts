import type { Json } from "../base/index.ts";
import { analyse, type Analysis } from "./analyse.ts";
import type { StateCode } from "./codes.ts";
import type { Functions } from "./computed-fields.ts";
import type { Names } from "./names.ts";
import { plainCode } from "./plain-operators.ts";
import { nowName, prepareCode, uuidName, type PreparedCode } from "./prepare-code.ts";
import type { Runner } from "./runner.ts";
import { isBad, parseTemplate } from "./template.ts";

/** Why an expression has no value. */
export class Unusable extends Error {
  readonly code: StateCode;
  /** A property of nothing was read. */
  readonly nothing: boolean;

  constructor(code: StateCode, message: string, nothing = false) {
    super(message);
    this.code = code;
    this.nothing = nothing;
  }
}

/** What a script is run with. */
export interface ScriptWork {
  readonly names: Names;
  readonly functions: Functions;
  readonly runner: Runner;
  readonly run: string;
}

/** Bare JavaScript as it is, also where braces in it look like a template; else with the holes as what they hold. */
export function scriptOf(text: string): string {
  if (!text.includes("{{") || !("error" in analyse(text))) return text;
  const bad = parseTemplate(text).find(isBad);
  if (bad !== undefined) throw new Unusable("EXPRESSION_SYNTAX", `\`${bad.text}\`: ${bad.problem}`);
  return bareScript(text);
}

export function bareScript(text: string): string {
  return parseTemplate(text)
    .map((part) => (typeof part === "string" ? part : `(${part.source})`))
    .join("");
}

export function analysisOf(js: string): Analysis {
  const analysed = analyse(js);
  if ("error" in analysed) throw new Unusable("EXPRESSION_SYNTAX", `\`${js.trim()}\`: ${analysed.error.message}.`);
  return analysed;
}

/** With `judge` only truth comes back, as JavaScript sees it: not every value survives as JSON. */
export async function runJs(work: ScriptWork, analysis: Analysis, source: string, judge = false): Promise<Json> {
  const prepared = prepareCode(analysis, work.names.spaces);
  const bindings: Record<string, Json> = {};
  for (const read of prepared.reads) {
    const value = work.names.bound(read);
    bindings[read.bind] = value instanceof Promise ? await value : value;
  }
  if (prepared.usesNow) bindings[nowName] = work.functions.now();
  if (prepared.usesUuid) bindings[uuidName] = work.functions.uuid();
  const plain = prepared.fallsBack ? undefined : plainCode(prepared.code)?.(bindings);
  if (plain !== undefined) return judge ? Boolean(plain.value) : asJson(plain.value);
  const result = await work.runner.evaluate({ space: work.run, code: judge ? judging(prepared) : prepared.code, bindings });
  if (!result.ok) throw failure(source, result);
  if (!prepared.fallsBack) return result.value;
  const [value = null, keys = []] = result.value as readonly [Json?, (readonly string[])?];
  for (const key of keys) work.names.warnKey(key);
  return value;
}

/** As the sandbox gives it: what JSON cannot hold is null, and there is one zero. */
function asJson(value: Json | undefined): Json {
  if (typeof value !== "number") return value ?? null;
  return value === 0 ? 0 : Number.isFinite(value) ? value : null;
}

function judging({ code, fallsBack }: PreparedCode): string {
  return fallsBack
    ? `const __waymark_j=(function(){${code}\n})();return [!!__waymark_j[0],__waymark_j[1]];`
    : `return !!(function(){${code}\n})();`;
}

function failure(source: string, { code, message }: { readonly code: string; readonly message: string }): Unusable {
  const limit = code === "SANDBOX_TIMEOUT" || code === "SANDBOX_MEMORY";
  const nothing = code === "SANDBOX_THROWN" && /^TypeError: cannot read property .* of (?:null|undefined)$/.test(message);
  return new Unusable(
    limit ? "EXPRESSION_LIMIT" : code === "SANDBOX_SYNTAX" ? "EXPRESSION_SYNTAX" : "EXPRESSION_FAILED",
    `\`${source.trim().slice(0, 200)}\` failed: ${message}`,
    nothing,
  );
}
