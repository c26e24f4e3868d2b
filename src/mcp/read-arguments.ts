import * as z from "zod";
import { defined, isObject, jsonOrText, own, readPath, type JsonObject } from "../base/index.ts";
import { badArgument, unknownArgument } from "./codes.ts";
import type { ArgumentShape, ReplyPart } from "./tool.ts";

/** What a run is called in arguments. */
export const runNames: readonly string[] = ["run_id", "workflow_id", "session_id", "run", "id"];

/** Names that mean the same; a tool declares one of a group and understands all of them. */
const sameNames: readonly (readonly string[])[] = [
  runNames,
  ["workflow", "workflow_type", "workflow_name", "name"],
  ["task_id", "task"],
  ["action_id", "action"],
  ["step_id", "step"],
  ["decision_id", "decision", "question_id"],
];

/**
 * The arguments of a call in the tool's own names and types: other spellings are understood, text is parsed where something else is
 * wanted, absent ones may come as null. Throws `MCP_UNKNOWN_ARGUMENT` or `MCP_BAD_ARGUMENT`, with every problem in the one error.
 */
export function readArguments<Shape extends ArgumentShape>(tool: string, shape: Shape, given: unknown): z.output<Shape> {
  const takes = describeArguments(shape);
  if (given !== undefined && !isObject(given)) throw badArgument(tool, ["the arguments are not an object"], takes);
  const named = inOwnNames(tool, shape, given ?? {}, takes);
  const fitted = Object.fromEntries(
    Object.entries(named)
      .map(([name, value]): [string, unknown] => [name, fit(shape.shape[name], value)])
      .filter(([name, value]) => value !== null || kindOf(shape.shape[name]) === "unknown"),
  );
  const parsed = shape.safeParse(fitted);
  if (parsed.success) return parsed.data;
  throw badArgument(tool, [...new Set(parsed.error.issues.map((issue) => problemOf(issue, fitted)))].slice(0, 8), takes);
}

const partShape = z.object({
  part: z
    .strictObject({
      path: z.string(),
      from: z.number().int().min(0).optional(),
      action_id: z.string().optional(),
      hash: z.string().optional(),
    })
    .optional(),
});

/** The part of a reply that a call asks for, and its arguments without it. Calls that replies name have it; no tool lists it. */
export function takePart(tool: string, given: unknown): { readonly part?: ReplyPart; readonly rest: unknown } {
  if (!isObject(given) || !Object.hasOwn(given, "part")) return { rest: given };
  const { part: wanted, ...rest } = given;
  const { part } = readArguments(tool, partShape, { part: wanted });
  if (part === undefined) return { rest };
  const { from = 0, ...named } = part;
  return { part: defined({ ...named, from }), rest };
}

function inOwnNames(tool: string, shape: ArgumentShape, given: Readonly<Record<string, unknown>>, takes: string): Record<string, unknown> {
  const own = shape.shape;
  const named: Record<string, unknown> = {};
  const origin = new Map<string, string>();
  for (const [spelling, value] of Object.entries(given)) {
    const plain = plainName(spelling);
    const name = Object.hasOwn(own, plain)
      ? plain
      : sameNames.find((group) => group.includes(plain))?.find((other) => Object.hasOwn(own, other));
    if (plain === "sub_agent_context" && name === undefined && Object.hasOwn(own, "task_id")) {
      const task = taskOf(value);
      if (task !== undefined) named["task_id"] ??= task;
      continue;
    }
    if (name === undefined) throw unknownArgument(tool, spelling, listedNames(shape), takes);
    const before = origin.get(name);
    if (before !== undefined && named[name] !== value) {
      throw badArgument(tool, [`\`${before}\` and \`${spelling}\` are the same argument and have different values`], takes);
    }
    origin.set(name, spelling);
    named[name] = value;
  }
  return named;
}

function plainName(spelling: string): string {
  return spelling.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, "");
}

/** The text that a call gave for an argument, in any spelling that is understood; nothing is judged, so that errors can use it too. */
export function textGiven(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const names = sameNames.find((group) => group.includes(name)) ?? [name];
  const entries = Object.entries(given).map(([spelling, value]) => [plainName(spelling), value] as const);
  const inOrder = names.flatMap((each) => entries.filter(([plain]) => plain === each).map(([, value]) => value));
  const text = inOrder.find((value): value is string => typeof value === "string" && value !== "");
  if (text !== undefined || name !== "task_id") return text;
  return entries.flatMap(([plain, value]) => (plain === "sub_agent_context" ? (taskOf(value) ?? []) : []))[0];
}

