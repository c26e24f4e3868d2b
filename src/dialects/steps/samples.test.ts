import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { parse, type AnyNode } from "acorn";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument, isMap, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { canonicalJson, isObject, type Json } from "../../base/index.ts";
import { checkProgram, type Expr } from "../../program/index.ts";
import { callsOf, explainPlan, importsOf, loadSteps, renderPlanMermaid, renderPlanText } from "./definition/index.ts";
import { importKey, renderDiagnostic, type ExpressionChecker, type SourceFile, type SourceSet } from "../../source/index.ts";
import { stepsCodes } from "./codes.ts";
import { findHoles } from "./definition/template.ts";
import { stepsFeatures } from "../../../test/support/dialect-features.ts";

const samples = join(import.meta.dirname, "samples");
const cases = readdirSync(samples).sort();
const updating = process.env["UPDATE"] === "1";

/** A small checker that is right about what samples need: real parsing, free names, circles along `from`. */
const checker: ExpressionChecker = {
  check: (expr) => [...codesIn(expr).flatMap(({ code, at }) => syntaxErrors(code, at)), ...unclosed(expr)],
  names: (expr) => [...new Set(codesIn(expr).flatMap(({ code }) => freeNames(code)))],
  cycles(part) {
    const from = new Map(
      part.computed.map((field) => [field.name, field.from.flatMap((path) => (path.startsWith("computed.") ? [path.split(".")[1]!] : []))]),
    );
    const reach = (name: string, chain: readonly string[]): string[][] =>
      chain.includes(name)
        ? chain[0] === name
          ? [[...chain]]
          : []
        : (from.get(name) ?? []).flatMap((next) => reach(next, [...chain, name]));
    const found = new Map([...from.keys()].flatMap((name) => reach(name, [])).map((cycle) => [[...cycle].sort().join(), cycle]));
    return [...found.values()];
  },
  collisions(part) {
    const tiers = [
      Object.keys({ ...part.defaults.raw, ...part.fields.raw }),
      Object.keys({ ...part.defaults.state, ...part.fields.state }),
      part.computed.map((field) => field.name),
    ];
    return [
      ...new Set(tiers.flatMap((names, index) => names.filter((name) => tiers.some((other, at) => at > index && other.includes(name))))),
    ];
  },
};

function codesIn(expr: Expr): { code: string; at: number }[] {
  if (typeof expr.of !== "string") return [];
  const holes = findHoles(expr.of);
  if (expr.as === "js" || (expr.as === "condition" && holes.length === 0)) return [{ code: expr.of, at: 0 }];
  return holes.map(({ code, start }) => ({ code: code.replace(/(?<!\|)\|(?!\|)\s*\w+\s*$/, ""), at: start + 2 }));
}

function unclosed(expr: Expr): { message: string; offset: number }[] {
  if (typeof expr.of !== "string" || expr.as === "js") return [];
  const offset = expr.of.indexOf("{{", findHoles(expr.of).at(-1)?.end ?? 0);
  return offset < 0 ? [] : [{ message: "the template does not close", offset }];
}

