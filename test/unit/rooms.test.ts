/**
 * The house plan. The compiler refuses most wrong imports; this closes what it leaves open: project references are transitive, a
 * side door compiles, and so do a clock, dice and a package far from home. Every rule is also run on a planted fault.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Packages and the rooms they live in. What is not listed lives nowhere. */
const homes: Readonly<Record<string, readonly string[]>> = {
  acorn: ["state"],
  yaml: ["source", "dialects", "host", "knowledge", "agents"],
  ignore: ["workspace"],
  picomatch: ["scan", "workspace"],
  zod: ["dialects", "mcp", "source"],
  commander: ["cli"],
  "quickjs-wasi": ["sandbox"],
  "@photostructure/sqlite": ["store"],
  pg: ["store"],
  "@modelcontextprotocol/server": ["mcp"],
  "@modelcontextprotocol/node": ["http", "mcp"],
  "@modelcontextprotocol/client": ["host"],
  "@agentclientprotocol/sdk": ["agents"],
};

/**
 * A dialect is a folder of `dialects/`. Its own files (`dialect.ts`, `codes.ts`) join its parts; each part is a room, and may enter the
 * rooms listed here and the parts of the same dialect that come before it in this list.
 */
const partsOfDialects: Readonly<Record<string, readonly string[]>> = {
  definition: ["base", "program", "source"],
  views: ["base", "program", "kernel", "views"],
  run: ["base", "program", "kernel", "ports", "state", "source", "scan", "findings", "knowledge", "views", "engine"],
  tools: ["base", "program", "kernel", "ports", "views", "engine", "mcp"],
  commands: ["base", "program", "kernel", "ports", "scan", "findings", "views", "engine", "cli"],
};

/** Rooms that may enter `dialects/`: the composition root alone. */
const enterDialects: readonly string[] = ["bin"];

/** Rooms that may use Node itself. */
const platformRooms = ["disk", "sandbox", "store", "workspace", "host", "agents", "mcp", "http", "chat", "cli", "bin"];

/** Commands of dialects are part of the command line, wherever they are. */
function isPlatform(file: string): boolean {
  return platformRooms.includes(file.split("/")[0] ?? "") || roomOf(file).endsWith("/commands");
}

