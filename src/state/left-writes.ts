import type { AnyNode } from "acorn";
import { isList, isObject, textOf, type Json, type JsonObject } from "../base/index.ts";
import { frontOf, localsOf, matchStored, storesAnswer, withoutStored, type Action, type Decision } from "../kernel/index.ts";
import type { Write, WriteOperation } from "../program/index.ts";
import { analyse, editText, type Edit } from "./analyse.ts";
import { evaluateIn, type Evaluation, type RunAt } from "./answer-expressions.ts";
import { namesOf } from "./check-expr.ts";
import type { Evaluator } from "./evaluator.ts";
import type { FreeReference } from "./free-names.ts";
import { hasTemplates, isBad, parseTemplate, soleHole, type Hole } from "./template.ts";

/** What is left to be written for an open step. */
export interface LeftWrites {
  /** As the author wrote them: paths and names are filled in, only what depends on the result is left open; not of a `state_update`. */
  readonly writes?: readonly JsonObject[];
  /** Places of those in all writes of the step. */
  readonly left: readonly number[];
}

/** undefined when the step has no writes of its own. What its holder wrote since the hand-out is not left, and changes no expression. */
export async function leftWrites(evaluation: Evaluation, run: RunAt, open: Action | Decision): Promise<LeftWrites | undefined> {
  const { program, state } = run;
  const block = open.block === undefined ? undefined : program.blocks[open.block];
  if (block?.kind !== "do" || open.paths.length === 0) return undefined;
  const { frames = [], scope: at = "" } = state.strands[open.strand] ?? {};
  const scope = state.scopes[at];
  const frame = frames.at(-1);
  const stored = frame?.kind === "do" ? (frame.stored ?? []) : [];
  const scopes = scope === undefined || stored.length === 0 ? state.scopes : { ...state.scopes, [at]: withoutStored(scope, stored) };
  const valueOf = valuesIn(evaluation, { ...run, state: { ...state, scopes } }, open.strand);
  const given = block.what === "state_update" && "args" in open ? open.args : undefined;
  const all =
    given === undefined
      ? await Promise.all(block.writes.map((write, index) => handedWrite(write, open.paths[index] ?? "", valueOf)))
      : block.writes.map((_, index) => ({ value: given[`value${index}`] ?? null }));
  const made = matchStored(
    block.writes.map(({ op }, index) => {
      const value = all[index]?.["value"];
      return { path: open.paths[index] ?? "", op, ...(value === undefined ? {} : { value }) };
    }),
    stored,
  );
  const left = [...made.keys()].filter((index) => made[index] === undefined);
  return { left, ...(given === undefined ? { writes: all.filter((_, index) => left.includes(index)) } : {}) };
}

async function handedWrite({ op, value, transform }: Write, path: string, valueOf: ValueOf): Promise<JsonObject> {
  const target = { path, ...(op === "set" ? {} : { operation: op }) };
  if (transform !== undefined) return { ...target, transform: await resolveScript(textOf(transform.of), valueOf) };
  return { ...target, value: value === undefined ? "{{ result }}" : await resolveTree(value.of, valueOf) };
}

/** Values of expressions where the strand is. What reads the result, or a name that only the result may bring, has none yet. */
function valuesIn(evaluation: Evaluation, run: RunAt, strand: string): ValueOf {
  const { frames = [], scope = "" } = run.state.strands[strand] ?? {};
  return async (js) => {
    const names = namesOf({ as: "js", of: js });
    if (names.includes("result")) return undefined;
    const known = Object.fromEntries(names.map((name) => [name, { as: "text" as const, of: `{{ ${name} }}` }]));
    const exprs = { ...known, "": { as: "js" as const, of: js } };
    const evaluated = await evaluateIn(evaluation, run, { scope, exprs, locals: localsOf(frames), ...frontOf(frames) });
    if (!evaluated.ok || names.some((name) => evaluated.values[name] === `{{ ${name} }}`)) return undefined;
    return evaluated.values[""];
  };
}

