import { parse, type AnyNode } from "acorn";
import { isList, isObject, own, remembering, type Json } from "../base/index.ts";
import { attempt, mostRemembered } from "./analyse.ts";
import { callPlainFunction, callPlainMethod, isPlainFunction, isPlainMethod, refuse, unclear, type Plain } from "./plain-methods.ts";

type Names = Readonly<Record<string, Json>>;
type Reading = (names: Names) => Plain;

/** What such code gives; undefined: only the interpreter can tell. */
type PlainCode = (names: Names) => { readonly value: Plain } | undefined;

/**
 * Code that is one expression of names, literals, property reads, operators and the methods in `plain-methods.ts` needs no
 * interpreter: on plain data these mean the same here. Everything else, and every operand that would be converted from an
 * object, is left to the sandbox.
 */
export const plainCode: (code: string) => PlainCode | undefined = remembering(compile, mostRemembered);

/** Thrown while reading when a `?.` found nothing: its whole chain is undefined. */
const absent = new Error("nothing to read from");

function compile(code: string): PlainCode | undefined {
  const read = attempt(() => {
    const [only, further] = parse(code, { ecmaVersion: 2023, allowReturnOutsideFunction: true }).body;
    return only?.type === "ReturnStatement" && only.argument && further === undefined ? reading(only.argument) : refuse();
  });
  return read && ((names) => unlessThrown(unclear, () => ({ value: read(names) })));
}

function unlessThrown<T>(known: Error, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error !== known) throw error;
    return undefined;
  }
}

/** What an expression reads; refused where the interpreter must do that. */
function reading(node: AnyNode): Reading {
  switch (node.type) {
    case "ParenthesizedExpression":
      return reading(node.expression);
    case "Literal": {
      const { value } = node;
      if ((value === null && node.raw !== "null") || typeof value === "bigint" || value === undefined) return refuse();
      return value !== null && typeof value === "object" ? refuse() : () => value;
    }
    case "Identifier": {
      const { name } = node;
      return name === "undefined" ? () => undefined : (names) => (Object.hasOwn(names, name) ? names[name] : refuse());
    }
    case "MemberExpression":
      return member(node);
    case "ChainExpression": {
      const read = reading(node.expression);
      return (names) => unlessThrown(absent, () => read(names));
    }
    case "CallExpression":
      return call(node);
    case "UnaryExpression":
      return unary(node.operator, reading(node.argument));
    case "BinaryExpression":
      return binary(own(operators, node.operator) ?? refuse(), reading(node.left), reading(node.right));
    case "LogicalExpression":
      return logical(node.operator, reading(node.left), reading(node.right));
    case "ConditionalExpression": {
      const [test, yes, no] = [reading(node.test), reading(node.consequent), reading(node.alternate)];
      return (names) => (test(names) ? yes(names) : no(names));
    }
    default:
      return refuse();
  }
}

type Member = Extract<AnyNode, { readonly type: "MemberExpression" }>;

function member(node: Member): Reading {
  const object = receiver(node, reading(node.object));
  const fixed = nameOf(node);
  const key = fixed === undefined ? reading(node.property) : () => fixed;
  return (names) => property(object(names), key(names));
}

/** What is in front of the dot; nothing before a `?.` ends the chain. */
function receiver({ optional }: Member, object: Reading): Reading {
  if (!optional) return object;
  return (names) => {
    const held = object(names);
    if (held === undefined || held === null) throw absent;
    return held;
  };
}

function nameOf({ computed, property: key }: Member): string | undefined {
  return !computed && key.type === "Identifier" ? key.name : undefined;
}

function call({ callee, arguments: written, optional }: Extract<AnyNode, { readonly type: "CallExpression" }>): Reading {
  if (optional) return refuse();
  const given = written.map(reading);
  const global = functionName(callee);
  if (global !== undefined) return (names) => callPlainFunction(global, valuesOf(given, names));
  const name = callee.type === "MemberExpression" ? nameOf(callee) : undefined;
  if (callee.type !== "MemberExpression" || name === undefined || !isPlainMethod(name)) return refuse();
  const object = receiver(callee, callee.object.type === "ArrayExpression" ? listed(callee.object) : reading(callee.object));
  return (names) => callPlainMethod(object(names), name, valuesOf(given, names));
}

/** `String`, `Math.max` and the like. A value cannot have such a name: what JavaScript explains is never looked up. */
function functionName(callee: AnyNode): string | undefined {
  if (callee.type === "Identifier") return isPlainFunction(callee.name) ? callee.name : undefined;
  if (callee.type !== "MemberExpression" || callee.optional || callee.object.type !== "Identifier") return undefined;
  const name = `${callee.object.name}.${nameOf(callee) ?? ""}`;
  return isPlainFunction(name) ? name : undefined;
}

/** A list as it is written, of entries that JSON can hold and that are compared by what they are. */
function listed({ elements }: Extract<AnyNode, { readonly type: "ArrayExpression" }>): Reading {
  const entries = elements.map((element) => (element === null ? refuse() : reading(element)));
  return (names) =>
    valuesOf(entries, names).map((value) => {
      const entry = primitive(value);
      return entry === undefined || (typeof entry === "number" && !Number.isFinite(entry)) ? refuse() : entry;
    });
}

function valuesOf(readings: readonly Reading[], names: Names): Plain[] {
  return readings.map((read) => read(names));
}

/** Own properties of plain data; what a prototype could answer is left to the interpreter. */
function property(held: Plain, key: Plain): Plain {
  if (typeof key !== "string" && typeof key !== "number") return refuse();
  const name = String(key);
  if (isList(held) || typeof held === "string") {
    if (name === "length") return held.length;
    return /^(?:0|[1-9]\d{0,8})$/.test(name) && Number(name) < held.length ? held[Number(name)] : refuse();
  }
  if (!isObject(held)) return refuse();
  if (Object.hasOwn(held, name)) return held[name];
  return name in Object.prototype ? refuse() : undefined;
}

function unary(operator: string, read: Reading): Reading {
  if (operator === "!") return (names) => !read(names);
  if (operator === "-") return (names) => -(primitive(read(names)) as number);
  return operator === "+" ? (names) => Number(primitive(read(names))) : refuse();
}

type Operator = (left: never, right: never) => boolean | number | string;

/** Exactly what the operators mean; operands are primitives, so nothing of a prototype is called. */
const operators: Readonly<Record<string, Operator>> = {
  "===": (left, right) => left === right,
  "!==": (left, right) => left !== right,
  // oxlint-disable-next-line eqeqeq -- authors may write loose equality, and it must mean what it means in JavaScript
  "==": (left, right) => left == right,
  // oxlint-disable-next-line eqeqeq -- as above
  "!=": (left, right) => left != right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

function binary(operate: Operator, left: Reading, right: Reading): Reading {
  return (names) => operate(primitive(left(names)) as never, primitive(right(names)) as never);
}

function logical(operator: string, left: Reading, right: Reading): Reading {
  if (operator === "&&") return (names) => left(names) && right(names);
  if (operator === "||") return (names) => left(names) || right(names);
  return (names) => left(names) ?? right(names);
}

function primitive(value: Plain): string | number | boolean | null | undefined {
  return typeof value === "object" && value !== null ? refuse() : value;
}
