import { forbiddenKeys, isList, isObject, splitPath, WaymarkError, type Json, type JsonObject } from "../base/index.ts";
import type { RunState, Warning } from "../kernel/index.ts";
import type { Expr, Program } from "../program/index.ts";
import { ComputedFields, type Functions } from "./computed-fields.ts";
import { dependencyGraph } from "./dependency-graph.ts";
import { applyFilter } from "./filters.ts";
import { KeyOrigins, WrittenKeys } from "./key-origins.ts";
import { flatScope, Names, NothingThere, scopePath } from "./names.ts";
import type { Place } from "./place.ts";
import { analysisOf, runJs, scriptOf, Unusable, type ScriptWork } from "./run-script.ts";
import type { FieldTrace, Runner } from "./runner.ts";
import { renderCommand, type CommandPart } from "./shell-words.ts";
import { isBad, parseTemplate, soleHole, type Hole, type HoleValue, type Part } from "./template.ts";
import { textOf } from "./text-of.ts";
import { hasTemplates } from "./value-tree.ts";

export interface EvaluateRequest {
  readonly run: string;
  readonly program: Program;
  readonly scopes: RunState["scopes"];
  readonly scope: string;
  readonly exprs: Readonly<Record<string, Expr>>;
  readonly locals: JsonObject;
  readonly globals: JsonObject;
  readonly functions: Functions;
}

export type Evaluated =
  | {
      readonly ok: true;
      readonly values: Readonly<Record<string, Json>>;
      readonly replaced: JsonObject;
      readonly warnings: readonly Warning[];
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly warnings: readonly Warning[] };

export interface Evaluator {
  evaluate(request: EvaluateRequest): Promise<Evaluated>;
  flat(program: Program, run: string, scopes: RunState["scopes"], scope: string): Promise<JsonObject>;
  read(program: Program, run: string, scopes: RunState["scopes"], scope: string, paths: readonly string[]): Promise<JsonObject>;
  initialise(request: {
    readonly run: string;
    readonly program: Program;
    readonly part: string;
    readonly inputs: JsonObject;
    readonly functions: Functions;
  }): Promise<{ readonly raw: JsonObject; readonly state: JsonObject; readonly fixed: JsonObject }>;
  verify(
    run: string,
    program: Program,
    scopes: RunState["scopes"],
    scope: string,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly field: string; readonly message: string }>;
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
  const origins = new WrittenKeys();
  return {
    evaluate: (request) => evaluateAll(runner, fields, request, origins),
    flat: (program, run, scopes, scope) => flatScope({ place: { run, program, scopes, scope }, fields, above: [] }),
    read: (...[program, run, scopes, scope, paths]) => readAll({ run, program, scopes, scope }, fields, paths),
    initialise: (request) => initialise(runner, fields, request),
    verify: (run, program, scopes, scope) => verify({ run, program, scopes, scope }, fields),
    expect: (run) => void (needed.delete(run) && options.runner.expect?.()),
    forget: (run) => (needed.delete(run), origins.forget(run), fields.forget(run)),
    stats: () => ({ computations: fields.computations }),
  };
}

interface Work extends ScriptWork {
  readonly place: Place;
  readonly keys: KeyOrigins;
  readonly replaced: Record<string, Json>;
}

async function evaluateAll(
  runner: Runner,
  fields: ComputedFields,
  request: EvaluateRequest,
  written = new WrittenKeys(),
): Promise<Evaluated> {
  const { run, program, scopes, scope, locals, globals, functions } = request;
  const place = { run, program, scopes, scope };
  const names = new Names(place, fields, locals, globals);
  const work: Work = { runner, names, functions, run, place, keys: new KeyOrigins(written), replaced: {} };
  const values: Record<string, Json> = {};
  try {
    for (const [key, expr] of Object.entries(request.exprs)) values[key] = await evaluateOne(work, expr);
    return { ok: true, values, replaced: work.replaced, warnings: names.warnings };
  } catch (error) {
    if (error instanceof Unusable) return { ok: false, code: error.code, message: error.message, warnings: names.warnings };
    if (error instanceof NothingThere)
      return { ok: false, code: "EXPRESSION_FAILED", message: `${error.message}.`, warnings: names.warnings };
    throw error;
  }
}

