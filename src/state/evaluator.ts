import { forbiddenKeys, isList, isObject, own, splitPath, textOf, type Json, type JsonObject } from "../base/index.ts";
import type { RunState, Warning } from "../kernel/index.ts";
import type { Expr, FilledExpr, PlainExpr, Program } from "../program/index.ts";
import { ComputedFields, initialTiers, type OpeningScope, type Tiers } from "./computed-fields.ts";
import { fillCommand, fillPlaceholders, placeholdersIn } from "./placeholders.ts";
import { Names, NothingThere, flatScope, keyClash, scopePath, type KeyOrigins, type RunScope } from "./names.ts";
import { Unusable, analysisOf, runJs, type ScriptWork } from "./run-script.ts";
import type { EvaluateRequest, Evaluated, FieldTrace, Runner } from "./runner.ts";
import { renderCommand, type CommandPart } from "./shell-words.ts";
import {
  applyFilter,
  hasTemplates,
  isBad,
  parseTemplate,
  scriptOf,
  soleHole,
  type Hole,
  type HoleValue,
  type TemplatePart,
} from "./template.ts";

type Verified = { readonly ok: true } | { readonly ok: false; readonly field: string; readonly message: string };

export interface Evaluator {
  evaluate(request: EvaluateRequest): Promise<Evaluated>;
  flat(program: Program, run: string, scopes: RunState["scopes"], scope: string): Promise<JsonObject>;
  read(program: Program, run: string, scopes: RunState["scopes"], scope: string, paths: readonly string[]): Promise<JsonObject>;
  initialise(request: OpeningScope): Promise<Tiers>;
  verify(run: string, program: Program, scopes: RunState["scopes"], scope: string): Promise<Verified>;
  /** Something about the run is about to be decided: if that needed the runner last time, it probably does again. */
  expect(run: string): void;
  forget(run: string): void;
  stats(): { readonly computations: number };
}

export function createEvaluator(options: { readonly runner: Runner; readonly onTrace?: (trace: FieldTrace) => void }): Evaluator {
  /** Runs that needed the runner since they were expected. */
  const needed = new Set<string>();
  const runner: Runner = { evaluate: (request) => (needed.add(request.space), options.runner.evaluate(request)) };
  const fields = new ComputedFields(runner, options.onTrace);
  const written: Written = new Map();
  return {
    evaluate: (request) => evaluateAll(runner, fields, request, written),
    flat: (program, run, scopes, scope) => flatScope({ place: { run, program, scopes, scope }, fields, above: [] }),
    read: (...[program, run, scopes, scope, paths]) => readAll({ run, program, scopes, scope }, fields, paths),
    initialise: (request) => initialTiers(fields, request, (needed) => evaluateAll(runner, fields, needed, new Map())),
    verify: (run, program, scopes, scope) => verify({ run, program, scopes, scope }, fields),
    expect: (run) => void (needed.delete(run) && options.runner.expect?.()),
    forget: (run) => (needed.delete(run), written.delete(run), fields.forget(run)),
    stats: () => ({ computations: fields.computations }),
  };
}

interface Work extends ScriptWork {
  readonly place: RunScope;
  readonly keys: KeyOrigins;
  readonly replaced: Record<string, Json>;
}

type Written = KeyOrigins["written"];

async function evaluateAll(runner: Runner, fields: ComputedFields, request: EvaluateRequest, written: Written): Promise<Evaluated> {
  const { run, program, scopes, scope, locals, globals, functions } = request;
  const place = { run, program, scopes, scope };
  const warnings: Warning[] = [];
  let names: Names | undefined;
  // Most expressions of a plain step are texts that read nothing.
  const readNames = (): Names => (names ??= new Names({ place, fields }, locals, globals, warnings));
  const work: Work = { runner, names: readNames, functions, run, place, keys: { written, together: new Map() }, replaced: {} };
  const values: Record<string, Json> = {};
  try {
    for (const [key, expr] of Object.entries(request.exprs)) {
      values[key] = await evaluateOne(work, expr);
      if (request.first === true && values[key] === true) break;
    }
    return { ok: true, values, replaced: work.replaced, warnings };
  } catch (error) {
    if (error instanceof Unusable)
      return { ok: false, code: error.code, message: error.message, ...(error.final ? { final: true } : {}), warnings };
    if (error instanceof NothingThere) return { ok: false, code: "EXPRESSION_FAILED", message: `${error.message}.`, warnings };
    throw error;
  }
}

function evaluateOne(work: Work, expr: Expr): Promise<Json> {
  if (expr.as === "filled") return filled(work, expr);
  return (evaluators[expr.as] as (work: Work, of: Json) => Promise<Json>)(work, expr.of);
}

const evaluators: { readonly [K in PlainExpr["as"]]: (work: Work, of: Extract<PlainExpr, { readonly as: K }>["of"]) => Promise<Json> } = {
  value: valueTree,
  text: renderText,
  command,
  path,
  condition,
  js: (work, js) => runJs(work, analysisOf(js), js),
};

