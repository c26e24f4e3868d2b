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

function visit(node: AnyNode, names: Names, outer: readonly AnyNode[], found: FreeReference[]): void {
  const around = [...outer, node];
  switch (node.type) {
    case "Identifier":
      if (!builtInNames.has(node.name) && !declared(node.name, names)) found.push({ name: node.name, node, around: outer });
      return;
    case "VariableDeclarator":
      for (const code of [...codeIn(node.id), ...(node.init ? [node.init] : [])]) visit(code, names, around, found);
      return;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression": {
      const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
      const inner: Names = { own: new Set([...own, ...node.params.flatMap(boundNames), ...hoisted(node.body)]), outer: names };
      for (const code of [...node.params.flatMap(codeIn), node.body]) visit(code, inner, around, found);
      return;
    }
    case "CatchClause": {
      const inner: Names = { own: new Set(node.param ? boundNames(node.param) : []), outer: names };
      for (const code of [...(node.param ? codeIn(node.param) : []), node.body]) visit(code, inner, around, found);
      return;
    }
    default: {
      const inner = opensBlock(node) ? { own: blockNames(node), outer: names } : names;
      for (const child of children(node)) visit(child, inner, around, found);
    }
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
  return pattern.type === "Identifier" ? [pattern.name] : patternsIn(pattern).flatMap(boundNames);
}

/** Names in a declaring pattern are not references; its defaults and computed keys are. */
function codeIn(pattern: AnyNode): AnyNode[] {
  if (pattern.type === "AssignmentPattern") return [...codeIn(pattern.left), pattern.right];
  if (pattern.type !== "ObjectPattern") return patternsIn(pattern).flatMap(codeIn);
  return pattern.properties.flatMap((property) => {
    if (property.type === "RestElement") return codeIn(property.argument);
    return [...(property.computed ? [property.key] : []), ...codeIn(property.value)];
  });
}

/** The patterns that a declaring pattern is made of. */
function patternsIn(pattern: AnyNode): AnyNode[] {
  if (pattern.type === "ObjectPattern") return pattern.properties.map((each) => (each.type === "RestElement" ? each.argument : each.value));
  if (pattern.type === "ArrayPattern") return pattern.elements.filter((element) => element !== null);
  if (pattern.type === "AssignmentPattern") return [pattern.left];
  return pattern.type === "RestElement" ? [pattern.argument] : [];
}
