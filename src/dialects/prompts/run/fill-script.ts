import { jsonOrText, own, textOf, type Json, type JsonObject } from "../../../base/index.ts";

type Filled = { readonly code: string } | { readonly problem: string };

/** Where a piece of code is: in the open, in a string with this quote, in a template, or in a comment. */
type Where = { readonly in: "code" | "comment" } | { readonly in: "string"; readonly quote: string } | { readonly in: "template" };

/**
 * Code with the values that it names (`$fetch.output`), each as data in its place: an expression in the open, escaped in a string, an
 * interpolation in a template. Nothing in a value can become code. Comments stay as they are.
 */
export function fillScript(code: string, values: JsonObject, runtime: "bun" | "uv"): Filled {
  const names = Object.keys(values).toSorted((a, b) => b.length - a.length);
  let filled = "";
  let where: Where = { in: "code" };
  for (let at = 0; at < code.length;) {
    const name =
      code[at] === "$"
        ? names.find((each) => code.startsWith(each, at + 1) && !/^[A-Za-z0-9_]/.test(code.slice(at + 1 + each.length)))
        : undefined;
    if (name !== undefined) {
      const put = placed(own(values, name) ?? null, where, runtime);
      if (put === undefined)
        return { problem: `\`$${name}\` is in a raw string, where no value can be put safely. Read it outside of the string.` };
      filled += where.in === "comment" ? `$${name}` : put;
      at += name.length + 1;
      continue;
    }
    const step: Step = runtime === "bun" ? stepInJs(code, at, where) : stepInPython(code, at, where);
    filled += code.slice(at, at + step.length);
    at += step.length;
    where = step.where;
  }
  return { code: filled };
}

interface Step {
  readonly length: number;
  readonly where: Where;
}

function stepInJs(code: string, at: number, where: Where): Step {
  const [one, two] = [code[at] ?? "", code.slice(at, at + 2)];
  if (where.in === "comment") return { length: 1, where: one === "\n" ? { in: "code" } : where };
  if (where.in === "string" || where.in === "template") {
    if (one === "\\") return { length: 2, where };
    const closes = where.in === "template" ? one === "`" : one === where.quote || one === "\n";
    return { length: 1, where: closes ? { in: "code" } : where };
  }
  if (two === "//") return { length: 2, where: { in: "comment" } };
  if (two === "/*") {
    const end = code.indexOf("*/", at + 2);
    return { length: (end < 0 ? code.length : end + 2) - at, where };
  }
  if (one === "`") return { length: 1, where: { in: "template" } };
  return { length: 1, where: one === '"' || one === "'" ? { in: "string", quote: one } : where };
}

function stepInPython(code: string, at: number, where: Where): Step {
  const one = code[at] ?? "";
  if (where.in === "comment") return { length: 1, where: one === "\n" ? { in: "code" } : where };
  if (where.in === "string") {
    const { quote } = where;
    const bare = quote.replace(/^[a-z]+/i, "");
    if (one === "\\") return { length: 2, where };
    if (code.startsWith(bare, at)) return { length: bare.length, where: { in: "code" } };
    return { length: 1, where: one === "\n" && bare.length === 1 ? { in: "code" } : where };
  }
  if (one === "#") return { length: 1, where: { in: "comment" } };
  const opened = /^([rbfu]{0,2})("""|'''|"|')/i.exec(code.slice(at, at + 5));
  if (opened === null || (opened[1] !== "" && /\w/.test(code[at - 1] ?? ""))) return { length: 1, where };
  return { length: opened[0].length, where: { in: "string", quote: opened[0] } };
}

/** undefined where nothing can be put safely. */
function placed(value: Json, where: Where, runtime: "bun" | "uv"): string | undefined {
  const text = textOf(value);
  const literal = JSON.stringify(text);
  if (where.in === "template") return `\${${literal}}`;
  if (where.in === "string") return inString(literal, where.quote, runtime);
  const data = jsonOrText(text);
  if (runtime === "uv") return typeof data === "string" ? literal : `__import__("json").loads(${literal})`;
  return typeof data === "string" ? literal : `(${JSON.stringify(data)})`;
}

function inString(literal: string, quote: string, runtime: "bun" | "uv"): string | undefined {
  if (runtime === "uv" && /^[a-z]*[rf]/i.test(quote)) return undefined;
  return literal.slice(1, -1).replaceAll("'", "\\'");
}
