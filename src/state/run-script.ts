import type { AnyNode } from "acorn";
import type { Json } from "../base/index.ts";
import { analyse, editText, type Analysis, type Edit } from "./analyse.ts";
import type { StateCode } from "./codes.ts";
import type { FreeReference } from "./free-names.ts";
import type { Names } from "./names.ts";
import { plainCode } from "./plain-operators.ts";
import type { Functions, Read, Runner } from "./runner.ts";

/** Why an expression has no value. */
export class Unusable extends Error {
  readonly code: StateCode;
  /** A property of nothing was read. */
  readonly nothing: boolean;
  /** Another try of the same step would fail in the same way. */
  readonly final: boolean;

  constructor(
    code: StateCode,
    message: string,
    { nothing = false, final = false }: { readonly nothing?: boolean; readonly final?: boolean } = {},
  ) {
    super(message);
    this.code = code;
    this.nothing = nothing;
    this.final = final;
  }
}

/** What a script is run with. */
export interface ScriptWork {
  /** Made when the first name is read. */
  names(): Names;
  readonly functions: Functions;
  readonly runner: Runner;
  readonly run: string;
}

export function analysisOf(js: string): Analysis {
  const analysed = analyse(js);
  if ("error" in analysed) throw new Unusable("EXPRESSION_SYNTAX", `\`${js.trim()}\`: ${analysed.error.message}.`);
  return analysed;
}

/** With `judge` only truth comes back, as JavaScript sees it: not every value survives as JSON. */
export async function runJs(work: ScriptWork, analysis: Analysis, source: string, judge = false): Promise<Json> {
  const prepared = prepareCode(analysis, work.names().spaces);
  const bindings: Record<string, Json> = {};
  for (const read of prepared.reads) {
    const value = work.names().bound(read);
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
  for (const key of keys) work.names().warnKey(key);
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
    { nothing },
  );
}

/** Code made ready for the runner. */
interface PreparedCode {
  /** Body of a function; its parameters are the `bind` names, and those of `now` and `uuid` when it uses them. */
  readonly code: string;
  readonly reads: readonly Read[];
  readonly usesNow: boolean;
  readonly usesUuid: boolean;
  /** The code reads by keys that may need their `path_to_key` form. */
  readonly fallsBack: boolean;
}

/** Names inside prepared code that are the engine's own. */
export const nowName = "__waymark_now";
export const uuidName = "__waymark_uuid";
const readName = "__waymark_read";
const keysName = "__waymark_keys";

const prepared = new WeakMap<Analysis, Map<string, PreparedCode>>();

/**
 * Names in `spaces` are groups of values that never lack (the tiers, inputs, results of calls): a fixed property of one
 * becomes a value of its own, so that using `raw.files` does not send all of `raw`. Reads by a variable key get the
 * `path_to_key` fallback. Everything else stays as the author wrote it.
 */
export function prepareCode(analysis: Analysis, spaces: readonly string[]): PreparedCode {
  const variants = prepared.get(analysis) ?? new Map<string, PreparedCode>();
  prepared.set(analysis, variants);
  const key = analysis.names.filter((name) => spaces.includes(name)).join(",");
  const made = variants.get(key) ?? prepare(analysis, new Set(spaces));
  variants.set(key, made);
  return made;
}

function prepare({ text, free, edits }: Analysis, spaces: ReadonlySet<string>): PreparedCode {
  const changes: Edit[] = [...edits];
  const reads = new Map<string, Read>();
  let fallsBack = false;
  const called = new Set(free.filter(isEngineCall).map(({ name }) => name));
  // A group that is also used as a whole, or written to, is one value: otherwise its parts would not be the same as those.
  const whole = new Set(free.filter((reference) => fixedProperty(reference) === undefined).map(({ name }) => name));
  for (const reference of free) {
    const { name } = reference;
    if (called.has(name)) continue;
    const key = spaces.has(name) && !whole.has(name) ? fixedProperty(reference) : undefined;
    const read = key === undefined ? { bind: name, name } : { bind: bindingOf(name, key.name), name, key: key.name };
    if (!reads.has(read.bind)) reads.set(read.bind, read);
    if (key !== undefined) changes.push({ start: key.node.start, end: key.node.end, text: read.bind });
    const guarded = keyedReads(text, reference);
    fallsBack ||= guarded.length > 0;
    changes.push(...guarded);
  }
  const uses = { usesNow: called.has("now"), usesUuid: called.has("uuid"), fallsBack };
  return { code: wrap(editText(text, changes), uses), reads: [...reads.values()], ...uses };
}

