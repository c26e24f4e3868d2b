/** The shape of the house: no circles of files, front doors that name only what others use, dialects that are whole folders. */
import { existsSync, readdirSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { circles, importsOf, isProduct, readSources, type SourceText } from "../support/source-graph.ts";

const root = resolve(import.meta.dirname, "../..");
const all = readSources("src", "test", "bench", "scripts");
const product = all.filter(isProduct);

/** Two files may know each other; more are a knot that nobody can take apart. */
const mostInCircle = 2;

describe("circles", () => {
  test("no more than two files reach each other, types included", () => {
    expect(product.length).toBeGreaterThan(500);
    expect(circles(product).filter((circle) => circle.length > mostInCircle)).toEqual([]);
  });

  test("a planted circle is found, also one of types and of late imports", () => {
    const planted: readonly SourceText[] = [
      { file: "src/a/one.ts", text: 'import { two } from "./two.ts";\n' },
      { file: "src/a/two.ts", text: 'import type { Three } from "./three.ts";\n' },
      { file: "src/a/three.ts", text: 'const { one } = await import("./one.ts");\n' },
      { file: "src/a/four.ts", text: 'import { one } from "./one.ts";\n' },
    ];
    expect(circles(planted)).toEqual([["src/a/one.ts", "src/a/three.ts", "src/a/two.ts"]]);
  });
});

/** Names that a front door exports, and that nothing outside its room takes: no other room, test or script. */
function unusedNames(sources: readonly SourceText[]): readonly string[] {
  const doors = sources.filter(({ file }) => /^src\/(?:[\w-]+|dialects\/[\w-]+\/[\w-]+)\/index\.ts$/.test(file));
  return doors.flatMap((door) => {
    const room = posix.dirname(door.file);
    const exported = importsOf(door).flatMap(({ names = [] }) => names);
    const outside = sources.filter(({ file }) => !file.startsWith(`${room}/`));
    const uses = outside.flatMap(importsOf).filter(({ from }) => from === door.file);
    if (uses.some(({ names }) => names === undefined)) return [];
    const used = new Set(uses.flatMap(({ names = [] }) => names));
    return exported.filter((name) => !used.has(name)).map((name) => `${room}: ${name}`);
  });
}

describe("front doors", () => {
  test("a front door exports only what is used outside its room", () => {
    expect(unusedNames(all)).toEqual([]);
  });

  test("a name that nobody takes is found", () => {
    const planted = [
      { file: "src/a/index.ts", text: 'export { used, unused, type Kind } from "./one.ts";\n' },
      { file: "src/a/one.ts", text: 'import { unused } from "./index.ts";\n' },
      { file: "src/b/two.ts", text: 'import { used, type Kind } from "../a/index.ts";\n' },
    ];
    expect(unusedNames(planted)).toEqual(["src/a: unused"]);
  });
});

const required = ["dialect.ts", "codes.ts", "definition", "samples"];
/** `features.yaml`: what its seed asks for, with the tests that prove it. */
const allowed = [...required, "features.yaml", "run", "views", "tools", "commands"];

/** What is missing in a dialect's folder, and what has another name than the parts of a dialect have. */
function folderProblems(entries: readonly string[]): readonly string[] {
  const missing = required.filter((name) => !entries.includes(name)).map((name) => `lacks ${name}`);
  // A catalogue that is too long for one file has parts.
  const unknown = entries.filter((name) => !allowed.includes(name) && !/(?:\.test|-codes)\.ts$/.test(name)).map((name) => `has ${name}`);
  return [...missing, ...unknown];
}

describe("dialects", () => {
  const folder = join(root, "src/dialects");
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

  test.each(names)("%s has every part that a dialect needs, and no other", (name) => {
    const entries = readdirSync(join(folder, name));
    expect(folderProblems(entries)).toEqual([]);
    const parts = entries.filter((entry) => allowed.includes(entry) && !entry.includes(".") && entry !== "samples");
    expect(parts.filter((part) => !existsSync(join(folder, name, part, "tsconfig.json")))).toEqual([]);
  });

  test("a folder that lacks a part, or has one of another name, is found", () => {
    expect(folderProblems(["dialect.ts", "definition", "samples", "engine", "dialect.test.ts"])).toEqual(["lacks codes.ts", "has engine"]);
  });
});

/** The rooms that serve every dialect. */
const general = /^src\/(?:engine|views|mcp|http|cli)\//;

/** Names of dialects that are also plain words of every run; only as text of their own do they name the dialect. */
const plainWords: ReadonlySet<string> = new Set(["steps", "prompts"]);

/** A kind of block that programs of every dialect may have. */
const blockKinds = /\bcase "machine":|\bkind [!=]== "machine"/g;

/** Where general code names a dialect: in an import, an identifier or a text. Comments may explain. */
function dialectsNamed({ file, text }: SourceText, names: readonly string[]): readonly string[] {
  const code = text
    .replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, "")
    .replace(/\s\/\/ .*$/gm, "")
    .replace(blockKinds, "");
  return names.flatMap((name) => {
    const word = name.replace(/s$/, "");
    const capital = `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
    const form = plainWords.has(name)
      ? new RegExp(`dialect\\w*(?: ===| !==|:|\\)\\]?:?) ["'\`]${name}["'\`]|dialects/${name}/`, "gi")
      : new RegExp(`(?<![A-Za-z])${word}s?(?![a-z])|${capital}s?(?![a-z])|${word.toUpperCase()}S?(?![A-Z])`, "g");
    return [...code.matchAll(form)].map(([found]) => `${file}: ${found}`);
  });
}

describe("general code", () => {
  const names = readdirSync(join(root, "src/dialects"), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

  test("names no dialect", () => {
    const found = product.filter(({ file }) => general.test(file)).flatMap((source) => dialectsNamed(source, names));
    expect(found).toEqual([]);
  });

  test.each([
    ['import { botOf } from "../dialects/bots/run/index.ts";', 2],
    ["const checklistRun = 1;", 1],
    ["const isInChecklist = 1;", 1],
    ['throw refused("ENGINE_NOT_A_CHECKLIST", "This is not a checklist.");', 2],
    ['if (program.dialect === "machine") return;', 1],
    ['if (program.dialect === "steps") return;', 1],
    ["const both = bottom + robot + machinery + steps.length;", 0],
    ["/** A bot may do it. */", 0],
  ])("%s names %i", (text, count) => {
    expect(dialectsNamed({ file: "src/engine/planted.ts", text }, ["bots", "checklist", "machine", "steps"])).toHaveLength(count);
  });
});
