import type { AnyNode } from "acorn";

/** Names that JavaScript itself explains. */
const builtInNames: ReadonlySet<string> = new Set(
  (
    "undefined NaN Infinity globalThis JSON Math Reflect Atomics Object Array String Number Boolean Symbol BigInt Function Date RegExp Proxy Promise Iterator " +
    "Map Set WeakMap WeakSet WeakRef ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "Float32Array Float64Array BigInt64Array BigUint64Array Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError " +
    "parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape eval arguments"
  ).split(" "),
);

/** An identifier that no declaration in the code itself explains, with the nodes around it, outermost first. */
export interface FreeReference {
  readonly name: string;
  readonly node: AnyNode;
  readonly around: readonly AnyNode[];
}

interface Names {
  readonly own: ReadonlySet<string>;
  readonly outer?: Names;
}

/**
 * References of a piece of code that it does not declare itself and the language does not explain, in order of appearance.
 * Knows hoisting, blocks, parameters, patterns and classes.
 */
export function freeReferences(roots: readonly AnyNode[]): FreeReference[] {
  const found: FreeReference[] = [];
  const names: Names = { own: new Set(roots.flatMap((root) => [...hoisted(root), ...lexical([root])])) };
  for (const root of roots) visit(root, names, [], found);
  return found;
}

function visit(node: AnyNode, names: Names, around: readonly AnyNode[], found: FreeReference[]): void {
  switch (node.type) {
    case "Identifier":
      if (!builtInNames.has(node.name) && !declared(node.name, names)) found.push({ name: node.name, node, around });
      return;
    case "VariableDeclarator":
      visitPattern(node.id, names, [...around, node], found);
      if (node.init) visit(node.init, names, [...around, node], found);
      return;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return visitFunction(node, names, [...around, node], found);
    case "CatchClause": {
      const inner: Names = { own: new Set(node.param ? boundNames(node.param) : []), outer: names };
      if (node.param) visitPattern(node.param, inner, [...around, node], found);
      return visit(node.body, inner, [...around, node], found);
    }
    default: {
      const inner = opensBlock(node) ? { own: blockNames(node), outer: names } : names;
      for (const child of children(node)) visit(child, inner, [...around, node], found);
    }
  }
}

function visitFunction(
  node: Extract<AnyNode, { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }>,
  names: Names,
  around: readonly AnyNode[],
  found: FreeReference[],
): void {
  const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
  const inner: Names = { own: new Set([...own, ...node.params.flatMap(boundNames), ...hoisted(node.body)]), outer: names };
  for (const param of node.params) visitPattern(param, inner, around, found);
  visit(node.body, inner, around, found);
}

/** Names in a declaring pattern are no references; its defaults and computed keys are. */
function visitPattern(pattern: AnyNode, names: Names, around: readonly AnyNode[], found: FreeReference[]): void {
  const inside = [...around, pattern];
  switch (pattern.type) {
    case "Identifier":
      return;
    case "ObjectPattern":
      for (const property of pattern.properties) {
        if (property.type === "RestElement") visitPattern(property.argument, names, inside, found);
        else {
          if (property.computed) visit(property.key, names, inside, found);
          visitPattern(property.value, names, inside, found);
        }
      }
      return;
    case "ArrayPattern":
      for (const element of pattern.elements) if (element) visitPattern(element, names, inside, found);
      return;
    case "AssignmentPattern":
      visitPattern(pattern.left, names, inside, found);
      return visit(pattern.right, names, inside, found);
    case "RestElement":
      return visitPattern(pattern.argument, names, inside, found);
    default:
      return visit(pattern, names, around, found);
  }
}

function declared(name: string, names: Names): boolean {
  return names.own.has(name) || (names.outer !== undefined && declared(name, names.outer));
}

/** Nodes below a node that may hold references: no property names, labels or names of functions and classes. */
export function children(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case "MemberExpression":
      return node.computed ? [node.object, node.property] : [node.object];
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return [...(node.computed ? [node.key] : []), ...(node.value ? [node.value] : [])];
    case "LabeledStatement":
      return [node.body];
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
      return [];
    case "ClassDeclaration":
    case "ClassExpression":
      return [...(node.superClass ? [node.superClass] : []), node.body];
    default:
      return Object.values(node).flatMap((held: unknown) => (Array.isArray(held) ? held.filter(isNode) : isNode(held) ? [held] : []));
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function opensBlock(node: AnyNode): boolean {
  return /^(?:BlockStatement|For\w*Statement|SwitchStatement|StaticBlock|ClassExpression)$/.test(node.type);
}

function blockNames(node: AnyNode): Set<string> {
  if (node.type === "ClassExpression") return new Set(node.id ? [node.id.name] : []);
  if (node.type === "SwitchStatement") return new Set(node.cases.flatMap((branch) => lexical(branch.consequent)));
  if (node.type === "BlockStatement" || node.type === "StaticBlock") return new Set(lexical(node.body));
  return new Set(lexical(children(node)));
}

/** Names that `let`, `const`, `class` and `function` declare directly among these statements. */
function lexical(statements: readonly AnyNode[]): string[] {
  return statements.flatMap((statement) => {
    if (statement.type === "Program") return lexical(statement.body);
    if (statement.type === "VariableDeclaration") return statement.declarations.flatMap((declarator) => boundNames(declarator.id));
    return (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration") && statement.id ? [statement.id.name] : [];
  });
}

/** Names that `var` and functions in blocks declare for the whole function. */
function hoisted(node: AnyNode): string[] {
  if (node.type === "VariableDeclaration" && node.kind === "var")
    return node.declarations.flatMap((declarator) => boundNames(declarator.id));
  if (node.type === "FunctionDeclaration") return node.id ? [node.id.name] : [];
  if (/Function|Class/.test(node.type)) return [];
  return children(node).flatMap(hoisted);
}

function boundNames(pattern: AnyNode): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => boundNames(property.type === "RestElement" ? property.argument : property.value));
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element ? boundNames(element) : []));
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    default:
      return [];
  }
}