function tree(code: string): { node: AnyNode; shift: number } {
  const forms: [string, number][] = [
    [`(${code}\n)`, 1],
    [`(() => {${code}\n})`, 8],
  ];
  let first: unknown;
  for (const [text, shift] of forms) {
    try {
      return { node: parse(text, { ecmaVersion: 2023 }), shift };
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

function syntaxErrors(code: string, at: number): { message: string; offset: number }[] {
  try {
    tree(code);
    return [];
  } catch (error) {
    const { message, pos } = error as { message: string; pos: number };
    return [{ message: message.replace(/ \(\d+:\d+\)$/, ""), offset: at + Math.max(0, Math.min(pos - 1, code.length)) }];
  }
}

function freeNames(code: string): string[] {
  const used: string[] = [];
  const bound = new Set<string>();
  const bind = (pattern: unknown): void =>
    void JSON.stringify(pattern, (key, value: unknown) =>
      isObject(value) && value["type"] === "Identifier" && key !== "key" ? (bound.add(value["name"] as string), value) : value,
    );
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const held = node as Record<string, unknown>;
    if (held["type"] === "Identifier") used.push(held["name"] as string);
    if (Array.isArray(held["params"])) bind(held["params"]);
    if (held["type"] === "VariableDeclarator") bind(held["id"]);
    if (held["type"] === "CatchClause") bind(held["param"]);
    for (const [key, value] of Object.entries(held)) {
      if ((key === "property" || key === "key") && held["computed"] === false) continue;
      visit(value);
    }
  };
  visit(tree(code).node);
  return used.filter((name) => !bound.has(name) && name !== "arguments" && !(name in globalThis));
}

function readAll(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => ({ path: name.replaceAll("\\", "/"), text: readFileSync(join(folder, name), "utf8") }));
}

/** Resolves a sample the way an engine does: what a file imports and includes, file by file. */
function setOf(folder: string): SourceSet {
  const files = readAll(folder);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const main = byPath.get("workflow.yaml")!;
  const nameIn = (text: string): string | undefined => /^ {0,2}name: *"?([^"\n]+?)"? *$/m.exec(text)?.[1];
  const named = new Map(
    files.flatMap((file) =>
      file.path.startsWith("workflows/") && nameIn(file.text) !== undefined ? [[nameIn(file.text)!, file] as const] : [],
    ),
  );
  const imports: Record<string, SourceFile> = {};
  const workflows: Record<string, SourceFile> = {};
  const queue = [main];
  const seen = new Set<string>();
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (seen.has(file.path)) continue;
    seen.add(file.path);
    for (const reference of importsOf(file)) {
      const found = byPath.get(posix.join(dirname(file.path), reference)) ?? byPath.get(reference);
      if (found !== undefined) queue.push((imports[importKey(file.path, reference)] = found));
    }
    for (const { name } of callsOf(file)) {
      const found = named.get(name);
      if (found !== undefined) queue.push((workflows[name] = found));
    }
  }
  const storedAs = /^# stored as (.+)$/m.exec(main.text)?.[1];
  return { main: { ...main, name: storedAs ?? nameIn(main.text) ?? "unnamed", source: "project" }, imports, workflows };
}

function expectGolden(folder: string, file: string, actual: string | undefined): void {
  const path = join(folder, file);
  if (updating) {
    if (actual === undefined) rmSync(path, { force: true });
    else writeFileSync(path, actual);
    return;
  }
  expect(actual, `${relative(samples, path)} (UPDATE=1 rewrites)`).toEqual(existsSync(path) ? readFileSync(path, "utf8") : undefined);
}

const emitted = new Set<string>();
const loaded = cases.map((name) => {
  const folder = join(samples, name);
  const set = setOf(folder);
  const result = loadSteps(set, checker);
  for (const { code } of result.diagnostics) emitted.add(code);
  return { name, folder, set, ...result };
});
const valid = loaded.filter((each) => each.program !== undefined);

describe.each(loaded)("sample $name", ({ folder, set, program, diagnostics, info }) => {
  test("gives the recorded program, problems and plan", () => {
    const texts = new Map(readAll(folder).map((file) => [file.path, file.text]));
    const rendered = diagnostics.map((each) => renderDiagnostic(each, texts.get(each.place?.file ?? ""))).join("\n");
    expectGolden(folder, "diagnostics.txt", rendered === "" ? undefined : rendered);
    expectGolden(folder, "program.json", program === undefined ? undefined : `${JSON.stringify(program, null, 2)}\n`);
    expectGolden(
      folder,
      "plan.txt",
      program === undefined ? undefined : `${renderPlanText(explainPlan(program))}\n${renderPlanMermaid(explainPlan(program))}`,
    );
  });
  test("has a program exactly when there is no error, and it holds together", () => {
    expect(program === undefined).toBe(diagnostics.some((each) => each.severity === "error"));
    expect(program === undefined ? [] : checkProgram(program)).toEqual([]);
    expect(info.path).toBe("workflow.yaml");
  });
  test("every problem has a place inside its file, a known code and a way out", () => {
    for (const each of diagnostics) {
      expect(stepsCodes).toHaveProperty(each.code);
      expect(each.fix, each.code).toMatch(/[.?]$/);
      expect(each.message, each.code).toMatch(/[.]$/);
      const lines = readFileSync(join(folder, each.place?.file ?? ""), "utf8").split("\n");
      expect(each.place!.line).toBeLessThanOrEqual(lines.length);
      expect(each.place!.column).toBeLessThanOrEqual((lines[each.place!.line - 1] ?? "").length + 1);
    }
  });
  test("lowering the same set again gives the same text", () => {
    expect(JSON.stringify(loadSteps(structuredClone(set), checker).program)).toBe(JSON.stringify(program));
  });
});