async function evaluateOne(work: Work, expr: Expr): Promise<Json> {
  switch (expr.as) {
    case "value":
      return valueTree(work, expr.of);
    case "text":
      return renderText(work, expr.of);
    case "command":
      return command(work, expr.of);
    case "path":
      return path(work, expr.of);
    case "condition":
      return condition(work, expr.of);
    case "js":
      return runJs(work, analysisOf(expr.of), expr.of);
  }
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
  if (isObject(value))
    for (const [key, entry] of Object.entries(value))
      entries.push([key.includes("{{") ? await renderText(work, key) : key, await valueTree(work, entry)]);
  return Object.fromEntries(entries);
}

/** The value of a hole that stands alone: an unknown name is null, and a property of it an error. */
async function somethingOf(work: Work, hole: Hole): Promise<Json> {
  const value = await holeValue(work, hole);
  if (value === undefined && hole.value.kind === "path") await work.names.value(hole.value.path);
  return value ?? null;
}

async function renderText(work: Work, text: string): Promise<string> {
  let rendered = "";
  for (const part of parseTemplate(text)) rendered += typeof part === "string" ? part : await holeText(work, part);
  return rendered;
}

async function holeText(work: Work, part: Exclude<Part, string>): Promise<string> {
  const value = await known(work, part);
  return value === undefined ? part.text : textOf(value);
}

/** undefined: an unknown name, which stays as written and is warned about. */
async function known(work: Work, part: Exclude<Part, string>, inCommand = false): Promise<Json | undefined> {
  if (isBad(part)) throw new Unusable("EXPRESSION_SYNTAX", `\`${part.text}\`: ${part.problem}`);
  const value = await holeValue(work, part, inCommand);
  if (value === undefined) work.names.warnUnknown(part.source, part.value.kind === "path" ? part.value.path.name : part.source);
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
  switch (value.kind) {
    case "literal":
      return value.value;
    case "function":
      return work.functions[value.name]();
    case "path":
      return work.names.read(value.path);
    case "js":
      return runJs(work, value.analysis, source);
  }
}

async function command(work: Work, text: string): Promise<string> {
  const parts: CommandPart[] = [];
  for (const part of parseTemplate(text)) {
    if (typeof part === "string") {
      parts.push(part);
      continue;
    }
    const value = await known(work, part, true);
    if (value === undefined)
      throw new Unusable("EXPRESSION_FAILED", `\`${part.text}\` in a command is not known here, so the command was not run.`);
    if (value === null)
      throw new Unusable(
        "EXPRESSION_FAILED",
        `\`${part.text}\` in a command is null, so the command was not run. Where nothing is meant, say so: \`{{ ... | default('') }}\`.`,
      );
    parts.push({ text: part.text, value, raw: !isBad(part) && part.filters.some((filter) => filter.name === "raw") });
  }
  const rendered = renderCommand(parts);
  if ("problem" in rendered) throw new Unusable("EXPRESSION_SHELL", rendered.problem);
  return rendered.command;
}

/** Stands in a path for the value of a hole until it is split. */
const filler = /\u0001(\d+)\u0001/g;

/** Keys of a path: every hole is one key; a path that is one hole alone is split after substitution. */
async function path(work: Work, text: string): Promise<Json> {
  const sole = soleHole(text);
  if (sole !== undefined) {
    const value = await known(work, sole);
    const keys = typeof value === "string" ? splitPath(value) : undefined;
    if (keys === undefined)
      throw new Unusable("EXPRESSION_FAILED", `\`${text}\` gives ${JSON.stringify(value ?? null)}, which is not a path.`);
    return checkedKeys(text, keys);
  }
  const filled: { readonly key: string; readonly origin: string | undefined }[] = [];
  let pattern = "";
  const parts = parseTemplate(text);
  for (const [index, part] of parts.entries()) {
    if (typeof part === "string") {
      pattern += part;
      continue;
    }
    const [value, origin] = await pathKey(work, part);
    if (value === undefined) throw new Unusable("EXPRESSION_FAILED", `\`${part.text}\` in the path \`${text}\` is not known here.`);
    const next = parts[index + 1];
    const stand = `\u0001${filled.push({ key: textOf(value), origin }) - 1}\u0001`;
    pattern += pattern.endsWith("[") && typeof next === "string" && next.startsWith("]") ? `"${stand}"` : stand;
  }
  const keys = splitPath(pattern.trim());
  if (keys === undefined) throw new Unusable("EXPRESSION_FAILED", `\`${text}\` is not a path.`);
  const holesOf = (key: string): (typeof filled)[number][] => [...key.matchAll(filler)].flatMap(([, index]) => filled[Number(index)] ?? []);
  const fill = (key: string, of: (hole: (typeof filled)[number]) => string): string =>
    key.replace(filler, (_whole, index: string) =>
      filled
        .slice(Number(index), Number(index) + 1)
        .map(of)
        .join(""),
    );
  const made = checkedKeys(
    text,
    keys.map((key) => fill(key, (hole) => hole.key)),
  );
  const origins = keys.map((key) =>
    holesOf(key).some(({ origin }) => origin !== undefined) ? fill(key, (hole) => hole.origin ?? hole.key) : undefined,
  );
  const clash = work.keys.clash(work.place, made, origins);
  if (clash !== undefined) throw new Unusable("STATE_WRITE", clash);
  return made;
}

