import { parse, type Node } from "acorn";
import { transformSync } from "esbuild";

type Shape = Node & Readonly<Record<string, unknown>>;

/** Titles of all tests of a file, as the runner shows them; `test.each` tables must be literals, constants or `Object.keys` of one. */
export function testTitles(source: string): string[] {
  const { code } = transformSync(source, { loader: "ts", format: "esm", target: "es2022" });
  const tree = parse(code, { ecmaVersion: 2023, sourceType: "module", allowAwaitOutsideFunction: true }) as unknown as Shape;
  const constants = new Map<string, Shape>();
  const titles: string[] = [];
  walk(tree, (node) => {
    if (node.type === "VariableDeclarator" && node["init"] !== null)
      constants.set(String((node["id"] as Shape)["name"]), node["init"] as Shape);
  });
  walk(tree, (node) => {
    if (node.type !== "CallExpression") return;
    const callee = node["callee"] as Shape;
    const title = textOf((node["arguments"] as Shape[])[0]);
    if (title === undefined) return;
    if (isTest(callee)) titles.push(title);
    else if (callee.type === "CallExpression" && isEach(callee["callee"] as Shape)) {
      for (const row of rowsOf((callee["arguments"] as Shape[])[0], constants)) titles.push(fill(title, row));
    }
  });
  return titles;
}

function isTest(callee: Shape): boolean {
  return callee.type === "Identifier" && (callee["name"] === "test" || callee["name"] === "it");
}

function isEach(callee: Shape): boolean {
  return callee.type === "MemberExpression" && isTest(callee["object"] as Shape) && (callee["property"] as Shape)["name"] === "each";
}

/** The values of each row that a title can show. */
function rowsOf(table: Shape | undefined, constants: ReadonlyMap<string, Shape>): string[][] {
  if (table?.type === "Identifier") return rowsOf(constants.get(String(table["name"])), constants);
  if (table?.type === "ArrayExpression")
    return (table["elements"] as Shape[]).map((row) =>
      (row.type === "ArrayExpression" ? (row["elements"] as Shape[]) : [row]).map((cell) => textOf(cell) ?? ""),
    );
  if (table?.type !== "CallExpression") return [];
  const [of] = table["arguments"] as Shape[];
  const held = of?.type === "Identifier" ? constants.get(String(of["name"])) : of;
  const properties = held?.type === "ObjectExpression" ? (held["properties"] as Shape[]) : [];
  return properties.map((property) => [String((property["key"] as Shape)["name"] ?? (property["key"] as Shape)["value"])]);
}

function fill(title: string, row: readonly string[]): string {
  let at = 0;
  return title.replace(/%s/g, () => row[at++] ?? "");
}

function textOf(node: Shape | undefined): string | undefined {
  if (node?.type === "Literal") return String(node["value"]);
  if (node?.type !== "TemplateLiteral" || (node["expressions"] as unknown[]).length > 0) return undefined;
  return ((node["quasis"] as Shape[])[0]?.["value"] as { readonly cooked: string } | undefined)?.cooked;
}

function walk(node: Shape, visit: (node: Shape) => void): void {
  visit(node);
  for (const part of Object.values(node)) {
    for (const entry of Array.isArray(part) ? part : [part]) {
      if (typeof entry === "object" && entry !== null && typeof (entry as { type?: unknown }).type === "string")
        walk(entry as Shape, visit);
    }
  }
}