/** Rooms that take the time and random values from elsewhere. */
const timelessRooms = [
  "base",
  "program",
  "kernel",
  "ports",
  "state",
  "source",
  "dialects",
  "scan",
  "findings",
  "knowledge",
  "views",
  "router",
  "engine",
];
const clockOrDice =
  /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^)\s])|(?<!\bnew )(?<![\w.])Date\(|\bMath\.random\b|\bperformance\.|\bcrypto\.|\bprocess\.hrtime\b|\bset(?:Timeout|Interval)\(/;

/** Rooms whose imports may be computed: the sandbox's worker is started from text and is told where its engine lies. */
const computedImports = ["sandbox"];

/** Names that say nothing: as a whole name, and as a part of one. */
const emptyNames = /^(?:common|types?|handlers?)$/;
const emptyParts = /^(?:utils?|helpers?|misc|managers?|services?)$/;

interface Source {
  /** Path below `src`, with `/`. */
  readonly file: string;
  readonly text: string;
}
/** Room to the rooms it may enter. */
type Plan = ReadonlyMap<string, readonly string[]>;

/** Everything that is wrong with one source file, one sentence each. */
function complaints(plan: Plan, { file, text }: Source): string[] {
  const [room = ""] = file.split("/");
  const code = withoutComments(text);
  const found = specifiers(code).map((specifier) => aboutImport(plan, file, specifier));
  if (!computedImports.includes(room) && /\bimport\(\s*(?!["'\s])/.test(code))
    found.push(`${file}: an import must name its target as plain text`);
  if (timelessRooms.includes(room) && !isPlatform(file) && clockOrDice.test(code))
    found.push(`${file}: ${room} has neither clock nor dice`);
  found.push(aboutName(file));
  if (posix.basename(file) === "index.ts" && /^export \*/m.test(code)) found.push(`${file}: a front door names what it exports`);
  return found.filter((sentence) => sentence !== undefined);
}

function aboutImport(plan: Plan, file: string, specifier: string): string | undefined {
  const [from = ""] = file.split("/");
  if (specifier.startsWith("node:") || builtinModules.includes(specifier)) {
    return isPlatform(file) ? undefined : `${file}: ${from} may not use ${specifier}`;
  }
  if (!specifier.startsWith(".")) {
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
    return homes[name]?.includes(from) ? undefined : `${file}: ${name} has no home in ${from}`;
  }
  const target = posix.join(posix.dirname(file), specifier);
  const [room, to] = [roomOf(file), roomOf(target)];
  if (to === room || (dialectOf(room) === room && target === "dialects/dialect-entry.ts")) return undefined;
  if (!mayEnter(plan, room, to)) return `${file}: ${room} may not enter ${to}`;
  // The files of a dialect itself are what `dialects/` joins, and what it teaches the engine is loaded without the rest of its runs.
  if (room === "dialects" && dialectOf(to) === to) return undefined;
  if (dialectOf(room) === room && target === `${room}/run/runtime.ts`) return undefined;
  return target === `${to}/index.ts` ? undefined : `${file}: enter ${to} through its index.ts`;
}

/** The room of a file: a part of a dialect, a dialect with what joins its parts, or a folder of `src`. */
function roomOf(file: string): string {
  const [room = "", ...names] = posix.dirname(file).split("/");
  const [dialect, part = ""] = names;
  if (room !== "dialects" || dialect === undefined) return room;
  return Object.hasOwn(partsOfDialects, part) ? `dialects/${dialect}/${part}` : `dialects/${dialect}`;
}

/** The dialect that a room belongs to, as a room of its own. */
function dialectOf(room: string): string | undefined {
  return /^dialects\/[^/]+/.exec(room)?.[0];
}

function mayEnter(plan: Plan, room: string, to: string): boolean {
  const [dialect, other] = [dialectOf(room), dialectOf(to)];
  if (other !== undefined && room !== "dialects" && dialect !== other) return false;
  if (to === "dialects") return enterDialects.includes(room) && plan.get(room)?.includes(to) === true;
  if (room === "dialects") return other !== undefined || plan.get(room)?.includes(to) === true;
  if (dialect === undefined) return plan.get(room)?.includes(to) === true;
  if (dialect === room) return other === dialect || partsOfDialects["definition"]?.includes(to) === true;
  if (dialect !== other) return plan.get(room)?.includes(to) === true;
  const order = Object.keys(partsOfDialects);
  return to !== dialect && order.indexOf(posix.basename(to)) < order.indexOf(posix.basename(room));
}

function aboutName(file: string): string | undefined {
  const empty = file
    .replace(/(?:\.test|\.process|\.contract)*\.\w+$/, "")
    .split("/")
    .find((name) => emptyNames.test(name) || name.split("-").some((part) => emptyParts.test(part)));
  return empty === undefined ? undefined : `${file}: \`${empty}\` says nothing; name it after what it does`;
}

function specifiers(code: string): string[] {
  const forms = [
    /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require|import\.meta\.resolve|require\.resolve)\(\s*["']([^"']+)["']/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ""));
}

/** Blanks comments by the look of their lines, which the formatter keeps regular; a comment may name what code may not use. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/\*|\*).*$/gm, "").replace(/\s\/\/ .*$/gm, "");
}

/** Names like `base/` in the first column of the table whose first heading begins with "room". */
function tableOfRooms(text: string): string[] {
  const [, table = ""] = /^\| *room.*\n\|[-| :]+\n((?:\|.*\n)*)/im.exec(text) ?? [];
  return table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(?:src\/)?([\w-]+)\/?[^`]*`/g)].map((match) => match[1] ?? ""))
    .sort();
}

function readPlan(): Plan {
  const rooms = [...foldersIn(""), ...partFolders()];
  return new Map(
    rooms.map((room) => {
      const { references } = JSON.parse(readFileSync(join(root, "src", room, "tsconfig.json"), "utf8")) as {
        references: { path: string }[];
      };
      return [room, references.map(({ path }) => posix.join(room, path))];
    }),
  );
}

function foldersIn(folder: string): string[] {
  return readdirSync(join(root, "src", folder), { withFileTypes: true })
    .filter((found) => found.isDirectory())
    .map(({ name }) => posix.join(folder, name));
}

/** Parts of dialects: folders with sources. `samples/` holds files for tests. */
function partFolders(): string[] {
  const parts = readSources().flatMap(({ file }) => /^dialects\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(parts)];
}

function readSources(): Source[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => ({ path: join(root, "src", file), file: file.replaceAll("\\", "/") }))
    .filter(({ file }) => /\.(?:ts|js|mjs)$/.test(file) && !/\.(?:test|contract)\.ts$|\/samples\//.test(file))
    .map(({ file, path }) => ({ file, text: readFileSync(path, "utf8") }));
}

function generalRooms(plan: Plan): string[] {
  return [...plan.keys()].filter((room) => !room.includes("/")).sort();
}

describe("the house as it stands", () => {
  const plan = readPlan();
  const sources = readSources();

  test("every source keeps to the plan", () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.flatMap((source) => complaints(plan, source))).toEqual([]);
  });

  test("every part of a dialect is one of those that there are, and refers to no more than such a part may enter", () => {
    const parts = partFolders();
    expect(parts.length).toBeGreaterThan(3);
    const wrong = parts.flatMap((part) => {
      const may = partsOfDialects[posix.basename(part)];
      if (may === undefined) return [`${part} is not a part of a dialect`];
      return (plan.get(part) ?? [])
        .filter((to) => !may.includes(to) && posix.dirname(to) !== posix.dirname(part))
        .map((to) => `${part} refers to ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  test("every room has a front door that says what it is for, except the one nobody enters", () => {
    const doors = new Map(sources.map(({ file, text }) => [file, text]));
    // What a dialect teaches the engine is entered by itself.
    const isEntered = (file: string, room: string): boolean => file.startsWith(`${room}/`) && !file.endsWith("/run/runtime.ts");
    const entered = [...plan.keys()].filter((room) => room !== "bin" && sources.some(({ file }) => isEntered(file, room)));
    expect(entered.filter((room) => doors.get(`${room}/index.ts`)?.startsWith("/**") !== true)).toEqual([]);
  });

  test("every room belongs to the root project and to the tests", () => {
    for (const file of ["tsconfig.json", "test/tsconfig.json"]) {
      const { references } = JSON.parse(readFileSync(join(root, file), "utf8")) as { references: { path: string }[] };
      const named = references.map(({ path }) => posix.basename(path)).filter((name) => name !== "test");
      expect(named.sort(), file).toEqual(generalRooms(plan));
    }
  });

  test("no rooms reach each other in a circle", () => {
    const reach = (room: string, seen: readonly string[]): string[] =>
      seen.includes(room) ? [[...seen, room].join(" > ")] : (plan.get(room) ?? []).flatMap((next) => reach(next, [...seen, room]));
    expect([...plan.keys()].flatMap((room) => reach(room, []))).toEqual([]);
  });

  test("every runtime dependency has a home, and every home its dependency", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: Record<string, string> };
    expect(Object.keys(dependencies).sort()).toEqual(Object.keys(homes).sort());
  });

  test("one file alone knows the package of the agents' protocol", () => {
    const using = sources.filter(({ text }) => text.includes('"@agentclientprotocol/sdk'));
    expect(using.map(({ file }) => file)).toEqual(["agents/acp/acp-connection.ts"]);
  });

  test("every dependency is accounted for, with its version, in decisions/006-dependencies.md", () => {
    const text = readFileSync(join(root, "decisions/006-dependencies.md"), "utf8");
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string>>;
    const named = Object.entries({ ...manifest["dependencies"], ...manifest["devDependencies"], ...manifest["overrides"] });
    expect(named.map(([name, version]) => `${name} ${version}`).filter((row) => !text.includes(row))).toEqual([]);
  });

  test("the rooms table of ARCHITECTURE.md names exactly the rooms there are", () => {
    const file = join(root, "ARCHITECTURE.md");
    expect(existsSync(file) ? tableOfRooms(readFileSync(file, "utf8")) : "ARCHITECTURE.md is missing").toEqual(generalRooms(plan));
  });
});

describe("planted faults are found", () => {
  const plan: Plan = new Map([
    ["base", []],
    ["kernel", ["base"]],
    ["store", ["base"]],
    ["engine", ["base", "kernel", "dialects"]],
    ["cli", ["base", "engine", "dialects"]],
    ["bin", ["dialects"]],
    ["source", ["base"]],
    ["dialects", ["base", "source"]],
    ["dialects/steps/definition", ["base", "source"]],
    ["dialects/steps/run", ["base", "source", "engine"]],
  ]);
  const about = (file: string, text: string) => complaints(plan, { file, text });

  test.each([
    ["a room that is not referenced", "kernel/a.ts", 'import { open } from "../store/index.ts";', "kernel may not enter store"],
    [
      "the same over several lines",
      "kernel/a.ts",
      'import {\n  open,\n  close,\n} from "../store/index.ts";',
      "kernel may not enter store",
    ],
    ["the same by re-export", "kernel/a.ts", 'export { open } from "../store/index.ts";', "kernel may not enter store"],
    ["the same as a type", "kernel/a.ts", 'type S = import("../store/index.ts").Store;', "kernel may not enter store"],
    ["the same by dynamic import", "kernel/a.ts", 'const s = await import("../store/index.ts");', "kernel may not enter store"],
    ["the same for its side effect", "kernel/a.ts", 'import "../store/index.ts";', "kernel may not enter store"],
    ["the same from a deeper folder", "kernel/deep/a.ts", 'import { open } from "../../store/index.ts";', "kernel may not enter store"],
    ["a way out of the house", "kernel/a.ts", 'import { x } from "../../scripts/x.mjs";', "kernel may not enter"],
    ["a side door", "kernel/a.ts", 'import { isList } from "../base/json.ts";', "enter base through its index.ts"],
    ["an inner index as a side door", "kernel/a.ts", 'import { x } from "../base/deep/index.ts";', "enter base through its index.ts"],
    ["a dialect in a general room", "cli/a.ts", 'import { x } from "../dialects/index.ts";', "cli may not enter dialects"],
    [
      "a part of a dialect in a general room",
      "engine/a.ts",
      'import { x } from "../dialects/steps/definition/index.ts";',
      "engine may not enter dialects/steps/definition",
    ],
    [
      "another dialect",
      "dialects/steps/definition/a.ts",
      'import { x } from "../../bots/definition/index.ts";',
      "dialects/steps/definition may not enter dialects/bots/definition",
    ],
    [
      "all dialects from one of them",
      "dialects/steps/definition/a.ts",
      'import { x } from "../../index.ts";',
      "dialects/steps/definition may not enter dialects",
    ],
    [
      "a room that such a part does not refer to",
      "dialects/steps/definition/a.ts",
      'import { x } from "../../../engine/index.ts";',
      "dialects/steps/definition may not enter engine",
    ],
    [
      "a part that comes after it",
      "dialects/steps/definition/a.ts",
      'import { x } from "../run/index.ts";',
      "dialects/steps/definition may not enter dialects/steps/run",
    ],
    [
      "what joins the parts from one of them",
      "dialects/steps/definition/a.ts",
      'import { x } from "../codes.ts";',
      "dialects/steps/definition may not enter dialects/steps",
    ],
    [
      "a side door of a part",
      "dialects/steps/dialect.ts",
      'import { x } from "./definition/lower.ts";',
      "enter dialects/steps/definition through its index.ts",
    ],
    [
      "another dialect from what joins the parts",
      "dialects/steps/dialect.ts",
      'import { x } from "../bots/definition/index.ts";',
      "dialects/steps may not enter dialects/bots/definition",
    ],
    ["a computed import", "store/a.ts", "const s = await import(name);", "plain text"],
    ["a template as import", "store/a.ts", "const s = await import(`../engine/${name}.ts`);", "plain text"],
    ["a package far from home", "kernel/a.ts", 'import { parse } from "yaml";', "yaml has no home in kernel"],
    ["a part of a package far from home", "engine/a.ts", 'import { z } from "zod/mini";', "zod has no home in engine"],
    [
      "a scoped package far from home",
      "engine/a.ts",
      'import { D } from "@photostructure/sqlite";',
      "@photostructure/sqlite has no home in engine",
    ],
    ["a package without a home", "store/a.ts", 'import left from "left-pad";', "left-pad has no home in store"],
    ["a package by require", "store/a.ts", 'const left = require("left-pad");', "left-pad has no home in store"],
    ["Node in a pure room", "engine/a.ts", 'import { readFile } from "node:fs/promises";', "engine may not use node:fs/promises"],
    ["Node without its prefix", "engine/a.ts", 'import fs from "fs";', "engine may not use fs"],
    ["a clock", "kernel/a.ts", "const at = Date.now();", "neither clock nor dice"],
    ["a clock by construction", "engine/a.ts", "const at = new Date();", "neither clock nor dice"],
    ["a clock without parentheses", "engine/a.ts", "const at = new Date;", "neither clock nor dice"],
    ["a timer of its own", "engine/a.ts", "setTimeout(ring, 5);", "neither clock nor dice"],
    ["a clock as text", "engine/a.ts", "const at = Date();", "neither clock nor dice"],
    ["a stop watch", "engine/a.ts", "const begun = performance.now();", "neither clock nor dice"],
    ["dice", "kernel/a.ts", "const n = Math.random();", "neither clock nor dice"],
    ["better dice", "engine/a.ts", "const id = crypto.randomUUID();", "neither clock nor dice"],
    ["an empty name", "kernel/utils.ts", "", "`utils` says nothing"],
    ["an empty name for a folder", "kernel/helpers/a.ts", "", "`helpers` says nothing"],
    ["an empty word in a name", "store/run-manager.ts", "", "`run-manager` says nothing"],
    ["a file of types", "store/types.ts", "", "`types` says nothing"],
    ["an empty name for a test", "store/common.test.ts", "", "`common` says nothing"],
    ["an open front door", "base/index.ts", 'export * from "./json.ts";', "names what it exports"],
  ])("%s", (_title, file, text, expected) => {
    const found = about(file, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  test.each([
    ["the front door of a referenced room", "kernel/a.ts", 'import { isList } from "../base/index.ts";'],
    ["the composition root among the dialects", "bin/a.ts", 'import { x } from "../dialects/index.ts";'],
    ["a dialect in the list of them", "dialects/index.ts", 'export { x } from "./steps/dialect.ts";'],
    ["the parts of a dialect where they are joined", "dialects/steps/dialect.ts", 'import { x } from "./definition/index.ts";'],
    ["an earlier part of the same dialect", "dialects/steps/run/deep/a.ts", 'import { x } from "../../definition/index.ts";'],
    ["a room that a part refers to", "dialects/steps/run/a.ts", 'import { x } from "../../../engine/index.ts";'],
    ["a file of the same part", "dialects/steps/definition/lower/a.ts", 'import { x } from "../vocabulary.ts";'],
    ["a file of the same room", "kernel/deep/a.ts", 'import { apply } from "../apply.ts";'],
    ["a package at home", "store/a.ts", 'import { D } from "@photostructure/sqlite";'],
    ["Node in a platform room", "store/a.ts", 'import { join } from "node:path";'],
    ["a clock in a platform room", "store/a.ts", "const at = Date.now();"],
    ["a given time", "engine/a.ts", "const text = new Date(at).toISOString();"],
    ["a type that is called Date", "engine/a.ts", "interface Row { toDate(at: number): Date }"],
    ["a name that is like a timer's", "engine/a.ts", "const setTimeoutMs = 1; at.resetTimeout(2);"],
    ["a clock in a comment", "kernel/a.ts", "/**\n * Never Date.now().\n */\n// nor Math.random()\nconst a = 1; // nor new Date()"],
    ["a message that speaks of an import", "kernel/a.ts", 'const text = `taken from "left-pad"`;'],
    ["a name with a meaning", "dialects/step-types.ts", ""],
  ])("%s is no fault", (_title, file, text) => {
    expect(about(file, text)).toEqual([]);
  });

  test("a room that the rooms table forgot or invented", () => {
    const table =
      "# x\n\n| room | holds |\n|---|---|\n| `base/` | words |\n| `src/store/`, `attic/` | rows |\n\n| `kernel/` | not this table |\n";
    expect(tableOfRooms(table)).toEqual(["attic", "base", "store"]);
    expect(tableOfRooms("no table")).toEqual([]);
  });
});
