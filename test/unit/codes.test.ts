import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { catalogues } from "../../scripts/docs/rooms.ts";
import { dialectTools } from "../support/all-dialects.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { mcpCodes } from "../../src/mcp/index.ts";
import { settings } from "../../src/host/index.ts";

const root = resolve(import.meta.dirname, "../../src");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|contract)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const entries = Object.values(catalogues).flatMap((codes) => Object.entries(codes));
const catalogued = new Set(entries.map(([code]) => code));

/** Words that are spelled as codes are and mean something else. Every other word of that spelling is a code. */
const otherWords: ReadonlySet<string> = new Set(
  [
    "NO_COLOR CODEX_HOME XDG_CONFIG_HOME XDG_DATA_HOME BC_INTEL_WORKFLOW_STATE_PATH",
    // Of the protocol's library, of SQLite and of the YAML parser.
    "REQUEST_TIMEOUT NOT_CONNECTED CONNECTION_CLOSED ERR_SQLITE_ERROR ERR_TLS_CERT_ALTNAME_INVALID",
    // Of the sockets of Node.
    "EAI_AGAIN",
    "DUPLICATE_KEY RESOURCE_EXHAUSTION TAG_RESOLVE_FAILED MULTIPLE_DOCS MISSING_CHAR",
    "BLOCK_LITERAL BLOCK_FOLDED QUOTE_DOUBLE QUOTE_SINGLE",
    // Of git.
    "CHERRY_PICK_HEAD",
    // Variables that texts of a graph can name.
    "LOOP_PREV_OUTPUT BASE_BRANCH EXTERNAL_CONTEXT ISSUE_CONTEXT",
    // Statuses and states in the files of a machine's session.
    "ASK_USER NEEDS_INFO NEEDS_DECISION IMPLEMENT_LOOP APPROVE_DESIGN REVIEW_STRATEGY INTAKE_LEAN",
    "FIX_REVIEW FIX_TESTS FIX_SECURITY FIX_BUILD",
  ].flatMap((words) => words.split(" ")),
);
/** Environment variables of our own begin with the name. */
const spelled = /"((?!WAYMARK_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g;
/** Where a code of one word is given: a value of `code`, also one of two, and the first argument of the factories that take one. */
const given =
  /\b(?:code: |(?:\w+C|c)ode = )(?!string)([^;\n]*)|\b(?:refused|failed|failure|rejected?|keepRefusal|Unusable|warn)\(\s*("[A-Z0-9_]+")/g;
/** Codes of the operating system begin with E and are asked for, never given. */
const literal = /"((?!E[A-Z]+")[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g;

/** Codes that a source gives or compares with, each with its place. */
function codesIn({ path, text }: { readonly path: string; readonly text: string }): { readonly code: string; readonly path: string }[] {
  const clear = [...text.matchAll(spelled)].map(([, code = ""]) => code).filter((word) => !otherWords.has(word));
  const handed = [...text.matchAll(given)].flatMap(([, value = "", first = ""]) =>
    [...`${value} ${first}`.matchAll(literal)].map(([, code = ""]) => code),
  );
  return [...new Set([...clear, ...handed])].map((code) => ({ code, path }));
}

function uncatalogued(from: readonly { readonly path: string; readonly text: string }[]): string[] {
  return from
    .flatMap(codesIn)
    .filter(({ code }) => !catalogued.has(code))
    .map(({ code, path }) => `${code} in ${path}`);
}

test("every code that the sources give is in a catalogue", () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(uncatalogued(sources)).toEqual([]);
});

test.each([
  ['throw refused("ENGINE_PLANTED", "no", "no", {});', "ENGINE_PLANTED"],
  ['return { outcome: { ok: false, code: "PLANTED", message } };', "PLANTED"],
  ['complain(node, { code: one ? "STEPS_YAML_SYNTAX" : "STEPS_PLANTED", message });', "STEPS_PLANTED"],
  ['const stoppedCode = "PLANTED_NAMED";', "PLANTED_NAMED"],
  ['throw refused(\n    "PLANTED_BELOW",\n    "no");', "PLANTED_BELOW"],
  ['throw new Unusable("EXPRESSION_PLANTED", message);', "EXPRESSION_PLANTED"],
  ['throw new Unusable(\n  "PLANTED",\n  message);', "PLANTED"],
  ['work.names.warn("EXPRESSION_PLANTED", message);', "EXPRESSION_PLANTED"],
  ['reader.warn(at, "MACHINE_PLANTED", message, fix);', "MACHINE_PLANTED"],
  ['return someFactoryOfTomorrow(at, ["ITEMS_PLANTED", message]);', "ITEMS_PLANTED"],
])("a code that is in no catalogue is found: %s", (text, code) => {
  expect(uncatalogued([{ path: "planted.ts", text }])).toEqual([`${code} in planted.ts`]);
});

test("no word that is not a code is in a catalogue, and every one is still used", () => {
  expect([...otherWords].filter((word) => catalogued.has(word))).toEqual([]);
  expect([...otherWords].filter((word) => !sources.some(({ text }) => text.includes(`"${word}"`)))).toEqual([]);
});

test("only the catalogues that the MCP server reads say which call follows", async () => {
  const ofDialects = await Promise.all(dialectTools.flatMap(({ codes }) => codes?.() ?? []));
  const read: ReadonlySet<unknown> = new Set([engineCodes, mcpCodes, ...ofDialects]);
  const unread = Object.values(catalogues).filter((codes) => !read.has(codes));
  expect(unread.length).toBeGreaterThan(8);
  expect(unread.flatMap((codes) => Object.entries(codes)).flatMap(([code, { next }]) => (next === undefined ? [] : [code]))).toEqual([]);
});

test("no code is in two catalogues", () => {
  expect(entries.map(([code]) => code).filter((code, at, all) => all.indexOf(code) !== at)).toEqual([]);
});

test("every entry says what happened, why, and what to do, in full sentences", () => {
  for (const [code, { what, why, fix }] of entries) for (const text of [what, why, fix]) expect(text, code).toMatch(/^[A-Z`].*\.$/);
});

test("a setting that a fix names is one", () => {
  const keys = new Set(settings.map(({ key }) => key));
  const named = entries.flatMap(([, { fix }]) => Array.from(fix.matchAll(/`([a-z]+\.[a-z]+_[a-z_]+)`/g), ([, key]) => key));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((key) => !keys.has(key ?? ""))).toEqual([]);
});
