import { parse, type AnyNode } from "acorn";
import { isList, isObject, type Json } from "../base/index.ts";
import { callPlainFunction, callPlainMethod, isPlainFunction, isPlainMethod, type Plain } from "./plain-methods.ts";

type Names = Readonly<Record<string, Json>>;
type Reading = (names: Names) => Plain;

/** What such code gives; undefined: only the interpreter can tell. */
export type PlainCode = (names: Names) => { readonly value: Plain } | undefined;

const known = new Map<string, PlainCode | undefined>();
const mostKnown = 5000;

/**
 * Code that is one expression of names, literals, property reads, operators and the methods in `plain-methods.ts` needs no
 * interpreter: on plain data these mean the same here. Everything else, and every operand that would be converted from an
 * object, is left to the sandbox.
 */
export function plainCode(code: string): PlainCode | undefined {
  if (known.has(code)) return known.get(code);
  const fresh = compile(code);
  if (known.size >= mostKnown) known.clear();
  known.set(code, fresh);
  return fresh;
}

/** Thrown while reading when the interpreter must decide. */
const unclear = new Error("left to the interpreter");
/** Thrown while reading when a `?.` found nothing: its whole chain is undefined. */
const absent = new Error("nothing to read from");

function compile(code: string): PlainCode | undefined {
  let node: AnyNode | null | undefined;
  try {
    const [only, further] = parse(code, { ecmaVersion: 2023, allowReturnOutsideFunction: true }).body;
    node = only?.type === "ReturnStatement" && further === undefined ? only.argument : undefined;
  } catch {
    return undefined;
  }
  const read = node === undefined || node === null ? undefined : reading(node);
  if (read === undefined) return undefined;
  return (names) => {
    try {
      return { value: read(names) };
    } catch (error) {
      if (error === unclear) return undefined;
      throw error;
    }
  };
}

function reading(node: AnyNode): Reading | undefined {
  switch (node.type) {
    case "ParenthesizedExpression":
      return reading(node.expression);
    case "Literal": {
      const { value } = node;
      if (value !== null && typeof value === "object") return undefined;
      return typeof value === "bigint" || value === undefined || (value === null && node.raw !== "null") ? undefined : () => value;
    }
    case "Identifier": {
      const { name } = node;
      return name === "undefined" ? () => undefined : (names) => (Object.hasOwn(names, name) ? names[name] : refuse());
    }
    case "MemberExpression":
      return member(node);
    case "ChainExpression":
      return chain(reading(node.expression));
    case "CallExpression":
      return call(node);
    case "UnaryExpression":
      return unary(node.operator, reading(node.argument));
    case "BinaryExpression":
      return node.left.type === "PrivateIdentifier" ? undefined : binary(node.operator, reading(node.left), reading(node.right));
    case "LogicalExpression":
      return logical(node.operator, reading(node.left), reading(node.right));
    case "ConditionalExpression": {
      const [test, yes, no] = [reading(node.test), reading(node.consequent), reading(node.alternate)];
      return test === undefined || yes === undefined || no === undefined ? undefined : (names) => (test(names) ? yes(names) : no(names));
    }
    default:
      return undefined;
  }
}

function refuse(): never {
  throw unclear;
}

type Member = Extract<AnyNode, { readonly type: "MemberExpression" }>;

function member(node: Member): Reading | undefined {
  if (node.property.type === "PrivateIdentifier") return undefined;
  const object = receiver(node, reading(node.object));
  const fixed = nameOf(node);
  const key = fixed === undefined ? reading(node.property) : () => fixed;
  return object === undefined || key === undefined ? undefined : (names) => property(object(names), key(names));
}

/** What stands before the dot; nothing before a `?.` ends the chain. */
function receiver({ optional }: Member, object: Reading | undefined): Reading | undefined {
  if (object === undefined || !optional) return object;
  return (names) => {
    const held = object(names);
    if (held === undefined || held === null) throw absent;
    return held;
  };
}

function nameOf({ computed, property: key }: Member): string | undefined {
  return !computed && key.type === "Identifier" ? key.name : undefined;
}

function chain(read: Reading | undefined): Reading | undefined {
  if (read === undefined) return undefined;
  return (names) => {
    try {
      return read(names);
    } catch (error) {
      if (error === absent) return undefined;
      throw error;
    }
  };
}

function call({ callee, arguments: written, optional }: Extract<AnyNode, { readonly type: "CallExpression" }>): Reading | undefined {
  if (optional) return undefined;
  const given: Reading[] = [];
  for (const argument of written) {
    const read = reading(argument);
    if (read === undefined) return undefined;
    given.push(read);
  }
  const global = functionName(callee);
  if (global !== undefined) return (names) => decided(callPlainFunction(global, valuesOf(given, names)));
  const name = callee.type === "MemberExpression" ? nameOf(callee) : undefined;
  if (callee.type !== "MemberExpression" || name === undefined || !isPlainMethod(name)) return undefined;
  const object = receiver(callee, callee.object.type === "ArrayExpression" ? listed(callee.object) : reading(callee.object));
  if (object === undefined) return undefined;
  return (names) => {
    const held = object(names);
    return decided(callPlainMethod(held, name, valuesOf(given, names)));
  };
}

/** `String`, `Math.max` and the like. A value cannot have such a name: what JavaScript explains is never looked up. */
function functionName(callee: AnyNode): string | undefined {
  if (callee.type === "Identifier") return isPlainFunction(callee.name) ? callee.name : undefined;
  if (callee.type !== "MemberExpression" || callee.optional || callee.object.type !== "Identifier") return undefined;
  const name = `${callee.object.name}.${nameOf(callee) ?? ""}`;
  return isPlainFunction(name) ? name : undefined;
}

/** A list as it is written, of entries that JSON can hold and that are compared by what they are. */
function listed({ elements }: Extract<AnyNode, { readonly type: "ArrayExpression" }>): Reading | undefined {
  const entries: Reading[] = [];
  for (const element of elements) {
    const read = element === null ? undefined : reading(element);
    if (read === undefined) return undefined;
    entries.push(read);
  }
  return (names) =>
    entries.map((read) => {
      const entry = primitive(read(names));
      return entry === undefined || (typeof entry === "number" && !Number.isFinite(entry)) ? refuse() : entry;
    });
}

function valuesOf(readings: readonly Reading[], names: Names): Plain[] {
  return readings.map((read) => read(names));
}

function decided(outcome: { readonly value: Plain } | undefined): Plain {
  return outcome === undefined ? refuse() : outcome.value;
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

function unary(operator: string, read: Reading | undefined): Reading | undefined {
  if (read === undefined) return undefined;
  switch (operator) {
    case "!":
      return (names) => !read(names);
    case "-":
      return (names) => -(primitive(read(names)) as number);
    case "+":
      return (names) => Number(primitive(read(names)));
    default:
      return undefined;
  }
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

function binary(operator: string, left: Reading | undefined, right: Reading | undefined): Reading | undefined {
  const operate = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (left === undefined || right === undefined || operate === undefined) return undefined;
  return (names) => operate(primitive(left(names)) as never, primitive(right(names)) as never);
}

function logical(operator: string, left: Reading | undefined, right: Reading | undefined): Reading | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (operator === "&&") return (names) => left(names) && right(names);
  if (operator === "||") return (names) => left(names) || right(names);
  return (names) => left(names) ?? right(names);
}

function primitive(value: Plain): string | number | boolean | null | undefined {
  return typeof value === "object" && value !== null ? refuse() : value;
}