/** The value of an expression now; undefined when it has none yet. */
type ValueOf = (js: string) => Promise<Json | undefined>;

/** A tree with templates in which everything that has a value is filled in; what has none yet stays a template, its known names filled in. */
export async function resolveTree(value: Json, valueOf: ValueOf): Promise<Json> {
  if (!hasTemplates(value)) return value;
  if (typeof value === "string") return resolveTemplate(value, valueOf);
  if (isList(value)) return Promise.all(value.map((entry) => resolveTree(entry, valueOf)));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(async ([key, entry]): Promise<[string, Json]> => [key, await resolveTree(entry, valueOf)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function resolveTemplate(text: string, valueOf: ValueOf): Promise<Json> {
  const sole = soleHole(text);
  if (sole !== undefined) return (await valueOf(sole.source)) ?? (await openHole(sole, valueOf));
  let resolved = "";
  for (const part of parseTemplate(text)) {
    if (typeof part === "string" || isBad(part)) resolved += typeof part === "string" ? part : part.text;
    else {
      const value = await valueOf(part.source);
      resolved += value === undefined ? await openHole(part, valueOf) : textOf(value);
    }
  }
  return resolved;
}

async function openHole({ source, text, filters }: Hole, valueOf: ValueOf): Promise<string> {
  return filters.length > 0 ? text : `{{ ${await resolveScript(source.trim(), valueOf)} }}`;
}

/** JavaScript with the names that have a value replaced by it. */
export async function resolveScript(js: string, valueOf: ValueOf): Promise<string> {
  const analysed = analyse(js);
  if ("error" in analysed) return js;
  const edits: Edit[] = [];
  for (const reference of analysed.free) {
    const { start, end } = chainOf(reference);
    const value = await valueOf(js.slice(start, end));
    if (value !== undefined) edits.push({ start, end, text: literalOf(value) });
  }
  return editText(js, edits);
}

/** The whole of `inputs.who` for the name `inputs`, so that no more than what is read is filled in; a called method is not part of it. */
function chainOf({ node, around }: FreeReference): { readonly start: number; readonly end: number } {
  let chain: AnyNode = node;
  for (const [index, outer] of around.toReversed().entries()) {
    if (outer.type !== "MemberExpression" || outer.object !== chain || outer.computed) break;
    const caller = around.at(-2 - index);
    if (caller?.type === "CallExpression" && caller.callee === outer) break;
    chain = outer;
  }
  return chain;
}

function literalOf(value: Json): string {
  return isObject(value) ? `(${JSON.stringify(value)})` : JSON.stringify(value);
}

/** Operations whose value is not what the state holds then. */
const numeric: ReadonlySet<WriteOperation> = new Set<WriteOperation>(["increment", "decrement", "multiply"]);

/** What the holder wrote for the first write of an open step since it was handed out; undefined unless it made all of them. A null is a result, but not an answer. */
export async function storedResult(
  evaluator: Evaluator,
  { id, program, state }: RunAt,
  open: Action | Decision,
): Promise<Json | undefined> {
  const { frames = [], scope = "run" } = state.strands[open.strand] ?? {};
  const frame = frames.at(-1);
  const block = open.block === undefined ? undefined : program.blocks[open.block];
  const [path] = open.paths;
  if (path === undefined || frame?.kind !== "do" || block?.kind !== "do") return undefined;
  if ("question" in open && !storesAnswer(open, block)) return undefined;
  const wanted = open.paths.map((each, at) => ({ path: each, op: block.writes[at]?.op ?? ("set" as const) }));
  const made = matchStored(wanted, frame.stored ?? []);
  if (!wanted.every((each, at) => made[at] !== undefined || frame.written?.includes(each.path))) return undefined;
  const last = frame.stored?.findLast((each) => each.path === path);
  const isRead = last === undefined || numeric.has(last.op);
  const value = isRead ? ((await evaluator.read(program, id, state.scopes, scope, [path]))[path] ?? null) : last.value;
  return value === null && "question" in open ? undefined : value;
}