/** One name for each property, whichever code it is in. */
function bindingOf(name: string, key: string): string {
  return `__waymark_of_${name}_${key.replaceAll(/[^A-Za-z0-9]/g, (char) => `$${char.charCodeAt(0).toString(16)}$`)}`;
}

/** A call of the engine's own `now` or `uuid`; a value of the same name is not called. */
export function isEngineCall({ name, node, around }: FreeReference): boolean {
  const parent = around.at(-1);
  return (name === "now" || name === "uuid") && parent?.type === "CallExpression" && parent.callee === node;
}

/** The property that is read of a name right there, when it is known from the text. */
function fixedProperty({ node, around }: FreeReference): { readonly name: string; readonly node: AnyNode } | undefined {
  const parent = around.at(-1);
  if (parent?.type !== "MemberExpression" || parent.object !== node || isTarget(parent, around.slice(0, -1))) return undefined;
  const { property } = parent;
  if (!parent.computed) return property.type === "Identifier" ? { name: property.name, node: parent } : undefined;
  return property.type === "Literal" && typeof property.value === "string" ? { name: property.value, node: parent } : undefined;
}

/** Edits that guard `name[key]`, `name.list[key]` and the like, where the key is a variable or a path. */
function keyedReads(text: string, { node, around }: FreeReference): Edit[] {
  const edits: Edit[] = [];
  let inner: AnyNode = node;
  for (let depth = around.length - 1; depth >= 0; depth--) {
    const member = around[depth]!;
    if (member.type !== "MemberExpression" || member.object !== inner || member.optional) break;
    if (member.computed && isPath(member.property) && !isTarget(member, around.slice(0, depth)) && !isCalled(member, around[depth - 1])) {
      const open = text.slice(inner.end, member.property.start).trim() === "[";
      const close = text.slice(member.property.end, member.end).trim() === "]";
      if (!open || !close) break;
      edits.push({ start: member.start, end: member.start, text: `${readName}(`, rank: member.end });
      edits.push({ start: inner.end, end: member.property.start, text: ", " });
      edits.push({ start: member.property.end, end: member.end, text: ")" });
    }
    inner = member;
  }
  return edits;
}

function isPath(node: AnyNode): boolean {
  return node.type === "Identifier" || (node.type === "MemberExpression" && !node.computed && !node.optional && isPath(node.object));
}

function isCalled(node: AnyNode, parent: AnyNode | undefined): boolean {
  return (
    (parent?.type === "CallExpression" && parent.callee === node) || (parent?.type === "TaggedTemplateExpression" && parent.tag === node)
  );
}

/** Whether a member is written, deleted or taken apart rather than read. */
function isTarget(node: AnyNode, around: readonly AnyNode[]): boolean {
  const parent = around.at(-1);
  switch (parent?.type) {
    case "AssignmentExpression":
    case "AssignmentPattern":
    case "ForInStatement":
    case "ForOfStatement":
      return parent.left === node;
    case "UpdateExpression":
    case "ArrayPattern":
    case "RestElement":
      return true;
    case "UnaryExpression":
      return parent.operator === "delete";
    case "Property":
      return around.at(-2)?.type === "ObjectPattern" && parent.value === node;
    case "ParenthesizedExpression":
    case "ChainExpression":
      return isTarget(parent, around.slice(0, -1));
    default:
      return false;
  }
}

/** Puts the engine's own functions in front of code that uses them. */
function wrap(code: string, { usesNow, usesUuid, fallsBack }: Pick<PreparedCode, "usesNow" | "usesUuid" | "fallsBack">): string {
  const now = usesNow ? `const now = () => ${nowName};\n` : "";
  const uuid = usesUuid
    ? `let ${uuidName}_n = 0; const uuid = () => ${uuidName}.slice(0, -12) + ((parseInt(${uuidName}.slice(-12), 16) + ${uuidName}_n++) % 2 ** 48).toString(16).padStart(12, "0");\n`
    : "";
  if (!fallsBack) return `${now}${uuid}${code}`;
  return `${now}${uuid}const ${keysName} = [];
const ${readName} = (of, key) => {
  if (typeof key === "string" && typeof of === "object" && of !== null && !Object.hasOwn(of, key)) {
    const short = key.replace(/[^A-Za-z0-9_$]/g, "_");
    if (short !== key && Object.hasOwn(of, short)) { if (!${keysName}.includes(key)) ${keysName}.push(key); return of[short]; }
  }
  return of[key];
};
const ${keysName}_value = (() => {\n${code}\n})();
return ${keysName}_value instanceof Promise ? ${keysName}_value : [${keysName}_value, ${keysName}];`;
}