/** The task a sub-agent speaks for, from the context it was given. */
export function taskOf(context: unknown): string | undefined {
  const held = typeof context === "string" ? jsonOrText(context) : context;
  if (!isObject(held)) return undefined;
  const task = held["task_id"] ?? held["batch_id"];
  return typeof task === "string" ? task : undefined;
}

/** Clients send lists, objects, numbers and flags as JSON text; where the shape wants one of these, text is parsed. */
function fit(schema: unknown, value: unknown): unknown {
  const kind = kindOf(schema);
  const held = typeof value === "string" && parsedKinds.has(kind) ? (jsonOrText(value) ?? value) : value;
  if (kind === "array" && Array.isArray(held)) return held.map((entry) => fit(innerOf(schema).element, entry));
  if (kind === "object" && isObject(held)) {
    const shape = innerOf(schema).shape ?? {};
    return Object.fromEntries(Object.entries(held).map(([key, entry]) => [key, fit(own(shape, key), entry)]));
  }
  return held;
}

const parsedKinds: ReadonlySet<string> = new Set(["number", "boolean", "object", "array", "record"]);

interface Inner {
  readonly def: { readonly type: string; readonly innerType?: unknown };
  readonly element?: unknown;
  readonly options?: readonly string[];
  readonly shape?: Readonly<Record<string, unknown>>;
}

function innerOf(schema: unknown): Inner {
  let inner = schema as Inner;
  while (inner.def.type === "optional" || inner.def.type === "default" || inner.def.type === "nullable")
    inner = inner.def.innerType as Inner;
  return inner;
}

function kindOf(schema: unknown): string {
  return schema === undefined ? "unknown" : innerOf(schema).def.type;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

function problemOf(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  const place = `\`${issue.path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`)).join("")}\``;
  switch (issue.code) {
    case "invalid_type":
      return readPath(given as JsonObject, issue.path.map(String)) === undefined
        ? `${place} is missing`
        : `${place} must be ${typeWords[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${place} must be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `${issue.path.length === 0 ? "the call" : place} has no ${issue.keys.map((key) => `\`${key}\``).join(", ")}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? `${place} must not be empty`
        : `${place} must be at least ${String(issue.minimum)}`;
    case "too_big":
      return `${place} must be at most ${String(issue.maximum)}`;
    default:
      return `${place} cannot be used`;
  }
}

function isHidden(schema: unknown): boolean {
  return (schema as z.ZodType).meta()?.["hidden"] === true;
}

function listedNames({ shape }: Pick<ArgumentShape, "shape">): string[] {
  return Object.keys(shape).filter((name) => !isHidden(shape[name]));
}

/** The arguments in one line for error messages: optional ones with a question mark. */
function describeArguments(shape: ArgumentShape): string {
  const names = listedNames(shape).map((name) => (isOptional(shape.shape[name]) ? `${name}?` : name));
  return names.join(", ") || "none";
}

function isOptional(schema: unknown): boolean {
  return (schema as Inner).def.type === "optional";
}

type ListedSchema = Record<string, unknown>;

/**
 * The shape as JSON Schema for `tools/list`: only what a model needs, since every token of it is paid for in each conversation, and
 * only what these shapes are made of, since the library's own conversion would cost a tenth of the start-up time.
 */
export function listedSchema({ shape: fields }: Pick<ArgumentShape, "shape">): ListedSchema & { type: "object" } {
  const names = listedNames({ shape: fields });
  const required = names.filter((name) => !isOptional(fields[name]));
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(fields[name])])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function schemaOf(schema: unknown): ListedSchema {
  const { description } = schema as z.ZodType;
  return { ...bareSchema(innerOf(schema)), ...defined({ description }) };
}

function bareSchema({ def: { type }, element, options = [], shape = {} }: Inner): ListedSchema {
  switch (type) {
    case "array":
      return { type, items: schemaOf(element) };
    case "object":
      return Object.values(shape).every(isHidden) ? { type } : listedSchema({ shape });
    case "record":
      return { type: "object" };
    case "enum":
      return { type: "string", enum: options };
    case "unknown":
      return {};
    default:
      return { type };
  }
}