/** Only what the text names is evaluated. */
async function filled(work: Work, { of, with: given, needs = {}, quote }: FilledExpr): Promise<string> {
  const values: Record<string, Json> = {};
  for (const name of placeholdersIn(of, Object.keys(given))) {
    const expr = own(given, name);
    if (expr === undefined) continue;
    const value = await evaluateOne(work, expr);
    const missing = own(needs, name);
    if (value === null && missing !== undefined) throw new Unusable("EXPRESSION_FAILED", missing, { final: true });
    values[name] = value;
  }
  if (quote === undefined) return fillPlaceholders(of, values);
  const rendered = fillCommand(of, values);
  if ("problem" in rendered) throw new Unusable("EXPRESSION_FAILED", rendered.problem, { final: true });
  return rendered.command;
}

/** Trees without templates are given back as they are: their identity tells others that nothing changed. */
async function valueTree(work: Work, value: Json): Promise<Json> {
  if (!hasTemplates(value)) return value;
  if (typeof value === "string") {
    const hole = soleHole(value);
    return hole === undefined ? renderText(work, value) : somethingOf(work, hole);
  }
  if (isList(value)) {
    const entries: Json[] = [];
    for (const entry of value) entries.push(await valueTree(work, entry));
    return entries;
  }
  const entries: [string, Json][] = [];
  for (const [key, entry] of Object.entries(isObject(value) ? value : {}))
    entries.push([key.includes("{{") ? await renderText(work, key) : key, await valueTree(work, entry)]);
  return Object.fromEntries(entries);
}

/** The value of a hole that is the whole text: an unknown name is null, and a property of it an error. */
async function somethingOf(work: Work, hole: Hole): Promise<Json> {
  const value = await holeValue(work, hole);
  if (value === undefined && hole.value.kind === "path") await work.names().value(hole.value.path);
  return value ?? null;
}

async function renderText(work: Work, text: string): Promise<string> {
  if (!text.includes("{{")) return text;
  let rendered = "";
  for (const part of parseTemplate(text)) {
    const value = typeof part === "string" ? part : await known(work, part);
    rendered += value === undefined && typeof part !== "string" ? part.text : textOf(value);
  }
  return rendered;
}

/** undefined: an unknown name, which stays as written and is warned about. */
async function known(work: Work, part: Exclude<TemplatePart, string>, inCommand = false): Promise<Json | undefined> {
  if (isBad(part)) throw new Unusable("EXPRESSION_SYNTAX", `\`${part.text}\`: ${part.problem}`);
  const value = await holeValue(work, part, inCommand);
  if (value === undefined) work.names().warnUnknown(part.source, part.value.kind === "path" ? part.value.path.name : part.source);
  return value;
}

/** `inCommand`: quoting is the command's business, so `q` does nothing more. */
async function holeValue(work: Work, hole: Hole, inCommand = false): Promise<Json | undefined> {
  let value = await plainValue(work, hole.value, hole.source);
  if (value === undefined && hole.filters.some((filter) => filter.name === "default")) value = null;
  if (value === undefined) return undefined;
  for (const { name, args } of hole.filters) {
    if (inCommand && name === "q") continue;
    const given: Json[] = [];
    for (const argument of args) given.push((await plainValue(work, argument, hole.source)) ?? null);
    value = applyFilter(name, value, given);
  }
  work.replaced[hole.text] = value;
  return value;
}

async function plainValue(work: Work, value: HoleValue, source: string): Promise<Json | undefined> {
  if (value.kind === "literal") return value.value;
  if (value.kind === "function") return work.functions[value.name]();
  return value.kind === "path" ? work.names().read(value.path) : runJs(work, value.analysis, source);
}

async function command(work: Work, text: string): Promise<string> {
  if (!text.includes("{{")) return text;
  const parts: CommandPart[] = [];
  for (const part of parseTemplate(text)) {
    if (typeof part === "string") {
      parts.push(part);
      continue;
    }
    const value = await known(work, part, true);
    if (value === undefined || value === null) {
      const hint = value === null ? " Where nothing is meant, say so: `{{ ... | default('') }}`." : "";
      const what = value === null ? "null" : "not known here";
      throw new Unusable("EXPRESSION_FAILED", `\`${part.text}\` in a command is ${what}, so the command was not run.${hint}`);
    }
    parts.push({ text: part.text, value, raw: !isBad(part) && part.filters.some((filter) => filter.name === "raw") });
  }
  const rendered = renderCommand(parts);
  if ("problem" in rendered) throw new Unusable("EXPRESSION_SHELL", rendered.problem);
  return rendered.command;
}

/** In a path, in place of the value of a hole until the path is split. */
const filler = /\u0001(\d+)\u0001/g;