describe("the samples together", () => {
  test("show every code of the catalogue", () => {
    const elsewhere = ["STEPS_TOO_DEEP", "STEPS_TOO_LARGE"];
    expect(Object.keys(stepsCodes).filter((code) => !emitted.has(code) && !elsewhere.includes(code))).toEqual([]);
  });
  test("use every key of every step type and every top-level key in a file that lowers", () => {
    const used = new Map<string, Set<string>>();
    const note = (type: string, value: object): void =>
      Object.keys(value).forEach((key) => (used.get(type) ?? used.set(type, new Set()).get(type)!).add(key));
    const visit = (value: Json): void => {
      if (Array.isArray(value)) return (value as Json[]).forEach(visit);
      if (!isObject(value)) return;
      if (typeof value["type"] === "string") note(value["type"], value);
      Object.values(value).forEach(visit);
    };
    for (const { info } of valid) {
      note("workflow", info.definition);
      visit(info.definition);
    }
    for (const type of stepsFeatures.stepTypes)
      expect([...(used.get(type) ?? [])], type).toEqual(expect.arrayContaining([...stepsFeatures.stepKeys[type]]));
    expect([...used.get("workflow")!]).toEqual(expect.arrayContaining([...stepsFeatures.topLevelKeys]));
  });
});

/** Every map and list of a document, to damage one of them. */
function containers(node: Node | null): (YAMLMap | YAMLSeq)[] {
  if (isMap(node)) return [node, ...node.items.flatMap((pair) => containers(pair.value as Node | null))];
  return isSeq(node) ? [node, ...node.items.flatMap((item) => containers(item as Node | null))] : [];
}

function damage(text: string, pick: number, which: number, how: string): string {
  const document = parseDocument(text, { uniqueKeys: false });
  const all = containers(document.contents).filter((each) => each.items.length > 0);
  const target = all[pick % Math.max(1, all.length)];
  if (target === undefined) return text;
  const at = which % target.items.length;
  if (how === "delete") target.items.splice(at, 1);
  else if (how === "duplicate") target.items.splice(at, 0, target.items[at] as never);
  else if (isSeq(target)) target.items[at] = document.createNode(replacements[how]);
  else {
    const pair = target.items[at] as Pair;
    if (how === "rename") pair.key = document.createNode(`${String(pair.key)}x`);
    else pair.value = document.createNode(replacements[how]);
  }
  return String(document);
}
const replacements: Record<string, Json> = {
  null: null,
  text: "{{ nothing",
  number: -1,
  list: [[]],
  map: { a: { b: 1 } },
  flag: true,
  rename: "x",
};

test("damage to a good file never throws: it gives problems, or another good program", () => {
  // A damaged file is written out anew, which cannot be done once an anchor is gone.
  const good = valid.filter(({ name }) => name !== "anchors").map(({ set }) => set);
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.nat(),
      fc.constantFrom("delete", "duplicate", ...Object.keys(replacements)),
      (file, pick, which, how) => {
        const set = good[file % good.length]!;
        const text = damage(set.main.text, pick, which, how);
        const { program, diagnostics } = loadSteps({ ...set, main: { ...set.main, text } }, checker);
        expect(program === undefined).toBe(diagnostics.some((each) => each.severity === "error"));
        expect(program === undefined ? [] : checkProgram(program)).toEqual([]);
      },
    ),
    { numRuns: 400 },
  );
});

test("any text at all is a file with problems, never a crash", () => {
  const line = fc.constantFrom(
    "name: a",
    "steps:",
    "  - type: while",
    "    then: [",
    "- - -",
    "{{",
    "&a [*a]",
    "? x",
    "\t",
    "workflow:",
    "a: 'x",
    "--- !!set",
    "%YAML 9",
    "  : :",
    "\u0000",
    "*a",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 60 }),
        fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n")),
      ),
      (text) => {
        const main = { path: "x.yaml", text, name: "x", source: "project" as const };
        const { program, diagnostics } = loadSteps({ main, imports: {}, workflows: {} }, checker);
        expect(program).toBeUndefined();
        expect(diagnostics.length).toBeGreaterThan(0);
        for (const each of diagnostics) expect(stepsCodes).toHaveProperty(each.code);
        importsOf(main);
        callsOf(main);
      },
    ),
    { numRuns: 300 },
  );
});

test("the order of keys in maps changes neither problems nor meaning", () => {
  const shuffled = (value: Json): Json =>
    Array.isArray(value)
      ? (value as Json[]).map(shuffled)
      : isObject(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, held]) => [key, shuffled(held)]),
          )
        : value;
  for (const { set, program } of valid.slice(0, 12)) {
    const text = String(parseDocument(JSON.stringify(shuffled(parseDocument(set.main.text).toJS() as Json))));
    const again = loadSteps({ ...set, main: { ...set.main, text } }, checker).program;
    expect(canonicalJson(again?.blocks)).toBe(canonicalJson(program?.blocks));
  }
});