/** The key that a hole gives, and what it was before `path_to_key`. */
async function pathKey(work: Work, part: Exclude<Part, string>): Promise<readonly [key: Json | undefined, origin: string | undefined]> {
  if (isBad(part) || part.filters.at(-1)?.name !== "path_to_key") return [await known(work, part), undefined];
  const origin = await known(work, { ...part, filters: part.filters.slice(0, -1) });
  if (origin === undefined) return [undefined, undefined];
  const key = applyFilter("path_to_key", origin, []);
  work.replaced[part.text] = key;
  return [key, textOf(origin)];
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
    work.names.warn("EXPRESSION_NULL_PROPERTY", `${error.message.replace(/\.$/, "")}; the condition \`${text.trim()}\` counts as false.`);
    return false;
  }
}

/** Bare JavaScript as it is, also where braces in it look like a template; else holes become what they hold. */
async function readAll(place: Place, fields: ComputedFields, paths: readonly string[]): Promise<JsonObject> {
  const found: [string, Json][] = [];
  for (const asked of paths)
    found.push([asked, (await scopePath({ place, fields, above: [] }, splitPath(asked.trim()) ?? [asked])) ?? null]);
  return Object.fromEntries(found);
}

/** Templates see inputs and config; static fields see what the templates gave, and static fields before them. */
async function initialise(
  runner: Runner,
  fields: ComputedFields,
  request: Parameters<Evaluator["initialise"]>[0],
): Promise<{ readonly raw: JsonObject; readonly state: JsonObject; readonly fixed: JsonObject }> {
  const { run, program, part: name, inputs, functions } = request;
  const part = program.parts[name];
  if (part === undefined) return { raw: {}, state: {}, fixed: {} };
  const scope = `\nnew ${name}`;
  const place = (made: { readonly raw: JsonObject; readonly state: JsonObject; readonly fixed: JsonObject }): Place => ({
    run,
    program,
    scope,
    scopes: { [scope]: { part: name, inputs, version: 0, calls: {}, ...made } },
  });
  const exprs: Record<string, Expr> = { raw: { as: "value", of: part.defaults.raw }, state: { as: "value", of: part.defaults.state } };
  const globals = { workflow_id: run, run_id: run };
  const outcome = await evaluateAll(runner, fields, { ...place({ raw: {}, state: {}, fixed: {} }), exprs, locals: {}, globals, functions });
  if (!outcome.ok)
    throw new WaymarkError({
      code: outcome.code,
      message: `The default state of \`${name}\` cannot be computed: ${outcome.message}`,
      fix: "Correct the template under `default_state`, or give the inputs it needs.",
    });
  let made = { raw: outcome.values["raw"] as JsonObject, state: outcome.values["state"] as JsonObject, fixed: {} as JsonObject };
  for (const next of dependencyGraph(part).order) {
    const field = part.computed.find((each) => each.name === next);
    if (field?.fixed !== true) continue;
    const result = await fields.fixedValue(place(made), field, functions);
    if (result.error !== undefined && field.onError === "propagate")
      throw new WaymarkError({
        code: "EXPRESSION_FAILED",
        message: `The static field \`${next}\` cannot be computed: ${result.error}`,
        fix: "Correct its `value`, or give it a `fallback`.",
      });
    if (result.ignored !== true) made = { ...made, fixed: { ...made.fixed, [next]: result.value } };
  }
  return made;
}

async function verify(
  place: Place,
  fields: ComputedFields,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly field: string; readonly message: string }> {
  const part = place.program.parts[place.scopes[place.scope]?.part ?? ""];
  for (const field of part?.computed ?? []) {
    if (field.onError !== "propagate") continue;
    const result = await fields.value(place, field.name);
    if (result?.error !== undefined) return { ok: false, field: field.name, message: result.error };
  }
  return { ok: true };
}