/** The key that a hole gives, and what it was before `path_to_key`. */
interface Filled {
  readonly key: string;
  readonly origin: string | undefined;
}

/** Keys of a path: every hole is one key; a path that is one hole alone is split after substitution. */
async function path(work: Work, text: string): Promise<Json> {
  if (!text.includes("{{")) return checkedKeys(text, keysOf(text, text));
  const sole = soleHole(text);
  if (sole !== undefined) {
    const value = await known(work, sole);
    const keys = typeof value === "string" ? splitPath(value) : undefined;
    if (keys === undefined)
      throw new Unusable("EXPRESSION_FAILED", `\`${text}\` gives ${JSON.stringify(value ?? null)}, which is not a path.`);
    return checkedKeys(text, keys);
  }
  const filled: Filled[] = [];
  let pattern = "";
  const parts = parseTemplate(text);
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string") {
      pattern += part;
      continue;
    }
    const hole = await pathKey(work, part);
    if (hole === undefined) throw new Unusable("EXPRESSION_FAILED", `\`${part.text}\` in the path \`${text}\` is not known here.`);
    const next = parts[index + 1];
    const mark = `\u0001${filled.push(hole) - 1}\u0001`;
    pattern += pattern.endsWith("[") && typeof next === "string" && next.startsWith("]") ? `"${mark}"` : mark;
  }
  const keys = keysOf(text, pattern);
  const fill = (key: string, of: (hole: Filled | undefined) => string | undefined): string =>
    key.replace(filler, (_, index: string) => of(filled[Number(index)]) ?? "");
  const plain = keys.map((key) => fill(key, (hole) => hole?.key));
  const made = checkedKeys(text, plain);
  const hasOrigin = (key: string): boolean => [...key.matchAll(filler)].some(([, index]) => filled[Number(index)]?.origin !== undefined);
  const origins = keys.map((key) => (hasOrigin(key) ? fill(key, (hole) => hole?.origin ?? hole?.key) : undefined));
  const clash = keyClash(work.keys, work.place, made, origins);
  if (clash !== undefined) throw new Unusable("STATE_WRITE", clash);
  return made;
}

async function pathKey(work: Work, part: Exclude<TemplatePart, string>): Promise<Filled | undefined> {
  const filtered = !isBad(part) && part.filters.at(-1)?.name === "path_to_key";
  const value = await known(work, filtered ? { ...part, filters: part.filters.slice(0, -1) } : part);
  if (value === undefined) return undefined;
  if (!filtered) return { key: textOf(value), origin: undefined };
  const key = applyFilter("path_to_key", value, []);
  work.replaced[part.text] = key;
  return { key: textOf(key), origin: textOf(value) };
}

function keysOf(text: string, pattern: string): readonly string[] {
  const keys = splitPath(pattern.trim());
  if (keys === undefined) throw new Unusable("EXPRESSION_FAILED", `\`${text}\` is not a path.`);
  return keys;
}

function checkedKeys(text: string, keys: readonly string[]): readonly string[] {
  if (keys.includes("")) throw new Unusable("EXPRESSION_FAILED", `\`${text}\` is not a path: one of its keys is empty.`);
  const forbidden = keys.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined) throw new Unusable("EXPRESSION_FAILED", `\`${text}\` is not a path: \`${forbidden}\` may not be a key.`);
  return keys;
}

/** `{{ js }}` or bare JavaScript; reading a property of nothing is false, with a warning. */
async function condition(work: Work, text: string): Promise<boolean> {
  const sole = soleHole(text);
  try {
    if (sole !== undefined && (sole.value.kind !== "js" || sole.filters.length > 0)) return Boolean(await somethingOf(work, sole));
    const js = sole === undefined ? scriptOf(text) : sole.source;
    return (await runJs(work, analysisOf(js), js, true)) === true;
  } catch (error) {
    if (!(error instanceof NothingThere || (error instanceof Unusable && error.nothing))) throw error;
    work.names().warn("EXPRESSION_NULL_PROPERTY", `${error.message.replace(/\.$/, "")}; the condition \`${text.trim()}\` counts as false.`);
    return false;
  }
}

async function readAll(place: RunScope, fields: ComputedFields, paths: readonly string[]): Promise<JsonObject> {
  const found: [string, Json][] = [];
  for (const asked of paths)
    found.push([asked, (await scopePath({ place, fields, above: [] }, splitPath(asked.trim()) ?? [asked])) ?? null]);
  return Object.fromEntries(found);
}

async function verify(place: RunScope, fields: ComputedFields): Promise<Verified> {
  const part = place.program.parts[place.scopes[place.scope]?.part ?? ""];
  for (const { name, onError } of part?.computed ?? []) {
    const result = onError === "propagate" ? await fields.value(place, name) : undefined;
    if (result?.error !== undefined) return { ok: false, field: name, message: result.error };
  }
  return { ok: true };
}
